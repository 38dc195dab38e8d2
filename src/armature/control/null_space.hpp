// Terms that act where the task leaves the arm free.
#pragma once

#include "armature/control/law_settings.hpp"
#include "armature/control/task_inverse.hpp"
#include "armature/control/task_space.hpp"

namespace armature::control {

struct NullSpaceSettings {
  TaskRows rows = TaskRows::full();  // of the tool's motion, that must not be disturbed
  InverseSettings inverse;           // weighting decides the projector
  std::vector<LawSettings> terms;    // the one law inside, where it is made from settings

  void fields(Fields& f);
  [[nodiscard]] AnyController make(const LawContext& in) const;
};

/// tau = N(q) tau_0 with tau_0 the torque of any joint-space law (JointDamping: null-space damping; SingularityAvoidance,
/// JointLimitAvoidance, JointPd for a posture) and N the projector of task_inverse.hpp. Only the dynamically consistent one
/// leaves the tool's acceleration alone.
class NullSpaceTerm : public Law {
 public:
  NullSpaceTerm(Arm believed, AnyController inner, const NullSpaceSettings& settings = {});
  void reset(const Measurement& y) { inner_.reset(y); }
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  bool switch_term(std::string_view name, bool on) noexcept { return inner_.switch_term(name, on); }

 private:
  Arm believed_;
  AnyController inner_;
  NullSpaceSettings settings_;
};
static_assert(Controller<NullSpaceTerm>);

struct SingularityAvoidanceSettings {
  TaskRows rows = TaskRows::full();  // of the Jacobian whose manipulability counts
  double threshold = 0.05;           // m_0: the term acts below this manipulability [m³, mixed]
  double gain = 100;                 // k_s

  void fields(Fields& f);
};

/// tau = -dV/dq,  V = ½ k_s (m(q) - m_0)² where m = √det(J Jᵀ) < m_0, else 0 [Tum2019, sec. 2.5]. The gradient of m is exact, by
/// dual numbers. At the singularity itself m has no slope: the term is then zero and Condition::singular is set.
class SingularityAvoidance : public Law {
 public:
  SingularityAvoidance(Arm believed, const SingularityAvoidanceSettings& settings);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;

 private:
  Arm believed_;
  SingularityAvoidanceSettings settings_;
};
static_assert(Controller<SingularityAvoidance>);

struct JointLimitAvoidanceSettings {
  double margin = 0.2;        // before a limit, where the term begins to act [rad | m]
  VecX<double> stiffness;     // of the spring that pushes back [N m/rad | N/m]
  VecX<double> lower, upper;  // empty: the arm's; joints without limits feel nothing [rad | m]

  void fields(Fields& f);
};

/// tau = -k (q - (upper - margin)) beyond upper - margin, and the same at the lower limit: the gradient of a piecewise quadratic
/// potential.
class JointLimitAvoidance : public Law {
 public:
  JointLimitAvoidance(const Arm& believed, const JointLimitAvoidanceSettings& settings);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;

 private:
  VecX<double> stiffness_, from_, to_;
};
static_assert(Controller<JointLimitAvoidance>);

}  // namespace armature::control
