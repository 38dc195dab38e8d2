#include "armature/identification/identify.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>

#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"
#include "armature/identification/internal/gathered.hpp"
#include "armature/identification/internal/joint_springs.hpp"
#include "armature/identification/internal/load_friction.hpp"
#include "armature/identification/internal/unmodelled_torque.hpp"
#include "armature/identification/judgement.hpp"

namespace armature::identification {

namespace {

constexpr double better = 0.99;       // of the error: what a law with more parameters must reach
constexpr double of_one_joint = 0.9;  // of a joint's error: what columns for it must reach

void say(const IdentifySettings& settings, const std::string& step) {
  if (settings.progress) settings.progress(step);
}

int parameters_of(const FrictionShape& shape) { return static_cast<int>(friction_parameter_names(shape).size()); }

/// The described inertia at several weights, which fall: how well held-out data are predicted.
std::vector<WeightTrial> weigh(const TorqueModel& model, const Evidence& evidence, const VecX<double>& noise,
                               const IdentifySettings& settings) {
  if (settings.reference_weight || !settings.trust_reference || !by_least_squares(settings.estimator)) return {};
  const std::vector<double> weights{1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1.0, 1e-1, 1e-2};
  const Folds folds = folds_of(evidence);
  std::vector<std::vector<PhysicalEstimate>> by_fold;
  for (const std::vector<Factor>& rest : folds.rest)
    by_fold.push_back(
        physical_estimates(model, rest, {.link_weights = settings.link_weights, .noise = noise}, weights));
  std::vector<WeightTrial> trials;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    std::size_t fold = 0;
    const CrossValidation trial =
        cross_validate(folds, [&](const std::vector<Factor>&) { return by_fold[fold++][k].x; });
    trials.push_back({weights[k], trial.total, trial.deviation});
  }
  return trials;
}

/// The largest weight of the reference with which held-out data are predicted no worse than one standard deviation
/// above the best (the rule of one standard error [Hastie2009, 7.10]): what the log does not contradict is believed.
double weight_of(const std::vector<WeightTrial>& trials, const IdentifySettings& settings) {
  if (settings.reference_weight) return *settings.reference_weight;
  if (!settings.trust_reference) return 1e-2;
  if (trials.empty()) return 1;  // left-out parts have no estimate of their own to judge by
  const auto lowest = std::min_element(trials.begin(), trials.end(),
                                       [](const WeightTrial& a, const WeightTrial& b) { return a.error < b.error; });
  return std::find_if(trials.begin(), trials.end(),
                      [&](const WeightTrial& t) { return t.error <= lowest->error + lowest->deviation; })
      ->weight;
}

/// How every choice is judged: by what the physically consistent fit, which is what is written, predicts of held-out data. Free numbers will not do:
/// where a motion shows little they predict a new one many times worse, whatever is chosen. Rows at standstill count for friction alone, which is
/// asked for there too; of bodies they say little, for any torque may hold a joint that sticks.
class Choice {
 public:
  Choice(const Arm& arm, const MotionSource& source, const IdentifySettings& settings)
      : arm_(arm), source_(source), settings_(settings) {}

  [[nodiscard]] CrossValidation error(TorqueModelSettings columns, const Processing& processing, JudgedRows judged) {
    columns.linearized_at = settled_load(arm_, source_, processing, columns);
    const TorqueModel model(arm_, columns);
    const Evidence evidence = gathered(model, source_, processing);
    const VecX<double> noise = least_squares(evidence).noise;
    if (!weight_) {
      first_ = {columns.rotors, processing.measured_velocity, noise, weigh(model, evidence, noise, settings_)};
      weight_ = weight_of(first_.weights, settings_);
    }
    return cross_validate(
        folds_of(evidence),
        [&](const std::vector<Factor>& rest) {
          return physical_estimate(model, rest,
                                   {.weight = *weight_, .link_weights = settings_.link_weights, .noise = noise})
              .x;
        },
        judged);
  }

  /// The described inertia at several weights with what was chosen in the end: where that is what came first, they are known already.
  [[nodiscard]] std::vector<WeightTrial> weights(const TorqueModel& model, const Processing& processing,
                                                 const Evidence& evidence, const VecX<double>& noise) const {
    const bool as_given = !settings_.choose_friction && !settings_.find_shape && !settings_.find_delay;
    const bool as_first = weight_ && first_.rotors == model.settings().rotors &&
                          first_.measured_velocity == processing.measured_velocity && first_.noise == noise;
    return as_given && as_first ? first_.weights : weigh(model, evidence, noise, settings_);
  }

 private:
  struct First {
    bool rotors = false, measured_velocity = false;
    VecX<double> noise;
    std::vector<WeightTrial> weights;
  };
  const Arm& arm_;
  const MotionSource& source_;
  const IdentifySettings& settings_;
  std::optional<double> weight_;  // of the reference: the one that suits the columns that come first
  First first_;                   // these columns
};

void choose_friction(const Arm& arm, const MotionSource& source, const IdentifySettings& settings, Choice& choice,
                     Identification& result, TorqueModelSettings& chosen) {
  const VecX<double> speed = typical_speeds(arm, source, result.processing);
  auto candidates = friction_candidates(speed);
  if (!takes_loads(settings.estimator))
    std::erase_if(candidates,
                  [](const auto& shapes) { return shapes.front().law == FrictionShape::Law::load_dependent; });
  for (const auto& shapes : candidates) {
    TorqueModelSettings trial = chosen;
    trial.friction = shapes;
    say(settings, "friction law " + to_string(shapes.front().law));
    const CrossValidation cross = choice.error(trial, result.processing, JudgedRows::all);
    FrictionTrial t{shapes.front(), {}};
    t.error.assign(cross.rms.data(), cross.rms.data() + cross.rms.size());
    result.friction_trials.push_back(t);
  }
  chosen.friction.clear();
  for (int i = 0; i < arm.dof(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    std::size_t best = 0;
    for (std::size_t c = 1; c < candidates.size(); ++c) {
      const double margin = parameters_of(candidates[c][k]) > parameters_of(candidates[best][k]) ? better : 1;
      if (result.friction_trials[c].error[k] < margin * result.friction_trials[best].error[k]) best = c;
    }
    chosen.friction.push_back(candidates[best][k]);
  }
}

/// What is not linear in the law, from the log; a shape that the log hardly shows is named.
void find_shapes(const Arm& arm, const MotionSource& source, const IdentifySettings& settings, Identification& result,
                 TorqueModelSettings& chosen) {
  const FrictionShape::Law law = settings.model.friction.front().law;
  say(settings, "shape of the friction law " + to_string(law));
  result.friction_shapes = find_friction_shapes(arm, source, result.processing, law);
  chosen.friction.clear();
  for (const FrictionFit& f : result.friction_shapes) chosen.friction.push_back(f.shape);
}

/// LuGre's law where the motion shows it: the steady law is found already, its friction goes, the bristles' comes.
void find_bristles(const MotionSource& source, const IdentifySettings& settings, Identification& r) {
  say(settings, "bristles of the LuGre law");
  r.lugre = find_lugre(Arm(r.arm), source, r.processing);
  int i = -1;
  for (JointDescription& joint : r.arm.joints) {
    if (joint.type == JointType::fixed) continue;
    const LuGreOfJoint& found = r.lugre[++i];
    if (found.reason.empty())
      joint.friction = found.fit.law;
    else
      r.warnings.push_back(
          fmt::format("joint {}: no LuGre law, {}; its Stribeck law stands in the arm file", i + 1, found.reason));
  }
}

/// What the bodies are fitted to: the log, or, where the estimate is another than that of least squares, equations of the same weight that
/// the estimate solves.
std::vector<Factor> evidence_for_bodies(const Evidence& evidence, const Estimate& estimate, Estimator by) {
  std::vector<Factor> joints;
  for (int j = 0; j < evidence.dof(); ++j) {
    joints.push_back(evidence.whole(j));
    if (by_least_squares(by)) continue;
    const RowMatrix R = joints.back().reduced();
    Factor centred(evidence.columns());
    for (Eigen::Index r = 0; r < R.rows(); ++r)
      centred.add(R.row(r).data(), R.row(r).head(evidence.columns()).dot(estimate.x));
    joints.back() = centred;
  }
  return joints;
}

std::vector<LinkVerdict> verdicts(const Arm& arm, const PhysicalEstimate& physical) {
  std::vector<LinkVerdict> links;
  const LinkParameters<double> described = link_parameters(arm);
  for (int i = 0; i < arm.dof(); ++i) {
    LinkVerdict v;
    const InertiaParameters<double> p = physical.links.segment<10>(10 * i), before = described.segment<10>(10 * i);
    v.body = judge_body(inertia_from_parameters<double>(p));
    v.mass = p[0];
    const Eigen::Matrix4d P = pseudo_inertia(p), P0 = pseudo_inertia(before);
    const Eigen::Matrix3d own = P.topLeftCorner<3, 3>() - P.col(3).head<3>() * P.row(3).head<3>() / P(3, 3);
    const Eigen::Vector3d thickness = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(own).eigenvalues();
    v.thinnest = thickness[0] / thickness[2];
    v.at_the_edge = v.thinnest < 1e-4;
    if (P0.llt().info() == Eigen::Success) {
      const Eigen::Matrix4d ratio = P0.inverse() * P;
      v.moved = ratio.trace() - std::log(std::max(ratio.determinant(), 1e-300)) - 4;
    }
    links.push_back(v);
  }
  return links;
}

/// The balance of energy is one equation for all joints: where the motion shows it poorly, noise of the positions biases it unseen.
void warn_of_contradiction(const Estimate& weighted, Identification& r) {
  int compared = 0, apart = 0;
  for (Eigen::Index k = 0; k < weighted.x.size(); ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (!weighted.determined[i] || !r.estimate.determined[i]) continue;
    const int column = static_cast<int>(k);
    const double both = std::hypot(weighted.half_width(column), r.estimate.half_width(column));
    ++compared;
    apart += std::abs(weighted.x[k] - r.estimate.x[k]) > 1.5 * both;
  }
  if (5 * apart <= compared) return;
  r.warnings.push_back(fmt::format(
      "the energy balance and weighted least squares contradict each other in {} of {} parameters: the motion "
      "shows its energies poorly for the noise of its positions, and intervals are too narrow (wls is the "
      "safer estimator)",
      apart, compared));
}

}  // namespace

std::vector<std::vector<FrictionShape>> friction_candidates(const VecX<double>& speed) {
  std::vector<std::vector<FrictionShape>> all;
  const auto add = [&](auto&& shape_of) {
    std::vector<FrictionShape> shapes;
    for (const double v : speed) shapes.push_back(shape_of(v));
    all.push_back(shapes);
  };
  using Law = FrictionShape::Law;
  add([](double) { return FrictionShape{Law::none}; });
  add([](double) { return FrictionShape{Law::coulomb_viscous}; });
  for (const double share : {0.02, 0.05, 0.1, 0.2, 0.4})
    add([&](double v) { return FrictionShape{Law::coulomb_viscous, share * v}; });
  add([](double) { return FrictionShape{Law::asymmetric}; });
  for (const double share : {0.1, 0.3}) add([&](double v) { return FrictionShape{Law::stribeck, 0, share * v}; });
  add([](double) { return FrictionShape{Law::load_dependent}; });
  for (const double share : {0.01, 0.02, 0.04})
    add([&](double v) {
      return FrictionShape{Law::sigmoids, 0, 0.1, {1 / (share * v), 1 / (5 * share * v), 1 / (25 * share * v)}};
    });
  return all;
}

namespace {

/// Whether what has more columns predicts held-out data so much better that it is worth them: all joints together by a hundredth or, without loss to
/// them all, one joint by a tenth. The torques of a wrist hardly show among those of a shoulder, and rotors often are most of its inertia.
bool earns_its_columns(const CrossValidation& more, const CrossValidation& fewer) {
  return more.total < better * fewer.total ||
         (more.total <= fewer.total && (more.rms.array() < of_one_joint * fewer.rms.array()).any());
}

/// Whether measured velocities are used and rotor inertias estimated. Both are tried together, for either may look bad by the fault of the
/// other: accelerations that are wrong are rotors that are wrong. What is more than positions and links must earn it: torque sensors behind the
/// gears do not feel rotors, and columns for them only fit noise.
void choose_columns(const MotionSource& source, const IdentifySettings& settings, Choice& choice, Identification& r,
                    TorqueModelSettings& chosen) {
  const bool velocity = settings.choose_velocity && source.velocities && !r.processing.measured_velocity &&
                        r.processing.motion == Processing::Motion::filter;
  const bool rotors = settings.choose_rotors && chosen.rotors;
  if (!velocity && !rotors) return;
  struct Way {
    bool measured, rotors;
    [[nodiscard]] int more() const { return static_cast<int>(measured) + static_cast<int>(rotors); }
  };
  std::map<std::pair<bool, bool>, CrossValidation> errors;  // by velocity and rotors
  const Processing positions = r.processing;
  const TorqueModelSettings columns = chosen;
  Way best{positions.measured_velocity, columns.rotors && !rotors};
  for (const bool measured : {false, true})
    for (const bool with : {false, true}) {
      if ((measured != positions.measured_velocity && !velocity) || (with != columns.rotors && !rotors)) continue;
      say(settings, measured ? "measured velocities" : "rotor inertias");
      const Way way{measured, with};
      Processing processing = positions;
      processing.measured_velocity = measured;
      TorqueModelSettings model = columns;
      model.rotors = with;
      const CrossValidation& error = errors[{measured, with}] = choice.error(model, processing, JudgedRows::moving);
      const CrossValidation& least = errors[{best.measured, best.rotors}];
      if (way.more() > best.more() ? earns_its_columns(error, least) : error.total < least.total) best = way;
    }
  r.processing.measured_velocity = best.measured;
  chosen.rotors = best.rotors;
  const auto percent_of = [&](bool measured, bool with) { return 100 * errors[{measured, with}].total; };
  if (velocity)
    r.choices.push_back(fmt::format(
        "{}, {:.2f} % with them, {:.2f} % without",
        best.measured
            ? "the log's own velocities are used, which lower the held-out error"
            : "velocities are derived from the positions; the log's own do not clearly lower the held-out error",
        percent_of(true, best.rotors), percent_of(false, best.rotors)));
  if (rotors)
    r.choices.push_back(
        fmt::format("rotor inertias are {} the held-out error, {:.2f} % with them, {:.2f} % without",
                    best.rotors ? "estimated, which lowers" : "not estimated, which would not clearly lower",
                    percent_of(best.measured, true), percent_of(best.measured, false)));
}

/// Which joints have a torque in the sine and cosine of their angle: those whose held-out error falls by a tenth with it. A log that is not
/// explained even so is another arm's, or wrong, and shall not look better by columns that nobody described.
void choose_springs(const Arm& arm, const MotionSource& source, const IdentifySettings& settings, Choice& choice,
                    Identification& r, TorqueModelSettings& chosen) {
  constexpr double fair = 0.1;
  if (!settings.choose_springs || !settings.choose_friction) return;
  TorqueModelSettings trial = chosen;
  trial.springs = joints_that_show_springs(arm, source, r.processing);
  if (trial.springs.empty()) return;
  say(settings, "torques periodic in the angle");
  const CrossValidation without = choice.error(chosen, r.processing, JudgedRows::moving);
  CrossValidation with = choice.error(trial, r.processing, JudgedRows::moving);
  const std::size_t tried = trial.springs.size();
  std::erase_if(trial.springs, [&](int i) { return with.rms[i] >= of_one_joint * without.rms[i]; });
  if (trial.springs.empty()) return;
  if (trial.springs.size() < tried) with = choice.error(trial, r.processing, JudgedRows::moving);
  if (!earns_its_columns(with, without) || with.total > fair) return;
  chosen.springs = trial.springs;
  for (const int i : chosen.springs)
    r.choices.push_back(
        fmt::format("joint {} has a torque in the sine and cosine of its angle: held-out error {:.1f} % with "
                    "it, {:.1f} % without",
                    i + 1, 100 * with.relative[i], 100 * without.relative[i]));
}

/// A log that least squares cannot explain has no motion that is worth simulating: its refusal comes before the long search, not after.
void refuse_early(const Arm& arm, const MotionSource& source, const IdentifySettings& settings, const Identification& r,
                  const TorqueModelSettings& chosen) {
  IdentifySettings plain = settings;
  plain.estimator = Estimator::weighted;
  plain.model = chosen;
  plain.processing = r.processing;
  plain.choose_friction = plain.choose_rotors = plain.choose_velocity = plain.choose_springs = false;
  plain.find_shape = plain.find_delay = plain.lugre = false;
  (void)identify(arm, source, plain);
}

Identification identify_with_found_gravity(const Arm& arm, const MotionSource& source,
                                           const IdentifySettings& settings) {
  say(settings, "direction of gravity");
  const Processing processing = default_processing(settings.processing, source, arm.dof());
  TorqueModelSettings columns = settings.model;
  // a law that bends as friction may: what it lacks would turn gravity
  if (settings.choose_friction || settings.find_shape)
    columns.friction = friction_candidates(typical_speeds(arm, source, processing)).back();
  const FoundGravity found = find_gravity(arm, source, processing, columns);
  ArmDescription tilted = arm.description();
  tilted.gravity = found.gravity;
  IdentifySettings rest = settings;
  rest.find_gravity = false;
  Identification r = identify(Arm(std::move(tilted)), source, rest);
  r.gravity = found;
  return r;
}

}  // namespace

Identification identify(const Arm& arm, const MotionSource& source, const IdentifySettings& settings) {
  if (depends_on_load(settings.model) && !settings.choose_friction && !takes_loads(settings.estimator))
    throw Error(
        "friction that depends on the load is estimated from equations of the torques, not from energies or by "
        "simulation",
        "another estimator: wls, irls, ml");
  if (settings.find_gravity) return identify_with_found_gravity(arm, source, settings);
  Identification r;
  r.step = source.step;
  r.processing = default_processing(settings.processing, source, arm.dof());
  TorqueModelSettings chosen = settings.model;
  Choice choice(arm, source, settings);
  choose_columns(source, settings, choice, r, chosen);
  choose_springs(arm, source, settings, choice, r, chosen);
  if (settings.choose_friction)
    choose_friction(arm, source, settings, choice, r, chosen);
  else if (settings.find_shape)
    find_shapes(arm, source, settings, r, chosen);
  chosen.linearized_at = settled_load(arm, source, r.processing, chosen);
  r.model = std::make_shared<const TorqueModel>(arm, chosen);
  const TorqueModel& model = *r.model;
  if (settings.find_delay) {
    say(settings, "delay of the torques");
    r.delay = find_torque_delay(model, source, r.processing);
    r.processing.torque_delay = r.delay->delay;
  }
  say(settings, "equations");
  const Evidence evidence = gathered(model, source, r.processing);
  for (int j = 0; j < arm.dof(); ++j) r.rows += evidence.whole(j).rows();
  if (settings.estimator == Estimator::output_error) {
    refuse_unsimulable(model, source, r.processing);
    refuse_early(arm, source, settings, r, chosen);
  }
  say(settings, "parameters");
  r.estimate = estimate_by(settings.estimator, settings.estimation, model, source, r.processing, evidence);
  if (settings.estimator == Estimator::energy) warn_of_contradiction(least_squares(evidence), r);
  if (by_least_squares(settings.estimator)) {
    const UnmodelledTorque unmodelled =
        unmodelled_torque(model, source, r.processing, r.estimate, settings.estimator == Estimator::weighted);
    r.estimate.covariance += unmodelled.covariance;
    r.unmodelled = unmodelled.size;
  }
  r.training = training_error(evidence, r.estimate.x);
  r.held_out_runs = folds_of(evidence).runs;
  r.cross = cross_validate(evidence, {.weighted = settings.estimator != Estimator::ordinary});
  say(settings, "weight of the reference");
  r.weight_trials = choice.weights(model, r.processing, evidence, r.estimate.noise);
  r.reference_weight = weight_of(r.weight_trials, settings);
  const PhysicalSettings physical{
      .weight = r.reference_weight, .link_weights = settings.link_weights, .noise = r.estimate.noise};
  r.physical = physical_estimate(model, evidence_for_bodies(evidence, r.estimate, settings.estimator), physical);
  r.physical_training = training_error(evidence, r.physical.x);
  if (by_least_squares(settings.estimator))
    r.physical_cross = cross_validate(folds_of(evidence), [&](const std::vector<Factor>& rest) {
      return physical_estimate(model, rest, physical).x;
    });
  r.links = verdicts(arm, r.physical);
  say(settings, "judgement");
  const bool may_lower = settings.processing.cutoff == 0 && settings.processing.parallel_cutoff == 0 &&
                         settings.processing.motion == Processing::Motion::filter &&
                         by_least_squares(settings.estimator);
  if (const std::optional<double> cutoff = judge(arm, source, r, may_lower, settings.trust_reference)) {
    IdentifySettings quieter = settings;
    quieter.processing.cutoff = *cutoff;
    quieter.processing.parallel_cutoff = 0.4 * *cutoff;
    Identification again = identify(arm, source, quieter);
    again.choices.insert(again.choices.begin(), r.choices.back());
    return again;
  }
  say(settings, "prediction");
  PredictionRecorder recorder(arm, source.step * r.processing.decimation);
  stream_equations(source, model, r.processing, [&](const SampleEquations& s) {
    recorder.add(s.time, s.motion, s.torque + s.known, VecX<double>(s.rows * r.physical.x) + s.known, s.counts);
  });
  r.prediction = recorder.finish(fmt::format("{}: identified from a log", arm.name()));
  r.arm = identified_arm(model, r.physical, "identified");
  if (settings.lugre) find_bristles(source, settings, r);
  return r;
}

}  // namespace armature::identification
