// Admittance control: the force moves a compliant frame, and a stiff motion law follows that frame.
#pragma once

#include "armature/control/task_dynamics.hpp"

namespace armature::control {

struct AdmittanceSettings {
  TaskDynamicsSettings dynamics;                      // world axes (no Euler angles)
  TaskVector<double> frame_mass, frame_kd, frame_kp;  // M_t, K_Dt, K_Pt of the compliant frame
  TaskVector<double> mass, kd, kp;                    // M_d, K_D, K_P of the motion law that follows it

  void fields(Fields& f);
};

/// The compliant frame x_t lags behind the target by z = x_r - x_t with
///     M_t zdd + K_Dt zd + K_Pt z = h_e                                   [Siciliano2009, (9.37)], [Verona2023, (76), (77)]
/// h_e the wrench that the tool exerts, in world axes; the tool follows x_t with
///     tau = M y + C qd + g + Jᵀ h_e,   y = J⁺ (xdd_t + M_d⁻¹ (K_D (xd_t - xd) + K_P (x_t - x)) - Jd qd).
/// At rest in contact the tool is as stiff as K_Pt; the motion law may be as stiff as the drives allow, against friction. An
/// angle z_o turns the target by exp(-z_o). The frame is a state.
class Admittance : public Law {
 public:
  Admittance(Arm believed, const AdmittanceSettings& settings);
  void reset(const Measurement& y);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  bool switch_term(std::string_view name, bool on) noexcept { return dynamics_.switch_term(name, on); }
  void integrals(const IntegralVisitor& visit) {
    show(visit, z_, zd_);
    show(visit, zd_, zdd_);
  }
  [[nodiscard]] const TaskVector<double>& lag() const { return z_; }

 private:
  TaskDynamics dynamics_;
  TaskVector<double> frame_mass_, frame_kd_, frame_kp_, mass_, kd_, kp_;
  TaskVector<double> z_, zd_, zdd_;
  Reference compliant_;
};
static_assert(Controller<Admittance>);

}  // namespace armature::control
