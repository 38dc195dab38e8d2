// Trajectories of all joints together.
#pragma once

#include <vector>

#include "armature/trajectory/motion.hpp"
#include "armature/trajectory/piecewise.hpp"

namespace armature::trajectory {

/// Every joint follows its own piecewise polynomial.
class PolynomialPath {
 public:
  /// Throws Error unless there are 1 to max_joints coordinates.
  explicit PolynomialPath(std::vector<PiecewisePolynomial> coordinates);
  [[nodiscard]] double duration() const { return duration_; }
  [[nodiscard]] int joints() const { return static_cast<int>(coordinates_.size()); }
  void at(double t, JointMotion& motion) const noexcept;

 private:
  std::vector<PiecewisePolynomial> coordinates_;
  double duration_ = 0;
};

/// From rest to rest in `duration`, all joints alike, by a polynomial of order 3, 5 or 7.
PolynomialPath polynomial_move(const VecX<double>& from, const VecX<double>& to, int order, double duration);

/// From rest to rest, as fast as the slowest joint within its limits; the others are stretched to arrive with it.
PolynomialPath fastest_move(const VecX<double>& from, const VecX<double>& to, const std::vector<ProfileLimits>& limits);

enum class SplineKind { cubic, quintic };
/// Through waypoints (one vector a time) at the times `t`.
PolynomialPath spline_path(const std::vector<double>& t, const std::vector<VecX<double>>& waypoints, SplineKind kind);

/// q_i(t) = offset_i + sum_k (sine_ik/(w k) sin(w k t) - cosine_ik/(w k) cos(w k t)), w = 2 π base_frequency, k = 1, 2, ...
/// (amplitudes are of the velocity) [Swevers1997]. Periodic: it goes on for ever.
class FourierPath {
 public:
  struct Joint {
    double offset = 0;                 // [rad | m]
    std::vector<double> sine, cosine;  // velocity amplitudes, equally many [rad/s | m/s]
  };
  FourierPath(double base_frequency, std::vector<Joint> joints);
  [[nodiscard]] double duration() const { return 1 / base_frequency_; }
  [[nodiscard]] int joints() const { return static_cast<int>(joints_.size()); }
  void at(double t, JointMotion& motion) const noexcept;

 private:
  double base_frequency_;
  std::vector<Joint> joints_;
};

}  // namespace armature::trajectory
