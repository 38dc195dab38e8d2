// Lesson 3: an arm identified from a recorder's file, and how well it predicts another one.
//
//   example_3_identify                       a made-up recording of the arm rrr
//   example_3_identify ARM LOG OTHER_LOG     your own
#include <armature/algorithms/friction.hpp>
#include <armature/algorithms/inverse_dynamics.hpp>
#include <armature/formats/load_arm.hpp>
#include <armature/run/identify_log.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iomanip>

using namespace armature;
using namespace armature::algorithms;

/// What a recorder might leave: Unix time stamps that jitter, semicolons, no units.
std::string recording(const Arm& arm, const char* name, double speed) {
  const std::string path = (std::filesystem::temp_directory_path() / name).string();
  std::ofstream file(path);
  file << "timestamp;q1;q2;q3;tau1;tau2;tau3\n";
  for (int k = 0; k < 2000; ++k) {
    const double t = 0.01 * k, jitter = 0.002 * std::sin(37.0 * k);
    VecX<double> q(3), v(3), a(3);
    for (int i = 0; i < 3; ++i) {
      const double w = speed * (1.1 + 0.7 * i), u = 2.3 * w;
      q[i] = std::sin(w * t) + 0.3 * std::sin(u * t);
      v[i] = w * std::cos(w * t) + 0.3 * u * std::cos(u * t);
      a[i] = -w * w * std::sin(w * t) - 0.3 * u * u * std::sin(u * t);
    }
    const VecX<double> rigid = inverse_dynamics<double>(arm, q, v, a), tau = rigid + friction_torque(arm, v, rigid);
    file << std::setprecision(6) << std::fixed << 1.7e9 + t + jitter << std::defaultfloat << std::setprecision(12);
    for (int i = 0; i < 3; ++i) file << ';' << q[i];
    for (int i = 0; i < 3; ++i) file << ';' << tau[i];
    file << '\n';
  }
  return path;
}

int main(int argc, char** argv) {
  const bool own = argc == 4;
  const Arm arm = load_arm(own ? argv[1] : "rrr").arm;
  const MeasuredLog log(own ? argv[2] : recording(arm, "armature_lesson_3.csv", 1), arm);
  for (const std::string& note : log.notes()) std::printf("%s\n", note.c_str());

  const Identification found = identify(arm, log);
  for (std::size_t i = 0; i < found.links.size(); ++i)
    std::printf("link %zu: %s\n", i + 1, found.links[i].body.possible() ? "can exist" : "cannot exist");

  const MeasuredLog other(own ? argv[3] : recording(arm, "armature_lesson_3_other.csv", 1.3), arm);
  const Prediction prediction = validate(Arm(found.arm), other);
  std::printf("prediction error on the other log: %s\n", prediction.relative < 0.02 ? "below 2 %" : "2 % or more");
  return 0;
}
