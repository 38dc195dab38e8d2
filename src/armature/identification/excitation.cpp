#include "armature/identification/excitation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/lbfgs.hpp"

namespace armature::identification {

namespace {

/// Harmonic k (from 0) of joint i is part of the motion.
bool has_harmonic(const ExcitationSettings& s, int i, int k) {
  return s.joint_harmonics.empty() || k < s.joint_harmonics[i];
}

/// Coefficients as one vector, scaled so that a unit of each moves positions, velocities and accelerations about as much;
/// those of harmonics that a joint has not stay zero.
class Variables {
 public:
  Variables(int joints, int harmonics, const ExcitationSettings& s) : joints_(joints), scale_(harmonics, joints) {
    for (int k = 0; k < harmonics; ++k) {
      const double w = 2 * pi * s.base_frequency * (k + 1);
      for (int i = 0; i < joints; ++i)
        scale_(k, i) = has_harmonic(s, i, k) ? 1 / std::sqrt(1 / (w * w) + 1 + w * w / 16) : 0;
    }
  }
  [[nodiscard]] Eigen::VectorXd pack(const FourierCoefficients& c) const {
    const auto unscaled = [&](const Eigen::MatrixXd& a) -> Eigen::MatrixXd {
      return (scale_.array() > 0).select(a.array() / scale_.array(), 0.0);
    };
    Eigen::VectorXd x(joints_ + 2 * scale_.size());
    x << c.offset, unscaled(c.sine).reshaped(), unscaled(c.cosine).reshaped();
    return x;
  }
  [[nodiscard]] FourierCoefficients unpack(const Eigen::VectorXd& x, double base_frequency) const {
    const Eigen::Index K = scale_.rows(), block = K * joints_;
    return {base_frequency, x.head(joints_), scale_.cwiseProduct(x.segment(joints_, block).reshaped(K, joints_)),
            scale_.cwiseProduct(x.tail(block).reshaped(K, joints_))};
  }
  [[nodiscard]] Eigen::VectorXd pack_gradient(const FourierCoefficients& g) const {
    Eigen::VectorXd x(joints_ + 2 * scale_.size());
    x << g.offset, scale_.cwiseProduct(g.sine).reshaped(), scale_.cwiseProduct(g.cosine).reshaped();
    return x;
  }

 private:
  int joints_;
  Eigen::MatrixXd scale_;
};

constexpr double hopeless = 1e8;  // condition number from which on a parameter does not show

/// One round of refinement.
struct Stage {
  int harmonics;
  int samples;
  double sharpness;
  double penalty;
  int iterations;
  int keep;  // motions that go on from here
};

class Design {
 public:
  Design(const ExcitationTask& task, const ExcitationSettings& settings,
         const std::function<void(const ExcitationProgress&)>& progress)
      : task_(task), s_(settings), progress_(progress) {}

  Excitation run() {
    struct Candidate {
      FourierCoefficients motion;
      double value;
    };
    const auto best_first = [](const Candidate& a, const Candidate& b) { return a.value < b.value; };
    std::vector<Candidate> candidates;
    Random random(s_.seed);
    const std::vector<Stage> stages = plan();
    for (int k = 0; k < s_.starts; ++k) candidates.push_back({random_motion(random, stages.front().harmonics), 0});
    for (const Stage& stage : stages) total_ += static_cast<double>(work(stage));
    for (std::size_t level = 0; level < stages.size(); ++level) {
      const Stage& stage = stages[level];
      int number = 0;
      for (Candidate& candidate : candidates) {
        if (stopped() && number > 0) break;
        stage_ = fmt::format("{} {} of {}, {} harmonics", level == 0 ? "start" : "candidate", ++number,
                             candidates.size(), stage.harmonics);
        candidate.value = refine(candidate.motion, stage);
      }
      if (stopped()) candidates.resize(static_cast<std::size_t>(number));  // the others have no value of this stage
      std::stable_sort(candidates.begin(), candidates.end(), best_first);
      if (stopped()) break;
      candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(stage.keep)));
    }
    return drawn_inside(candidates.front().motion, stages.back());
  }

 private:
  [[nodiscard]] int samples_for(int harmonics) const {
    // what the regressor's products contain: harmonics, and turns of the angles
    double turns = 0;
    for (Eigen::Index i = 0; i < task_.limits.velocity.size(); ++i)
      if (task_.arm.body(static_cast<int>(i)).revolute) turns = std::max(turns, task_.limits.velocity[i] / (2 * pi));
    const double content = harmonics * s_.base_frequency + 2 * std::min(turns, 5.0);
    const int wanted = static_cast<int>(std::ceil(4 * content / s_.base_frequency / 16)) * 16;
    return std::clamp(wanted, 160, std::max(160, static_cast<int>(s_.rate / s_.base_frequency)));
  }

  [[nodiscard]] std::vector<Stage> plan() const {
    const int first = std::min(s_.harmonics, 6), e = s_.effort;
    std::vector<Stage> stages{{first, samples_for(first), 1, 10, 60 * e, 6}};
    for (int K = first; K < s_.harmonics;) {
      K = std::min(s_.harmonics, K * 3);
      stages.push_back({K, samples_for(K), 3, 30, 80 * e, K < s_.harmonics ? 3 : 2});
    }
    stages.push_back({s_.harmonics, samples_for(s_.harmonics), 6, 100, 150 * e, 1});
    for (const double sharpness : {15.0, 40.0, 120.0})
      stages.push_back({s_.harmonics, samples_for(s_.harmonics), sharpness, 300, 150 * e, 1});
    return stages;
  }
  [[nodiscard]] static long work(const Stage& stage) { return static_cast<long>(stage.samples) * stage.iterations; }

  FourierCoefficients random_motion(Random& random, int harmonics) const {
    const int n = task_.arm.dof();
    FourierCoefficients c{s_.base_frequency, Eigen::VectorXd(n), Eigen::MatrixXd(harmonics, n),
                          Eigen::MatrixXd(harmonics, n)};
    const double share = random.uniform(0.1, 0.6);
    for (int i = 0; i < n; ++i) {
      const double low = task_.limits.lower[i], high = task_.limits.upper[i];
      const bool bounded = std::isfinite(low) && std::isfinite(high);
      const double middle = i < s_.centre.size() ? s_.centre[i] : bounded ? (low + high) / 2 : 0;
      c.offset[i] = middle + (bounded ? 0.2 * (high - low) : 1.0) * random.uniform(-0.5, 0.5);
      for (int k = 0; k < harmonics; ++k) {
        c.sine(k, i) = random.normal();
        c.cosine(k, i) = random.normal();
        if (!has_harmonic(s_, i, k)) c.sine(k, i) = c.cosine(k, i) = 0;
      }
      // to a share of each limit at most
      FourierBasis basis(s_.base_frequency, harmonics, 16 * harmonics + 16);
      MotionSamples m;
      basis.motion(c, m);
      double use = std::max(m.v.row(i).cwiseAbs().maxCoeff() / task_.limits.velocity[i],
                            m.a.row(i).cwiseAbs().maxCoeff() / task_.limits.acceleration[i]);
      if (bounded) use = std::max(use, (m.q.row(i).array() - c.offset[i]).abs().maxCoeff() / (0.8 * (high - low)));
      c.sine.col(i) *= share / use;
      c.cosine.col(i) *= share / use;
    }
    return c;
  }

  double refine(FourierCoefficients& motion, const Stage& stage, double margin = 0.01) {
    motion = motion.extended(stage.harmonics);
    ExcitationObjective objective(task_, s_.base_frequency, stage.harmonics, stage.samples);
    objective.sharpness = stage.sharpness;
    objective.penalty = stage.penalty;
    objective.margin = margin;
    objective.stop = s_.stop;
    const Variables variables(task_.arm.dof(), stage.harmonics, s_);
    Eigen::VectorXd x = variables.pack(motion);
    FourierCoefficients g;
    const double value = minimize(
        [&](const Eigen::VectorXd& at, Eigen::VectorXd& gradient) {
          ++evaluations_;
          const double f = objective(variables.unpack(at, s_.base_frequency), g);
          if (stopped()) {  // nothing was computed: the search stays where it is
            gradient.setZero(at.size());
            return std::numeric_limits<double>::infinity();
          }
          gradient = variables.pack_gradient(g);
          done_ += static_cast<double>(stage.samples) / stage.keep;
          return f;
        },
        x, {.iterations = stage.iterations, .tolerance = 1e-5, .proceed = [&](double f) {
              report(f);
              return true;
            }});
    motion = variables.unpack(x, s_.base_frequency);
    return value;
  }

  [[nodiscard]] bool stopped() const { return s_.stop && *s_.stop; }

  void report(double value) {
    const bool log = task_.criterion != ExcitationCriterion::log_det;
    const bool larger_is_better = task_.criterion == ExcitationCriterion::largest_singular_value ||
                                  task_.criterion == ExcitationCriterion::smallest_singular_value;
    best_ = std::min(best_, value);
    if (progress_)
      progress_({stage_, std::min(1.0, done_ / (1.4 * total_)),
                 larger_is_better ? std::exp(-best_)
                 : log            ? std::exp(best_)
                                  : best_});
  }

  /// Shrinks the motion about its offset until no limit is broken at any time; where that does not help (torques, workspace),
  /// optimizes again with a wider margin.
  Excitation drawn_inside(FourierCoefficients motion, const Stage& last) {
    Excitation result;
    for (const double margin : {0.02, 0.04, 0.08, 0.16}) {
      stage_ = "drawing inside the limits";
      LimitUse use = limit_use(task_.arm, motion, task_.limits);
      for (int k = 0; k < 3 && use.worst() > 1; ++k) {
        const double shrink = (1 - 1e-9) / use.worst();
        if (shrink < 0.9 && !stopped()) break;
        motion.sine *= shrink;
        motion.cosine *= shrink;
        use = limit_use(task_.arm, motion, task_.limits);
      }
      if (use.worst() <= 1 && use.workspace <= 0 && use.clearance <= 0) {
        result = judge_excitation(task_, motion, s_.rate);
        result.evaluations = evaluations_;
        result.stopped = stopped();
        return result;
      }
      if (stopped()) throw Error("stopped before a motion within the limits was found");
      Stage again = last;
      again.penalty *= 3;
      refine(motion, again, margin);
    }
    const LimitUse use = limit_use(task_.arm, motion, task_.limits);
    throw Error(
        fmt::format("no motion within the limits was found: the best one uses {:.3g} times a joint's limit{}{}",
                    use.worst(),
                    use.workspace > 0 ? fmt::format(" and leaves the workspace by {:.3g} m", use.workspace) : "",
                    use.clearance > 0
                        ? fmt::format(" and brings links {:.3g} m nearer to each other or the floor than they may come",
                                      use.clearance)
                        : ""),
        "give the motion a centre inside the limits, more starts, or wider limits");
  }

  const ExcitationTask& task_;
  const ExcitationSettings& s_;
  const std::function<void(const ExcitationProgress&)>& progress_;
  std::string stage_;
  double total_ = 0, done_ = 0, best_ = std::numeric_limits<double>::infinity();
  long evaluations_ = 0;
};

}  // namespace

void ExcitationSettings::fields(Fields& f) {
  f.frequency("base_frequency", base_frequency, "first harmonic: one period is its inverse", Range::positive);
  f.integer("starts", starts, "number of random starts, at most 100000", Range::positive);
  f.integer("effort", effort, "multiple of the default number of iterations, at most 1000", Range::positive);
  f.frequency("rate", rate, "sampling rate of the CSV and of the regressor that is judged", Range::positive);
}

ExcitationTask excitation_task(const Arm& arm, ParameterColumns columns) {
  const Eigen::Index count = columns.count();
  return {arm,
          std::move(columns),
          Eigen::VectorXd::Ones(count),
          VecX<double>::Ones(arm.dof()),
          limits_of(arm),
          ExcitationCriterion::condition,
          static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))};
}

void scale_by_parameters(ExcitationTask& task) {
  Eigen::VectorXd all = Eigen::VectorXd::Zero(task.columns.grouping.cols());
  all.head(parameters_per_link * task.arm.dof()) = link_parameters(task.arm);
  if (task.columns.friction) {
    const auto friction = friction_parameters(task.arm);
    if (!friction)
      throw Error(fmt::format("the friction of '{}' is not Coulomb, viscous and offset", task.arm.name()),
                  "scale by torques only, or leave the friction columns out");
    all.tail(friction->size()) = *friction;
  }
  const Eigen::VectorXd own = (task.columns.grouping * all).cwiseAbs();
  if (!(own.maxCoeff() > 0)) throw Error("all parameters are zero", "there is nothing to scale by");
  task.parameter_scale = own.cwiseMax(0.01 * own.maxCoeff());
}

namespace {

void check_regressor(const ExcitationTask& task, double samples) {
  const double numbers = samples * task.arm.dof() * static_cast<double>(task.columns.count());
  if (!(numbers <= largest_regressor))
    throw Error(fmt::format("a stacked regressor of {:.3g} samples per period has {:.3g} numbers", samples, numbers),
                fmt::format("at most {:g}: a lower rate, or a higher base frequency", largest_regressor));
}

}  // namespace

Excitation judge_excitation(const ExcitationTask& task, const FourierCoefficients& motion, double rate) {
  Excitation result;
  result.motion = motion;
  check_regressor(task, rate / motion.base_frequency);
  const int samples = std::max(16, static_cast<int>(std::lround(rate / motion.base_frequency)));
  result.singular_values =
      ExcitationObjective(task, motion.base_frequency, motion.harmonics(), samples).singular_values(motion);
  result.criterion = criterion_value(task.criterion, result.singular_values);
  result.condition = criterion_value(ExcitationCriterion::condition, result.singular_values);
  result.use = limit_use(task.arm, motion, task.limits);
  return result;
}

std::vector<std::string> excitation_warnings(const Arm& arm, const Excitation& e) {
  constexpr double good_condition = 100, least_use = 0.2;
  std::vector<std::string> sentences;
  if (!(e.condition <= good_condition))
    sentences.push_back(
        fmt::format("condition number {:.0f}: above about {:.0f} some parameters will be poorly determined; "
                    "more harmonics, more starts or a lower base frequency help",
                    e.condition, good_condition));
  for (int i = 0; i < arm.dof(); ++i) {
    const double most = std::max(e.use.velocity[i], e.use.position[i]);
    if (most < least_use)
      sentences.push_back(fmt::format("joint '{}' uses {:.1f} % of its velocity limit: it is hardly excited",
                                      arm.joint(i).name, 100 * e.use.velocity[i]));
  }
  std::vector<std::string> overloaded;
  for (int i = 0; i < arm.dof(); ++i)
    if (const auto limit = arm.joint(i).limits.torque; limit && e.use.largest_torque[i] > *limit)
      overloaded.push_back(fmt::format("{} {:.4g} of {:.4g} {}", arm.joint(i).name, e.use.largest_torque[i], *limit,
                                       arm.body(i).revolute ? "N m" : "N"));
  if (!overloaded.empty())
    sentences.push_back(
        fmt::format("the motion asks for more torque than the arm's file allows: {}; --torque-limits "
                    "keeps within",
                    fmt::join(overloaded, ", ")));
  return sentences;
}

Excitation design_excitation(const ExcitationTask& task, const ExcitationSettings& settings,
                             const std::function<void(const ExcitationProgress&)>& progress) {
  const int n = task.arm.dof();
  for (int i = 0; i < n; ++i) {
    if (!std::isfinite(task.limits.velocity[i]) || !std::isfinite(task.limits.acceleration[i]))
      throw Error(fmt::format("joint '{}' has no limit of {}", task.arm.joint(i).name,
                              std::isfinite(task.limits.velocity[i]) ? "acceleration" : "velocity"),
                  "state it in the arm's file or in the task; complete_limits() assumes cautious ones");
    if (!(task.limits.upper[i] > task.limits.lower[i]))
      throw Error(fmt::format("joint '{}' has no room between its limits", task.arm.joint(i).name),
                  "leave it out of the motion: a fixed joint, or `--lock` in a URDF");
  }
  if (settings.harmonics < 1 || settings.harmonics > 1000)
    throw Error(fmt::format("a motion of {} harmonics", settings.harmonics), "1 to 1000");
  if (!(settings.base_frequency > 0) || !std::isfinite(settings.base_frequency))
    throw Error(fmt::format("a base frequency of {} Hz", settings.base_frequency), "it is positive");
  if (settings.starts < 1 || settings.starts > 100000)
    throw Error(fmt::format("{} random starts", settings.starts), "1 to 100000");
  if (settings.effort < 1 || settings.effort > 1000)
    throw Error(fmt::format("an effort of {}", settings.effort), "1 to 1000 times the usual number of iterations");
  if (!(settings.rate > 2 * settings.harmonics * settings.base_frequency))
    throw Error(fmt::format("{} samples per second cannot show the highest harmonic, {} Hz", settings.rate,
                            settings.harmonics * settings.base_frequency),
                "sample at more than twice that");
  check_regressor(task, settings.rate / settings.base_frequency);
  if (!settings.joint_harmonics.empty())
    for (int i = 0; i < n; ++i) {
      const int own = settings.joint_harmonics.at(static_cast<std::size_t>(i));
      if (own < 1 || own > settings.harmonics)
        throw Error(fmt::format("joint '{}' with {} harmonics", task.arm.joint(i).name, own),
                    fmt::format("1 to {}", settings.harmonics));
    }
  Excitation best = Design(task, settings, progress).run();
  if (best.stopped && !(best.condition < hopeless))
    throw Error("stopped before a motion that shows all parameters was found");
  if (!(best.condition < hopeless))
    throw Error(fmt::format("no motion that was found shows all {} parameters: condition number {:.2g}",
                            task.columns.count(), best.condition),
                "use more harmonics, or leave parameters out: --without");
  return best;
}

}  // namespace armature::identification
