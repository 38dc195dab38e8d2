#include "kostic2004/estimation.hpp"

#include <cmath>

#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/identification/motion_observer.hpp"

namespace armature::studies::kostic2004 {

namespace {

constexpr int friction_columns = 4;  // f1, f2, f3, viscous
constexpr double friction_doubt = 0.1;
constexpr int most_parts = 16;  // of a period: longer each than residuals below the cut-off are correlated

Eigen::MatrixXd rows_of(const Log& log, const char* name) {
  Eigen::MatrixXd m(joints, log.time.size());
  for (int i = 0; i < joints; ++i)
    m.row(i) = Eigen::Map<const Eigen::RowVectorXd>(channel(log, name, i).data(), m.cols());
  return m;
}

/// A torque is held from its sample on: at the sample itself the mean of the last two acts.
Eigen::MatrixXd torques_of(const Log& log) {
  const Eigen::MatrixXd held = rows_of(log, "tau");
  Eigen::MatrixXd tau = held;
  tau.rightCols(held.cols() - 1) = (held.rightCols(held.cols() - 1) + held.leftCols(held.cols() - 1)) / 2;
  return tau;
}

FrictionShape shape_of(const Friction& law) {
  FrictionShape shape{FrictionShape::Law::sigmoids};
  shape.slopes = std::get<ThreeSigmoid>(law).w;
  return shape;
}

/// The links and, where jointly, friction with the slopes of the arm's laws; else these laws are known.
TorqueModel torque_model(const Arm& believed, bool friction_jointly) {
  TorqueModelSettings settings{.rotors = false, .offsets = false};
  if (friction_jointly) {
    for (int i = 0; i < joints; ++i) settings.friction.push_back(shape_of(believed.joint(i).friction));
  } else {
    settings.friction = {FrictionShape{FrictionShape::Law::none}};
    settings.known = [believed](const JointMotion& m, VecX<double>& tau) {
      for (int i = 0; i < joints; ++i) tau[i] += friction_torque(believed.joint(i).friction, m.qd[i]);
    };
  }
  return {believed, settings};
}

/// The friction parameters are those of the arm, give or take `friction_doubt` of the torque at 1 rad/s: a wide sigmoid is
/// almost a viscous term, and the experiment alone does not tell one from the other.
Prior friction_prior(const Arm& believed, int base) {
  Prior prior{Eigen::MatrixXd::Zero(joints * friction_columns, base + joints * friction_columns),
              Eigen::VectorXd(joints * friction_columns)};
  for (int i = 0; i < joints; ++i) {
    const auto& law = std::get<ThreeSigmoid>(believed.joint(i).friction);
    const double values[] = {law.f[0], law.f[1], law.f[2], law.viscous};
    const double deviation = friction_doubt * std::abs(friction_torque(law, 1));
    for (int k = 0; k < friction_columns; ++k) {
      const int row = friction_columns * i + k;
      prior.rows(row, base + row) = 1 / deviation;
      prior.values[row] = values[k] / deviation;
    }
  }
  return prior;
}

}  // namespace

ExperimentData ExperimentData::part(Eigen::Index from, Eigen::Index count) const {
  return {q.middleCols(from, count), v.middleCols(from, count), a.middleCols(from, count), tau.middleCols(from, count)};
}

ExperimentData observed_data(const Log& log) {
  return {rows_of(log, "part_observed_q"), rows_of(log, "part_observed_qd"), rows_of(log, "part_observed_qdd"),
          torques_of(log)};
}

//     e = q - q_r through the smoother, then (21): q = q_r + e, ...   White jerk of that size a tick has the density jerk sqrt(tick).
ExperimentData smoothed_data(const Log& log, const VecX<double>& jerk) {
  ExperimentData d{rows_of(log, "q_ref"), rows_of(log, "v_ref"), rows_of(log, "a_ref"), torques_of(log)};
  const Eigen::MatrixXd measured = rows_of(log, "q_meas");
  for (int i = 0; i < joints; ++i) {
    MotionBlock deviation;
    deviation.step = tick;
    deviation.q = (measured.row(i) - d.q.row(i)).transpose();
    Processing processing{.motion = Processing::Motion::observer};
    processing.observer_noise = reading_noise(resolution);
    processing.observer_jerk = jerk[i] * std::sqrt(tick);
    const FilteredMotion e = filtered_motion(deviation, processing);
    d.q.row(i) += e.q.transpose();
    d.v.row(i) += e.qd.transpose();
    d.a.row(i) += e.qdd.transpose();
  }
  return d;
}

ExperimentData mean_period(const ExperimentData& data, Eigen::Index begin, Eigen::Index length, int periods) {
  ExperimentData mean = data.part(begin, length);
  for (int k = 1; k < periods; ++k) {
    const ExperimentData next = data.part(begin + k * length, length);
    mean.q += next.q;
    mean.v += next.v;
    mean.a += next.a;
    mean.tau += next.tau;
  }
  mean.q /= periods;
  mean.v /= periods;
  mean.a /= periods;
  mean.tau /= periods;
  return mean;
}

Eigen::MatrixXd friction_along(const Arm& arm, const Eigen::MatrixXd& v) {
  Eigen::MatrixXd f(v.rows(), v.cols());
  for (Eigen::Index k = 0; k < v.cols(); ++k)
    for (int i = 0; i < joints; ++i) f(i, k) = friction_torque(arm.joint(i).friction, v(i, k));
  return f;
}

Eigen::MatrixXd rigid_along(const Arm& arm, const ParameterColumns& columns, const ExperimentData& d,
                            const Eigen::VectorXd& p) {
  const Eigen::VectorXd links = columns.columns * p;
  Eigen::MatrixXd tau(joints, d.samples());
  for (Eigen::Index k = 0; k < d.samples(); ++k)
    tau.col(k) =
        torque_regressor<double>(arm, VecX<double>(d.q.col(k)), VecX<double>(d.v.col(k)), VecX<double>(d.a.col(k))) *
        links;
  return tau;
}

//     tau - tau_f = Phi p  (13), or  tau = Phi p + sum_k f_k tanh(w_k qd) + b qd  with f and b among the parameters
Equations experiment_equations(const Arm& believed, const ParameterColumns& columns, const ExperimentData& d,
                               const EstimationSettings& s, Eigen::Index from, Eigen::Index count) {
  const TorqueModel model = torque_model(believed, s.friction_jointly);
  MotionBlock log;
  log.step = tick;
  log.q = d.q.transpose();
  log.tau = d.tau.transpose();
  Processing processing{.decimation = static_cast<int>(std::lround(1 / (20 * s.cutoff * tick))),
                        .parallel_cutoff = s.cutoff};
  processing.from = tick * (static_cast<double>(from) - 0.5);
  processing.to = processing.from + tick * static_cast<double>(count);
  EquationStore store(model);
  make_equations(model, processing, log, {log.q, d.v.transpose(), d.a.transpose()},
                 [&](const SampleEquations& sample) { store.add(sample); });
  Equations e = store.take();
  const Eigen::Index base = model.base().count(), own = e.columns() - base;  // own: of friction
  RowMatrix A(e.rows(), columns.count() + own);  // the base parameters of the model are grouping * columns * p
  A << e.A.leftCols(base) * (model.base().grouping() * columns.columns), e.A.rightCols(own);
  e.A = std::move(A);
  return e;
}

Estimate estimate_parameters(const Arm& believed, const ParameterColumns& columns, const ExperimentData& period,
                             const EstimationSettings& settings) {
  const Eigen::Index T = period.samples();  // what comes before and after a period is itself
  const ExperimentData three{period.q.replicate(1, 3), period.v.replicate(1, 3), period.a.replicate(1, 3),
                             period.tau.replicate(1, 3)};
  const Equations e = experiment_equations(believed, columns, three, settings, T, T);
  Evidence evidence(joints, static_cast<int>(e.columns()), most_parts);
  for (Eigen::Index row = 0; row < e.rows(); ++row) {
    const int joint = e.joint[row];
    evidence.add(joint, e.A.row(row).data(), e.y[row]);
    if (joint == joints - 1) evidence.end_sample();
  }
  evidence.finish();
  LeastSquaresSettings least{.weighted = settings.weighted};
  if (settings.friction_jointly) least.prior = friction_prior(believed, columns.count());
  return least_squares(evidence, least);
}

}  // namespace armature::studies::kostic2004
