/* armature.h - Armature from C, and through C from any language.
 *
 *   armature_arm* arm = NULL;
 *   if (armature_arm_load("panda", NULL, 0, &arm) != ARMATURE_OK) puts(armature_error());
 *   armature_function* dynamics = NULL;
 *   armature_function_new(arm, "inverse_dynamics", NULL, 0, &dynamics);
 *   armature_function_state(dynamics, (const double*[]){q, v, a}, 3, tau);
 *   armature_function_free(dynamics);
 *   armature_arm_free(arm);
 *
 * Handles. An arm, a function and a result are opaque. They are constant once made: any number of threads may use one at the
 * same time. Each is freed once, by the function named after it; freeing NULL does nothing. A function keeps what it needs of
 * its arm, so the arm may be freed before it.
 *
 * Errors. A function that can fail returns a status, ARMATURE_OK or the reason, and leaves its outputs alone. What went wrong is
 * then told by armature_error() and its parts, for the thread that called. No exception leaves the library. A null pointer
 * where something is needed is an error like any other; a pointer to memory that is not there is not found out.
 *
 * Settings. They cross as text, "key=value", just as `armature simulate --set` takes them: the keys are those of the
 * documentation and of scenario files, the values are YAML, with units where there are any ("run.duration=2 s").
 *
 * Text is UTF-8 and ends with a zero byte. What a function returns as const char* belongs to the handle it was asked of.
 *
 * Numbers are SI: rad, m, s, N, N m, kg. One value per joint, from the base on.
 */
#ifndef ARMATURE_ARMATURE_H
#define ARMATURE_ARMATURE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define ARMATURE_API __declspec(dllexport)
#else
#define ARMATURE_API __attribute__((visibility("default")))
#endif

/* Status ------------------------------------------------------------------------------------------------------------------ */

/** How a call ended. */
typedef enum armature_status {
  ARMATURE_OK = 0,
  ARMATURE_STOPPED = 1,     /* by the progress callback, before there was a result */
  ARMATURE_WRONG_INPUT = 2, /* said by armature_error(), with place and hint */
  ARMATURE_INTERNAL = 3,    /* a defect of the library */
  ARMATURE_NO_MEMORY = 4
} armature_status;

/** The version of the library, "0.2.0". */
ARMATURE_API const char* armature_version(void);

/** What went wrong in the last call of this thread that failed: "place: finding\n  hint: hint". Valid until the next call that
 *  fails on this thread; empty where none has. */
ARMATURE_API const char* armature_error(void);
/** Where: "robot.urdf:12:3" or "state 7"; may be empty. */
ARMATURE_API const char* armature_error_place(void);
/** What was found there. */
ARMATURE_API const char* armature_error_finding(void);
/** What helps; may be empty. */
ARMATURE_API const char* armature_error_hint(void);

/* Arms -------------------------------------------------------------------------------------------------------------------- */

/** A robot arm: checked when made, constant afterwards. */
typedef struct armature_arm armature_arm;

/** Makes an arm from the name of a built-in one, an arm file (.yaml) or a URDF (.urdf). Settings: base, tip (links of a URDF),
 *  lock.JOINT (its position while the arm moves), as_given (true: with inertia that is missing or that no body has). */
ARMATURE_API armature_status armature_arm_load(const char* name_or_path, const char* const* settings, size_t count,
                                               armature_arm** arm);
/** Makes an arm from the text of an arm file (docs/arm_files.md); `file` is its name in messages and may be NULL. Settings:
 *  as_given. */
ARMATURE_API armature_status armature_arm_from_text(const char* text, const char* file, const char* const* settings,
                                                    size_t count, armature_arm** arm);
/** Makes an arm that differs: each setting replaces a key of the arm's file, "payload={mass: 2 kg}", "gravity=[0, 0, -1.62]". */
ARMATURE_API armature_status armature_arm_replace(const armature_arm* arm, const char* const* settings, size_t count,
                                                  armature_arm** replaced);
/** Frees an arm. */
ARMATURE_API void armature_arm_free(armature_arm* arm);

/** The name of built-in arm number `index`, from 0; NULL behind the last. */
ARMATURE_API const char* armature_arm_built_in(size_t index);

/** Writes the arm as a file that reads back as the same arm, .yaml or .urdf: whole, or not at all. */
ARMATURE_API armature_status armature_arm_save(const armature_arm* arm, const char* path);

/** Its name; NULL for NULL. */
ARMATURE_API const char* armature_arm_name(const armature_arm* arm);
/** The number of moving joints, 1 to 16; 0 for NULL. */
ARMATURE_API size_t armature_arm_dof(const armature_arm* arm);
/** The name of moving joint `joint`, from 0; NULL behind the last. */
ARMATURE_API const char* armature_arm_joint_name(const armature_arm* arm, size_t joint);
/** The name of link `link`, from 0; NULL behind the last. Fixed links count too. */
ARMATURE_API const char* armature_arm_link_name(const armature_arm* arm, size_t link);
/** Sentence `index` that a person should read about this arm; NULL behind the last. */
ARMATURE_API const char* armature_arm_warning(const armature_arm* arm, size_t index);
/** The arm as the text of an arm file. */
ARMATURE_API const char* armature_arm_text(const armature_arm* arm);
/** 1: joint `joint` slides; 0: it turns, or there is no such joint. */
ARMATURE_API int armature_arm_joint_slides(const armature_arm* arm, size_t joint);
/** Limits of the joints, dof numbers each: infinite where the arm states none. Each pointer may be NULL. */
ARMATURE_API armature_status armature_arm_limits(const armature_arm* arm, double* lower, double* upper,
                                                 double* velocity, double* acceleration, double* torque);
/** Inertial parameters of what the joints move, 10 * dof numbers that the quantity `regressor` multiplies: for each joint mass, mass times centre of mass
 *  (x, y, z), and xx, xy, yy, xz, yz, zz of the inertia about the origin of the link's frame. Links that are fixed to each other are one. */
ARMATURE_API armature_status armature_arm_parameters(const armature_arm* arm, double* parameters);
/** Makes the same arm with functions generated and compiled for it, several times as fast; it needs a C++ compiler. `folder` keeps
 *  them for the next time, under a name that follows from the arm; it is made where it is not there. Settings: effort. */
ARMATURE_API armature_status armature_arm_compile(const armature_arm* arm, const char* folder,
                                                  const char* const* settings, size_t count, armature_arm** compiled);
/** 1: the arm is computed with functions generated for it; 0: by recursion. */
ARMATURE_API int armature_arm_generated(const armature_arm* arm);

/* Computing --------------------------------------------------------------------------------------------------------------- */

/** A quantity of an arm as a function of its state: inverse_dynamics, mass_matrix, jacobian, ... */
typedef struct armature_function armature_function;

/** The name of quantity number `index`, from 0; NULL behind the last. */
ARMATURE_API const char* armature_quantity(size_t index);
/** What it is, in words; NULL behind the last. */
ARMATURE_API const char* armature_quantity_about(size_t index);

/** Makes the function. Settings, where the quantity obeys them: friction, rotor (true), wrench (six numbers), frame (a link),
 *  method, representation, task. */
ARMATURE_API armature_status armature_function_new(const armature_arm* arm, const char* quantity,
                                                   const char* const* settings, size_t count,
                                                   armature_function** function);
/** Frees a function. */
ARMATURE_API void armature_function_free(armature_function* function);

/** A letter for each input in its order: q positions, v velocities, a accelerations, t torques; each is dof numbers. */
ARMATURE_API const char* armature_function_inputs(const armature_function* function);
/** The numbers of one result: all its parts one after the other, matrices row by row. */
ARMATURE_API size_t armature_function_width(const armature_function* function);
/** Part `part` of the result, from 0: "tau", "m", "kinetic"; NULL behind the last. */
ARMATURE_API const char* armature_function_part(const armature_function* function, size_t part);
/** Its rows and columns; 0 columns: a vector; 0 rows as well: a single number. */
ARMATURE_API size_t armature_function_rows(const armature_function* function, size_t part);
ARMATURE_API size_t armature_function_columns(const armature_function* function, size_t part);

/** Computes one state: `inputs` points to as many arrays of dof numbers as armature_function_inputs() has letters. Neither
 *  allocates nor locks unless it fails. A number that is not finite is refused, among the inputs and among the results. */
ARMATURE_API armature_status armature_function_state(const armature_function* function, const double* const* inputs,
                                                     size_t input_count, double* result);

/** The kind of the numbers in an array. */
typedef enum armature_type { ARMATURE_DOUBLE = 0, ARMATURE_FLOAT = 1 } armature_type;

/** Numbers of many states, in memory as they lie: steps in bytes, of any sign. A state_step of 0 gives all states the same. */
typedef struct armature_input {
  const void* data;
  int32_t type; /* armature_type */
  ptrdiff_t state_step, number_step;
} armature_input;
typedef struct armature_output {
  void* data;
  int32_t type; /* armature_type */
  ptrdiff_t state_step, number_step;
} armature_output;

/** Computes many states; each result equals that of armature_function_state(), bit for bit (a float result is the double one,
 *  rounded). The work is shared by `threads` threads; 0: as many as are worth it. An error names the first state that has one,
 *  from 0; the results then mean nothing. */
ARMATURE_API armature_status armature_function_states(const armature_function* function, size_t states,
                                                      const armature_input* inputs, size_t input_count,
                                                      const armature_output* result, int threads);

/** A quantity of an arm compiled for a device, whose states lie in the memory of that device and are computed there without a copy. */
typedef struct armature_device_function armature_device_function;

/** Makes the function: inverse_dynamics, forward_dynamics, mass_matrix, gravity, jacobian or forward_kinematics. Settings: device, cuda (the default;
 *  it needs nvcc, and a graphics processor to run) or host (the same text compiled for this machine, whose own memory it then reads: to try a program
 *  without a graphics processor); effort. What was compiled is kept for the next time in $ARMATURE_CACHE or the user's folder for such things. */
ARMATURE_API armature_status armature_device_function_new(const armature_arm* arm, const char* quantity,
                                                          const char* const* settings, size_t count,
                                                          armature_device_function** function);
/** Frees a function. */
ARMATURE_API void armature_device_function_free(armature_device_function* function);
/** Computes many states: inputs and result as in armature_function_states(), with pointers into the memory of the device. All arrays are of one type; float
 *  arrays are computed in float. `stream` is a cudaStream_t, NULL the default one; it is waited for, so that the results are there on return. Numbers
 *  are not checked: what is not finite goes in and comes out. */
ARMATURE_API armature_status armature_device_function_states(const armature_device_function* function, size_t states,
                                                             const armature_input* inputs, size_t input_count,
                                                             const armature_output* result, void* stream);

/** Many runs of one scenario's closed loop, compiled for a device: what varies among them and what comes out lies in the memory of that device. */
typedef struct armature_device_rollout armature_device_rollout;

/** Makes the loop of a scenario, given as to armature_simulate(). `keys` says what varies from run to run: keys of the scenario ("start.q", "controller.kp"), or
 *  "arm." and a key of the arm's file ("arm.payload.mass"), as in a campaign; a key of a list is all of its numbers. Settings: those of armature_simulate(), device and effort as
 *  of armature_device_function_new(), and metrics: a list of names ("[tool_largest, q1_end]"), else all of the whole machine. The loop is that of
 *  `armature campaign --device cuda`; where it has no kernel, the error says why. */
ARMATURE_API armature_status armature_device_rollout_new(const char* scenario, const char* folder,
                                                         const char* const* keys, size_t key_count,
                                                         const char* const* settings, size_t count,
                                                         armature_device_rollout** rollout);
/** Frees a rollout. */
ARMATURE_API void armature_device_rollout_free(armature_device_rollout* rollout);
/** How many numbers of a run its key `input` stands for; 0 behind the last. */
ARMATURE_API size_t armature_device_rollout_width(const armature_device_rollout* rollout, size_t input);
/** The name of number `index` of a run's result, NULL behind the last: outcome (0: complete; 1: it diverged, and its metrics are NaN; 2: its energy balance does not
 *  close), the metrics, and q.0, ..., qd.0, ...: where it ends. */
ARMATURE_API const char* armature_device_rollout_result(const armature_device_rollout* rollout, size_t index);
/** Makes the runs: one input per key, as of armature_device_function_states(), its states being runs; where its data is NULL, all runs take what the scenario
 *  says. `seeds`, in the same memory, gives every run noise of its own, as the scenario with this seed has it; NULL: all have the scenario's. Results are there on return. Numbers are not
 *  checked: a run in which one is not finite has diverged. */
ARMATURE_API armature_status armature_device_rollout_runs(const armature_device_rollout* rollout, size_t runs,
                                                          const armature_input* inputs, size_t input_count,
                                                          const uint64_t* seeds, const armature_output* result,
                                                          void* stream);

/** Inverse kinematics of `targets` targets, each `width` numbers: 3 (x, y, z) or 7 (and the quaternion qw, qx, qy, qz).
 *  Settings: method. `guess` is dof numbers per target (a state_step of 0: the same for all) or NULL.
 *  q: targets * capacity * dof numbers, the solutions of a target one after the other; found: how many there are, at most
 *  `capacity` of them written (8 are enough). Where there is none, found is 0 and the first place holds the nearest position.
 *  error: targets * 2 numbers, of the first written solution: [m], [rad]. found and error may be NULL. */
ARMATURE_API armature_status armature_inverse_kinematics(const armature_arm* arm, const char* const* settings,
                                                         size_t count, size_t targets, const armature_input* target,
                                                         size_t width, const armature_input* guess, size_t capacity,
                                                         double* q, int32_t* found, double* error);

/* Control ----------------------------------------------------------------------------------------------------------------- */

/** What a law is told in a tick: what was measured and what is wanted. Pointers that say so may be NULL. */
typedef struct armature_tick {
  size_t dof;                     /* number of joints */
  double dt;                      /* since the last tick [s]; 0: compute the torque, leave the law's state as it is */
  const double *q, *qd;           /* measured, dof numbers [rad | m], [rad/s | m/s] */
  const double* torque;           /* of joint torque sensors, dof numbers, or NULL */
  const double* wrench;           /* on the tool, (force; moment) in base axes, 6 numbers, or NULL: zero */
  const double *q_ref, *qd_ref;   /* wanted, dof numbers; NULL for a law that does not read them */
  const double* qdd_ref;          /* NULL: zero */
  const double* tool_ref;         /* pose of the tool, x, y, z, qw, qx, qy, qz; NULL for a law that does not read it */
  const double* twist_ref;        /* its velocity and angular velocity, 6 numbers; NULL: zero */
  const double* acceleration_ref; /* its acceleration, 6 numbers; NULL: zero */
  const double* wrench_ref;       /* that the tool should exert, 6 numbers; NULL: zero */
} armature_tick;

/** What a law of your own is: functions that the loop calls. `update` writes a torque for each joint; anything but 0 from it or from
 *  `reset` ends the run. `reset` may be NULL; it is told the measurement alone, when the loop begins and whenever the run starts
 *  anew. */
typedef struct armature_own_law {
  int (*reset)(void* user, const armature_tick* tick);
  int (*update)(void* user, const armature_tick* tick, double* tau);
  void* user;
  int needs_tool; /* 1: the law reads tool_ref and its rates, so that the reference has to give them */
} armature_own_law;

/** A control law with its state. One thread at a time. */
typedef struct armature_law armature_law;

/** The name of kind number `index` of law, from 0; NULL behind the last. */
ARMATURE_API const char* armature_law_kind(size_t index);
/** Makes a law for the arm that it believes in, called every `tick` seconds. Settings: those of a scenario's block `controller`,
 *  "kind=computed_torque", "kp=400", "safety={on: true}". */
ARMATURE_API armature_status armature_law_new(const armature_arm* arm, double tick, const char* const* settings,
                                              size_t count, armature_law** law);
/** Makes a law of your own into one of ours, with what can stand around any law. Settings: as above without the kind and its gains:
 *  "safety={on: true}", "observer={...}", "collision={...}", "payload_watch={...}". What `own->user` points to must outlive the law. */
ARMATURE_API armature_status armature_law_around(const armature_arm* arm, double tick, const armature_own_law* own,
                                                 const char* const* settings, size_t count, armature_law** law);
/** Frees a law. */
ARMATURE_API void armature_law_free(armature_law* law);
/** The state in which the law begins: what is measured now. Only q and qd of the tick are read. */
ARMATURE_API armature_status armature_law_reset(armature_law* law, const armature_tick* tick);
/** Computes the torques, dof numbers. Neither allocates nor locks unless it fails. A number that is not finite is refused. */
ARMATURE_API armature_status armature_law_update(armature_law* law, const armature_tick* tick, double* tau);
/** Part `part` of what the law computed last, from 0: "feedback", "gravity"; NULL behind the last. */
ARMATURE_API const char* armature_law_part(const armature_law* law, size_t part);
/** Its unit; empty: it is a part of the torque. */
ARMATURE_API const char* armature_law_part_unit(const armature_law* law, size_t part);
/** Its numbers, armature_law_part_size() of them. */
ARMATURE_API const double* armature_law_part_value(const armature_law* law, size_t part);
ARMATURE_API size_t armature_law_part_size(const armature_law* law, size_t part);
/** Condition `index` in which the last tick left the law, from 0: "saturated", "singular"; NULL behind the last. */
ARMATURE_API const char* armature_law_condition(const armature_law* law, size_t index);

/* Results of larger work -------------------------------------------------------------------------------------------------- */

/** Named arrays, an answer in JSON, a page. */
typedef struct armature_result armature_result;

/** The answer as JSON, as the verb of the command line gives it with --json. */
ARMATURE_API const char* armature_result_json(const armature_result* result);
/** A text where the result is one: program text, a scenario with all its settings; else empty. */
ARMATURE_API const char* armature_result_text(const armature_result* result);
/** The name of array `index`, from 0; NULL behind the last. "time" is the time. */
ARMATURE_API const char* armature_result_name(const armature_result* result, size_t index);
/** Its unit; may be empty. */
ARMATURE_API const char* armature_result_unit(const armature_result* result, size_t index);
/** Its numbers, armature_result_size() of them; a value that was not recorded is NaN. */
ARMATURE_API const double* armature_result_array(const armature_result* result, size_t index);
ARMATURE_API size_t armature_result_size(const armature_result* result, size_t index);
/** The page as HTML, one file that needs no network: written to `path` whole, or not at all. */
ARMATURE_API armature_status armature_result_write_page(const armature_result* result, const char* path);
/** Frees a result and its arrays. */
ARMATURE_API void armature_result_free(armature_result* result);

/** Told now and then, on the thread that works, how far the work is: `share` from 0 to 1, NaN where nobody knows. Anything but 0 ends the work; what
 *  can be used without its end comes back as a result, marked as incomplete. */
typedef int (*armature_progress)(void* user, double share);

/** Runs a scenario: `scenario` is a file, or its text where `folder` is not NULL (where files that it names are looked for; ""
 *  is the current one). Of a scenario with several cases the setting `case` names one. `law`, where it is not NULL, acts in place of
 *  the scenario's; what stands around it (observer, guard, collision watch) stays. Arrays: the channels of the log. The same
 *  scenario gives the same log, bit for bit. */
ARMATURE_API armature_status armature_simulate(const char* scenario, const char* folder, const char* const* settings,
                                               size_t count, const armature_own_law* law, armature_progress progress,
                                               void* user, armature_result** result);

/** Puts results of armature_simulate() side by side, under names of your choice: also runs with a law of your own. JSON: a list with how well
 *  each followed its reference and what it cost, as `armature simulate --compare --json` gives it. It has a page, and no array. */
ARMATURE_API armature_status armature_compare(const armature_result* const* runs, const char* const* names,
                                              size_t count, armature_result** result);

/** Identifies the arm from `log_count` logs, files as recorders write them, as `armature identify` does. Text: the identified arm as an
 *  arm file, for armature_arm_from_text(). Arrays: measured and predicted torques. JSON: as `armature identify --json`.
 *  Settings, none of which is needed: the options of `armature identify` with underscores: map (a file), cutoff, parallel, decimation,
 *  standstill, from, to, window ("2.5s..20s,30s..40s"), torque_delay (a time, or find), no_filter, observer, observer_noise,
 *  observer_jerk, measured_velocity, friction ("stribeck"), estimator ("irls"), reference_weight, link_weights ("1,1,100"),
 *  forgetting, rotors, no_rotors, no_offsets, no_motor_friction, differences, ignore_inertia, standing_joints, find_gravity (true), period;
 *  parameters (a file), without ("p4,p15"): the estimate in base parameters of a paper too, own_parameters in the JSON; payload (true): the
 *  text is the arm with what it carries; estimator=ekf, joint: one joint alone; drive_gains: a log without the payload that the arm
 *  describes, with neither text nor arrays as result. The covariance is in the JSON; as a file from which a campaign draws arms it is written by the
 *  verb, {"identify", ARM, LOG, "-o", ARM, "--covariance", FILE} in armature_command(). */
ARMATURE_API armature_status armature_identify(const armature_arm* arm, const char* const* logs, size_t log_count,
                                               const char* const* settings, size_t count, armature_progress progress,
                                               void* user, armature_result** result);

/** How well the arm predicts the torques of the logs, as `armature validate` says it. Arrays: measured and predicted torques. JSON: as
 *  `armature validate --json`. Settings: those of armature_identify() from map to measured_velocity, and require ("5%"). */
ARMATURE_API armature_status armature_validate(const armature_arm* arm, const char* const* logs, size_t log_count,
                                               const char* const* settings, size_t count, armature_result** result);

/** Designs the motion from which the arm's parameters are best identified, within its limits; collisions are not watched (run the verb
 *  with armature_command() for that). Settings, none of which is needed: the options of `armature excite` with underscores: harmonics
 *  ("8", "[8, 8, 5]"), base_frequency, starts, effort, rate, criterion ("log-det"), parameters (a file), without ("p4,p15"), friction
 *  (true), scale, noise, velocity ("2 rad/s" for all, or "[1, 1, 2]"), acceleration, lower, upper, torque, torque_limits, workspace,
 *  centre, seed, threads, periods. Arrays: time, q1, .., v1, .., a1, .., tau1, .., from rest to rest. JSON: as `armature excite --json`. */
ARMATURE_API armature_status armature_excite(const armature_arm* arm, const char* const* settings, size_t count,
                                             armature_progress progress, void* user, armature_result** result);

/** Writes a function of the arm as program text (armature_result_text): `what` is one word of `armature derive --what`, or "all";
 *  `language` is cpp, c, cuda, matlab, python or latex. Settings: effort. */
ARMATURE_API armature_status armature_derive(const armature_arm* arm, const char* what, const char* language,
                                             const char* const* settings, size_t count, armature_result** result);

/* The program ------------------------------------------------------------------------------------------------------------- */

/** Runs a verb of the program with any of its options, in a process of its own: `words` are those behind `armature` on a command
 *  line, {"calibrate", "ur5", "measured.csv", "--json"}. Text: what the verb prints. JSON: code (1: the verb says no, as check does
 *  of an arm that cannot exist), complete (false: it was stopped), warnings. Where `progress` returns 1 the verb ends with what it
 *  has, where it returns 2 at once. */
ARMATURE_API armature_status armature_command(const char* const* words, size_t count, armature_progress progress,
                                              void* user, armature_result** result);

/** The program `armature` as a function: its verbs with every option, what they print, their exit code. It takes over signals and
 *  the standard streams, so call it once, in a process of its own. */
ARMATURE_API int armature_main(int argc, char** argv);

#ifdef __cplusplus
}
#endif

#endif
