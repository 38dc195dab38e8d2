// Adaptive control: the arm's parameters are learned while it tracks.
#pragma once

#include "armature/algorithms/base_parameters.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/control/law_settings.hpp"

namespace armature::control {

struct AdaptiveSettings {
  VecX<double> kd;      // K_D [N m s/rad | N s/m]
  VecX<double> lambda;  // Λ [1/s]
  double adaptation =
      1;  // how fast: Γ = adaptation diag(size²), size the believed magnitude of a parameter [1/(N m s)]
  bool friction = false;         // learn Coulomb, viscous and offset of every joint as well
  double friction_width = 0.01;  // over which sgn is smoothed [rad/s | m/s]
  double friction_size = 1;      // magnitude that a friction parameter may have, for Γ and the bounds [N m]
  double bound = 3;      // a parameter stays within its believed value ± bound times its size; friction not below 0
  double dead_zone = 0;  // |s| below which nothing is learned: keeps noise from making parameters drift [rad/s]

  void fields(Fields& f);
};

/// tau = Y(q, qd, qd_s, qdd_s) p^ + K_D s,   p^d = Γ Yᵀ s,
/// s = qd_s - qd,  qd_s = qd_r + Λ (q_r - q),  qdd_s = qdd_r + Λ (qd_r - qd)     [Slotine1987], [Verona2023, (59)-(64)]
///
/// p^ are the arm's base parameters (algorithms/base_parameters.hpp) and three friction parameters a joint; Y uses the Coriolis matrix
/// of the Christoffel symbols, for which V = ½ sᵀ M s + ½ p~ᵀ Γ⁻¹ p~ falls with Vd = -sᵀ K_D s. It starts from the believed arm.
/// The tracking error converges; the parameters themselves do so only under persistent excitation. Projection: a parameter at
/// its bound does not move further out, which keeps Vd <= 0 as Γ is diagonal.
class Adaptive : public Law {
 public:
  Adaptive(const Arm& believed, const AdaptiveSettings& settings);
  /// Forgets nothing: what was learned stays. forget() starts anew.
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  void forget();
  void integrals(const IntegralVisitor& visit) { show(visit, p_, rate_); }

  /// Torque and rate of change of the parameters, for parameters held elsewhere: what a continuous simulation integrates.
  /// `rate` has parameters().size() numbers. Allocates nothing.
  void evaluate(const Measurement& y, const Reference& r, const Eigen::VectorXd& p, VecX<double>& tau,
                Eigen::VectorXd& rate) noexcept;

  /// Base parameters in the order of base(), then coulomb, viscous, offset of every joint.
  [[nodiscard]] const Eigen::VectorXd& parameters() const { return p_; }
  [[nodiscard]] const Eigen::VectorXd& rates() const { return gamma_; }  // the diagonal of Γ
  [[nodiscard]] const Eigen::VectorXd& lower() const { return lower_; }
  [[nodiscard]] const Eigen::VectorXd& upper() const { return upper_; }
  [[nodiscard]] const BaseParameters& base() const { return base_; }

 private:
  Arm believed_, weightless_;
  AdaptiveSettings settings_;
  BaseParameters base_;
  Eigen::VectorXd p_, first_, gamma_, lower_, upper_, rate_;
  Regressor<double> Y_, without_gravity_;
  VecX<double> s_;
};
static_assert(Controller<Adaptive>);

/// Y with  Y(q, qd, v, a) p = M(q) a + C(q, qd) v + g(q)  for the link parameters p and the C of the Christoffel symbols, by which
/// C(q, u) w = C(q, w) u: then  C(q, qd) v = c(q, (qd + v)/2) - c(q, (qd - v)/2)  with c(q, u) = C(q, u) u, and two recursions of the
/// torque regressor give it exactly. `weightless` is the arm without gravity, `spare` room to work in.
void slotine_li_regressor(const Arm& arm, const Arm& weightless, const VecX<double>& q, const VecX<double>& qd,
                          const VecX<double>& v, const VecX<double>& a, Regressor<double>& spare,
                          Regressor<double>& Y) noexcept;
/// The same arm without gravity.
Arm without_gravity(const Arm& arm);

}  // namespace armature::control
