#include "armature/identification/synthetic_log.hpp"

#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/trajectory/joint_paths.hpp"

namespace armature::identification {

namespace {

FourierPath random_motion(const Arm& arm, const SyntheticSettings& s) {
  Random random(s.motion_seed);
  std::vector<FourierPath::Joint> joints(static_cast<std::size_t>(arm.dof()));
  for (int i = 0; i < arm.dof(); ++i) {
    FourierPath::Joint& joint = joints[i];
    const double top = (arm.body(i).revolute ? 1.0 : 0.3) * s.speed / std::sqrt(static_cast<double>(s.harmonics));
    const Limits& limits = arm.joint(i).limits;
    if (limits.lower && limits.upper) joint.offset = (*limits.lower + *limits.upper) / 2;
    for (int k = 0; k < s.harmonics; ++k) {
      joint.sine.push_back(top * random.uniform(-1, 1));
      joint.cosine.push_back(top * random.uniform(-1, 1));
    }
  }
  return {s.base_frequency, joints};
}

}  // namespace

MotionBlock synthetic_log(const Arm& arm, const SyntheticSettings& s) {
  const FourierPath path = random_motion(arm, s);
  const auto rows = static_cast<Eigen::Index>(std::llround(s.duration * s.rate)) + 1;
  const int n = arm.dof();
  MotionBlock log;
  log.step = 1 / s.rate;
  log.q.resize(rows, n);
  log.tau.resize(rows, n);
  JointMotion m;
  for (Eigen::Index k = 0; k < rows; ++k) {
    path.at(static_cast<double>(k) * log.step, m);
    const VecX<double> load = inverse_dynamics<double>(arm, m.q, m.qd, m.qdd) + rotor_torque<double>(arm, m.qdd);
    log.q.row(k) = m.q.transpose();
    log.tau.row(k) = (load + friction_torque(arm, m.qd, load)).transpose();
  }
  const Eigen::RowVectorXd size = (log.tau.colwise().squaredNorm() / static_cast<double>(rows)).cwiseSqrt();
  Random random(s.seed);
  for (Eigen::Index k = 0; k < rows; ++k)
    for (int j = 0; j < n; ++j) {
      double& q = log.q(k, j);
      q += s.position_noise * random.normal();
      if (s.encoder > 0) q = s.encoder * std::round(q / s.encoder);
      log.tau(k, j) += s.torque_noise * size[j] * random.normal();
    }
  return log;
}

}  // namespace armature::identification
