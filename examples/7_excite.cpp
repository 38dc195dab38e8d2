// Lesson 7: the motion from which an arm is best identified, as a table for its controller.
#include <armature/armature.hpp>
#include <cstdio>
#include <fstream>

using namespace armature;
using namespace armature::identification;

int main(int argc, char** argv) try {
  const Arm arm = load_arm(argc > 1 ? argv[1] : "rrr").arm;
  const Excitation best =
      excite(arm, {.base_frequency = 0.2, .harmonics = 3, .starts = 4, .rate = 200},
             [](const ExcitationProgress& p) { std::fprintf(stderr, "\r%3.0f %%", 100 * p.share); });
  std::fprintf(stderr, "\n");
  std::printf("within the limits: %s\n", best.within_limits() ? "yes" : "no");
  std::printf("condition number below 100: %s\n", best.condition < 100 ? "yes" : "no");
  for (const std::string& warning : excitation_warnings(arm, best)) std::printf("warning: %s\n", warning.c_str());
  if (argc > 2) {
    const FourierPath motion = best.motion.path();  // periodic: played as often as it is wanted
    JointMotion now;
    std::ofstream table(argv[2]);
    table << "time [s]";
    for (int i = 1; i <= arm.dof(); ++i) table << ",q" << i << " [rad]";
    for (int k = 0; 1e-3 * k < motion.duration(); ++k) {
      motion.at(1e-3 * k, now);
      table << '\n' << 1e-3 * k;
      for (const double q : now.q) table << ',' << q;
    }
  }
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
