// Inverses of a task's Jacobian: with fewer, as many or more coordinates than joints, at singularities and away from them.
#pragma once

#include "armature/algorithms/task.hpp"
#include "armature/core/fields.hpp"

namespace armature::control {

enum class Projector {
  moore_penrose,           ///< the least joint acceleration
  dynamically_consistent,  ///< the least kinetic energy: weighted with M, so that the null space does not move the tool
};

struct InverseSettings {
  Projector weighting = Projector::dynamically_consistent;
  double threshold = 0.01;  // singular values below this part of the largest are damped [-]
  double damping = 0.01;    // at most, as a part of the largest singular value; 0: they are left out [-]

  void fields(Fields& f);
};

/// The damped pseudo-inverse of J, n x m. A task with no more coordinates than joints is met exactly, with the least
/// (weighted) joint acceleration; one with more is met in the sense of least squares over its coordinates. A singular value s
/// below e = threshold s_max counts as s/(s² + (1 - (s/e)²) (damping s_max)²) [Nakamura1986]: continuous in s, bounded.
struct TaskInverseResult {
  TaskInverse<double> inverse;
  bool singular = false;  // a direction is damped or left out
};
/// M: empty for Moore–Penrose. Allocates nothing.
TaskInverseResult task_inverse(const TaskJacobian<double>& J, const MatX<double>& M,
                               const InverseSettings& settings) noexcept;

/// N = 1 - Jᵀ (J⁺)ᵀ: takes joint torques to the part that does not act in the task. With the dynamically consistent inverse it
/// does not accelerate the task either [Khatib1987]; with Moore–Penrose's it does.
MatX<double> null_space_projector(const TaskJacobian<double>& J, const TaskInverse<double>& inverse) noexcept;

}  // namespace armature::control
