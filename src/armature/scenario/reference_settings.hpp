// What is wanted, over time: of the joints, or of the tool.
#pragma once

#include "armature/core/fields.hpp"
#include "armature/trajectory/handwriting.hpp"

namespace armature::scenario {

/// Cursive writing, and where its plane is; it takes as long as the reference.
struct WritingSettings : HandwritingSettings {
  Vec3<double> xyz = Vec3<double>::Zero(), rpy = Vec3<double>::Zero();  // [m], [rad]

  void fields(Fields& f);
};

/// From this time on the tool should push with this.
struct PushSettings {
  double from = 0;
  Vec6<double> wrench = Vec6<double>::Zero();

  void fields(Fields& f);
};

struct ReferenceSettings {
  std::string kind = "hold", task = "auto";
  // of the joints
  std::vector<double> from, to, velocity, acceleration, jerk;
  double duration = 1, begin = 0;
  int order = 5, repeat = 1;
  std::vector<double> times;
  std::vector<std::vector<double>> waypoints;
  double base_frequency = 0.1;
  std::vector<std::vector<double>> sine, cosine;
  std::vector<double> amplitude, frequency, phase;
  std::string table;
  // of the tool
  std::vector<std::vector<double>> points;
  std::vector<double> rpy;
  double turns = 1, blend = 0, path_speed = 0, path_acceleration = 0, path_jerk = 0;
  WritingSettings writing;
  // of either
  std::vector<PushSettings> push;
  std::vector<double> noise;
  double tool_noise = 0, noise_hold = 0;

  void fields(Fields& f);
};

}  // namespace armature::scenario
