// The Coriolis matrix.
#pragma once

#include "armature/model/arm.hpp"

namespace armature::algorithms {

/// C(q, qd), dof x dof, from the Christoffel symbols of the first kind, C_ij = sum_k ½ (dM_ij/dq_k + dM_ik/dq_j -
/// dM_jk/dq_i) qd_k; so C qd are the Coriolis torques and dM/dt - 2C is skew. O(n²); allocates nothing. [Echeandia2021]
template <Scalar S>
void coriolis_matrix(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, MatX<S>& C);

template <Scalar S>
MatX<S> coriolis_matrix(const Arm& arm, const VecX<S>& q, const VecX<S>& qd) {
  MatX<S> C;
  coriolis_matrix(arm, q, qd, C);
  return C;
}

}  // namespace armature::algorithms
