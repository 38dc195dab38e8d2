#include "armature/identification/twist_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/identification/statistics.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/record/filter.hpp"

namespace armature::identification {

namespace {

using Index = Eigen::Index;

/// Columns of the equations of a joint, the offsets of the runs behind them.
enum TwistColumn : Index { by_torque, by_sign, by_speed, by_rate, by_acceleration, by_play, twisted };

/// What one part of a run adds to the normal equations.
struct TwistPart {
  Eigen::MatrixXd XX;
  Eigen::VectorXd Xy;
};

struct TwistEquations {
  std::vector<TwistPart> parts;
  std::vector<Index> columns;  // of those above that are looked for
  Eigen::VectorXd scale;       // of each of these, so that numbers are about one
  double squares = 0;          // of the twist about the mean of its run
  Index rows = 0;
  int runs = 0;
};

Eigen::VectorXd smoothed_signal(const Eigen::VectorXd& x, const std::vector<Section>& filter) {
  const std::vector<double> y = record::filter_zero_phase(filter, {x.data(), static_cast<std::size_t>(x.size())});
  return Eigen::Map<const Eigen::VectorXd>(y.data(), x.size());
}
Eigen::VectorXd slope_of(const Eigen::VectorXd& x, double step) {
  const std::vector<double> y = central_difference({x.data(), static_cast<std::size_t>(x.size())}, step);
  return Eigen::Map<const Eigen::VectorXd>(y.data(), x.size());
}

/// Twist (last) and what it may depend on, a column each, of one joint in one run.
Eigen::MatrixXd twist_columns(const TwistLog& log, Index joint, double rotor_inertia, const TwistSettings& settings) {
  const std::vector<Section> filter = butterworth(4, settings.cutoff, 1 / log.step);
  const Eigen::VectorXd q = smoothed_signal(log.motor.col(joint), filter), v = slope_of(q, log.step),
                        a = slope_of(v, log.step);
  Eigen::MatrixXd all(q.size(), twisted + 1);
  Eigen::VectorXd torque = smoothed_signal(log.torque.col(joint), filter);
  if (std::isfinite(rotor_inertia)) torque -= rotor_inertia * a;
  const double turning = 0.01 * v.cwiseAbs().maxCoeff() + 1e-12, loaded = 0.05 * torque.cwiseAbs().maxCoeff() + 1e-12;
  all.col(by_torque) = torque;
  all.col(by_sign) = smoothed_signal((v / turning).array().tanh(), filter);
  all.col(by_speed) = v;
  all.col(by_acceleration) = a;
  all.col(by_play) = smoothed_signal((torque / loaded).array().tanh(), filter);
  all.col(twisted) = q - smoothed_signal(log.link.col(joint), filter);
  all.col(by_rate) = slope_of(all.col(twisted), log.step);
  return all;
}

TwistEquations twist_equations(const std::vector<Eigen::MatrixXd>& runs, std::vector<Index> columns, int parts) {
  TwistEquations e{{}, std::move(columns), {}, 0, 0, static_cast<int>(runs.size())};
  const auto p = static_cast<Index>(e.columns.size());
  e.scale = Eigen::VectorXd::Constant(p, 1e-300);
  for (const Eigen::MatrixXd& run : runs) {
    for (Index c = 0; c < p; ++c) e.scale[c] = std::max(e.scale[c], run.col(e.columns[c]).cwiseAbs().maxCoeff());
    e.squares += (run.col(twisted).array() - run.col(twisted).mean()).square().sum();
    e.rows += run.rows();
  }
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (int k = 0; k < parts; ++k) {
      const Index first = runs[r].rows() * k / parts, count = runs[r].rows() * (k + 1) / parts - first;
      Eigen::MatrixXd X = Eigen::MatrixXd::Zero(count, p + e.runs);
      for (Index c = 0; c < p; ++c) X.col(c) = runs[r].col(e.columns[c]).segment(first, count) / e.scale[c];
      X.col(p + static_cast<Index>(r)).setOnes();
      const Eigen::VectorXd y = runs[r].col(twisted).segment(first, count);
      e.parts.push_back({X.transpose() * X, X.transpose() * y});
    }
  return e;
}

/// The estimate and half of its 95 % interval, in the order of the columns. Parts of the runs are left out one
/// after the other: the delete-a-group jackknife [Shao1989], which needs no model of how residuals hang together.
struct TwistSolution {
  Eigen::VectorXd value, half_width;
};
TwistSolution solve_twist(const TwistEquations& e) {
  const auto p = static_cast<Index>(e.columns.size());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(p + e.runs, p + e.runs);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(p + e.runs);
  for (const TwistPart& part : e.parts) {
    A += part.XX;
    b += part.Xy;
  }
  const Eigen::VectorXd all = solved_symmetric(A, b);
  const auto groups = static_cast<double>(e.parts.size());
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(p), squares = mean;
  std::vector<Eigen::VectorXd> without;
  for (const TwistPart& part : e.parts) {
    without.emplace_back(solved_symmetric(A - part.XX, b - part.Xy).head(p));
    mean += without.back() / groups;
  }
  for (const Eigen::VectorXd& one : without) squares += (one - mean).cwiseAbs2() * (groups - 1) / groups;
  const double quantile = student_quantile(0.975, groups - 1);
  return {all.head(p).cwiseQuotient(e.scale), quantile * squares.cwiseSqrt().cwiseQuotient(e.scale)};
}

/// R.m.s. of what the estimate leaves of the twist, over the r.m.s. of the twist, offsets of the runs aside.
double left_of(const std::vector<Eigen::MatrixXd>& runs, const TwistEquations& e, const TwistSolution& s) {
  double squares = 0;
  for (const Eigen::MatrixXd& run : runs) {
    Eigen::VectorXd r = run.col(twisted);
    for (std::size_t c = 0; c < e.columns.size(); ++c) r -= s.value[c] * run.col(e.columns[c]);
    squares += (r.array() - r.mean()).square().sum();
  }
  return std::sqrt(squares / std::max(e.squares, 1e-300));
}

/// Whether the torque is large on either side for a twentieth of the time: else play does not show.
bool changes_sign(const std::vector<Eigen::MatrixXd>& runs) {
  double up = 0, down = 0, all = 0;
  for (const Eigen::MatrixXd& run : runs) {
    up += static_cast<double>((run.col(by_play).array() > 0.9).count());
    down += static_cast<double>((run.col(by_play).array() < -0.9).count());
    all += static_cast<double>(run.rows());
  }
  return std::min(up, down) > 0.05 * all;
}

TwistEstimate twist_of(const std::vector<Eigen::MatrixXd>& runs, std::vector<Index> columns, int parts) {
  TwistEstimate joint;
  const TwistEquations e = twist_equations(runs, columns, parts);
  joint.twist = std::sqrt(e.squares / static_cast<double>(e.rows));
  joint.both_sides = joint.twist > 1e-9;
  if (!joint.both_sides) return joint;
  const TwistSolution s = solve_twist(e);
  joint.left = left_of(runs, e, s);
  joint.compliance = s.value[by_torque];
  joint.compliance_half_width = s.half_width[by_torque];
  joint.rubbing = s.value[by_sign];
  joint.rubbing_half_width = s.half_width[by_sign];
  joint.lag = s.value[by_speed];
  joint.lag_half_width = s.half_width[by_speed];
  joint.relaxation = -s.value[by_rate];
  joint.relaxation_half_width = s.half_width[by_rate];
  double squares = 0;
  for (const Eigen::MatrixXd& run : runs) {
    const TwistSolution alone = solve_twist(twist_equations({run}, columns, parts));
    joint.run_compliance.push_back(alone.value[by_torque]);
    joint.run_half_width.push_back(alone.half_width[by_torque]);
    squares += std::pow((alone.value[by_torque] - joint.compliance) /
                            (alone.half_width[by_torque] / student_quantile(0.975, parts - 1)),
                        2);
  }
  if (runs.size() > 1) joint.disagreement = std::sqrt(squares / static_cast<double>(runs.size() - 1));
  joint.compliance_half_width *= std::max(1.0, joint.disagreement);
  joint.determined = joint.compliance > joint.compliance_half_width;
  if (!changes_sign(runs)) return joint;
  columns.push_back(by_play);
  const TwistSolution with_play = solve_twist(twist_equations(runs, columns, parts));
  joint.play = with_play.value[with_play.value.size() - 1];
  joint.play_half_width = with_play.half_width[with_play.value.size() - 1];
  return joint;
}

void check_twist_logs(const std::vector<TwistLog>& logs, Index joints, const TwistSettings& settings) {
  if (logs.empty()) throw Error("there is no log to fit to", "give a log with the positions of both sides");
  for (const TwistLog& log : logs) {
    if (log.motor.cols() != joints || log.link.cols() != joints || log.torque.cols() != joints)
      throw Error("the logs are not of the same joints", "one column a joint in each", {log.name});
    if (static_cast<double>(log.motor.rows()) * log.step < 20 / settings.cutoff)
      throw Error(fmt::format("it is {:.3g} s long", static_cast<double>(log.motor.rows()) * log.step),
                  "some seconds of motion are needed", {log.name});
  }
}

}  // namespace

std::vector<TwistEstimate> fit_twist(const std::vector<TwistLog>& logs, const Eigen::VectorXd& rotor_inertia,
                                     const TwistSettings& settings) {
  check_twist_logs(logs, rotor_inertia.size(), settings);
  std::vector<TwistEstimate> joints;
  for (Index j = 0; j < rotor_inertia.size(); ++j) {
    std::vector<Eigen::MatrixXd> runs;
    for (const TwistLog& log : logs) runs.push_back(twist_columns(log, j, rotor_inertia[j], settings));
    std::vector<Index> columns{by_torque, by_sign, by_speed, by_rate};
    if (!std::isfinite(rotor_inertia[j])) columns.push_back(by_acceleration);
    joints.push_back(twist_of(runs, columns, settings.parts));
  }
  return joints;
}

std::vector<std::string> sentences(const std::vector<TwistEstimate>& joints, const std::vector<std::string>& names) {
  std::vector<std::string> said;
  double slowest = 1e300, fastest = -1e300;
  int both = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const TwistEstimate& e = joints[j];
    if (!e.both_sides) continue;
    ++both;
    slowest = std::min(slowest, e.lag);
    fastest = std::max(fastest, e.lag);
    if (!e.determined)
      said.push_back(fmt::format("Joint '{}': the twist does not follow the torque clearly enough to tell a stiffness.",
                                 names[j]));
    if (e.has_play())
      said.push_back(
          fmt::format("Joint '{}': its twist jumps by {:.2g} rad where the torque changes its sign: play, or a "
                      "stiffness that grows with the load. "
                      "The stiffness is that of the loaded gear only by and large.",
                      names[j], 2 * e.play));
    if (e.rubbing > e.rubbing_half_width && e.rubbing > 0.1 * e.twist)
      said.push_back(
          fmt::format("Joint '{}': the twist keeps {:.2g} rad of the way it came, more than friction before the spring "
                      "explains: hysteresis.",
                      names[j], 2 * e.rubbing));
    if (e.disagreement > 2)
      said.push_back(
          fmt::format("Joint '{}': the runs disagree, by {:.1f} times their deviations; the interval is as much wider.",
                      names[j], e.disagreement));
    if (e.left > 0.3)
      said.push_back(
          fmt::format("Joint '{}': {:.0f} % of its twist is none of these; an error of the gear or of an encoder?",
                      names[j], 100 * e.left));
  }
  if (both > 1 && slowest > 0 && fastest < 1.5 * slowest)
    said.push_back(fmt::format(
        "All joints lag by {:.2f} to {:.2f} ms: the two sides are read at different times, which is not elasticity.",
        1e3 * slowest, 1e3 * fastest));
  return said;
}

}  // namespace armature::identification
