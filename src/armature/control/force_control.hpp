// Direct force control, alone or in parallel with position control.
#pragma once

#include "armature/control/task_dynamics.hpp"

namespace armature::control {

struct ForceControlSettings {
  TaskDynamicsSettings dynamics;          // world axes (no Euler angles)
  TaskVector<double> mass, kd, kp;        // M_d, K_D, K_P of the motion loop inside
  TaskVector<double> force_kp, force_ki;  // K_F [m/N], K_I [m/(N s)]
  bool parallel = false;                  // the position reference counts as well
  bool from_start = true;                 // without it, positions count from the world's origin, as in the report
  double largest_shift = 10;              // of the target by the integral: it stops there [m, rad]

  void fields(Fields& f);
};

/// tau = M y + C qd + g + Jᵀ f_e,   y = J⁺ (M_d⁻¹ (-K_D xd + K_P (x_0 + x_F - x)) - Jd qd),
/// x_F = K_F (f_r - f_e) + K_I ∫ (f_r - f_e)         [Siciliano2009, (9.44)-(9.46)], [Verona2023, (80)-(83)]
/// with f_r = Reference::wrench the wrench to be exerted, f_e the one that is, and x_0 the tool's position at reset() (or the world's
/// origin). `parallel`: x_0 is the position reference, whose motion is followed too: the force wins where there is contact, the
/// position elsewhere [Chiaverini1993], [Verona2023, (84)]. A wanted force in a direction without contact makes the tool drift
/// with K_I f_r.
class ForceControl : public Law {
 public:
  ForceControl(Arm believed, const ForceControlSettings& settings);
  void reset(const Measurement& y);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  bool switch_term(std::string_view name, bool on) noexcept { return dynamics_.switch_term(name, on); }
  void integrals(const IntegralVisitor& visit) { show(visit, integral_, rate_); }

 private:
  TaskDynamics dynamics_;
  ForceControlSettings settings_;
  TaskVector<double> mass_, kd_, kp_, force_kp_, force_ki_, integral_, rate_;
  Reference origin_;
};
static_assert(Controller<ForceControl>);

}  // namespace armature::control
