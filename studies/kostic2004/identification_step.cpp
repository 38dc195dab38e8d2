// Sections IV.C.2, 4 and 5: the excitation under PD with the Kalman observer, least squares, and the model in the writing task.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/control/compensation.hpp"
#include "armature/control/joint_pd.hpp"
#include "armature/control/term_sum.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/estimators.hpp"
#include "armature/identification/excitation_path.hpp"
#include "armature/record/filter.hpp"
#include "kostic2004/estimation.hpp"
#include "kostic2004/parts.hpp"
#include "kostic2004/writing.hpp"

namespace armature::studies::kostic2004 {

PdGains pd_gains(const Arm& arm, double frequency, double damping) {
  const VecX<double> J = mass_matrix<double>(arm, VecX<double>::Zero(joints)).diagonal();
  const double w = 2 * pi * frequency;
  return {J * (w * w), J * (2 * damping * w)};
}

KalmanMotionObserver observer(const VecX<double>& jerk) {
  return KalmanMotionObserver({.tick = tick, .resolution = VecX<double>::Constant(joints, resolution), .jerk = jerk});
}

namespace {

constexpr int periods = 8;  // measured, after one that is not used (ours)

/// The arm with these base parameters: of all bodies that have them, the nearest to the arm's own.
Arm with_parameters(const Arm& arm, const ParameterColumns& columns, const Eigen::VectorXd& p) {
  const Eigen::VectorXd own = link_parameters(arm);
  const Eigen::VectorXd changed = own + columns.columns * (p - columns.grouping * own);
  std::vector<Body> bodies = arm.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const InertiaParameters<double> link =
        changed.segment<parameters_per_link>(static_cast<Eigen::Index>(parameters_per_link * i));
    bodies[i].inertia = seen_from(bodies[i].X_BL, inertia_from_parameters<double>(link));
  }
  return arm.with_bodies(std::move(bodies));
}

/// As the paper has it: friction of the Kalman filter, all joints alike, below 10 Hz.
const EstimationSettings as_printed{.friction_jointly = false, .weighted = false, .cutoff = 10};

/// How far the estimate is off without each of the things that it rests on.
LogTable what_matters(const Arm& believed, const ParameterColumns& columns, const ExperimentData& smoothed,
                      const ExperimentData& observed, const Eigen::VectorXd& truth) {
  LogTable table{"What the small parameters rest on",
                 {"motion", "friction", "joints", "low-pass [Hz]", "within 2 %", "farthest off", "by"},
                 {}};
  const auto row = [&](bool lags, const EstimationSettings& settings) {
    const Estimate e = estimate_parameters(believed, columns, lags ? observed : smoothed, settings);
    const Eigen::ArrayXd off = (e.x.head(truth.size()) - truth).array() / truth.array();
    Eigen::Index worst = 0;
    off.abs().maxCoeff(&worst);
    table.rows.push_back({lags ? "observer as it runs" : "forwards and backwards",
                          settings.friction_jointly ? "estimated jointly" : "from the Kalman filter",
                          settings.weighted ? "weighted" : "all alike", fmt::format("{:g}", settings.cutoff),
                          fmt::format("{} of {}", (off.abs() <= 0.02).count(), truth.size()), columns.names[worst],
                          fmt::format("{:.1f} %", 100 * off[worst])});
  };
  row(true, as_printed);
  row(true, {});
  row(false, {.friction_jointly = false});
  row(false, {.weighted = false});
  row(false, {.cutoff = 10});
  row(false, {});
  return table;
}

/// Fig 12: the estimate as data come in, from the first period on, by recursive least squares that begins knowing nothing.
Figure convergence(const Arm& believed, const ParameterColumns& columns, const ExperimentData& d,
                   const VecX<double>& noise, const Eigen::VectorXd& truth) {
  Figure figure{"Fig. 12", "Convergence of the estimates", {"time", "s"}, {"estimate over truth", ""}, {}};
  for (const std::string& name : columns.names) figure.series.push_back({name, {}, {}});
  const Equations e = experiment_equations(believed, columns, d, {}, 0, d.samples());
  RecursiveLeastSquares estimate(Eigen::VectorXd::Zero(e.columns()), Eigen::VectorXd::Constant(e.columns(), 1e3));
  for (Eigen::Index row = 0; row < e.rows(); ++row) {
    const auto k = static_cast<std::size_t>(row);
    estimate.update(e.A.row(row).transpose(), e.y[row], noise[e.joint[k]]);
    if (e.time[k] < 1 || e.joint[k] < joints - 1) continue;  // before that, fewer movements than parameters
    for (Eigen::Index c = 0; c < truth.size(); ++c) {
      figure.series[c].x.push_back(e.time[k]);
      figure.series[c].y.push_back(estimate.x()[c] / truth[c]);
    }
  }
  return figure;
}

VecX<double> largest_jerk(const FourierPath& path) {
  VecX<double> jerk = VecX<double>::Zero(joints);
  JointMotion before, after;
  const double h = 1e-4;
  for (double t = 0; t < path.duration(); t += 2e-3) {
    path.at(t - h, before);
    path.at(t + h, after);
    jerk = jerk.cwiseMax((after.qdd - before.qdd).cwiseAbs() / (2 * h));
  }
  return jerk;
}

AnyController pd_with_friction(const Arm& believed, const PdGains& gains, const VecX<double>& jerk) {
  return AnyController(
      Observed(observer(jerk),
               AnyController(TermSum(joints, terms(Term{"pd", AnyController(JointPd{gains.kp, gains.kd})},
                                                   Term{"friction", AnyController(FrictionCompensation(believed))})))));
}

/// Figs 7 and 10.
void observer_claims(const Log& log, const KalmanMotionObserver& o, const VecX<double>& jerk,
                     std::vector<Claim>& claims, Log& figure) {
  double worst = 0, smooth = 0, rough = 0;
  figure.title = "Kalman motion observer";
  for (int i = 0; i < joints; ++i) {
    const auto &measured = channel(log, "q_meas", i), &q = channel(log, "part_observed_q", i),
               &a = channel(log, "part_observed_qdd", i), &reference = channel(log, "a_ref", i);
    double own_smooth = 0, own_rough = 0;
    std::vector<double> difference;
    for (std::size_t k = 0; k < q.size(); ++k) difference.push_back(measured[k] - q[k]);
    for (std::size_t k = 2000; k < q.size(); ++k) {
      worst = std::max(worst, std::abs(difference[k]));
      const double twice = (measured[k] - 2 * measured[k - 1] + measured[k - 2]) / (tick * tick);
      // noise: what changes from one sample to the next beyond what the reference does
      const double now = a[k] - a[k - 1] - (reference[k] - reference[k - 1]);
      const double before = (measured[k - 1] - 2 * measured[k - 2] + measured[k - 3]) / (tick * tick);
      const double raw = twice - before - (reference[k - 1] - reference[k - 2]);
      own_smooth += now * now;
      own_rough += raw * raw;
    }
    smooth += own_smooth;
    rough += own_rough;
    figure.time = log.time;
    figure.add(fmt::format("difference{}", i + 1), "rad").values = difference;
    figure.add(fmt::format("speed{}", i + 1), "rad/s").values = channel(log, "part_observed_qd", i);
    figure.add(fmt::format("acceleration{}", i + 1), "rad/s^2").values = a;
    Spectrum bode{fmt::format("joint {}: measured to reconstructed deviation", i + 1),
                  "e",
                  "e reconstructed",
                  "",
                  {},
                  {},
                  {},
                  "Fig. 7"};
    for (int k = 0; k <= 300; ++k) {
      bode.frequency.push_back(0.5 * std::pow(990.0, k / 300.0));
      bode.response.push_back(o.filter(i).response(bode.frequency.back(), 0, tick));
    }
    figure.spectra.push_back(bode);
  }
  figure.time_figures = {
      {"Fig. 10(a)", "Measured less reconstructed positions", {"difference1", "difference2", "difference3"}},
      {"Fig. 10(b)", "Reconstructed speeds", {"speed1", "speed2", "speed3"}},
      {"Fig. 10(c)", "Reconstructed accelerations", {"acceleration1", "acceleration2", "acceleration3"}}};
  claims.push_back(
      {"observer", "the Kalman observer reconstructs the motion from the encoder", "within 5e-4 rad (Fig. 10)",
       fmt::format("within {:.1e} rad", worst), worst < 5e-4,
       fmt::format("variances from the resolution and the reference's jerk, {:.0f}, {:.0f}, {:.0f} rad/s^3", jerk[0],
                   jerk[1], jerk[2])});
  claims.push_back({"observer noise", "its acceleration is quieter than that of the differenced encoder",
                    "\"low presence of noise\"", fmt::format("{:.0f} times quieter", std::sqrt(rough / smooth)),
                    rough > 25 * smooth,
                    "r.m.s. change from sample to sample beyond that of the reference; 5 times is asked for"});
}

/// The writing task under PD, its torques below 10 Hz, where the paper takes the arm for rigid; and those of models in the same motion.
class WritingTorques {
 public:
  explicit WritingTorques(const Laboratory& lab) : sections_(butterworth(4, 10, 1 / tick)) {
    const WritingTask task = writing_task(lab.rigid_arm());
    const VecX<double> jerk = VecX<double>::Constant(joints, 3000);
    const PdGains gains = pd_gains(lab.rigid_arm(), 5, 0.8);
    AnyController law(Observed(observer(jerk), AnyController(JointPd{gains.kp, gains.kd})));
    const Log log = lab.run(law, follow(task), task.duration(), task.motion.front().q);
    motion_ = smoothed_data(log, jerk);
    time_ = log.time;
    measured_ = slow(motion_.tau);
  }
  [[nodiscard]] Eigen::MatrixXd of_model(const Arm& arm, const ParameterColumns& columns,
                                         const Eigen::VectorXd& p) const {
    return slow(rigid_along(arm, columns, motion_, p) + friction_along(arm, motion_.v));
  }
  /// Share of each joint's torque, r.m.s.
  [[nodiscard]] VecX<double> error(const Eigen::MatrixXd& model) const {
    const Eigen::Index kept = measured_.cols() - 500;  // the observer and the base have settled
    VecX<double> e(joints);
    for (int i = 0; i < joints; ++i)
      e[i] = (model - measured_).row(i).tail(kept).norm() / measured_.row(i).tail(kept).norm();
    return e;
  }
  [[nodiscard]] Log figure(const Eigen::MatrixXd& model) const {
    Log log;
    log.title = "Validation in the writing task";
    log.time = time_;
    for (int i = 0; i < joints; ++i) {
      const std::string name = std::to_string(i + 1);
      const Eigen::VectorXd pd = measured_.row(i), row = model.row(i);
      log.add("pd" + name, "N m").values.assign(pd.begin(), pd.end());
      log.add("model" + name, "N m").values.assign(row.begin(), row.end());
      log.time_figures.push_back({"Fig. 14",
                                  "Joint " + name + ": torque of the PD controller and of the model",
                                  {"pd" + name, "model" + name}});
    }
    return log;
  }

 private:
  [[nodiscard]] Eigen::MatrixXd slow(Eigen::MatrixXd x) const {
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      const Eigen::RowVectorXd row = x.row(i);
      const std::vector<double> smooth = filter_zero_phase(sections_, std::vector<double>(row.begin(), row.end()));
      x.row(i) = Eigen::Map<const Eigen::RowVectorXd>(smooth.data(), x.cols());
    }
    return x;
  }
  std::vector<Section> sections_;
  ExperimentData motion_;
  std::vector<double> time_;
  Eigen::MatrixXd measured_;
};

std::string percents(const VecX<double>& shares) {
  return fmt::format("{:.1f}, {:.1f}, {:.1f} %", 100 * shares[0], 100 * shares[1], 100 * shares[2]);
}

/// Table V by the paper's own procedure: what it finds, and what that is worth in Fig 14.
Claim printed_procedure(const Arm& believed, const ParameterColumns& columns, const ExperimentData& observed,
                        const Eigen::VectorXd& truth, const WritingTorques& writing) {
  const Eigen::VectorXd p = estimate_parameters(believed, columns, observed, as_printed).x.head(columns.count());
  const Eigen::ArrayXd off = ((p - truth).array() / truth.array()).abs();
  Eigen::Index worst = 0;
  off.maxCoeff(&worst);
  const VecX<double> error = writing.error(writing.of_model(believed, columns, p));
  return {"base parameters",
          "thirteen base parameters by least squares under PD, as the paper does it",
          "Table V, Fig. 12; \"a close match\" (Fig. 14)",
          fmt::format("{} of 13 within 2 % of the truth, {} off by {:.0f} %; their torques in the writing task are off "
                      "by {}",
                      (off <= 0.02).count(), columns.names[worst], 100 * off[worst], percents(error)),
          error.maxCoeff() <= 0.05,
          "5 % of the torque a joint is asked for: the paper knows no true parameters, and neither does the writing "
          "task feel the small ones. Observer as it runs, friction of the Kalman filter, joints all alike, 10 Hz"};
}

/// Table V from the mean period, and what of it is right.
Claim table_v(const ParameterColumns& columns, const Estimate& found, const Eigen::VectorXd& truth, Log& result) {
  const Eigen::VectorXd p = found.x.head(columns.count());
  LogTable table{"Table V", {"parameter", "paper", "true here", "estimated", "off by", "95 % interval ±"}, {}};
  const char* printed[] = {"0.2921",  "-0.0142", "0.17306", "0.07452", "-0.0079", "0.8180", "-0.0116",
                           "-0.0671", "0.0062",  "-0.3434", "0.3947",  "0.0440",  "1.5541"};
  int good = 0;
  std::string exceptions;
  for (int k = 0; k < columns.count(); ++k) {
    const double half = found.half_width(k);
    const double off = p[k] - truth[k];
    const bool near = std::abs(off) <= 0.02 * std::abs(truth[k]);
    const bool inside = std::abs(off) <= half && half <= 0.05 * std::abs(truth[k]);
    if (near || inside)
      ++good;
    else
      exceptions += fmt::format("{}{} by {:.2g} ({:.0f} %)", exceptions.empty() ? "" : ", ", columns.names[k], off,
                                100 * std::abs(off / truth[k]));
    table.rows.push_back({columns.names[k], printed[k], fmt::format("{:.5f}", truth[k]), fmt::format("{:.5f}", p[k]),
                          fmt::format("{:.2f} %", 100 * off / truth[k]), fmt::format("{:.5f}", half)});
  }
  result.tables.push_back(std::move(table));
  return {
      "base parameters, ours",
      "the same from the same log without the lags of that procedure",
      "Table V, Fig. 12",
      fmt::format("{} of 13 within 2 % of the truth or inside a 95 % interval of at most 5 %{}{}", good,
                  exceptions.empty() ? "" : "; the others: ", exceptions),
      good == columns.count(),
      "mean of 8 periods, weighted least squares; true values: arm rrr. The observer is run forwards and backwards "
      "(as it runs in the loop, its accelerations lag behind the torques); friction is estimated beside the "
      "parameters, near what the Kalman filter found; equations and torques are low-passed at a tenth of the base's "
      "resonance. The table below Table V shows what each of these does"};
}

/// Figs 9 and 11: the first ten seconds of the experiment.
Log control_inputs(const Arm& believed, const Log& log, double begin) {
  Log inputs;
  inputs.title = "Identification experiment";
  const Log one = cut(log, begin, begin + 10);
  inputs.time = one.time;
  for (int i = 0; i < joints; ++i) {
    const std::string name = std::to_string(i + 1);
    inputs.add("tau" + name, "N m").values = channel(one, "tau", i);
    std::vector<double>& f = inputs.add("friction" + name, "N m").values;
    for (const double v : channel(one, "part_observed_qd", i))
      f.push_back(friction_torque(believed.joint(i).friction, v));
  }
  inputs.time_figures = {{"Fig. 9", "Control inputs", {"tau1", "tau2", "tau3"}},
                         {"Fig. 11", "Reconstructed friction torques", {"friction1", "friction2", "friction3"}}};
  return inputs;
}

}  // namespace

IdentificationStep identification_step(const Laboratory& lab, const FrictionStep& friction,
                                       const ExcitationStep& excitation, const Say& say) {
  say("identification experiment");
  const Arm believed = with_friction_laws(lab.rigid_arm(), friction.found);
  const ParameterColumns columns = paper_parameters(lab.rigid_arm());
  const FourierCoefficients& motion = excitation.designed.motion;
  ExcitationLimits limits = limits_of(lab.rigid_arm());
  const ExcitationPath path(lab.rigid_arm(), motion, periods + 1, limits, tick);
  const VecX<double> jerk = largest_jerk(motion.path());
  JointMotion start;
  path.at(0, start);
  AnyController law = pd_with_friction(believed, pd_gains(lab.rigid_arm(), 4, 0.7), jerk);
  const Log log = lab.run(law, follow(path), path.duration(), start.q);

  say("least squares");
  const ExperimentData d = smoothed_data(log, jerk);
  const auto T = static_cast<Eigen::Index>(std::llround(1 / motion.base_frequency / tick));
  const auto begin = static_cast<Eigen::Index>(std::llround(path.begin() / tick)) + T;
  const ExperimentData mean = mean_period(d, begin, T, periods);
  const Estimate found = estimate_parameters(believed, columns, mean, {});
  const Eigen::VectorXd p = found.x.head(columns.count());
  const Eigen::VectorXd truth = columns.grouping * link_parameters(lab.rigid_arm());
  IdentificationStep step{with_parameters(believed, columns, p), {}, {}};

  Log observed;
  observer_claims(log, observer(jerk), jerk, step.claims, observed);

  say("validation in the writing task");
  const WritingTorques writing(lab);
  const ExperimentData as_observed = mean_period(observed_data(log), begin, T, periods);
  step.claims.push_back(printed_procedure(believed, columns, as_observed, truth, writing));

  Log result;
  result.title = "Base parameters";
  step.claims.push_back(table_v(columns, found, truth, result));
  result.tables.push_back(what_matters(believed, columns, mean, as_observed, truth));
  result.figures.push_back(convergence(believed, columns, d.part(begin - T, 2 * T), found.noise, truth));
  const Eigen::MatrixXd model = writing.of_model(step.identified, columns, p);
  const VecX<double> error = writing.error(model);
  step.claims.push_back(
      {"validation", "the model reproduces the torques of the PD controllers in the writing task",
       "\"a close match\" (Fig. 14)", fmt::format("off by {} r.m.s.", percents(error)), error.maxCoeff() <= 0.05,
       "5 % a joint is asked for; from 0.5 s on, below 10 Hz, where the paper takes the arm for rigid; friction of "
       "the Kalman filter, which saw speeds as low as those of writing"});
  step.logs = {control_inputs(believed, log, path.begin()), observed, result, writing.figure(model)};
  return step;
}

}  // namespace armature::studies::kostic2004
