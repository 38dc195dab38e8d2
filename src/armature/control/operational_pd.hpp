// A spring and a damper at the tool: PD with gravity compensation in the operational space, compliance, impedance.
#pragma once

#include "armature/control/damping.hpp"
#include "armature/control/task_space.hpp"

namespace armature::control {

struct OperationalPdSettings {
  TaskCoordinates task;
  TaskVector<double> kp;  // one a coordinate [N/m | N m/rad]
  TaskVector<double> kd;  // [N s/m | N m s/rad]; not used where it is designed
  bool designed = false;  // the damper is designed for zeta with the believed mass matrix; kd is not used
  double zeta = 0.7;      // damping ratio
  bool gravity = true;

  void fields(Fields& f);
  [[nodiscard]] AnyController make(const LawContext& in) const;
};

/// tau = g(q) + Jᵀ (kp (x_r - x) + kd (xd_r - xd))   [Siciliano2009, (8.110)], [Verona2023, (68), (71)]
///
/// Needs no inverse, so no singularity can make it large; there it only loses force in the lost direction. In contact it is
/// compliance control: at rest the tool stays off the target by f/kp. With position() coordinates it is the translational
/// Cartesian impedance of [Tum2019, sec. 2.4]. Where `designed`, the damper is task_damping() of damping.hpp: designed with the Cartesian mass matrix, whole at singularities.
class OperationalPd : public Law {
 public:
  OperationalPd(Arm believed, const OperationalPdSettings& settings);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;

 private:
  Arm believed_;
  OperationalPdSettings settings_;
  TaskState task_;
};
static_assert(Controller<OperationalPd>);

}  // namespace armature::control
