// Impedance control: the tool answers a force like a chosen mass, spring and damper.
#pragma once

#include "armature/control/task_dynamics.hpp"

namespace armature::control {

struct ImpedanceSettings {
  TaskDynamicsSettings dynamics;
  TaskVector<double> mass;     // M_d, one a coordinate [kg | kg m²]; not used without force measurement
  TaskVector<double> kd, kp;   // [N s/m | N m s/rad], [N/m | N m/rad]
  bool force_measured = true;  // by a sensor at the wrist (Measurement::wrench)

  void fields(Fields& f);
};

/// With force measurement, h_e the wrench that the tool exerts (h_A in the task's coordinates):
///     tau = M y + C qd + g + Jᵀ h_e,   y = J⁺ (xdd_r + M_d⁻¹ (kd (xd_r - xd) + kp (x_r - x) - h_A) - Jd qd)
/// so that M_d x~dd + kd x~d + kp x~ = h_A [Siciliano2009, (9.30), (9.31)]. ([Verona2023, (74), (75)] prints the other sign of Jᵀ h_e
/// and leaves h_A out; either slip makes the tool wrongly stiff.)
/// Without: the tool keeps its natural mass,
///     tau = Jᵀ (kd (xd_r - xd) + kp (x_r - x)) + M J⁺ (xdd_r - Jd qd) + C qd + g
/// whose stiffness at rest is kp as well.
class Impedance : public Law {
 public:
  Impedance(Arm believed, const ImpedanceSettings& settings);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  bool switch_term(std::string_view name, bool on) noexcept { return dynamics_.switch_term(name, on); }

 private:
  TaskDynamics dynamics_;
  TaskVector<double> mass_, kd_, kp_;
  bool force_measured_;
};
static_assert(Controller<Impedance>);

}  // namespace armature::control
