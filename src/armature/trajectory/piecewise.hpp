// Piecewise polynomials in time: what point-to-point motions, trapezoids, S-curves and splines all are.
#pragma once

#include <array>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::trajectory {

/// A number that moves: position, velocity, acceleration, jerk.
struct ScalarMotion {
  double x = 0, v = 0, a = 0, j = 0;
};

class PiecewisePolynomial {
 public:
  static constexpr int max_order = 7;
  /// x(t) = sum c_k (t - start)^k until the next piece starts.
  struct Piece {
    double start = 0;  // [s]
    std::array<double, max_order + 1> c{};
  };

  PiecewisePolynomial() = default;
  /// Pieces in order of time, the first starting at 0; throws Error otherwise.
  PiecewisePolynomial(std::vector<Piece> pieces, double duration);

  [[nodiscard]] double duration() const { return duration_; }
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  /// Outside [0, duration] it rests at the nearer end.
  [[nodiscard]] ScalarMotion at(double t) const noexcept;

 private:
  std::vector<Piece> pieces_;
  double duration_ = 0;
};

/// From 0 to 1 in `duration`, at rest at both ends: order 3 (velocity), 5 (also acceleration), 7 (also jerk is zero there).
PiecewisePolynomial polynomial_step(int order, double duration);

struct ProfileLimits {
  double velocity = 0;      // [1/s], > 0
  double acceleration = 0;  // [1/s²], > 0
  double jerk = 0;          // [1/s³]; zero: not limited
};
/// The fastest motion over `distance` (either sign) from rest to rest within the limits: a trapezoid of velocity, or with
/// a jerk limit an S-curve of up to seven pieces. [BiagiottiMelchiorri2008, 3.2 and 3.4]
PiecewisePolynomial fastest_step(double distance, const ProfileLimits& limits);

/// The same motion over `duration` instead, slowed down (or sped up) as a whole.
PiecewisePolynomial stretched(const PiecewisePolynomial& motion, double duration);

/// Through x_i at times t_i (increasing, starting at 0): the cubic spline at rest at both ends, or the quintic spline with
/// continuous jerk and snap, at rest with zero acceleration at both ends.
PiecewisePolynomial cubic_spline(const std::vector<double>& t, const std::vector<double>& x);
PiecewisePolynomial quintic_spline(const std::vector<double>& t, const std::vector<double>& x);

/// Through x_i with the velocities v_i, and with the accelerations a_i where they are given: cubics, or quintics.
PiecewisePolynomial through_samples(const std::vector<double>& t, const std::vector<double>& x,
                                    const std::vector<double>& v, const std::vector<double>& a = {});

}  // namespace armature::trajectory
