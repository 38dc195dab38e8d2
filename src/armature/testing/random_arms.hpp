// Arms and states made by chance, the same every time: what laws are tested on.
#pragma once

#include <algorithm>

#include "armature/core/random.hpp"
#include "armature/model/arm.hpp"

namespace armature::testing {

/// A physically possible arm with `dof` joints, revolute or prismatic by chance (some parallel, some at right angles, some
/// skew), DH or origin-and-axis placements, tool, tilted base and gravity.
Arm random_arm(int dof, Random& random);

/// Numbers in [-size, size], one per joint.
VecX<double> random_vector(int dof, Random& random, double size = 1);

/// The project's relative error: ‖a-b‖∞ / max(1, ‖b‖∞).
template <class A, class B>
double relative_error(const A& a, const B& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

}  // namespace armature::testing
