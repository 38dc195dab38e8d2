// Hybrid control: force along some axes of a frame, motion along the others.
#pragma once

#include <array>

#include "armature/control/task_dynamics.hpp"

namespace armature::control {

struct HybridSettings {
  TaskDynamicsSettings dynamics;                  // with the coordinates position() or pose()
  Vec3<double> frame_rpy = Vec3<double>::Zero();  // axes of the selection frame S, in the world or in the tool [rad]
  bool frame_in_tool = false;
  std::string force_axes;                 // "z", "x y", "z rx": axes of S along and about which force is controlled
  TaskVector<double> kd, kp;              // of the motion along the others [1/s], [1/s²]
  TaskVector<double> mass, force_kd;      // m, d: of the axes with force control [kg], [N s/m]
  TaskVector<double> force_kp, force_ki;  // [-], [1/s]
  double largest_force = 1e3;             // of the integral [N | N m]

  void fields(Fields& f);
  [[nodiscard]] AnyController make(const LawContext& in) const;
};

/// tau = M y + C qd + g + Jᵀ f_e,  y = J⁺ (a - Jd qd), and along each axis of the selection frame S
///     motion:  a = xdd_r + kd (xd_r - xd) + kp (x_r - x)
///     force:   a = (force_kp (f_r - f_e) + force_ki ∫ (f_r - f_e) - force_kd xd) / mass
/// [Raibert1981], [Siciliano2009, sec. 9.7]. On a wall of stiffness k the force obeys  m s³ + d s² + force_kp k s + force_ki k = 0.
class HybridForcePosition : public Law {
 public:
  HybridForcePosition(Arm believed, const HybridSettings& settings);
  void reset(const Measurement& y);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  bool switch_term(std::string_view name, bool on) noexcept { return dynamics_.switch_term(name, on); }
  void integrals(const IntegralVisitor& visit) { show(visit, integral_, rate_); }

 private:
  TaskDynamics dynamics_;
  HybridSettings settings_;
  Mat3<double> frame_;
  std::array<bool, 6> force_axis_{};
  TaskVector<double> integral_, rate_;  // in S
};
static_assert(Controller<HybridForcePosition>);

}  // namespace armature::control
