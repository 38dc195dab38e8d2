// The law, as data.
#pragma once

#include "armature/scenario/settings.hpp"

namespace armature {

struct ControllerSettings {
  std::string kind = "joint_pd";
  std::vector<double> kp, kd, tau;
  bool continuous = false;
  void fields(auto& f) {
    f.word("kind", kind, {"joint_pd", "open_loop"}, "the law");
    f.joints("kp", kp, joint_dimension::stiffness, "stiffness", Range::not_negative);
    f.joints("kd", kd, joint_dimension::damping, "damping", Range::not_negative);
    f.joints("tau", tau, joint_dimension::torque, "torques of open_loop (default: zero)");
    f.flag("continuous", continuous, "acts inside the integrator, without hold, sensors and converters");
  }
};

}  // namespace armature
