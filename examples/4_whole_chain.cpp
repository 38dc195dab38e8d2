// Lesson 4: the whole chain. A URDF and a recording become an identified arm, a controlled run and a page.
#include <armature/armature.hpp>
#include <cstdio>
#include <fstream>

int main(int argc, char** argv) try {
  if (argc != 4) throw armature::Error("three files are needed", "example_4_whole_chain ROBOT.urdf LOG.csv PAGE.html");
  const armature::Arm described = armature::load_arm(argv[1]).arm;
  const armature::MeasuredLog log(argv[2], described);
  const armature::Identification found = armature::identify(described, log);
  const armature::Prediction fit = armature::validate(armature::Arm(found.arm), log);
  std::printf("identified %d joints; the arm predicts its log to %.1f %%\n", described.dof(), 100 * fit.relative);
  std::ofstream("identified.yaml") << armature::write_arm_yaml(found.arm);

  const char* loop = R"(
scenario: the identified arm under computed torque
robot: identified.yaml
reference: {kind: polynomial, to: 0.5, duration: 1 s}
controller: {kind: computed_torque, kp: 400, kd: 40, friction: true}
run: {duration: 1.5 s}
)";
  const armature::RunResult run = armature::simulate(armature::scenario_from_text(loop, "loop.yaml"));
  std::printf("ends at %.2f rad\n", run.log.channel("q1").values.back());
  std::ofstream(argv[3]) << armature::page({.kind = "simulate", .title = run.log.title, .logs = {run.log}});
  return 0;
} catch (const armature::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
