#include "armature/identification/internal/joint_springs.hpp"

#include <cmath>

#include "armature/algorithms/regressor.hpp"
#include "armature/core/random.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

constexpr double least_turn = 1;  // [rad] a sine of less is hardly told from a parabola, and is a wild guess beyond it

/// How far each joint turns in the log [rad | m].
VecX<double> ranges(const Arm& arm, const MotionSource& source, const Processing& processing) {
  TorqueModelSettings nothing;
  nothing.nothing_estimated = true;
  const TorqueModel model(arm, nothing);
  VecX<double> lowest = VecX<double>::Constant(arm.dof(), INFINITY), highest = -lowest;
  Processing p = processing;
  p.parallel_cutoff = 0;
  stream_equations(source, model, p, [&](const SampleEquations& s) {
    lowest = lowest.cwiseMin(s.motion.q);
    highest = highest.cwiseMax(s.motion.q);
  });
  return highest - lowest;
}

/// Of each joint's sine and cosine, what no combination of the bodies' torques gives at any motion, relative to it; the smaller one.
VecX<double> beyond_bodies(const Arm& arm) {
  constexpr int states = 60;
  const int n = arm.dof();
  Random random(1);
  Eigen::MatrixXd bodies(states * n, parameters_per_link * n), springs = Eigen::MatrixXd::Zero(states * n, 2 * n);
  for (int k = 0; k < states; ++k) {
    VecX<double> q(n), v(n), a(n);
    for (int i = 0; i < n; ++i) {
      q[i] = random.uniform(-pi, pi);
      v[i] = random.uniform(-3, 3);
      a[i] = random.uniform(-10, 10);
    }
    bodies.middleRows(k * n, n) = torque_regressor<double>(arm, q, v, a);
    for (int i = 0; i < n; ++i) {
      springs(k * n + i, 2 * i) = std::sin(q[i]);
      springs(k * n + i, 2 * i + 1) = std::cos(q[i]);
    }
  }
  const Eigen::MatrixXd rest = springs - bodies * least_squares_solution(bodies, springs);
  const Eigen::VectorXd share = rest.colwise().norm().cwiseQuotient(springs.colwise().norm());
  VecX<double> smaller(n);
  for (int i = 0; i < n; ++i) smaller[i] = std::min(share[2 * i], share[2 * i + 1]);
  return smaller;
}

bool spring_of_another_kind(const JointDescription& joint) {
  return joint.spring && !joint.spring->sine && !joint.spring->cosine;
}

}  // namespace

std::vector<int> joints_that_show_springs(const Arm& arm, const MotionSource& source, const Processing& processing) {
  constexpr double rounding = 1e-6;
  const VecX<double> range = ranges(arm, source, processing), beyond = beyond_bodies(arm);
  std::vector<int> joints;
  for (int i = 0; i < arm.dof(); ++i)
    if (arm.body(i).revolute && range[i] >= least_turn && beyond[i] > rounding && !spring_of_another_kind(arm.joint(i)))
      joints.push_back(i);
  return joints;
}

}  // namespace armature::identification
