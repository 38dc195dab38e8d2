// The law, as data. A law is of a kind; each kind has its own keys, and laws that are made of others have `terms`.
#pragma once

#include "armature/scenario/settings.hpp"

namespace armature {

struct LawSettings {
  std::string kind = "joint_pd", name;
  std::vector<LawSettings> terms;
  bool on = true;
  // of the joints
  std::vector<double> kp, ki, kd, tau, limit, design_position;
  double tracking_time = 0, share = 1, zeta = 0.7, margin = 0.2;
  std::string speed = "reference", design = "double_diagonal";
  bool at_reference = false;
  bool inertia = true, coriolis = true, gravity = true, friction = false, rotors = false;
  // of the tool
  std::string task = "pose", orientation = "auto", weighting = "dynamically_consistent", method = "damped";
  bool wrap_angles = true, designed = false, compensate_coriolis = false;
  double null_damping = 10, threshold = 0.05, gain = 100, singular_threshold = 0.01, singular_damping = 0.01;
  int iterations = 30;
  // of force
  std::vector<double> mass, frame_mass, frame_kd, frame_kp, force_kp, force_ki, force_kd, frame_rpy{0, 0, 0};
  std::string force_axes;
  bool force_measured = true, from_start = true, frame_in_tool = false;
  double largest_shift = 10, largest_force = 1000;
  // that learn
  std::vector<double> lambda;
  double adaptation = 1, friction_width = 0.01, friction_size = 1, bound = 3, dead_zone = 0, trial = 1, forgetting = 0;
  int lead = 1, smoothing = 0;

  void fields(auto& f) {
    f.word("kind", kind,
           {"joint_pd",
            "joint_pid",
            "open_loop",
            "gravity",
            "friction",
            "joint_damping",
            "feed_forward",
            "computed_torque",
            "designed_pd",
            "operational_pd",
            "operational_inverse_dynamics",
            "cartesian_impedance",
            "null_space",
            "singularity_avoidance",
            "joint_limit_avoidance",
            "ik_in_loop",
            "impedance",
            "admittance",
            "force",
            "parallel_force_position",
            "hybrid_force_position",
            "adaptive",
            "iterative_learning",
            "sum"},
           "the law (docs/laws has a page on each)");
    f.text("name", name, "of a term, for switches and for the log (default: its kind)");
    f.flag("on", on, "a term that is off waits for a switch");
    if (f.of_kind(kind, {"sum", "null_space", "ik_in_loop"}))
      f.groups("terms", terms,
               "laws, each with its kind and the keys of a law: added up, within the null space, or behind inverse "
               "kinematics");
    joint_fields(f);
    task_fields(f);
    force_fields(f);
    learning_fields(f);
    f.any_kind();
  }

 private:
  void joint_fields(auto& f) {
    if (f.of_kind(kind, {"joint_pd", "joint_pid", "designed_pd", "joint_limit_avoidance", "iterative_learning"}))
      f.joints("kp", kp, joint_dimension::stiffness, "stiffness", Range::not_negative);
    if (f.of_kind(kind, {"joint_pid"})) {
      f.joints("ki", ki, joint_dimension::stiffness_rate, "stiffness of the integral", Range::not_negative);
      f.joints("limit", limit, joint_dimension::torque, "torque at which it is cut (default: the arm's)",
               Range::positive);
      f.number("tracking_time", tracking_time, dimension::time, "of anti-windup; zero: chosen from the gains",
               Range::not_negative);
    }
    if (f.of_kind(kind, {"joint_pd", "joint_pid", "joint_damping", "adaptive", "iterative_learning"}))
      f.joints("kd", kd, joint_dimension::damping, "damping", Range::not_negative);
    if (f.of_kind(kind, {"computed_torque"})) {
      f.joints("kp", kp, joint_dimension::rate_squared, "squared frequency of the error", Range::not_negative);
      f.joints("kd", kd, joint_dimension::rate, "damping of the error", Range::not_negative);
    }
    if (f.of_kind(kind, {"open_loop"})) f.joints("tau", tau, joint_dimension::torque, "torques (default: zero)");
    if (f.of_kind(kind, {"designed_pd", "cartesian_impedance", "operational_pd"}))
      f.number("zeta", zeta, dimension::none, "damping ratio that is asked for", Range::not_negative);
    if (f.of_kind(kind, {"designed_pd", "cartesian_impedance"}))
      f.word("design", design, {"double_diagonal", "square_roots"}, "how the damping matrix is found");
    if (f.of_kind(kind, {"designed_pd"}))
      f.joints("design_position", design_position, joint_dimension::position,
               "the damping is that for this position (default: it follows the arm)");
    if (f.of_kind(kind, {"gravity"}))
      f.flag("at_reference", at_reference, "of the wanted position in place of the measured one");
    if (f.of_kind(kind, {"friction"})) {
      f.word("speed", speed, {"reference", "measured"}, "whose speed the friction is taken at");
      f.number("share", share, dimension::none, "of the believed friction that is compensated", Range::not_negative);
    }
    if (f.of_kind(kind, {"feed_forward", "computed_torque", "operational_inverse_dynamics"})) {
      f.flag("inertia", inertia, "the believed inertia counts (without: the unit matrix in its place)");
      f.flag("coriolis", coriolis, "Coriolis and centripetal torques are compensated");
      f.flag("friction", friction, "the believed friction is compensated");
      f.flag("rotors", rotors, "the drives' rotors are accelerated too");
    }
    if (f.of_kind(kind, {"feed_forward", "computed_torque", "operational_inverse_dynamics", "operational_pd",
                         "cartesian_impedance"}))
      f.flag("gravity", gravity, "gravity is compensated");
    if (f.of_kind(kind, {"joint_limit_avoidance"}))
      f.angle("margin", margin, "before a limit where it begins to act", Range::not_negative);
  }

  void task_fields(auto& f) {
    if (f.of_kind(kind, {"operational_pd", "operational_inverse_dynamics", "null_space", "singularity_avoidance",
                         "ik_in_loop", "impedance", "admittance", "force", "parallel_force_position",
                         "hybrid_force_position"}))
      f.word("task", task, {"pose", "position", "planar", "plane"},
             "coordinates of the tool: all; x, y, z; x, y and the angle about z; x, y");
    if (f.of_kind(kind, {"operational_pd", "operational_inverse_dynamics", "impedance"})) {
      f.word("orientation", orientation, {"auto", "quaternion", "rotation_vector", "zyz", "rpy"},
             "how turning is measured; auto: by quaternion, in a plane by its angle");
      f.flag("wrap_angles", wrap_angles, "differences of Euler angles go the short way round");
    }
    if (f.of_kind(kind, {"operational_pd"})) {
      f.task("kp", kp, task_dimension::stiffness, task, "stiffness of the tool", Range::not_negative);
      f.task("kd", kd, task_dimension::damping, task, "damping of the tool", Range::not_negative);
      f.flag("designed", designed, "damping is designed for zeta; kd is not used");
    }
    if (f.of_kind(kind, {"cartesian_impedance"})) {
      f.task("kp", kp, task_dimension::stiffness, "pose", "stiffness along and about the tool's axes",
             Range::not_negative);
      f.task("kd", kd, task_dimension::damping, "pose", "damping (default: designed for zeta)", Range::not_negative);
      f.flag("compensate_coriolis", compensate_coriolis, "Coriolis and centripetal torques are compensated");
    }
    if (f.of_kind(kind, {"operational_inverse_dynamics", "hybrid_force_position"})) {
      f.task("kp", kp, task_dimension::rate_squared, task, "squared frequency of the error", Range::not_negative);
      f.task("kd", kd, task_dimension::rate, task, "damping of the error", Range::not_negative);
    }
    if (f.of_kind(kind, {"operational_inverse_dynamics", "impedance", "admittance", "force", "parallel_force_position",
                         "hybrid_force_position"}))
      f.number("null_damping", null_damping, dimension::rate, "of motions that the task leaves free",
               Range::not_negative);
    if (f.of_kind(kind, {"operational_inverse_dynamics", "impedance", "admittance", "force", "parallel_force_position",
                         "hybrid_force_position", "null_space"})) {
      f.word("weighting", weighting, {"dynamically_consistent", "moore_penrose"}, "of the pseudo-inverse");
      f.number("singular_threshold", singular_threshold, dimension::none,
               "singular values below this part of the largest are damped", Range::not_negative);
      f.number("singular_damping", singular_damping, dimension::none, "at most, as a part of the largest",
               Range::not_negative);
    }
    if (f.of_kind(kind, {"singularity_avoidance"})) {
      f.number("threshold", threshold, dimension::none, "it acts below this manipulability", Range::positive);
      f.number("gain", gain, dimension::none, "of the potential, per squared manipulability", Range::not_negative);
    }
    if (f.of_kind(kind, {"ik_in_loop"})) {
      f.word("method", method, {"damped", "newton", "transposed_jacobian"}, "of inverse kinematics");
      f.integer("iterations", iterations, "a tick, at most", Range::positive);
    }
  }

  void force_fields(auto& f) {
    if (f.of_kind(kind, {"impedance", "admittance", "force", "parallel_force_position"})) {
      f.task("mass", mass, task_dimension::inertia, task, "that the tool is to have", Range::positive);
      f.task("kd", kd, task_dimension::damping, task, "damping of the tool", Range::not_negative);
      f.task("kp", kp, task_dimension::stiffness, task, "stiffness of the tool", Range::not_negative);
    }
    if (f.of_kind(kind, {"impedance"})) f.flag("force_measured", force_measured, "there is a force sensor");
    if (f.of_kind(kind, {"admittance"})) {
      f.task("frame_mass", frame_mass, task_dimension::inertia, task, "of the compliant frame", Range::positive);
      f.task("frame_kd", frame_kd, task_dimension::damping, task, "of the compliant frame", Range::not_negative);
      f.task("frame_kp", frame_kp, task_dimension::stiffness, task, "of the compliant frame", Range::not_negative);
    }
    if (f.of_kind(kind, {"force", "parallel_force_position"})) {
      f.task("force_kp", force_kp, task_dimension::compliance, task, "shift of the target per force error",
             Range::not_negative);
      f.task("force_ki", force_ki, task_dimension::compliance_rate, task, "and per its integral", Range::not_negative);
      f.flag("from_start", from_start, "the target is where the tool starts; else the world's origin");
      f.number("largest_shift", largest_shift, dimension::length, "of the target by the integral", Range::positive);
    }
    if (f.of_kind(kind, {"hybrid_force_position"})) {
      f.text("force_axes", force_axes, "axes of the selection frame along which force is controlled: z, or x y");
      f.angles("frame_rpy", frame_rpy, "roll, pitch, yaw of the selection frame", 3);
      f.flag("frame_in_tool", frame_in_tool, "it turns with the tool; else it stands in the world");
      f.task("mass", mass, task_dimension::inertia, task, "of the axes with force control", Range::positive);
      f.task("force_kd", force_kd, task_dimension::damping, task, "damping along them", Range::not_negative);
      f.task("force_kp", force_kp, task_dimension::share, task, "per force error", Range::not_negative);
      f.task("force_ki", force_ki, task_dimension::rate, task, "and per its integral", Range::not_negative);
      f.number("largest_force", largest_force, dimension::force, "of the integral", Range::positive);
    }
  }

  void learning_fields(auto& f) {
    if (f.of_kind(kind, {"adaptive"})) {
      f.joints("lambda", lambda, joint_dimension::rate, "how fast errors die in the sliding variable", Range::positive);
      f.number("adaptation", adaptation, dimension::none, "how fast it learns, per squared size of a parameter",
               Range::not_negative);
      f.flag("friction", friction, "it learns friction as well");
      f.number("friction_width", friction_width, dimension::rate, "speed over which its sign is smoothed",
               Range::positive);
      f.number("friction_size", friction_size, dimension::torque, "magnitude that friction may have", Range::positive);
      f.number("bound", bound, dimension::none, "parameters stay within so many of their sizes", Range::positive);
      f.number("dead_zone", dead_zone, dimension::rate, "nothing is learned from less", Range::not_negative);
    }
    if (f.of_kind(kind, {"iterative_learning"})) {
      f.number("trial", trial, dimension::time, "how long a trial lasts; with reference.repeat", Range::positive);
      f.integer("lead", lead, "ticks by which the error trails the torque", Range::not_negative);
      f.integer("smoothing", smoothing, "ticks: half width of the zero-phase filter", Range::not_negative);
      f.number("forgetting", forgetting, dimension::none, "share that is dropped each trial", Range::not_negative);
    }
  }
};

/// At a time a term is switched on or off.
struct SwitchSettings {
  double time = 0;
  std::string term;
  bool on = true;
  void fields(auto& f) {
    f.number("time", time, dimension::time, "when", Range::not_negative);
    f.text("term", term, "which: its name; name.inner reaches into a term");
    f.flag("on", on, "on, or off");
  }
};

/// The guard around the law (docs/laws/guard.md).
struct SafetySettings {
  bool on = false, start_from_gravity = true;
  std::vector<double> torque, torque_rate, lower, upper, velocity, stop_damping;
  double limit_margin = 0, ramp = 0.2, largest_jump = 0.05, longest_tick = 0.1, stop_time = 0.1, stop_speed = 0.01,
         hold_bandwidth = 20;
  int missed_samples = 2;
  void fields(auto& f) {
    f.flag("on", on, "the law runs behind a guard: bumpless start, limits, watchdog, safe stop");
    f.joints("torque", torque, joint_dimension::torque, "limit (default: the arm's)", Range::positive);
    f.joints("torque_rate", torque_rate, joint_dimension::torque_rate, "limit (default: none)", Range::positive);
    f.joints("lower", lower, joint_dimension::position, "limit of the positions (default: the arm's)");
    f.joints("upper", upper, joint_dimension::position, "limit of the positions (default: the arm's)");
    f.joints("velocity", velocity, joint_dimension::velocity, "limit (default: the arm's)", Range::positive);
    f.angle("limit_margin", limit_margin, "before the position limits", Range::not_negative);
    f.number("ramp", ramp, dimension::time, "over which the law takes over at the start", Range::not_negative);
    f.flag("start_from_gravity", start_from_gravity, "before that the arm is held against gravity");
    f.integer("missed_samples", missed_samples, "in a row that are bridged", Range::not_negative);
    f.angle("largest_jump", largest_jump, "of a position between two samples", Range::positive);
    f.number("longest_tick", longest_tick, dimension::time, "beyond it the loop is broken", Range::positive);
    f.joints("stop_damping", stop_damping, joint_dimension::damping, "while braking (default: from stop_time)",
             Range::not_negative);
    f.number("stop_time", stop_time, dimension::time, "time constant of braking", Range::positive);
    f.number("stop_speed", stop_speed, dimension::rate, "below it the arm is held", Range::not_negative);
    f.number("hold_bandwidth", hold_bandwidth, dimension::rate, "of the spring that holds it", Range::not_negative);
  }
};

/// Watching for torques from outside (docs/laws/collision.md).
struct CollisionWatchSettings {
  std::string method = "none", reaction = "stop";
  std::vector<double> threshold;
  double gain = 50, stop_time = 0.05, hold_bandwidth = 20, float_damping = 1, retract_distance = 0.15,
         retract_time = 0.5;
  bool friction = true;
  int confirm = 1;
  void fields(auto& f) {
    f.word("method", method, {"none", "momentum", "measured", "desired"},
           "how the torque from outside is found: by the momentum, from the measured or from the wanted motion");
    f.number("gain", gain, dimension::rate, "of the estimate: its time constant is 1/gain", Range::positive);
    f.flag("friction", friction, "the believed friction is part of the model");
    f.joints("threshold", threshold, joint_dimension::torque, "beyond it there was a collision", Range::positive);
    f.integer("confirm", confirm, "ticks in a row beyond the threshold", Range::positive);
    f.word("reaction", reaction, {"none", "stop", "gravity", "retract"}, "what the arm does then");
    f.number("stop_time", stop_time, dimension::time, "time constant of braking", Range::positive);
    f.number("hold_bandwidth", hold_bandwidth, dimension::rate, "of the spring that holds or retracts",
             Range::not_negative);
    f.number("float_damping", float_damping, dimension::rate, "of the arm that floats", Range::not_negative);
    f.angle("retract_distance", retract_distance, "of the joint that felt most", Range::positive);
    f.number("retract_time", retract_time, dimension::time, "that it takes", Range::positive);
  }
};

/// What the law sees in place of the measured motion.
struct ObserverSettings {
  std::string kind = "none";
  std::vector<double> resolution, jerk;
  void fields(auto& f) {
    f.word("kind", kind, {"none", "kalman"}, "the measured motion, or the Kalman observer's");
    f.joints("resolution", resolution, joint_dimension::position, "of the encoders", Range::positive);
    f.joints("jerk", jerk, joint_dimension::jerk, "largest of the reference", Range::positive);
  }
};

struct ControllerSettings : LawSettings {
  double fade = 0.1;
  bool continuous = false;
  std::vector<SwitchSettings> switches;
  SafetySettings safety;
  ObserverSettings observer;
  CollisionWatchSettings collision;
  void fields(auto& f) {
    LawSettings::fields(f);
    if (f.of_kind(kind, {"sum"}))
      f.number("fade", fade, dimension::time, "over which a term is switched", Range::not_negative);
    f.any_kind();
    f.groups("switches", switches, "terms switched while running");
    f.flag("continuous", continuous, "acts inside the integrator, without hold, sensors and converters");
    f.group("observer", observer, "between the sensors and the law");
    f.group("safety", safety, "around the law");
    f.group("collision", collision, "around both");
  }
};

}  // namespace armature
