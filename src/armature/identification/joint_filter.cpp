#include "armature/identification/joint_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/torque_delay.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

constexpr std::size_t most_samples = 200000;
constexpr double held = 0.01;  // of the moving joint's range: how far another may stray
constexpr const char* ekf_units[] = {"kg m^2", "N m", "N m", "N m", "N m", "s/rad", "s/rad", "s/rad", "N m s/rad"};

/// The filter holds torques from row to row, so it wants those of half a step later.
MotionBlock window(const MotionSource& source, const Processing& p, int n) {
  const MotionBlock log = block_of(with_torque_delay(source, n, p.torque_delay + source.step / 2), n, p, most_samples);
  if (static_cast<std::size_t>(log.samples()) > most_samples)
    throw Error(fmt::format("the filter of one joint takes at most {} samples", most_samples),
                "take a part of the log by --from and --to");
  if (log.samples() < 1000)
    throw Error(fmt::format("{} samples are too few for the filter of one joint", log.samples()),
                "some seconds are needed");
  return log;
}

int moving_joint(const Arm& arm, const MotionBlock& log, std::optional<int> asked) {
  const Eigen::VectorXd range = (log.q.colwise().maxCoeff() - log.q.colwise().minCoeff()).transpose();
  int joint = 0;
  range.maxCoeff(&joint);
  if (asked) joint = *asked;
  if (!arm.body(joint).revolute)
    throw Error(fmt::format("joint '{}' slides", arm.joint(joint).name),
                "the filter is for joints that turn: c sin(q) is their gravity");
  for (int j = 0; j < arm.dof(); ++j)
    if (j != joint && range[j] > held * range[joint])
      throw Error(fmt::format("joint '{}' moves by {:.3g} while joint '{}' moves by {:.3g}", arm.joint(j).name,
                              range[j], arm.joint(joint).name, range[joint]),
                  "one joint is to move and the others are held: --from and --to choose a part of the log, --joint the "
                  "joint; where all move, another estimator");
  return joint;
}

/// Standard deviation of a reading: what is left of a smooth motion by third differences, sqrt(20) of it.
double reading_noise(const Eigen::VectorXd& q) {
  const Eigen::Index n = q.size() - 3;
  const Eigen::VectorXd d = q.tail(n) - 3 * q.segment(2, n) + 3 * q.segment(1, n) - q.head(n);
  return std::sqrt(d.squaredNorm() / (20 * static_cast<double>(n)));
}

/// Inertia and gravity of the joint with the others where they stand: c sin(q + phase) through its values at 0 and a quarter turn.
JointDynamics described_joint(const Arm& arm, VecX<double> q, int joint) {
  JointDynamics d;
  const VecX<double> still = VecX<double>::Zero(arm.dof());
  d.inertia = mass_matrix<double>(arm, q)(joint, joint) + reflected_inertia(arm)(joint, joint);
  const auto gravity = [&](double angle) {
    q[joint] = angle;
    return inverse_dynamics<double>(arm, q, still, still)[joint];
  };
  const double cosine = (gravity(0) - gravity(pi)) / 2, sine = (gravity(pi / 2) - gravity(-pi / 2)) / 2;
  d.gravity = std::hypot(sine, cosine);
  d.phase = std::atan2(cosine, sine);
  d.friction.w.fill(1);
  return d;
}

}  // namespace

namespace {

constexpr double most_left_over = 0.6;  // as for all joints together (judgement.hpp)

/// What the joint's dynamics leave of its filtered torque, relative, the ends left out.
double left_over(const JointDynamics& joint, const FilteredMotion& m, const Eigen::VectorXd& tau, Eigen::Index edge) {
  double squares = 0, torque = 0;
  for (Eigen::Index k = edge; k < tau.size() - edge; ++k) {
    const double v = m.qd(k, 0);
    double predicted =
        joint.inertia * m.qdd(k, 0) + joint.gravity * std::sin(m.q(k, 0) + joint.phase) + joint.friction.viscous * v;
    for (std::size_t i = 0; i < 3; ++i) predicted += joint.friction.f[i] * std::tanh(joint.friction.w[i] * v);
    squares += (tau[k] - predicted) * (tau[k] - predicted);
    torque += tau[k] * tau[k];
  }
  return std::sqrt(squares / std::max(torque, 1e-300));
}

}  // namespace

JointFilter filter_joint(const Arm& arm, const MotionSource& source, const Processing& processing,
                         std::optional<int> asked) {
  const MotionBlock log = window(source, processing, arm.dof());
  JointFilter r;
  r.joint = moving_joint(arm, log, asked);
  if (arm.joint(r.joint).spring)
    throw Error(fmt::format("joint '{}' has a spring", arm.joint(r.joint).name),
                "the filter knows gravity as c sin(q) and no other torque of the position: choose another estimator");
  r.tick = log.step;
  const Eigen::VectorXd q = log.q.col(r.joint), tau = log.tau.col(r.joint);
  r.reading = std::max(reading_noise(q), 1e-8);
  r.described = described_joint(arm, log.q.colwise().mean().transpose(), r.joint);

  Processing smooth = processing;
  smooth.motion = Processing::Motion::filter;
  smooth.measured_velocity = false;
  MotionBlock alone = log;
  alone.q = log.q.col(r.joint);
  alone.qd.resize(0, 0);
  alone.tau = log.tau.col(r.joint);
  const FilteredMotion m = filtered_motion(alone, smooth);
  const double usual = std::sqrt(m.qd.squaredNorm() / static_cast<double>(m.qd.rows()));
  r.fastest = m.qd.cwiseAbs().maxCoeff();
  FrictionEkfSettings s;
  s.tick = log.step;
  s.resolution = std::sqrt(12.0) * r.reading;
  s.gravity = r.described.gravity > 1e-6 * arm.gravity().norm() * std::max(r.described.inertia, 1e-9);
  s.guess = r.described;
  if (!s.gravity) s.guess.gravity = r.described.gravity = 0;
  s.guess.friction.w = {1 / (0.02 * usual), 1 / (0.1 * usual), 1 / (0.5 * usual)};
  // J qdd + c sin + sum f tanh + b v = tau, by least squares
  RowMatrix A(q.size(), 6);
  for (Eigen::Index k = 0; k < q.size(); ++k) {
    A(k, 0) = m.qdd(k, 0);
    A(k, 1) = s.gravity ? std::sin(m.q(k, 0) + s.guess.phase) : 0;
    A(k, 5) = m.qd(k, 0);
    for (int i = 0; i < 3; ++i) A(k, 2 + i) = std::tanh(s.guess.friction.w[i] * m.qd(k, 0));
  }
  RowMatrix y = alone.tau;
  if (smooth.cutoff > 0) {
    const std::vector<Section> sections = butterworth(smooth.order, smooth.cutoff, 1 / log.step);
    filter_zero_phase(sections, y);
  }
  const auto edge = std::min<Eigen::Index>(std::llround(smooth.edge / log.step), q.size() / 10);
  const Eigen::VectorXd x = least_squares_solution(A.middleRows(edge, q.size() - 2 * edge),
                                                   Eigen::VectorXd(y.col(0).segment(edge, q.size() - 2 * edge)));
  if (x[0] > 0) s.guess.inertia = x[0];
  if (s.gravity) s.guess.gravity = x[1];
  s.guess.friction.f = {x[2], x[3], x[4]};
  s.guess.friction.viscous = x[5];
  s.doubt = 0.3;
  r.filter = friction_ekf({tau.data(), static_cast<std::size_t>(tau.size())},
                          {q.data(), static_cast<std::size_t>(q.size())}, s);
  const double error = left_over(r.filter.estimate, m, y.col(0), edge);
  if (!(error <= most_left_over))
    throw Error(fmt::format("the log is not explained: an error of {:.0f} % at joint {} of torque RMS", 100 * error,
                            r.joint + 1),
                "is the torque that of this joint, in this unit and with this sign (--map), and are the others held?");
  r.arm = arm.description();
  int moving = -1;
  for (JointDescription& j : r.arm.joints)
    if (j.type != JointType::fixed && ++moving == r.joint) {
      j.friction = r.filter.estimate.friction;
      j.friction_source = "extended Kalman filter of one joint";
      j.drive = with_shaft_friction(j.drive, {});
    }
  return r;
}

LogTable joint_filter_table(const Arm& arm, const JointFilter& r) {
  const auto values = r.filter.values();
  LogTable table{fmt::format("Joint {}", arm.joint(r.joint).name),
                 {"parameter", "unit", "described", "estimate", "95 % from", "to"},
                 {}};
  for (std::size_t k = 0; k < FrictionEkfResult::parameters; ++k) {
    const double half = r.filter.half_width(static_cast<int>(k));
    const std::string before = k == 0   ? fmt::format("{:.5g}", r.described.inertia)
                               : k == 1 ? fmt::format("{:.5g}", r.described.gravity)
                                        : std::string();
    table.rows.push_back({friction_ekf_names()[k], ekf_units[k], before, fmt::format("{:.5g}", values[k]),
                          fmt::format("{:.5g}", values[k] - half), fmt::format("{:.5g}", values[k] + half)});
  }
  return table;
}

Log joint_filter_log(const Arm& arm, const JointFilter& r) {
  Log log;
  log.title = fmt::format("Filter of joint {}", arm.joint(r.joint).name);
  for (std::size_t k = 0; k < r.filter.course.size(); ++k) log.time.push_back(100 * r.tick * static_cast<double>(k));
  for (std::size_t p = 0; p < FrictionEkfResult::parameters; ++p) {
    std::vector<double>& values = log.add(friction_ekf_names()[p], ekf_units[p]).values;
    for (const auto& at : r.filter.course) values.push_back(at[p]);
    log.time_figures.push_back({"", friction_ekf_names()[p] + " over the last pass", {friction_ekf_names()[p]}});
  }
  log.tables.push_back(joint_filter_table(arm, r));
  return log;
}

}  // namespace armature::identification
