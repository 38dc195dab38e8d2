#include "armature/identification/drive_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/identification/internal/grey_box.hpp"
#include "armature/numerics/damped_descent.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

using Index = Eigen::Index;

/// Residuals of one output of one log, `width` rows per line or sample, and their slopes to the free logarithms.
struct Block {
  Eigen::VectorXd r;
  Eigen::MatrixXd J;
  Index width = 1;
};

enum class Slopes { none, quick, exact };  // of simulations: forward differences, or central ones

/// Of lines whose deviations are known. A logarithm leads from afar; the difference has no bias, and its weight does not
/// follow the noise of the line.
enum class LineError { logarithm, difference };

class DriveProblem {
 public:
  DriveProblem(const DriveModel& model, const std::vector<DriveFrf>& responses, const std::vector<DriveMotion>& motions,
               std::vector<std::size_t> free, LineError line_error)
      : model_(model),
        responses_(responses),
        motions_(motions),
        free_(std::move(free)),
        values_(model.described()),
        line_error_(line_error) {
    start_ = Eigen::VectorXd::Zero(static_cast<Index>(free_.size()));
    for (std::size_t k = 0; k < free_.size(); ++k) start_[index(k)] = std::log(values_[index(free_[k])]);
    for (std::size_t k = 0; k < free_.size(); ++k)
      if (model.parameters()[free_[k]].linear) {
        linear_.push_back(k);
        linear_free_.push_back(free_[k]);
      }
    blocks_ = responses.size();
    for (const DriveMotion& motion : motions) blocks_ += motion.outputs.size();
    scale_ = Eigen::VectorXd::Ones(index(blocks_));
  }

  static Index index(std::size_t k) { return static_cast<Index>(k); }
  [[nodiscard]] const Eigen::VectorXd& start() const { return start_; }
  [[nodiscard]] Eigen::VectorXd values(const Eigen::VectorXd& theta) const {
    Eigen::VectorXd values = values_;
    for (std::size_t k = 0; k < free_.size(); ++k) values[index(free_[k])] = std::exp(theta[index(k)]);
    return values;
  }

  /// Residuals in units of `scale`, block by block; with slopes where asked for. None where a simulation fails.
  [[nodiscard]] std::optional<std::vector<Block>> blocks(const Eigen::VectorXd& theta, Slopes slopes) const {
    std::vector<Block> all;
    try {
      for (const DriveFrf& frf : responses_) all.push_back(lines(frf, theta, slopes));
      for (const DriveMotion& motion : motions_) samples(motion, theta, slopes, all);
    } catch (const Error&) {
      return std::nullopt;
    }
    for (std::size_t b = 0; b < all.size(); ++b) {
      all[b].r /= scale_[index(b)];
      if (slopes != Slopes::none) all[b].J /= scale_[index(b)];
      if (!all[b].r.allFinite()) return std::nullopt;
    }
    return all;
  }
  [[nodiscard]] Eigen::VectorXd prior(const Eigen::VectorXd& theta) const { return (theta - start_) / prior_spread; }

  /// Weighs every output by its own residual.
  void reweigh(const std::vector<Block>& blocks) {
    for (std::size_t b = 0; b < blocks.size(); ++b)
      scale_[index(b)] *=
          std::max(std::sqrt(blocks[b].r.squaredNorm() / static_cast<double>(blocks[b].r.size())), 1e-12);
  }
  [[nodiscard]] const Eigen::VectorXd& scale() const { return scale_; }
  void set_scale(const Eigen::VectorXd& scale) { scale_ = scale; }

 private:
  /// ln(measured/model) or 1 - model/measured, real and imaginary parts in turn, in units of the deviation.
  [[nodiscard]] Block lines(const DriveFrf& frf, const Eigen::VectorXd& theta, Slopes slopes) const {
    const DriveLines model =
        drive_lines(model_, values(theta), frf, slopes != Slopes::none ? linear_free_ : std::vector<std::size_t>{});
    const Index n = model.response.size();
    Block block{Eigen::VectorXd(2 * n), {}, 2};
    if (slopes != Slopes::none) block.J = Eigen::MatrixXd::Zero(2 * n, theta.size());
    for (Index i = 0; i < n; ++i) {
      const auto line = static_cast<std::size_t>(i);
      const bool known = !frf.deviation.empty(), difference = known && line_error_ == LineError::difference;
      const double unit = known ? frf.deviation[line] : 1;
      const std::complex<double> share = model.response[i] / frf.response[line];
      const std::complex<double> e = (difference ? 1.0 - share : -std::log(share)) / unit;
      block.r[2 * i] = e.real();
      block.r[2 * i + 1] = e.imag();
      if (slopes == Slopes::none) continue;
      for (std::size_t k = 0; k < linear_.size(); ++k) {
        const std::complex<double> d =
            -model.slopes(i, index(k)) / (difference ? frf.response[line] : model.response[i]) / unit;
        block.J(2 * i, index(linear_[k])) = d.real();
        block.J(2 * i + 1, index(linear_[k])) = d.imag();
      }
    }
    return block;
  }

  /// Measured less simulated, an output a block; where a sensor's zero lies is no news, so the mean of positions goes.
  void samples(const DriveMotion& motion, const Eigen::VectorXd& theta, Slopes slopes, std::vector<Block>& all) const {
    // What an integrator's steps add to a difference looks like information: slopes are taken with tight tolerances.
    const double tolerance = slopes == Slopes::exact ? 1e-11 : slopes == Slopes::quick ? 1e-9 : 1e-7;
    const auto errors = [&](const Eigen::VectorXd& at) {
      Eigen::MatrixXd e = motion.measured - drive_motion(model_, values(at), motion, tolerance);
      for (std::size_t c = 0; c < motion.outputs.size(); ++c)
        if (model_.is_position(model_.state_of(motion.outputs[c]))) e.col(index(c)).array() -= e.col(index(c)).mean();
      return e;
    };
    const Eigen::MatrixXd e = errors(theta);
    const std::size_t first = all.size();
    for (Index c = 0; c < e.cols(); ++c)
      all.push_back(
          {e.col(c), slopes != Slopes::none ? Eigen::MatrixXd(e.rows(), theta.size()) : Eigen::MatrixXd(), 1});
    for (Index k = 0; slopes != Slopes::none && k < theta.size(); ++k) {
      const double h = slopes == Slopes::exact ? 3e-3 : 1e-3;
      Eigen::VectorXd more = theta, less = theta;
      more[k] += h;
      less[k] -= h;
      const Eigen::MatrixXd slope =
          slopes == Slopes::exact ? Eigen::MatrixXd((errors(more) - errors(less)) / (2 * h)) : (errors(more) - e) / h;
      for (Index c = 0; c < e.cols(); ++c) all[first + static_cast<std::size_t>(c)].J.col(k) = slope.col(c);
    }
  }

  const DriveModel& model_;
  const std::vector<DriveFrf>& responses_;
  const std::vector<DriveMotion>& motions_;
  std::vector<std::size_t> free_, linear_, linear_free_;  // parameters; places of the linear ones among the free
  Eigen::VectorXd values_, start_, scale_;
  LineError line_error_;
  std::size_t blocks_ = 0;
};

double cost(const DriveProblem& problem, const Eigen::VectorXd& theta) {
  const auto blocks = problem.blocks(theta, Slopes::none);
  if (!blocks) return never;
  double sum = problem.prior(theta).squaredNorm();
  for (const Block& block : *blocks) sum += block.r.squaredNorm();
  return sum;
}

struct Descent {
  Eigen::VectorXd theta;
  double cost = never;
  bool converged = false;
};

/// Levenberg–Marquardt: (JᵀJ + mu diag JᵀJ) step = -Jᵀr, no parameter by more than a factor of e at once.
Descent descend(const DriveProblem& problem, const Eigen::VectorXd& start, int iterations) {
  Descent at{start, cost(problem, start)};
  if (!std::isfinite(at.cost)) return at;
  Eigen::MatrixXd A;
  Eigen::VectorXd g;
  bool lost = false;
  const auto linearize = [&] {
    const auto blocks = problem.blocks(at.theta, Slopes::quick);
    lost = !blocks;
    if (lost) return false;
    A = Eigen::MatrixXd::Identity(start.size(), start.size()) / (prior_spread * prior_spread);
    g = problem.prior(at.theta) / prior_spread;
    for (const Block& block : *blocks) {
      A += block.J.transpose() * block.J;
      g += block.J.transpose() * block.r;
    }
    return !(g.dot(solved_symmetric(A, g)) < 0.01);  // within a tenth of a standard deviation of the lowest point
  };
  const auto try_step = [&](double mu) {
    Eigen::MatrixXd damped = A;
    damped.diagonal() *= 1 + mu;
    Eigen::VectorXd step = -solved_symmetric(damped, g);
    step *= std::min(1.0, 1 / std::max(step.cwiseAbs().maxCoeff(), 1e-300));
    const double trial = cost(problem, at.theta + step);
    if (!(trial < at.cost)) return TriedStep::worse;
    at.theta += step;
    at.cost = trial;
    return TriedStep::better;
  };
  const DampedDescent descent = damped_descent(
      {.first = 1e-3, .falls = 0.2, .rises = 4, .least = 1e-9, .iterations = iterations}, linearize, try_step);
  at.converged = descent.end != DescentEnd::out_of_patience && !lost;
  return at;
}

/// Parameters and weights in turn, until each output weighs by its own residual; the likelihood that is left,
///     sum of n ln(rms) over the outputs.
struct Weighed {
  Descent descent;
  double likelihood = never;
};
Weighed descend_and_weigh(DriveProblem& problem, const Eigen::VectorXd& start, double to_beat) {
  Weighed result{{start}};
  for (int round = 0; round < 8; ++round) {
    const auto blocks = problem.blocks(result.descent.theta, Slopes::none);
    if (!blocks) return {};
    const Eigen::VectorXd before = problem.scale();
    problem.reweigh(*blocks);
    result.likelihood = 0;
    for (std::size_t b = 0; b < blocks->size(); ++b)
      result.likelihood += static_cast<double>((*blocks)[b].r.size()) * std::log(problem.scale()[b]);
    const double change = (problem.scale().cwiseQuotient(before).array() - 1).abs().maxCoeff();
    if (round > 1 && (change < 0.02 || result.likelihood > to_beat + 0.1 * std::abs(to_beat))) break;
    result.descent = descend(problem, result.descent.theta, round == 0 ? 30 : 12);
  }
  return result;
}

/// Every n-th line, so that a search is quick.
std::vector<DriveFrf> thinned(const std::vector<DriveFrf>& responses, std::size_t most) {
  std::vector<DriveFrf> thin;
  for (const DriveFrf& frf : responses) {
    DriveFrf few = frf;
    few.frequency.clear();
    few.response.clear();
    few.deviation.clear();
    // equally spaced in the logarithm of the frequency: each decade tells as much
    const double low = std::log(frf.frequency.front()), high = std::log(frf.frequency.back());
    double next = low;
    for (std::size_t i = 0; i < frf.frequency.size(); ++i) {
      if (std::log(frf.frequency[i]) < next - 1e-12) continue;
      few.frequency.push_back(frf.frequency[i]);
      few.response.push_back(frf.response[i]);
      if (!frf.deviation.empty()) few.deviation.push_back(frf.deviation[i]);
      next = std::log(frf.frequency[i]) + (high - low) / static_cast<double>(most);
    }
    thin.push_back(std::move(few));
  }
  return thin;
}

/// A⁻¹ B A⁻¹ with A = sum of JᵀJ, residuals in units of their own size, and in B each output as much less as its residuals
/// repeat each other. The prior counts as it is.
Eigen::MatrixXd covariance_of(const std::vector<Block>& blocks, Index parameters) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(parameters, parameters) / (prior_spread * prior_spread), B = A;
  for (const Block& block : blocks) {
    const Eigen::MatrixXd JJ = block.J.transpose() * block.J;
    A += JJ;
    B += correlated(block.r, block.width) * JJ;
  }
  const Eigen::MatrixXd inverse = solved(A, Eigen::MatrixXd::Identity(parameters, parameters));
  return inverse * B * inverse;
}

std::vector<std::size_t> free_parameters(const DriveModel& model, const DriveFitSettings& settings) {
  return free_parameters(model.parameters(), settings.free, settings.held,
                         [&](const std::string& name) { return model.index(name); });
}

/// Play and dry friction times each of a few factors: their cost has more than one valley.
std::vector<Eigen::VectorXd> grid(const DriveModel& model, const std::vector<std::size_t>& free,
                                  const Eigen::VectorXd& from) {
  std::vector<Eigen::VectorXd> starts{from};
  for (std::size_t k = 0; k < free.size(); ++k) {
    if (model.parameters()[free[k]].linear) continue;
    std::vector<Eigen::VectorXd> more;
    for (const Eigen::VectorXd& start : starts)
      for (const double factor : {0.25, 0.5, 1.0, 2.0, 4.0}) {
        more.push_back(start);
        more.back()[k] += std::log(factor);
      }
    starts = std::move(more);
  }
  return starts;
}

std::vector<DriveLogFit> log_fits(const DriveModel& model, const Eigen::VectorXd& values,
                                  const std::vector<DriveFrf>& responses, const std::vector<DriveMotion>& motions) {
  std::vector<DriveLogFit> fits;
  for (const DriveFrf& frf : responses) {
    const DriveLines lines = drive_lines(model, values, frf, {});
    DriveLogFit fit{frf.name, frf.output, true, lines.response.size()};
    double squares = 0, allowed = 0;
    for (Index i = 0; i < lines.response.size(); ++i) {
      squares += std::norm(std::log(frf.response[i] / lines.response[i]));
      if (!frf.deviation.empty()) allowed += 2 * std::pow(frf.deviation[i], 2);
    }
    fit.rms = fit.relative = std::sqrt(squares / static_cast<double>(fit.count));
    fit.expected = std::sqrt(allowed / static_cast<double>(fit.count));
    fits.push_back(std::move(fit));
  }
  for (const DriveMotion& motion : motions) {
    const Eigen::MatrixXd simulated = drive_motion(model, values, motion);
    for (std::size_t c = 0; c < motion.outputs.size(); ++c) {
      const auto column = static_cast<Index>(c);
      DriveLogFit fit{motion.name, motion.outputs[c], false, simulated.rows()};
      fit.measured_and_model.resize(simulated.rows(), 2);
      fit.measured_and_model << motion.measured.col(column), simulated.col(column);
      Eigen::VectorXd e = motion.measured.col(column) - simulated.col(column), own = motion.measured.col(column);
      if (model.is_position(model.state_of(motion.outputs[c]))) {
        fit.measured_and_model.col(1).array() += e.mean();
        e.array() -= e.mean();
      }
      own.array() -= own.mean();
      fit.rms = std::sqrt(e.squaredNorm() / static_cast<double>(e.size()));
      fit.relative = e.norm() / std::max(own.norm(), 1e-300);
      fits.push_back(std::move(fit));
    }
  }
  return fits;
}

}  // namespace

Eigen::VectorXd DriveFit::values() const {
  Eigen::VectorXd v(static_cast<Index>(parameters.size()));
  for (std::size_t k = 0; k < parameters.size(); ++k) v[k] = parameters[k].value;
  return v;
}

double ResponseFit::information_criterion() const {
  constexpr double exact = 1e-6;  // no response is known better
  return residuals * std::log(std::max(rms * rms, exact * exact)) + parameters * std::log(residuals);
}

ResponseFit fit_responses(const DriveModel& model, const std::vector<DriveFrf>& measured,
                          const DriveFitSettings& settings, int iterations) {
  std::vector<DriveFrf> responses;
  for (const DriveFrf& frf : measured) responses.push_back(believable_lines(frf, settings.coherence));
  responses = thinned(responses, 150);
  std::vector<std::size_t> free = free_parameters(model, settings);
  std::erase_if(free, [&](std::size_t k) { return !model.parameters()[k].linear; });
  const std::vector<DriveMotion> none;
  DriveProblem problem(model, responses, none, free, LineError::logarithm);
  Descent d = descend(problem, problem.start(), iterations);
  ResponseFit fit{problem.values(d.theta), never, 1, static_cast<int>(free.size())};
  const bool known =
      std::all_of(responses.begin(), responses.end(), [](const DriveFrf& frf) { return !frf.deviation.empty(); });
  for (int round = 0; round < 3 && !known;
       ++round) {  // by what is left, where nothing else says how sure the lines are
    const auto blocks = problem.blocks(d.theta, Slopes::none);
    if (!blocks) return fit;
    problem.reweigh(*blocks);
    d = descend(problem, d.theta, iterations);
  }
  const auto blocks = problem.blocks(d.theta, Slopes::none);
  if (!blocks) return fit;
  fit.values = problem.values(d.theta);
  fit.residuals = 0;
  double squares = 0;
  for (std::size_t b = 0; b < blocks->size(); ++b) {
    const Eigen::VectorXd r = (*blocks)[b].r * problem.scale()[b];
    squares += r.squaredNorm();
    fit.residuals += static_cast<double>(r.size());
  }
  fit.rms = std::sqrt(squares / fit.residuals);
  return fit;
}

namespace {

void say_step(const DriveFitSettings& settings, const std::string& step) {
  if (settings.progress) settings.progress(step);
}

/// Small motions: several starts on few lines, then all lines from the best. Weighs the responses in `all` by what they leave.
Descent fit_lines(const DriveModel& model, const std::vector<DriveFrf>& responses, const std::vector<std::size_t>& free,
                  const DriveFitSettings& settings, DriveProblem& all) {
  const std::vector<DriveMotion> none;
  const std::vector<DriveFrf> few = thinned(responses, 150);
  const DriveProblem search(model, few, none, free, LineError::logarithm);
  Random random(1);
  Descent best;
  for (int s = 0; s < settings.starts; ++s) {
    say_step(settings, fmt::format("frequency responses, start {} of {}", s + 1, settings.starts));
    Eigen::VectorXd from = all.start();
    for (std::size_t k = 0; s > 0 && k < free.size(); ++k)
      if (model.parameters()[free[k]].linear) from[k] += random.uniform(-std::log(4.0), std::log(4.0));
    const Descent d = descend(search, from, 40);
    if (d.cost < best.cost) best = d;
  }
  if (settings.also_from.size() > 0) {
    Eigen::VectorXd from = all.start();
    for (std::size_t k = 0; k < free.size(); ++k) from[k] = std::log(settings.also_from[free[k]]);
    const Descent d = descend(search, from, 40);
    if (d.cost < best.cost) best = d;
  }
  if (!std::isfinite(best.cost))
    throw Error("the model has no frequency response at these lines", "are the described values possible?");
  DriveProblem lines(model, responses, none, free, LineError::difference);
  const Descent d = descend(
      lines, descend(DriveProblem(model, responses, none, free, LineError::logarithm), best.theta, 60).theta, 60);
  if (const auto blocks = lines.blocks(d.theta, Slopes::none)) lines.reweigh(*blocks);
  Eigen::VectorXd scale = all.scale();
  scale.head(static_cast<Index>(responses.size())) = lines.scale();
  all.set_scale(scale);
  return d;
}

/// Motions alone choose among starts of play and dry friction; weights follow from the best of them.
Descent fit_motions(const DriveModel& model, const std::vector<DriveMotion>& motions,
                    const std::vector<std::size_t>& free, const Eigen::VectorXd& theta,
                    const DriveFitSettings& settings, DriveProblem& all) {
  struct Candidate {
    double cost;
    Eigen::VectorXd theta;
  };
  std::vector<Candidate> candidates;
  const std::vector<DriveFrf> no_lines;
  DriveProblem moved(model, no_lines, motions, free, LineError::difference);
  if (const auto blocks = moved.blocks(theta, Slopes::none)) moved.reweigh(*blocks);
  const std::vector<Eigen::VectorXd> starts = grid(model, free, theta);
  for (std::size_t s = 0; s < starts.size(); ++s) {
    if (s % 5 == 0) say_step(settings, fmt::format("motions, start {} of {}", s + 1, starts.size()));
    candidates.push_back({cost(moved, starts[s]), starts[s]});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  if (!std::isfinite(candidates.front().cost))
    throw Error("the motion cannot be simulated from the described values",
                "are command and structure right? Start nearer, or fit a frequency response first", {motions[0].name});
  Weighed best;
  // The best start, and the best of those that lie well apart from it if it is nearly as good.
  std::size_t other = 1;
  while (other < candidates.size() &&
         (candidates[other].theta - candidates[0].theta).cwiseAbs().maxCoeff() < 1.5 * std::log(2.0))
    ++other;
  for (const std::size_t c : {std::size_t{0}, other}) {
    if (c >= candidates.size() || !(candidates[c].cost < 2 * candidates[0].cost)) continue;
    say_step(settings, fmt::format("everything together, {} start", c == 0 ? "best" : "another"));
    DriveProblem joint = all;
    const Weighed w = descend_and_weigh(joint, candidates[c].theta, best.likelihood);
    if (w.likelihood < best.likelihood) {
      best = w;
      all.set_scale(joint.scale());
    }
  }
  if (!std::isfinite(best.likelihood))
    throw Error("no simulation of the motion succeeds near the described values", "start nearer", {motions[0].name});
  return best.descent;
}

DriveFit fit_all(const DriveModel& model, const std::vector<DriveFrf>& measured_responses,
                 const std::vector<DriveMotion>& motions, const DriveFitSettings& settings) {
  if (measured_responses.empty() && motions.empty())
    throw Error("there is no log to fit to", "give a frequency response, a motion, or both");
  std::vector<DriveFrf> responses;
  for (const DriveFrf& frf : measured_responses) responses.push_back(believable_lines(frf, settings.coherence));
  const std::vector<std::size_t> free = free_parameters(model, settings);
  DriveProblem all(model, responses, motions, free, LineError::difference);
  Descent d{all.start()};
  if (!responses.empty()) d = fit_lines(model, responses, free, settings, all);
  if (!motions.empty()) d = fit_motions(model, motions, free, d.theta, settings, all);
  const Eigen::VectorXd& theta = d.theta;
  DriveFit result;
  result.converged = d.converged;
  const auto blocks = all.blocks(theta, Slopes::exact);
  if (!blocks) throw Error("the fitted model cannot be simulated", "start nearer");
  result.covariance = covariance_of(*blocks, theta.size());
  std::vector<std::string> names;
  for (const std::size_t k : free) names.push_back(model.parameters()[k].name);
  result.open = open_directions(names, result.covariance);
  const Eigen::VectorXd values = all.values(theta);
  for (std::size_t k = 0; k < model.parameters().size(); ++k)
    result.parameters.push_back({model.parameters()[k], values[k]});
  for (std::size_t k = 0; k < free.size(); ++k) {
    DriveEstimate& e = result.parameters[free[k]];
    e.free = true;
    e.spread = std::sqrt(std::max(result.covariance(static_cast<Index>(k), static_cast<Index>(k)), 0.0));
    e.determined = e.spread < open_spread;
  }
  Eigen::MatrixXd stacked(0, theta.size());
  for (const Block& block : *blocks) {
    stacked.conservativeResize(stacked.rows() + block.J.rows(), Eigen::NoChange);
    stacked.bottomRows(block.J.rows()) = block.J;
  }
  result.condition = condition_number(stacked);
  result.logs = log_fits(model, values, responses, motions);
  return result;
}

}  // namespace

DriveFit fit_drive(const DriveModel& model, const std::vector<DriveFrf>& responses,
                   const std::vector<DriveMotion>& motions, const DriveFitSettings& settings) {
  DriveFit fit = fit_all(model, responses, motions, settings);
  const auto play = std::find_if(fit.parameters.begin(), fit.parameters.end(),
                                 [](const DriveEstimate& e) { return e.free && e.parameter.name == "backlash"; });
  const auto crosses = [&](const DriveMotion& m) { return crosses_play(model, fit.values(), m); };
  if (play == fit.parameters.end() || motions.empty() || std::any_of(motions.begin(), motions.end(), crosses))
    return fit;
  // No motion shows the play: whatever the fit made of it stands for something else.
  const auto place = static_cast<std::size_t>(play - fit.parameters.begin());
  DriveFitSettings without = settings;
  without.held.push_back("backlash");
  fit = fit_all(model, responses, motions, without);
  fit.play_crossed = false;
  DriveEstimate& unknown = fit.parameters[place];
  unknown.free = true;
  unknown.spread = prior_spread;
  fit.open.push_back({prior_spread, {{"backlash", 1.0}}});
  Index before = 0;
  for (std::size_t k = 0; k < place; ++k) before += fit.parameters[k].free;
  const Index n = fit.covariance.rows(), after = n - before;
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(n + 1, n + 1);
  covariance.topLeftCorner(before, before) = fit.covariance.topLeftCorner(before, before);
  covariance.bottomRightCorner(after, after) = fit.covariance.bottomRightCorner(after, after);
  covariance.topRightCorner(before, after) = fit.covariance.topRightCorner(before, after);
  covariance.bottomLeftCorner(after, before) = fit.covariance.bottomLeftCorner(after, before);
  covariance(before, before) = prior_spread * prior_spread;
  fit.covariance = covariance;
  return fit;
}

ArmDescription fitted_arm(const DriveModel& model, const DriveFit& fit, const std::string& logs) {
  ArmDescription arm = model.arm(fit.values());
  std::vector<std::string> drive, friction;
  bool load = false;
  for (const DriveEstimate& e : fit.parameters) {
    if (!e.free) continue;
    const std::string text =
        e.determined ? fmt::format("{} {:.3g} to {:.3g} {}", e.parameter.name, e.low(), e.high(), e.parameter.unit)
                     : fmt::format("{} not determined", e.parameter.name);
    if (e.parameter.name == "load_inertia") load = true;
    (e.parameter.name == "coulomb" || e.parameter.name == "viscous" ? friction : drive).push_back(text);
  }
  const auto source = [&](const std::vector<std::string>& parts, const std::string& before) {
    return fmt::format("fitted to {}, 95 %: {}{}", logs, fmt::join(parts, ", "),
                       before.empty() ? "" : "; what was held: " + before);
  };
  int moving = -1;
  for (JointDescription& joint : arm.joints) {
    if (joint.type != JointType::fixed) ++moving;
    if (moving < model.joint()) continue;
    if (load && joint.link.mass)
      joint.link.mass->source =
          fmt::format("scaled with the inertia at joint '{}', fitted to {}", model.joint_name(), logs);
    if (moving != model.joint() || joint.type == JointType::fixed) continue;
    if (!drive.empty()) joint.drive.source = source(drive, joint.drive.source);
    if (!friction.empty()) joint.friction_source = source(friction, joint.friction_source);
  }
  return arm;
}

}  // namespace armature::identification
