#include "armature/algorithms/mass_matrix.hpp"

#include <type_traits>

#include "armature/algorithms/internal/bodies_in_first_axes.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/symmetric_eigen.hpp"
#include "armature/scalar/scalars.hpp"
#include "armature/scalar/sin_cos.hpp"
#include "armature/scalar/wide_registers.hpp"

namespace armature::algorithms {

template <Scalar S>
void mass_matrix(const Arm& arm, const VecX<S>& q, MatX<S>& M) {
  if constexpr (std::is_same_v<S, double>)
    if (const Kernels* k = arm.kernels(); k && k->mass_matrix) {
      M.resize(arm.dof(), arm.dof());
      return k->mass_matrix(q.data(), M.data());  // symmetric: by rows or columns
    }
  const int n = arm.dof();
  M.resize(n, n);
  std::array<S, max_joints> s, c;
  std::array<BodyInFirstAxes<S>, max_joints> placed;
  sin_cos(q.data() + 1, n - 1, s.data() + 1, c.data() + 1);  // the first joint's position does not matter
  in_wide_registers<S>([&] {
    place_in_first_axes(arm, OwnInertia{arm.bodies().data()}, q.data(), s.data(), c.data(), placed);
    mass_matrix_of(arm, placed, M);
  });
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < i; ++j) M(j, i) = M(i, j);
}

namespace {

double smallest_eigenvalue(const Arm& arm, const VecX<double>& q) {
  return symmetric_eigenvalues(mass_matrix(arm, q))[0];
}

}  // namespace

std::optional<VecX<double>> indefinite_configuration(const Arm& arm) {
  Random random(2024);
  VecX<double> worst;
  double smallest = 0;
  const auto consider = [&](const VecX<double>& q) {
    const double value = smallest_eigenvalue(arm, q);
    if (worst.size() == 0 || value < smallest) {
      smallest = value;
      worst = q;
    }
  };
  const auto sample = [&] {
    VecX<double> q(arm.dof());
    for (int i = 0; i < arm.dof(); ++i) {
      const Limits& limits = arm.joint(i).limits;
      const double reach = arm.body(i).revolute ? pi : 1.0;
      q[i] = random.uniform(limits.lower.value_or(-reach), limits.upper.value_or(reach));
    }
    return q;
  };
  for (int k = 0; k < 500 && !(smallest < 0); ++k) consider(sample());
  for (double step = 0.3; step > 1e-4 && smallest > 0; step /= 2)  // pattern search from the worst sample
    for (int round = 0; round < 4; ++round)
      for (int i = 0; i < arm.dof(); ++i)
        for (const double sign : {step, -step}) {
          VecX<double> q = worst;
          q[i] += sign;
          consider(q);
        }
  if (smallest > 0) return std::nullopt;
  return worst;
}

#define ARMATURE_INSTANTIATE(S) template void mass_matrix(const Arm&, const VecX<S>&, MatX<S>&);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
