#include "armature/algorithms/mass_matrix.hpp"

#include <type_traits>

#include "armature/algorithms/internal/joint_motion.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/symmetric_eigen.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::algorithms {

//     Ic_i = I_i + Ic_(i+1) seen from frame i                                   (1)
//     momentum of the composite when joint i moves with unit speed:
//     revolute  (f; n) = (z × h; Ic z),   prismatic (f; n) = (m z; h × z)       (2)
//     carried to each ancestor j:  f <- R f,  n <- R n + p × R f                (3)
//     M_ij = z·n (revolute j), z·f (prismatic j)                                (4)
template <Scalar S>
void mass_matrix(const Arm& arm, const VecX<S>& q, MatX<S>& M) {
  if constexpr (std::is_same_v<S, double>)
    if (const Kernels* k = arm.kernels(); k && k->mass_matrix) {
      M.resize(arm.dof(), arm.dof());
      return k->mass_matrix(q.data(), M.data());  // symmetric: by rows or columns
    }
  const int n = arm.dof();
  const Body* bodies = arm.bodies().data();
  M.resize(n, n);
  std::array<Pose<S>, max_joints> X;
  for (int i = 0; i < n; ++i) X[i] = joint_pose<S>(bodies[i], q[i]);

  Inertia<S> composite = inertia_as(bodies[n - 1], S{});
  for (int i = n - 1; i >= 0; --i) {
    Vec3<S> f, t;  // (2)
    if (bodies[i].revolute) {
      f = Vec3<S>(-composite.h[1], composite.h[0], S(0));
      t = composite.I_Bo.col(2);
      M(i, i) = t[2];
    } else {
      f = Vec3<S>(S(0), S(0), composite.m);
      t = Vec3<S>(composite.h[1], -composite.h[0], S(0));
      M(i, i) = f[2];
    }
    for (int j = i; j > 0; --j) {
      const Pose<S>& X_PB = X[j];
      f = Vec3<S>(X_PB.R * f);  // (3)
      t = Vec3<S>(X_PB.R * t + cross<S>(X_PB.p, f));
      M(i, j - 1) = M(j - 1, i) = bodies[j - 1].revolute ? t[2] : f[2];  // (4)
    }
    if (i > 0) composite = inertia_as(bodies[i - 1], S{}) + seen_from(X[i], composite);  // (1)
  }
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
