#include "armature/identification/spring_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "armature/algorithms/friction.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/drive_sentences.hpp"
#include "armature/identification/internal/grey_box.hpp"
#include "armature/numerics/damped_descent.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

using Index = Eigen::Index;

constexpr double no_fit = std::numeric_limits<double>::infinity();
constexpr double coarse = 0.05;  // a line is not asked to fit better while the search goes on

/// Residuals of one log, joint by joint, two a line, in units of their deviations, and their slopes to the free logarithms.
struct SpringBlock {
  Eigen::VectorXd r;
  Eigen::MatrixXd J;
  double freedom = 0;  // residuals less what was taken off them
  [[nodiscard]] double mean_square() const { return r.squaredNorm() / freedom; }
};

/// A logarithm leads from afar; the difference has no bias.
enum class SpringError { logarithm, difference };

/// Mean over a line and four neighbours on either side, in the squares: one line's scatter is a guess from few periods.
Eigen::MatrixXd pooled(const Eigen::MatrixXd& squares) {
  Eigen::MatrixXd roots(squares.rows(), squares.cols());
  for (Index i = 0; i < squares.cols(); ++i) {
    const Index first = std::max<Index>(i - 4, 0), last = std::min(i + 4, squares.cols() - 1);
    roots.col(i) = squares.middleCols(first, last - first + 1).rowwise().mean().cwiseSqrt();
  }
  return roots;
}

/// Complex numbers by joint and line as a vector, real and imaginary parts in turn, each over its unit; joints that no motor moves are left out.
Eigen::VectorXd stacked(const Eigen::MatrixXcd& lines, const Eigen::MatrixXd& unit, const std::vector<Index>& rows) {
  Eigen::VectorXd stack(2 * static_cast<Index>(rows.size()) * lines.cols());
  Index next = 0;
  for (const Index c : rows)
    for (Index i = 0; i < lines.cols(); ++i) {
      stack[next++] = lines(c, i).real() / unit(c, i);
      stack[next++] = lines(c, i).imag() / unit(c, i);
    }
  return stack;
}

/// An orthonormal basis of what transients can add to the lines. There are few of them, so the eigenvectors of a small matrix do.
Eigen::MatrixXd transient_basis(const std::vector<Eigen::MatrixXcd>& transients, const Eigen::MatrixXd& unit,
                                const std::vector<Index>& rows) {
  Eigen::MatrixXd T(2 * static_cast<Index>(rows.size()) * unit.cols(), static_cast<Index>(transients.size()));
  Index columns = 0;
  for (const Eigen::MatrixXcd& one : transients) {
    const Eigen::VectorXd column = stacked(one, unit, rows);
    if (const double size = column.norm(); size > 0 && std::isfinite(size)) T.col(columns++) = column / size;
  }
  T.conservativeResize(Eigen::NoChange, columns);
  const RealEigen eigen = symmetric_eigen(T.transpose() * T);
  Eigen::MatrixXd basis(T.rows(), columns);
  Index rank = 0;
  for (Index k = columns - 1; k >= 0 && eigen.values[k] > 1e-9 * eigen.values[columns - 1]; --k)
    basis.col(rank++) = T * eigen.vectors.col(k) / std::sqrt(eigen.values[k]);
  return basis.leftCols(rank);
}

/// Standard deviation of the mean over the periods, of complex numbers: a row a joint, a column a line.
Eigen::MatrixXd scatter(const std::vector<Eigen::MatrixXcd>& periods) {
  const auto n = static_cast<double>(periods.size());
  Eigen::MatrixXcd mean = Eigen::MatrixXcd::Zero(periods[0].rows(), periods[0].cols());
  for (const Eigen::MatrixXcd& one : periods) mean += one / n;
  Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(mean.rows(), mean.cols());
  for (const Eigen::MatrixXcd& one : periods) squares += (one - mean).cwiseAbs2() / (n * (n - 1));
  // what no number of periods can tell better: rounding
  return pooled(squares).cwiseMax(1e-12 * periods[0].cwiseAbs().maxCoeff() + 1e-300);
}

/// The same of what the model leaves of each period, less its own transients.
Eigen::MatrixXd residual_scatter(const ShakenLines& log, const SpringLines& lines, const std::vector<Index>& rows) {
  const Eigen::MatrixXd one = Eigen::MatrixXd::Ones(lines.positions.rows(), lines.positions.cols());
  const Eigen::MatrixXd basis = transient_basis(lines.transients, one, rows);
  std::vector<Eigen::MatrixXcd> left;
  for (std::size_t p = 0; p < log.periods(); ++p) {
    Eigen::MatrixXcd e = log.positions[p] - lines.of_periods[p];
    Eigen::VectorXd r = stacked(e, one, rows);
    r -= basis * (basis.transpose() * r);
    Index next = 0;
    for (const Index c : rows)
      for (Index i = 0; i < e.cols(); ++i, next += 2) e(c, i) = {r[next], r[next + 1]};
    left.push_back(std::move(e));
  }
  const double share = static_cast<double>(basis.cols()) / static_cast<double>(basis.rows());
  return scatter(left) / std::sqrt(1 - share);
}

std::vector<Index> rows_that_move(const SpringModel& model, const ShakenLines& log) {
  std::vector<Index> rows;
  for (std::size_t c = 0; c < log.joints.size(); ++c)
    if (model.moves_by_motor(log.joints[c])) rows.push_back(static_cast<Index>(c));
  return rows;
}

/// A log with how sure its lines are.
struct WeighedLog {
  const ShakenLines* log;
  std::vector<Index> rows;
  Eigen::MatrixXcd measured;
  Eigen::MatrixXd deviation;
};

/// Residuals by logarithms: a line is not asked to fit better than coarsely, and one that is mostly noise not at all.
SpringBlock logarithms(const WeighedLog& log, const SpringLines& lines) {
  const Index n = log.measured.cols();
  const auto parameters = static_cast<Index>(lines.slopes.size());
  const Index size = 2 * n * static_cast<Index>(log.rows.size());
  SpringBlock block{Eigen::VectorXd::Zero(size), Eigen::MatrixXd::Zero(size, parameters), static_cast<double>(size)};
  Index next = -2;
  for (const Index c : log.rows)
    for (Index i = 0; i < n; ++i) {
      next += 2;
      const std::complex<double> y = log.measured(c, i), model = lines.positions(c, i);
      const double noise = log.deviation(c, i) / (std::sqrt(2.0) * std::abs(y));
      if (!(noise < 0.3) || !(std::abs(model) > 0)) continue;
      const double unit = std::max(noise, coarse);
      const std::complex<double> e = std::log(y / model) / unit;
      block.r[next] = e.real();
      block.r[next + 1] = e.imag();
      for (Index k = 0; k < parameters; ++k) {
        const std::complex<double> d = -lines.slopes[k](c, i) / (unit * model);
        block.J(next, k) = d.real();
        block.J(next + 1, k) = d.imag();
      }
    }
  return block;
}

/// Residuals by differences, less what transients explain of them.
SpringBlock differences(const WeighedLog& log, const SpringLines& lines) {
  const Eigen::MatrixXd unit = log.deviation / std::sqrt(2.0);  // of real and imaginary part each
  const auto parameters = static_cast<Index>(lines.slopes.size());
  const Eigen::MatrixXd basis = transient_basis(lines.transients, unit, log.rows);
  SpringBlock block{stacked(log.measured - lines.positions, unit, log.rows), {}, 0};
  block.r -= basis * (basis.transpose() * block.r);
  block.J.resize(block.r.size(), parameters);
  for (Index k = 0; k < parameters; ++k) block.J.col(k) = -stacked(lines.slopes[k], unit, log.rows);
  block.J -= basis * (basis.transpose() * block.J);
  block.freedom = static_cast<double>(block.r.size() - basis.cols());
  return block;
}

class SpringProblem {
 public:
  SpringProblem(const SpringModel& model, const std::vector<ShakenLines>& logs, std::vector<std::size_t> free)
      : model_(model), free_(std::move(free)), values_(model.described()) {
    start_.resize(static_cast<Index>(free_.size()));
    for (std::size_t k = 0; k < free_.size(); ++k) start_[k] = std::log(values_[free_[k]]);
    for (const ShakenLines& log : logs)
      logs_.push_back({&log, rows_that_move(model, log), log.mean_positions(), scatter(log.positions)});
  }

  [[nodiscard]] const Eigen::VectorXd& start() const { return start_; }
  [[nodiscard]] Eigen::VectorXd prior(const Eigen::VectorXd& theta) const { return (theta - start_) / prior_spread; }
  [[nodiscard]] Eigen::VectorXd values(const Eigen::VectorXd& theta) const {
    Eigen::VectorXd values = values_;
    for (std::size_t k = 0; k < free_.size(); ++k) values[free_[k]] = std::exp(theta[k]);
    return values;
  }

  /// One a log.
  [[nodiscard]] std::vector<SpringBlock> blocks(const Eigen::VectorXd& theta, SpringError error, bool slopes) const {
    std::vector<SpringBlock> all;
    const bool difference = error == SpringError::difference;
    for (const WeighedLog& log : logs_) {
      const SpringLines lines =
          spring_lines(model_, *log.log, values(theta), slopes ? free_ : std::vector<std::size_t>{},
                       difference ? SpringDetail::whole : SpringDetail::mean);
      all.push_back(difference ? differences(log, lines) : logarithms(log, lines));
    }
    return all;
  }

  /// Deviations from the scatter of the residuals themselves.
  void weigh(const Eigen::VectorXd& theta) {
    for (WeighedLog& log : logs_)
      log.deviation =
          residual_scatter(*log.log, spring_lines(model_, *log.log, values(theta), {}, SpringDetail::whole), log.rows);
  }

 private:
  const SpringModel& model_;
  std::vector<std::size_t> free_;
  Eigen::VectorXd values_, start_;
  std::vector<WeighedLog> logs_;
};

struct SpringDescent {
  Eigen::VectorXd theta;
  double cost = no_fit, rms = no_fit;  // of the residuals of the logs
  bool converged = false;
};

/// Levenberg–Marquardt, no parameter by more than a factor of e at once.
SpringDescent descend_springs(const SpringProblem& problem, const Eigen::VectorXd& start, SpringError error,
                              int iterations) {
  SpringDescent at{start};
  const auto cost_at = [&](const Eigen::VectorXd& theta, double& rms) {
    double squares = 0, count = 0;
    for (const SpringBlock& block : problem.blocks(theta, error, false)) {
      squares += block.r.squaredNorm();
      count += block.freedom;
    }
    rms = std::sqrt(squares / count);
    return std::isfinite(squares) ? squares + problem.prior(theta).squaredNorm() : no_fit;
  };
  at.cost = cost_at(start, at.rms);
  if (!std::isfinite(at.cost)) return at;
  Eigen::MatrixXd A;
  Eigen::VectorXd g;
  const auto linearize = [&] {
    A = Eigen::MatrixXd::Identity(start.size(), start.size()) / (prior_spread * prior_spread);
    g = problem.prior(at.theta) / prior_spread;
    for (const SpringBlock& block : problem.blocks(at.theta, error, true)) {
      A += block.J.transpose() * block.J;
      g += block.J.transpose() * block.r;
    }
    return !(g.dot(solved_symmetric(A, g)) < 1e-4);  // within a hundredth of a standard deviation of the lowest point
  };
  const auto try_step = [&](double mu) {
    Eigen::MatrixXd damped = A;
    damped.diagonal() *= 1 + mu;
    Eigen::VectorXd step = -solved_symmetric(damped, g);
    step *= std::min(1.0, 1 / std::max(step.cwiseAbs().maxCoeff(), 1e-300));
    double rms = 0;
    const double trial = cost_at(at.theta + step, rms);
    if (!(trial < at.cost)) return TriedStep::worse;
    const bool little = at.cost - trial < 1e-9 * at.cost;
    at.theta += step;
    at.cost = trial;
    at.rms = rms;
    return little ? TriedStep::settled : TriedStep::better;
  };
  const DampedDescent descent = damped_descent(
      {.first = 1e-3, .falls = 0.2, .rises = 4, .least = 1e-9, .iterations = iterations}, linearize, try_step);
  at.converged = descent.end != DescentEnd::out_of_patience;
  return at;
}

/// The best of several starts by logarithms; ends with the first that fits as well as the search asks.
SpringDescent best_start(const SpringProblem& problem, const SpringFitSettings& settings) {
  Random random(1);
  SpringDescent best;
  for (int s = 0; s < settings.starts && !(best.rms < 1.5); ++s) {
    if (settings.progress) settings.progress(fmt::format("springs, start {} of at most {}", s + 1, settings.starts));
    Eigen::VectorXd from = problem.start();
    for (Index k = 0; s > 0 && k < from.size(); ++k) from[k] += random.uniform(-std::log(5.0), std::log(5.0));
    const SpringDescent d = descend_springs(problem, from, SpringError::logarithm, 40);
    if (d.cost < best.cost) best = d;
  }
  if (!std::isfinite(best.cost))
    throw Error("the machine has no response at these lines", "are the described values possible?");
  return best;
}

/// A⁻¹ B A⁻¹ with A = sum of JᵀJ; in B each log as much more as its residuals exceed their deviations and repeat
/// each other. The prior counts as it is.
Eigen::MatrixXd spring_covariance(const std::vector<SpringBlock>& blocks, Index parameters) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(parameters, parameters) / (prior_spread * prior_spread), B = A;
  for (const SpringBlock& block : blocks) {
    const Eigen::MatrixXd JJ = block.J.transpose() * block.J;
    A += JJ;
    B += block.mean_square() * correlated(block.r, 2) * JJ;
  }
  const Eigen::MatrixXd inverse = solved(A, Eigen::MatrixXd::Identity(parameters, parameters));
  return inverse * B * inverse;
}

/// Modes that swing, without those of joints that turn freely, whose eigenvalues are zero but for rounding.
std::vector<Mode> swinging(const SpringModel& model, const ShakenLines& log, const Eigen::VectorXd& values) {
  std::vector<Mode> modes = modes_of(model.about(log, values));
  const double fastest = modes.empty() ? 0 : std::abs(modes.back().eigenvalue);
  std::erase_if(modes, [&](const Mode& mode) { return !(mode.eigenvalue.imag() > 1e-5 * fastest); });
  return modes;
}

const Mode& nearest_mode(const std::vector<Mode>& modes, const Mode& to) {
  return *std::min_element(modes.begin(), modes.end(), [&](const Mode& a, const Mode& b) {
    return std::abs(a.eigenvalue - to.eigenvalue) < std::abs(b.eigenvalue - to.eigenvalue);
  });
}

/// Modes, and by their slopes what the covariance of the logarithms makes of them.
std::vector<ModeEstimate> modes_in(const SpringModel& model, const ShakenLines& log, const Eigen::VectorXd& values,
                                   const std::vector<std::size_t>& free, const Eigen::MatrixXd& covariance) {
  const std::vector<Mode> modes = swinging(model, log, values);
  const auto n = static_cast<Index>(free.size());
  Eigen::MatrixXd frequency(static_cast<Index>(modes.size()), n), damping = frequency;
  const double h = 1e-4;
  for (Index k = 0; k < n && !modes.empty(); ++k) {
    Eigen::VectorXd more = values, less = values;
    more[free[k]] *= std::exp(h);
    less[free[k]] *= std::exp(-h);
    const std::vector<Mode> up = swinging(model, log, more), down = swinging(model, log, less);
    for (std::size_t m = 0; m < modes.size() && !up.empty() && !down.empty(); ++m) {
      const Mode &a = nearest_mode(up, modes[m]), &b = nearest_mode(down, modes[m]);
      frequency(static_cast<Index>(m), k) = (a.frequency - b.frequency) / (2 * h);
      damping(static_cast<Index>(m), k) = (a.damping - b.damping) / (2 * h);
    }
  }
  std::vector<ModeEstimate> all;
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const auto deviation = [&](const Eigen::MatrixXd& slopes) {
      const Eigen::VectorXd s = slopes.row(static_cast<Index>(m));
      return std::sqrt(std::max(s.dot(covariance * s), 0.0));
    };
    all.push_back({modes[m].frequency, deviation(frequency), modes[m].damping, deviation(damping)});
  }
  return all;
}

/// Whether a law of friction jumps, or nearly so, at standstill.
bool rubs_dry(const PlantDescription& plant, int joint) {
  return std::any_of(plant.friction.begin(), plant.friction.end(), [&](const AxisFriction& f) {
    if (f.axis != joint) return false;
    const double creeping = friction_torque(f.law, 0.1), faster = friction_torque(f.law, 0.2);
    return 2 * creeping - faster >
           0.2 * std::abs(faster);  // what is left at zero speed of a straight line through both
  });
}

/// What the model leaves of a log, less transients, and how sure its lines are.
struct LeftOver {
  SpringLines lines;
  Eigen::MatrixXcd e;
  Eigen::MatrixXd deviation;
};
LeftOver left_over(const SpringModel& model, const ShakenLines& log, const Eigen::VectorXd& values,
                   const std::vector<Index>& rows) {
  LeftOver left{spring_lines(model, log, values, {}, SpringDetail::whole), {}, {}};
  left.deviation = residual_scatter(log, left.lines, rows);
  left.e = log.mean_positions() - left.lines.positions;
  const Eigen::MatrixXd basis = transient_basis(left.lines.transients, left.deviation, rows);
  Eigen::VectorXd r = stacked(left.e, left.deviation, rows);
  r -= basis * (basis.transpose() * r);
  Index next = 0;
  for (const Index c : rows)
    for (Index i = 0; i < left.e.cols(); ++i, next += 2)
      left.e(c, i) = left.deviation(c, i) * std::complex<double>(r[next], r[next + 1]);
  return left;
}

/// The motor whose command a joint's answer is shown over: its own where that shakes, else the loudest.
Index shaking_motor(const std::vector<Motor>& motors, const Eigen::MatrixXcd& u, int joint) {
  Index loudest = 0;
  u.rowwise().squaredNorm().maxCoeff(&loudest);
  for (std::size_t k = 0; k < motors.size(); ++k)
    if (motors[k].drives.front().first == joint && u.row(static_cast<Index>(k)).norm() > 0.1 * u.row(loudest).norm())
      return static_cast<Index>(k);
  return loudest;
}

PostureFit posture_fit(const SpringModel& model, const ShakenLines& log, const Eigen::VectorXd& values) {
  const std::vector<Index> rows = rows_that_move(model, log);
  const LeftOver left = left_over(model, log, values, rows);
  const SpringLines described = spring_lines(model, log, model.described(), {});
  const Eigen::MatrixXcd u = log.mean_commands(), y = log.mean_positions();
  PostureFit posture{log.name, false, log.frequency, {}, {}, {}};
  for (const Index c : rows) {
    PostureFit::Output out{log.joints[c]};
    const std::vector<Motor>& motors = model.description().motors;
    const Index motor = shaking_motor(motors, u, out.joint);
    out.command = motors[motor].name;
    double count = 0;
    for (Index i = 0; i < y.cols(); ++i) {
      const double deviation = left.deviation(c, i), size = std::abs(left.lines.positions(c, i));
      out.measured.push_back(y(c, i) / u(motor, i));
      out.fitted.push_back(left.lines.positions(c, i) / u(motor, i));
      out.misfit += std::norm(left.e(c, i) / deviation);
      if (!(size > 3 * deviation)) continue;
      ++count;
      out.share += std::norm(left.e(c, i) / size);
      out.described_share += std::norm((y(c, i) - described.positions(c, i)) / size);
      out.expected += std::pow(deviation / size, 2);
    }
    out.misfit = std::sqrt(out.misfit / static_cast<double>(y.cols()));
    for (double* square : {&out.share, &out.described_share, &out.expected})
      *square = std::sqrt(*square / std::max(count, 1.0));
    if (rubs_dry(model.description(), out.joint) && std::abs(log.velocity[c]) < 2 * log.shaking[c])
      posture.turning_back.push_back(out.joint);
    posture.outputs.push_back(std::move(out));
  }
  return posture;
}

void check_logs(const SpringModel& model, const std::vector<ShakenLines>& logs) {
  if (logs.empty()) throw Error("there is no log to fit to", "give a log in which motors shake the arm");
  for (const ShakenLines& log : logs)
    if (std::none_of(log.joints.begin(), log.joints.end(), [&](int joint) { return model.moves_by_motor(joint); }))
      throw Error("every joint with an encoder is behind a brake or without a motor",
                  "let the joint move that is shaken", {log.name});
}

}  // namespace

SpringFit fit_springs(const SpringModel& model, const std::vector<ShakenLines>& logs,
                      const std::vector<ShakenLines>& held_out, const SpringFitSettings& settings) {
  check_logs(model, logs);
  const std::vector<std::size_t> free = free_parameters(model.parameters(), settings.free, settings.held,
                                                        [&](const std::string& name) { return model.index(name); });
  SpringProblem problem(model, logs, free);
  SpringDescent at = best_start(problem, settings);
  for (int round = 0; round < 3; ++round) {  // the scatter of the residuals depends on the model, a little
    if (settings.progress) settings.progress(fmt::format("springs, all lines, round {}", round + 1));
    problem.weigh(at.theta);
    at = descend_springs(problem, at.theta, SpringError::difference, 40);
  }
  SpringFit result;
  DriveFit& fit = result.fit;
  fit.converged = at.converged;
  const std::vector<SpringBlock> blocks = problem.blocks(at.theta, SpringError::difference, true);
  fit.covariance = spring_covariance(blocks, at.theta.size());
  std::vector<std::string> names;
  for (const std::size_t k : free) names.push_back(model.parameters()[k].name);
  fit.open = open_directions(names, fit.covariance);
  const Eigen::VectorXd values = problem.values(at.theta);
  for (std::size_t k = 0; k < model.parameters().size(); ++k)
    fit.parameters.push_back({model.parameters()[k], values[k]});
  for (std::size_t k = 0; k < free.size(); ++k) {
    DriveEstimate& e = fit.parameters[free[k]];
    e.free = true;
    e.spread = std::sqrt(std::max(fit.covariance(static_cast<Index>(k), static_cast<Index>(k)), 0.0));
    e.determined = e.spread < open_spread;
  }
  Eigen::MatrixXd slopes(0, at.theta.size());
  for (const SpringBlock& block : blocks) {
    slopes.conservativeResize(slopes.rows() + block.J.rows(), Eigen::NoChange);
    slopes.bottomRows(block.J.rows()) = block.J;
  }
  fit.condition = condition_number(slopes);
  for (const auto* some : {&logs, &held_out})
    for (const ShakenLines& log : *some) {
      result.postures.push_back(posture_fit(model, log, values));
      result.postures.back().held_out = some == &held_out;
      result.postures.back().modes = modes_in(model, log, values, free, fit.covariance);
    }
  return result;
}

namespace {

std::string share_text(double share) {
  return share < 1 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.0f} %", 100 * share);
}

}  // namespace

std::vector<std::string> sentences(const SpringModel& model, const SpringFit& result) {
  std::vector<std::string> said;
  std::size_t free = 0, known = 0;
  for (const DriveEstimate& e : result.fit.parameters) {
    free += e.free;
    known += e.free && e.determined;
  }
  const Arm& arm = *model.description().arm;
  std::vector<std::string> joints;
  for (const int joint : model.joints()) joints.push_back("'" + arm.joint(joint).name + "'");
  said.push_back(fmt::format("Springs of {} {}: {} parameters fitted, {} of them determined by the logs.",
                             joints.size() == 1 ? "joint" : "joints", fmt::join(joints, ", "), free, known));
  for (const PostureFit& p : result.postures)
    for (const PostureFit::Output& out : p.outputs)
      said.push_back(
          fmt::format("{}: what joint '{}' answers is {} within {} (r.m.s. of {} lines); the scatter from period to "
                      "period explains "
                      "{}, and the residual with the springs as described is {}.",
                      p.name, arm.joint(out.joint).name, p.held_out ? "predicted" : "met", share_text(out.share),
                      p.frequency.size(), share_text(out.expected), share_text(out.described_share)));
  for (const DriveFit::Open& open : result.fit.open) said.push_back(open_sentence(open));
  for (const PostureFit& p : result.postures)
    for (const int joint : p.turning_back)
      said.push_back(fmt::format(
          "{}: joint '{}' does not keep moving one way, and its dry friction, which is not linear then, is taken for "
          "linear: let it move slowly while it is shaken, or shake it less.",
          p.name, arm.joint(joint).name));
  for (const PostureFit& p : result.postures)
    for (const PostureFit::Output& out : p.outputs)
      if (out.misfit > 2)
        said.push_back(fmt::format(
            "{}: joint '{}' differs from the model by {:.1f} times what the scatter allows. Something is not in the "
            "model: another joint that gives way, wrong bodies, a brake that the scenario does not have, dry "
            "friction.",
            p.name, arm.joint(out.joint).name, out.misfit));
  if (!result.fit.converged)
    said.push_back("The search ended before it settled: start nearer, or hold some parameters.");
  return said;
}

}  // namespace armature::identification
