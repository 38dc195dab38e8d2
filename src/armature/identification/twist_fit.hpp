// Stiffness of elastic joints from encoders on both sides of their gears: how far each joint twists under its torque.
//
//   const std::vector<TwistEstimate> joints = fit_twist({{"a.csv", 4e-3, motor, link, torque}}, rotor_inertia);
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::identification {

/// One run. Everything as seen from the joints: a row a sample, a column a joint.
struct TwistLog {
  std::string name;
  double step = 1e-3;                   // [s]
  Eigen::MatrixXd motor, link, torque;  // positions before and behind the gear [rad], torque of the motor [N m]
};

struct TwistSettings {
  double cutoff = 10;  // of the zero-phase filter that all signals pass [Hz]
  int parts = 10;      // of a run, left out one after the other: what they change is how sure the estimate is
};

/// twist = offset of the run + (torque - rotor inertia * acceleration)/stiffness + rubbing sign(v) + lag v - relaxation d(twist)/dt
///
/// `rubbing` is negative where dry friction acts before the spring: its torque is in the motor's and not in the spring's. `lag` is what is in
/// step with the speed: encoders that are read at different times, less viscous friction before the spring over the stiffness.
/// `relaxation` is damping over stiffness, and by how much the torque's column is early.
struct TwistEstimate {
  bool both_sides = false;                           // there are two encoders, and they differ
  bool determined = false;                           // the interval of the compliance excludes zero
  double compliance = 0, compliance_half_width = 0;  // [rad/(N m)]; half of the 95 % interval
  double rubbing = 0, rubbing_half_width = 0;        // [rad]
  double lag = 0, lag_half_width = 0;                // [s]
  double relaxation = 0, relaxation_half_width = 0;  // [s]
  double play = 0, play_half_width = 0;  // half of a jump where the torque changes its sign, if there is one [rad]
  double twist = 0;                      // r.m.s. about its mean [rad]
  double left = 0;                       // share of that which is left
  std::vector<double> run_compliance, run_half_width;  // of each run alone
  double disagreement =
      0;  // of the runs: r.m.s. of their distances from the mean, in units of their deviations; 0: one run

  [[nodiscard]] double stiffness() const { return 1 / compliance; }  // [N m/rad]
  [[nodiscard]] double low() const { return 1 / (compliance + compliance_half_width); }
  [[nodiscard]] double high() const { return 1 / (compliance - compliance_half_width); }
  /// Whether such a jump is there: its interval excludes zero, and it is a tenth of the twist.
  [[nodiscard]] bool has_play() const { return play > play_half_width && play > 0.1 * twist; }
};

/// For all joints, by least squares over all runs. `rotor_inertia` is that of each motor seen at the joint, gear ratio squared included; not a
/// number: unknown, and fitted along. Where runs disagree, intervals are as much wider. Throws Error where runs differ in their joints or are
/// too short.
std::vector<TwistEstimate> fit_twist(const std::vector<TwistLog>& logs, const Eigen::VectorXd& rotor_inertia,
                                     const TwistSettings& settings = {});

/// What the estimates say to people; `names` are those of the joints.
std::vector<std::string> sentences(const std::vector<TwistEstimate>& joints, const std::vector<std::string>& names);

}  // namespace armature::identification
