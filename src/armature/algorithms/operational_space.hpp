// The arm's dynamics as felt at its tool.
#pragma once

#include "armature/algorithms/task.hpp"
#include "armature/model/arm.hpp"

namespace armature::algorithms {

/// How double treats tasks whose directions are not independent. A direction's mobility is an eigenvalue of J M⁻¹ Jᵀ.
struct SingularTask {
  double tolerance = 1e-12;  // a direction is lost when its mobility falls below this part of the largest [-]
  double damping = 0;  // d [-]: the inverse of mobility a is a/(a² + (d a_max)²); 0: 1/a, and lost ones are left out
};

/// Lambda xdd + mu + p = F,  with xdd = J qdd + Jd qd the acceleration of the task when tau = Jᵀ F   [Khatib1987]
///
/// For double a task whose directions are not independent is reported, and Lambda is the pseudo-inverse or a damped
/// inverse. Other numbers decide nothing: they are exact for independent directions.
template <Scalar S>
struct OperationalSpace {
  TaskSquare<S> Lambda;  // (J M⁻¹ Jᵀ)⁻¹
  TaskVector<S> mu;      // Lambda (J M⁻¹ c - Jd qd)
  TaskVector<S> p;       // Lambda J M⁻¹ g
  TaskInverse<S> J_bar;  // M⁻¹ Jᵀ Lambda: the dynamically consistent inverse of J
  int rank = 0;          // independent directions
  bool singular = false;
};

/// For a task with the Jacobian J and the acceleration `Jd_qd` at constant joint speeds. Allocates nothing.
template <Scalar S>
OperationalSpace<S> operational_space(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const TaskJacobian<S>& J,
                                      const TaskVector<S>& Jd_qd, const SingularTask& singular = {});

/// For motions of the tool, in world axes.
template <Scalar S>
OperationalSpace<S> operational_space(const Arm& arm, const VecX<S>& q, const VecX<S>& qd,
                                      const TaskRows& rows = TaskRows::full(), const SingularTask& singular = {});

/// √det(J Jᵀ): the volume of the ellipsoid of tool velocities from unit joint speeds [Yoshikawa1985]. Zero for a task
/// with more rows than joints. Allocates nothing.
template <Scalar S>
S manipulability(const TaskJacobian<S>& J);

struct ManipulabilityGradient {
  double value = 0;
  VecX<double> gradient;  // d value / d q; zero where `singular`
  bool singular = false;  // the value is below 1e-10 of what it would be if the rows were orthogonal; no slope there
};
ManipulabilityGradient manipulability_gradient(const Arm& arm, const VecX<double>& q,
                                               const TaskRows& rows = TaskRows::full());

}  // namespace armature::algorithms
