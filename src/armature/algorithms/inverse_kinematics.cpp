#include "armature/algorithms/inverse_kinematics.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "armature/algorithms/internal/whole_turns.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/task.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/symmetric_eigen.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::algorithms {

namespace {

// What is missing, target minus tool, as the task sees it; angles are weighted.
//     position:  e = p_d - p
//     pose:      below it  log(R_d Rᵀ), a rotation vector
//     planar:    e = (x, y of p_d - p in the plane across n; 2 atan2(v·n, w)), (w; v) the quaternion of R_d Rᵀ: its twist about n
class Task {
 public:
  Task(const Arm& arm, const Pose<double>& target, const IkSettings& settings)
      : arm_(arm),
        target_(target),
        task_(settings.task),
        weight_(settings.angle_weight),
        plane_(rotation_from_z_to(arm.body(0).X_PB0.R.col(2))) {}

  [[nodiscard]] TaskVector<double> missing(const Pose<double>& X) const {
    const Vec3<double> dp = target_.p - X.p;
    TaskVector<double> e(task_ == IkTask::pose ? 6 : 3);
    if (task_ == IkTask::position) {
      e.head<3>() = dp;
    } else if (task_ == IkTask::pose) {
      e << dp, weight_ * log_map(target_.R * X.R.transpose());
    } else {
      const Quaternion turn = turn_left(X);
      const double twist = 2 * std::atan2(turn.tail<3>().dot(plane_.col(2)), turn[0]);
      e << plane_.leftCols<2>().transpose() * dp, weight_ * twist;
    }
    return e;
  }

  [[nodiscard]] IkError error(const TaskVector<double>& e) const {
    if (task_ == IkTask::planar) return {std::hypot(e[0], e[1]), std::abs(e[2]) / weight_};
    return {e.head<3>().norm(), task_ == IkTask::pose ? e.tail<3>().norm() / weight_ : 0};
  }

  // J with de = -J dq. For the rotation vector Jw stands in for the exact derivative: they agree at the solution, and as the
  // vector is an eigenvector of what they differ by, the gradient Jᵀe is exact everywhere. The twist's is exact:
  //     -d(twist) = (w² n + w n×v + (v·n) v) · omega / (w² + (v·n)²)
  [[nodiscard]] TaskJacobian<double> jacobian(const LinkPoses<double>& poses, const Pose<double>& X) const {
    TaskJacobian<double> J = tool_jacobian(arm_, poses);
    if (task_ == IkTask::position) return J.topRows(3);
    J.bottomRows(3) *= weight_;
    if (task_ == IkTask::pose) return J;
    const Vec3<double> n = plane_.col(2);
    const Quaternion turn = turn_left(X);
    const double w = turn[0], vn = turn.tail<3>().dot(n), square = w * w + vn * vn;
    const Vec3<double> v = turn.tail<3>();
    const Vec3<double> row = square > 1e-20 ? Vec3<double>((w * w * n + w * n.cross(v) + vn * v) / square) : n;
    TaskJacobian<double> planar(3, J.cols());
    planar.topRows(2) = plane_.leftCols<2>().transpose() * J.topRows(3);
    planar.row(2) = row.transpose() * J.bottomRows(3);
    return planar;
  }

 private:
  [[nodiscard]] Quaternion turn_left(const Pose<double>& X) const {
    return quaternion_from_rotation(target_.R * X.R.transpose());
  }

  const Arm& arm_;
  const Pose<double>& target_;
  IkTask task_;
  double weight_;
  Mat3<double> plane_;  // its third column is the first joint's axis
};

/// The task at one q.
struct Linearized {
  TaskVector<double> e;
  TaskJacobian<double> J;
};
Linearized linearize(const Arm& arm, const Task& task, const VecX<double>& q) {
  const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
  const Pose<double> X = tool_pose(arm, poses);
  return {task.missing(X), task.jacobian(poses, X)};
}

bool within(const IkError& error, double tolerance) { return error.position <= tolerance && error.angle <= tolerance; }

/// Where the joints may be.
struct Box {
  VecX<double> lower, upper;

  Box(const Arm& arm, bool keep_limits) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    lower.setConstant(arm.dof(), -infinity);
    upper.setConstant(arm.dof(), infinity);
    for (int i = 0; keep_limits && i < arm.dof(); ++i) {
      lower[i] = arm.joint(i).limits.lower.value_or(-infinity);
      upper[i] = arm.joint(i).limits.upper.value_or(infinity);
    }
  }
  [[nodiscard]] VecX<double> clamp(const VecX<double>& q) const { return q.cwiseMax(lower).cwiseMin(upper); }
};

/// Joints that lean against a limit do not count: their columns become zero, so that no step moves them.
void hold_at_limits(Linearized& at, const VecX<double>& q, const Box& box) {
  for (int i = 0; i < q.size(); ++i) {
    const double pull = at.J.col(i).dot(at.e);
    if ((q[i] <= box.lower[i] && pull < 0) || (q[i] >= box.upper[i] && pull > 0)) at.J.col(i).setZero();
  }
}

//     dq = J⁺ e,  J⁺ = Jᵀ (J Jᵀ)⁺; singular values below 1e-7 of the largest count as zero
VecX<double> newton_step(const Linearized& at) {
  const TaskSquare<double> A = at.J * at.J.transpose();
  const SymmetricEigen eigen = symmetric_eigen(A);
  const double smallest = 1e-14 * eigen.values.maxCoeff();
  TaskVector<double> along = eigen.vectors.transpose() * at.e;
  for (int i = 0; i < along.size(); ++i) along[i] = eigen.values[i] > smallest ? along[i] / eigen.values[i] : 0;
  return at.J.transpose() * (eigen.vectors * along);
}

//     dq = Jᵀ (J Jᵀ + lambda 1)⁻¹ e
VecX<double> damped_step(const Linearized& at, double lambda) {
  TaskSquare<double> A = at.J * at.J.transpose();
  A.diagonal().array() += lambda + 1e-13 * A.trace();  // so that rounding leaves it positive definite
  return at.J.transpose() * A.llt().solve(at.e);
}

//     dq = K Jᵀ e;  K = (e·JJᵀe) / |JJᵀe|² makes the linearized error smallest
VecX<double> transposed_step(const Linearized& at, double gain) {
  const VecX<double> descent = at.J.transpose() * at.e;
  if (gain > 0) return gain * descent;
  const TaskVector<double> effect = at.J * descent;
  const double square = effect.squaredNorm();
  return square > 0 ? VecX<double>(at.e.dot(effect) / square * descent) : descent;
}

/// What one starting point came to.
struct Attempt {
  IkStatus status = IkStatus::out_of_patience;
  VecX<double> q;
  Linearized at;
  int iterations = 0;
};

class Solver {
 public:
  Solver(const Arm& arm, const Pose<double>& target, const IkSettings& settings, std::span<double> history)
      : arm_(arm),
        settings_(settings),
        task_(arm, target, settings),
        box_(arm, settings.keep_limits),
        history_(history) {}

  [[nodiscard]] const Box& box() const { return box_; }
  [[nodiscard]] const Task& task() const { return task_; }
  void forget_limits() { box_ = Box(arm_, false); }
  void recall_limits() { box_ = Box(arm_, settings_.keep_limits); }

  Attempt run(const VecX<double>& start) {
    if (settings_.method != IkMethod::damped_least_squares) return run_plain(start, settings_.method);
    const Attempt damped = run_damped(start);
    if (damped.status == IkStatus::reached || damped.at.e.norm() > 1e-3) return damped;
    Attempt newton = run_plain(damped.q, IkMethod::newton);  // out of a narrow valley, where damped steps only creep
    newton.iterations += damped.iterations;
    return newton.status == IkStatus::reached ? newton : damped;
  }

 private:
  [[nodiscard]] Linearized look(const VecX<double>& q) const { return linearize(arm_, task_, q); }

  bool begin_iteration(Attempt& attempt) {
    if (within(task_.error(attempt.at.e), settings_.tolerance)) {
      attempt.status = IkStatus::reached;
      return false;
    }
    if (attempt.iterations == settings_.max_iterations) return false;
    ++attempt.iterations;
    return true;
  }
  void note(const Linearized& at) {
    if (noted_ < history_.size()) history_[noted_++] = at.e.norm();
  }

  // Levenberg–Marquardt with lambda = mu |e|², which converges quadratically even where solutions are not isolated
  // [FanYuan2005], on a box [Kanzow2004]; mu follows how well the linear model foretold the fall of the error. Stuck is
  // who stands at a stationary point, gains nothing in ten steps, or has no step, however short, that lowers the error.
  Attempt run_damped(const VecX<double>& start) {
    Attempt a{.q = box_.clamp(start), .at = {}};
    a.at = look(a.q);
    double mu = 1, ten_steps_ago = std::numeric_limits<double>::infinity();
    int steps = 0;
    while (begin_iteration(a)) {
      note(a.at);
      hold_at_limits(a.at, a.q, box_);
      const double square = a.at.e.squaredNorm();
      const double steepest = (a.at.J.transpose() * a.at.e).norm();
      if (!(steepest > 1e-8 * a.at.J.norm() * std::sqrt(square)) || mu > 1e20) {
        a.status = IkStatus::stuck;
        break;
      }
      const VecX<double> q = box_.clamp(a.q + damped_step(a.at, mu * square));
      const double foretold = square - (a.at.e - a.at.J * (q - a.q)).squaredNorm();
      const Linearized next = look(q);
      const double fall = square - next.e.squaredNorm();
      const double trust = foretold > 0 ? fall / foretold : -1;
      if (trust < 0.25) mu *= 4;
      if (trust > 0.75) mu = std::max(mu / 4, 1e-8);
      if (!(fall > 0)) continue;
      a.q = q;
      a.at = next;
      if (++steps % 10 != 0) continue;
      if (square - fall > (1 - 1e-8) * ten_steps_ago) {
        a.status = IkStatus::stuck;
        break;
      }
      ten_steps_ago = square - fall;
    }
    note(a.at);
    return a;
  }

  // Newton and transposed Jacobian: steps as they come; the best point on the way counts.
  Attempt run_plain(const VecX<double>& start, IkMethod method) {
    constexpr int patience = 50;  // iterations without a new best
    Attempt a{.q = box_.clamp(start), .at = {}};
    a.at = look(a.q);
    Attempt best = a;
    int since_best = 0;
    while (begin_iteration(a)) {
      note(a.at);
      hold_at_limits(a.at, a.q, box_);
      const VecX<double> step = method == IkMethod::newton ? newton_step(a.at) : transposed_step(a.at, settings_.gain);
      if (++since_best > patience || !step.allFinite() || step.isZero(0)) {
        a.status = IkStatus::stuck;
        break;
      }
      a.q = box_.clamp(a.q + step);
      a.at = look(a.q);
      if (a.at.e.norm() < (1 - 1e-9) * best.at.e.norm()) {
        best = a;
        since_best = 0;
      }
    }
    note(a.at);
    if (a.status == IkStatus::reached) return a;
    best.status = a.status;
    best.iterations = a.iterations;
    return best;
  }

  const Arm& arm_;
  const IkSettings& settings_;
  Task task_;
  Box box_;
  std::span<double> history_;
  std::size_t noted_ = 0;
};

VecX<double> random_start(const Arm& arm, const Box& box, const VecX<double>& guess, double size, Random& random) {
  VecX<double> q(arm.dof());
  for (int i = 0; i < arm.dof(); ++i) {
    const double half = arm.body(i).revolute ? pi : size;
    const double lower = std::isinf(box.lower[i]) ? std::min(guess[i] - half, box.upper[i] - 2 * half) : box.lower[i];
    const double upper = std::isinf(box.upper[i]) ? std::max(guess[i] + half, box.lower[i] + 2 * half) : box.upper[i];
    q[i] = random.uniform(lower, upper);
  }
  return q;
}

}  // namespace

IkResult inverse_kinematics(const Arm& arm, const Pose<double>& target, const VecX<double>& guess,
                            const IkSettings& settings, std::span<double> history) {
  Solver solver(arm, target, settings, history);
  VecX<double> start = VecX<double>::Zero(arm.dof());
  if (guess.size() == arm.dof() && guess.allFinite()) start = guess;
  start = solver.box().clamp(start);
  IkResult result{.q = start};
  if (!target.p.allFinite() || !target.R.allFinite()) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    result.error = {infinity, infinity};
    return result;
  }

  const auto turn_back = [&](Attempt& attempt) {  // whole turns away from the guess, or out of the limits, say nothing
    for (int i = 0; i < arm.dof(); ++i)
      if (arm.body(i).revolute)
        attempt.q[i] = turned_into(attempt.q[i], start[i], solver.box().lower[i], solver.box().upper[i]);
  };
  Attempt best = solver.run(start);
  turn_back(best);
  result.iterations = best.iterations;
  Random random(settings.seed);
  const double size = std::max(1.0, target.p.norm());
  while (best.status != IkStatus::reached && result.restarts < settings.restarts) {
    ++result.restarts;
    VecX<double> from = random_start(arm, solver.box(), start, size, random);
    if (result.restarts % 2 == 0) {  // limits can stand in the way to a solution that lies within them
      solver.forget_limits();
      Attempt free = solver.run(from);
      solver.recall_limits();
      turn_back(free);
      result.iterations += free.iterations;
      from = solver.box().clamp(free.q);
    }
    Attempt attempt = solver.run(from);
    turn_back(attempt);
    result.iterations += attempt.iterations;
    if (attempt.status == IkStatus::reached || attempt.at.e.norm() < best.at.e.norm()) best = attempt;
  }
  result.status = best.status;
  result.q = best.q;
  result.error = solver.task().error(best.at.e);
  return result;
}

IkError ik_error(const Arm& arm, const VecX<double>& q, const Pose<double>& target, IkTask task) {
  const Task what(arm, target, {.task = task});
  return what.error(what.missing(tool_pose(arm, forward_kinematics<double>(arm, q))));
}

double transposed_jacobian_gain_bound(const Arm& arm, const VecX<double>& q, const IkSettings& settings) {
  const Pose<double> here = tool_pose(arm, forward_kinematics<double>(arm, q));
  const TaskJacobian<double> J = linearize(arm, Task(arm, here, settings), q).J;
  const TaskSquare<double> A = J * J.transpose();
  return 2 / symmetric_eigenvalues(A).maxCoeff();
}

}  // namespace armature::algorithms
