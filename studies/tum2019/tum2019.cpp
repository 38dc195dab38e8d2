#include "tum2019.hpp"

namespace armature::studies::tum2019 {

std::string scenario(const std::string& name, const std::string& rest) {
  return "scenario: " + name + "\nrobot: planar3r\n" + rest;
}

StudyResult run(const std::function<void(const std::string&)>& progress) {
  StudyResult result;
  progress("tasks 1 to 3, kinematics and dynamics");
  kinematics_and_dynamics(result);
  progress("tasks 4 to 9, joint control");
  joint_control(result);
  progress("tasks 10 to 12, inverse kinematics");
  inverse_kinematics_tasks(result);
  progress("tasks 13 to 17, translational impedance");
  translational_impedance(result);
  progress("tasks 18 to 21, full impedance");
  full_impedance(result);
  progress("tasks 22 to 25, collisions");
  collisions(result);
  return result;
}

}  // namespace armature::studies::tum2019
