#include "verona2023.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/core/units.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::studies::verona2023 {

std::string scenario(const std::string& name, const std::string& rest) {
  return "scenario: " + name + "\nrobot: rpr\n" + rest;
}

bool within(const Eigen::VectorXd& ours, const Eigen::VectorXd& expected, double share) {
  return ((ours - expected).array().abs() <= share * expected.array().abs()).all();
}

std::string numbers(const Eigen::VectorXd& v, const char* format) {
  std::string text;
  for (const double x : v) text += (text.empty() ? "" : ", ") + fmt::format(fmt::runtime(format), x);
  return "(" + text + ")";
}

void add_euler_angles(Log& log) {
  for (const char* suffix : {"", "_ref"}) {
    const std::string end = suffix;
    if (!log.has("tool_qw" + end)) continue;
    const std::vector<double>&w = log.channel("tool_qw" + end).values, &x = log.channel("tool_qx" + end).values,
          &y = log.channel("tool_qy" + end).values, &z = log.channel("tool_qz" + end).values;
    std::vector<double> angles[3];
    Vec3<double> last = Vec3<double>::Zero();
    for (std::size_t i = 0; i < w.size(); ++i) {
      const Vec3<double> now = zyz_from_rotation(rotation_from_quaternion(Quaternion(w[i], x[i], y[i], z[i]))).angles;
      for (int k = 0; k < 3; ++k) {
        last[k] = i == 0 ? now[k] : last[k] + std::remainder(now[k] - last[k], 2 * pi);
        angles[k].push_back(last[k]);
      }
    }
    const char* names[] = {"phi", "theta", "psi"};
    for (int k = 0; k < 3; ++k) {
      if (!end.empty() && !w.empty()) {  // the turn that is nearest to where the tool ends
        const double off = log.channel(names[k]).values.back() - angles[k].back();
        for (double& angle : angles[k]) angle += 2 * pi * std::nearbyint(off / (2 * pi));
      }
      log.add(names[k] + end, "rad").values = angles[k];
    }
  }
}

namespace {
std::vector<std::string> with_wanted(std::initializer_list<const char*> names, const std::string& suffix) {
  std::vector<std::string> channels;
  for (const char* name : names) {
    channels.push_back(name + suffix);
    channels.push_back(name + std::string("_ref"));
  }
  return channels;
}
}  // namespace

std::vector<std::string> position_channels(const std::string& suffix) {
  return with_wanted({"tool_x", "tool_y", "tool_z"}, suffix);
}
std::vector<std::string> orientation_channels(const std::string& suffix) {
  return with_wanted({"phi", "theta", "psi"}, suffix);
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

}  // namespace armature::studies::verona2023
