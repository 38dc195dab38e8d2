#include "armature/identification/identify.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>

#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"

namespace armature {

namespace {

constexpr double better = 0.99;      // of the error: what a law with more parameters must reach
constexpr double unexplained = 0.6;  // relative error above which nothing was identified
constexpr double most_binding = 4;   // bodies may fit this much worse than free numbers (squares, per equation)

void say(const IdentifySettings& settings, const std::string& step) {
  if (settings.progress) settings.progress(step);
}

/// RMS speed of each joint while it moves.
VecX<double> typical_speeds(const Arm& arm, const MotionSource& source, const Processing& processing) {
  TorqueModelSettings nothing;
  nothing.nothing_estimated = true;
  const TorqueModel model(arm, nothing);
  VecX<double> squares = VecX<double>::Zero(arm.dof()), count = squares;
  Processing p = processing;
  p.parallel_cutoff = 0;
  stream_equations(source, model, p, [&](const SampleEquations& s) {
    for (int i = 0; i < arm.dof(); ++i)
      if (s.counts[static_cast<std::size_t>(i)]) squares[i] += s.motion.qd[i] * s.motion.qd[i], ++count[i];
  });
  for (int i = 0; i < arm.dof(); ++i) squares[i] = std::max(std::sqrt(squares[i] / std::max(count[i], 1.0)), 1e-4);
  return squares;
}

Evidence gather(const TorqueModel& model, const MotionSource& source, const Processing& processing) {
  Evidence evidence(model);
  stream_equations(source, model, processing, [&](const SampleEquations& s) { evidence.add(s); });
  evidence.finish();
  if (evidence.parts() == 0)
    throw Error("no equation is left after processing",
                "is the time window inside the log, and does anything move faster than the standstill threshold?");
  return evidence;
}

int parameters_of(const FrictionShape& shape) { return static_cast<int>(friction_parameter_names(shape).size()); }

void choose_friction(const Arm& arm, const MotionSource& source, const IdentifySettings& settings,
                     Identification& result, TorqueModelSettings& chosen) {
  const VecX<double> speed = typical_speeds(arm, source, result.processing);
  const auto candidates = friction_candidates(speed);
  for (const auto& shapes : candidates) {
    TorqueModelSettings trial = settings.model;
    trial.friction = shapes;
    say(settings, "friction law " + to_string(shapes.front().law));
    const TorqueModel model(arm, trial);
    const Evidence evidence = gather(model, source, result.processing);
    const CrossValidation cross = cross_validate(evidence, {});
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

Equations remember(const TorqueModel& model, const MotionSource& source, const Processing& processing) {
  EquationStore store(model);
  stream_equations(source, model, processing, [&](const SampleEquations& s) { store.add(s); });
  return store.take();
}

/// The columns at the motion that was asked for, at the equations' samples.
RowMatrix instruments(const TorqueModel& model, const MotionSource& source, const Processing& processing,
                      const Equations& e) {
  if (!source.reference)
    throw Error("instruments need the motion that was asked for",
                "name the columns of the reference in the map: reference: q_ref{}");
  MotionSource wanted = source;
  wanted.velocities = false;
  wanted.for_each = [&source](const MotionSource::Sample& sample) {
    source.for_each([&](const double*, const double*, const double* tau, const double* reference) {
      sample(reference, nullptr, tau, nullptr);
    });
  };
  Processing p = processing;
  p.measured_velocity = false;
  RowMatrix Z(e.rows(), e.columns());
  Eigen::Index row = 0;
  stream_equations(wanted, model, p, [&](const SampleEquations& s) {
    while (row < e.rows() && e.time[static_cast<std::size_t>(row)] == s.time)
      Z.row(row) = s.rows.row(e.joint[static_cast<std::size_t>(row)]), ++row;
  });
  return Z.topRows(row);
}

Estimate estimate(const TorqueModel& model, const MotionSource& source, const IdentifySettings& settings,
                  const Processing& processing, const Evidence& evidence) {
  const Estimate weighted = least_squares(evidence, {.weighted = settings.estimator != Estimator::ordinary});
  if (settings.estimator == Estimator::ordinary || settings.estimator == Estimator::weighted) return weighted;
  if (static_cast<double>(model.size()) * evidence.samples() * model.dof() > 5e8)
    throw Error("this estimator keeps all equations in memory, and there are too many",
                "use weighted least squares, or a larger --decimation");
  const Equations e = remember(model, source, processing);
  switch (settings.estimator) {
    case Estimator::robust:
      return robust_least_squares(e);
    case Estimator::likelihood:
      return maximum_likelihood(e);
    case Estimator::instruments:
      return instrumental_variables(e, instruments(model, source, processing, e));
    case Estimator::total: {
      // Accelerations carry what noise there is: columns of inertia as noisy, relative to their size, as the torque; friction exact.
      Eigen::VectorXd error = Eigen::VectorXd::Zero(model.size());
      const double rows = static_cast<double>(e.rows());
      for (int c = 0; c < model.base().count(); ++c)
        error[c] = weighted.determined[static_cast<std::size_t>(c)]
                       ? 0.01 * std::sqrt(e.A.col(c).squaredNorm() / rows) / weighted.noise.mean()
                       : 0;
      return total_least_squares(e, error, weighted.noise);
    }
    default:
      return weighted;
  }
}

/// The largest weight of the reference with which left-out parts of the log are predicted no worse than one standard deviation
/// above the best (the rule of one standard error [Hastie2009, 7.10]): what the log does not contradict is believed.
double choose_weight(const TorqueModel& model, const Evidence& evidence, const IdentifySettings& settings,
                     Identification& result) {
  if (settings.reference_weight) return *settings.reference_weight;
  if (!settings.trust_reference) return 1e-2;
  const Folds folds = folds_of(evidence);
  std::vector<CrossValidation> trials;
  std::size_t best = 0;
  for (const double weight : {1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6}) {
    say(settings, fmt::format("reference with weight {:g}", weight));
    const PhysicalSettings physical{.weight = weight, .noise = result.estimate.noise};
    trials.push_back(cross_validate(
        folds, [&](const std::vector<Factor>& rest) { return physical_estimate(model, rest, physical).x; }));
    result.weight_trials.push_back({weight, trials.back().total, trials.back().deviation});
    if (trials.back().total < trials[best].total) best = trials.size() - 1;
  }
  double chosen = result.weight_trials[best].weight;
  for (const WeightTrial& trial : result.weight_trials)
    if (trial.error <= trials[best].total + trials[best].deviation) chosen = std::max(chosen, trial.weight);
  return chosen;
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

void check_explained(const Identification& r) {
  if (r.cross.total > unexplained)
    throw Error(
        fmt::format(
            "the log is not explained: left-out parts of it are predicted with an error of {:.0f} % of the torques",
            100 * r.cross.total),
        "is it the log of another arm, are columns mixed up or in another unit (--map), or does the arm touch "
        "something?");
  const double binding = std::pow(r.physical_training.total / std::max(r.training.total, 1e-12), 2);
  if (binding > most_binding && r.physical_training.total > 0.1)
    throw Error(fmt::format("no arm of these joints moves like this: bodies that can exist leave {:.1f} % of the "
                            "torques unexplained, free numbers {:.1f} %",
                            100 * r.physical_training.total, 100 * r.training.total),
                "is it the log of another arm, or in another unit (--map)? Is gravity right?");
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
  add([](double) { return FrictionShape{Law::coulomb_viscous}; });
  for (const double share : {0.02, 0.05, 0.1, 0.2, 0.4})
    add([&](double v) { return FrictionShape{Law::coulomb_viscous, share * v}; });
  for (const double share : {0.0, 0.05, 0.2}) add([&](double v) { return FrictionShape{Law::asymmetric, share * v}; });
  for (const double share : {0.1, 0.3})
    add([&](double v) { return FrictionShape{Law::stribeck, 0.02 * v, share * v}; });
  add([](double v) { return FrictionShape{Law::sigmoids, 0, 0.1, {1 / (0.02 * v), 1 / (0.1 * v), 1 / (0.5 * v)}}; });
  return all;
}

Identification identify(const Arm& arm, const MotionSource& source, const IdentifySettings& settings) {
  Identification r;
  r.step = source.step;
  r.processing = usual_processing(settings.processing, source.step);
  TorqueModelSettings chosen = settings.model;
  if (settings.choose_friction) choose_friction(arm, source, settings, r, chosen);
  r.model = std::make_shared<const TorqueModel>(arm, chosen);
  const TorqueModel& model = *r.model;
  say(settings, "equations");
  const Evidence evidence = gather(model, source, r.processing);
  for (int j = 0; j < arm.dof(); ++j) r.rows += evidence.whole(j).rows();
  say(settings, "parameters");
  r.estimate = estimate(model, source, settings, r.processing, evidence);
  r.training = training_error(evidence, r.estimate.x);
  r.cross = cross_validate(evidence, {.weighted = settings.estimator != Estimator::ordinary});
  r.reference_weight = choose_weight(model, evidence, settings, r);
  const PhysicalSettings physical{.weight = r.reference_weight, .noise = r.estimate.noise};
  r.physical = physical_estimate(model, evidence, physical);
  r.physical_training = training_error(evidence, r.physical.x);
  r.physical_cross = cross_validate(
      folds_of(evidence), [&](const std::vector<Factor>& rest) { return physical_estimate(model, rest, physical).x; });
  r.links = verdicts(arm, r.physical);
  check_explained(r);
  say(settings, "prediction");
  PredictionRecorder recorder(arm, source.step * r.processing.decimation);
  stream_equations(source, model, r.processing, [&](const SampleEquations& s) {
    recorder.add(s.time, s.motion, s.torque + s.known, VecX<double>(s.rows * r.physical.x) + s.known, s.counts);
  });
  r.prediction = recorder.finish(fmt::format("{}: identified from a log", arm.name()));
  r.arm = identified_arm(model, r.physical, "identified", r.warnings);
  return r;
}

}  // namespace armature
