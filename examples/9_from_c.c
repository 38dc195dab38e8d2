/* Lesson 9: the same from C. cc -std=c99 9_from_c.c -larmature && ./a.out */
#include <armature/armature.h>
#include <stdio.h>

static int failed(void) {
  fprintf(stderr, "error: %s\n", armature_error());
  return 2;
}

int main(void) {
  armature_arm* arm = NULL;
  armature_function* dynamics = NULL;
  armature_result* run = NULL;
  const double q[7] = {0.1, 0.2, 0.3, -1.5, 0.5, 1.6, 0.7}, v[7] = {0}, a[7] = {1, 0, 0, 0, 0, 0, 0};
  const double* inputs[3];
  double tau[7];
  const char* settings[] = {"run.duration=0.5 s", "controller.kp=900"};
  size_t last;

  if (armature_arm_load("panda", NULL, 0, &arm)) return failed();
  if (armature_function_new(arm, "inverse_dynamics", NULL, 0, &dynamics)) return failed();
  inputs[0] = q, inputs[1] = v, inputs[2] = a;
  if (armature_function_state(dynamics, inputs, 3, tau)) return failed();
  printf("%s, %s: %.3f N m\n", armature_arm_name(arm), armature_arm_joint_name(arm, 1), tau[1]);

  if (armature_simulate("scenario: reach\nrobot: rrr\nreference: {kind: polynomial, to: 0.5, duration: 0.4 s}\n"
                        "controller: {kind: computed_torque, kp: 400, kd: 60, friction: true}\n",
                        "", settings, 2, NULL, NULL, NULL, &run))
    return failed();
  last = armature_result_size(run, 1) - 1;
  printf("%s ends at %.2f %s after %.1f s\n", armature_result_name(run, 1), armature_result_array(run, 1)[last],
         armature_result_unit(run, 1), armature_result_array(run, 0)[last]);

  if (armature_arm_load("pnada", NULL, 0, &arm) == ARMATURE_OK) return 1;
  printf("%s\n", armature_error_hint());
  armature_result_free(run);
  armature_function_free(dynamics);
  armature_arm_free(arm);
  return 0;
}
