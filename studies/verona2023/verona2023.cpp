#include "verona2023.hpp"

#include <fmt/format.h>

namespace armature::verona2023 {

std::string scenario(const std::string& name, const std::string& rest) {
  return "scenario: " + name + "\nrobot: rpr\n" + rest;
}

bool within(const Eigen::VectorXd& ours, const Eigen::VectorXd& expected, double share) {
  return (ours - expected).cwiseAbs().maxCoeff() <= share * expected.cwiseAbs().maxCoeff();
}

std::string numbers(const Eigen::VectorXd& v, const char* format) {
  std::string text;
  for (const double x : v) text += (text.empty() ? "" : ", ") + fmt::format(fmt::runtime(format), x);
  return "(" + text + ")";
}

StudyResult run(const std::function<void(const std::string&)>& progress) {
  StudyResult result;
  progress("kinematics and dynamics");
  kinematics_and_dynamics(result);
  progress("joint control");
  joint_control(result);
  progress("adaptive control");
  adaptive_control(result);
  progress("operational control");
  operational_control(result);
  progress("compliance, impedance, admittance");
  compliance_and_impedance(result);
  progress("force control");
  force_control(result);
  return result;
}

}  // namespace armature::verona2023
