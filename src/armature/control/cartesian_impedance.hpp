// Full Cartesian impedance: a six-dimensional spring and damper between tool and target, in the tool's axes.
#pragma once

#include "armature/control/damping.hpp"

namespace armature::control {

struct CartesianImpedanceSettings {
  Vec6<double> stiffness = Vec6<double>::Zero();  // along and about the tool's axes [N/m; N m/rad]
  TaskVector<double> damping;                     // [N s/m; N m s/rad]; empty: designed for zeta
  double zeta = 0.7;                              // damping ratio, with the believed mass matrix
  DampingDesign design = DampingDesign::double_diagonal;
  bool gravity = true;
  bool coriolis = false;  // C qd compensated as well

  void fields(Fields& f);
};

/// x~ = (Rᵀ (p - p_r); -2 ε),  (η, ε) the quaternion of Rᵀ R_r, in the tool's axes;  tau = -J~ᵀ (K x~ + D x~d) + g
///
/// J~ is the Jacobian of x~ itself: d(Rᵀ (p - p_r)) = v + x~_p × w,  d(-2 ε) = (η 1 - [ε]×) w  with v and w in the tool's axes.
/// So the spring is the gradient of ½ x~ᵀ K x~, the closed loop is passive, and the torque about an axis is K sin(angle): the
/// half turn is an (unstable) equilibrium [Tum2019, (16), sec. 2.6]. D is given, or designed for ζ [AlbuSchaeffer2003].
class CartesianImpedance : public Law {
 public:
  CartesianImpedance(Arm believed, const CartesianImpedanceSettings& settings);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  /// x~ and J~ of the last tick.
  [[nodiscard]] const Vec6<double>& error() const { return error_; }
  [[nodiscard]] const Mat6X<double>& jacobian() const { return J_; }

 private:
  Arm believed_;
  CartesianImpedanceSettings settings_;
  Vec6<double> error_ = Vec6<double>::Zero();
  Mat6X<double> J_;
};
static_assert(Controller<CartesianImpedance>);

}  // namespace armature::control
