// A periodic motion as coefficients that can be optimized, and how far it goes between all samples.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "armature/algorithms/clearance.hpp"
#include "armature/core/units.hpp"
#include "armature/model/arm.hpp"
#include "armature/trajectory/joint_paths.hpp"

namespace armature::identification {

/// What a motion must keep to. Infinite where nothing is asked.
struct ExcitationLimits {
  VecX<double> lower, upper;  // [rad | m]
  VecX<double> velocity;      // [rad/s | m/s]
  VecX<double> acceleration;  // [rad/s² | m/s²]
  VecX<double> torque;        // of rigid body, friction and rotors [N m | N]
  struct Box {
    Vec3<double> lower, upper;
  };
  std::optional<Box> workspace;             // in which the tool's origin stays, in the world [m]
  std::optional<ClearanceModel> clearance;  // links that stay apart, and above the floor
  double least_clearance = 0.02;            // by this much [m]
};
/// Those of the arm's description, without torques and workspace.
ExcitationLimits limits_of(const Arm& arm);

/// What a joint may do where nobody states a limit: cautious, and enough to excite it. A revolute joint without a limit of its
/// position turns freely.
struct DefaultJointLimits {
  double stroke = 0.25;           // of a sliding joint, either way from zero [m]
  double turning_speed = pi / 2;  // [rad/s]
  double sliding_speed = 0.25;    // [m/s], the reduced speed of ISO 10218-1
  double rise = 0.5;  // [s]: a joint may reach its velocity limit in this time, which limits its acceleration
};
/// Gives every joint the limits that a design needs where it has none. Returns a sentence for each kind of limit that was
/// assumed, with joints and values.
std::vector<std::string> complete_limits(const Arm& arm, ExcitationLimits& limits);

/// [Kostic2004, (22)]: one column per joint, one row per harmonic. Amplitudes are of the velocity.
struct FourierCoefficients {
  double base_frequency = 0.1;   // [Hz]
  Eigen::VectorXd offset;        // [rad | m]
  Eigen::MatrixXd sine, cosine;  // [rad/s | m/s]

  [[nodiscard]] int joints() const { return static_cast<int>(offset.size()); }
  [[nodiscard]] int harmonics() const { return static_cast<int>(sine.rows()); }
  [[nodiscard]] FourierPath path() const;
  /// With room for more harmonics, of amplitude zero.
  [[nodiscard]] FourierCoefficients extended(int harmonics) const;
};

/// Positions, velocities and accelerations at samples of one period (one row per joint, one column per sample).
struct MotionSamples {
  Eigen::MatrixXd q, v, a;
};

/// The harmonics at equally spaced times of a period: motions from coefficients, and the way back for gradients.
class FourierBasis {
 public:
  FourierBasis(double base_frequency, int harmonics, int samples);
  [[nodiscard]] int samples() const { return static_cast<int>(sine_.cols()); }
  void motion(const FourierCoefficients& c, MotionSamples& m) const;
  /// Adds to `gradient` what a change of the samples by `m` would weigh: the transpose of motion().
  void pull_back(const MotionSamples& m, FourierCoefficients& gradient) const;

 private:
  Eigen::MatrixXd sine_, cosine_;  // harmonics x samples
  Eigen::VectorXd rate_;           // angular frequencies [rad/s]
};

/// The largest magnitudes over all times, as shares of the limits; above 1 where a limit is broken.
/// A trigonometric polynomial of degree N, sampled L times, is nowhere larger than its largest sample over cos(π N/L)
/// [EhlichZeller1964]: positions, velocities and accelerations are bounded by that, with certainty. Torques, the tool's
/// position and the distances of links are refined between the samples around every local maximum.
struct LimitUse {
  VecX<double> position, velocity, acceleration, torque;  // one per joint; zero where there is no limit
  double workspace = 0;  // how far the tool leaves the box [m]; zero or less: it does not
  double clearance = 0;  // by how much links come nearer than they may [m]; zero or less: they do not
  VecX<double> largest_velocity, largest_acceleration, largest_torque;
  [[nodiscard]] double worst() const;  // of the joints
};
LimitUse limit_use(const Arm& arm, const FourierCoefficients& c, const ExcitationLimits& limits);

/// Torques of a motion: rigid body, friction as the arm describes it, rotors.
VecX<double> motion_torque(const Arm& arm, const VecX<double>& q, const VecX<double>& v, const VecX<double>& a);

}  // namespace armature::identification
