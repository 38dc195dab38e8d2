// Lesson 6: functions written for one arm. Derived, printed in a language of your choice, and compiled into this very program.
#include <armature/armature.hpp>
#include <armature/codegen/compiled/kernel_library.hpp>
#include <armature/codegen/compiled/shared_object.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace armature;
using namespace armature::codegen;

int main() try {
  // An arm that no generated function was made for: rrr with something in its hand.
  ArmDescription description = load_arm("rrr").arm.description();
  description.payload = MassProperties{.mass = 1.5};
  const Arm arm(description);

  // Text, to be used without this library.
  const Program program = derive(arm, Target::inverse_dynamics, {.effort = 0});
  const std::string text =
      emit({.arm = arm.name(), .dof = arm.dof(), .version = ARMATURE_VERSION, .programs = {program}}, Language::c);
  std::printf("C: %s\n", text.find("rrr_inverse_dynamics") != std::string::npos ? "rrr_inverse_dynamics" : "?");

  // The same, compiled by the machine's compiler and used by every algorithm from then on.
  const std::filesystem::path object = std::filesystem::temp_directory_path() / "armature_lesson_6.so";
  std::ofstream(object, std::ios::binary) << compile_shared_object(
      kernel_source(arm, ARMATURE_VERSION, {}, {.effort = 0}), {.compiler = {}, .options = "-O2"});
  const Arm fast = arm.with_kernels(load_kernels(object.string()));
  std::filesystem::remove(object);

  const VecX<double> q = VecX<double>::Constant(3, 0.3), qd = VecX<double>::Constant(3, -1), qdd = q;
  const VecX<double> slow_tau = inverse_dynamics<double>(arm, q, qd, qdd),
                     tau = inverse_dynamics<double>(fast, q, qd, qdd);
  std::printf("compiled and recursive torques agree: %s\n",
              (tau - slow_tau).norm() < 1e-12 * tau.norm() ? "yes" : "no");
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
