#include "armature/identification/payload.hpp"

#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"
#include "armature/identification/physical_estimate.hpp"
#include "armature/numerics/fit.hpp"

namespace armature::identification {

namespace {

/// Runs `torque` through the filters that the log goes through; calls `sample` with what is left of the log's torques.
void through(const Arm& arm, const MotionSource& source, const Processing& processing,
             const std::function<void(const JointMotion&, VecX<double>&)>& torque, const EquationSink& sample) {
  TorqueModelSettings settings;
  settings.nothing_estimated = true;
  settings.known = torque;
  const TorqueModel model(arm, settings);
  stream_equations(source, model, processing, sample);
}

/// The torques per parameter of a body at the tool.
RowMatrix payload_columns(const Arm& arm, const MotionSource& source, const Processing& processing, Eigen::Index rows) {
  const Eigen::Matrix<double, 10, 10> T = tool_to_link(arm);
  RowMatrix A(rows, 10);
  for (int k = 0; k < 10; ++k) {  // one pass a column: each goes through the same filters as the torques
    Eigen::Index at = 0;
    through(
        arm, source, processing,
        [&](const JointMotion& m, VecX<double>& tau) {
          tau = torque_regressor<double>(arm, m.q, m.qd, m.qdd).rightCols(10) * T.col(k);
        },
        [&](const SampleEquations& s) {
          for (int j = 0; j < arm.dof(); ++j) A(at++, k) = s.known[j];
        });
  }
  return A;
}

}  // namespace

//     log-Cholesky coordinates, and a weak pull towards a ball for what the equations leave open
InertiaParameters<double> nearest_body(double estimated_mass, const std::vector<RowMatrix>& equations) {
  const double mass = std::max(std::abs(estimated_mass), 1e-3);
  const InertiaParameters<double> ball = parameters(inertia_about_com<double>(
      mass, Vec3<double>::Zero(), Mat3<double>(Mat3<double>::Identity() * 0.4 * mass * 0.0025)));
  const Eigen::Matrix<double, 10, 1> start = log_cholesky_of_parameters(ball);
  Eigen::Index count = 10;
  for (const RowMatrix& R : equations) count += R.rows();
  const FitResult body = fit(
      [&](const Eigen::VectorXd& theta, Eigen::VectorXd& r) {
        const InertiaParameters<double> p = parameters_of_log_cholesky(theta);
        r.resize(count);
        Eigen::Index at = 0;
        for (const RowMatrix& R : equations) {
          r.segment(at, R.rows()) = R.leftCols(10) * p - R.col(10);
          at += R.rows();
        }
        r.tail(10) = 1e-2 * (theta - start);
      },
      count, start, Eigen::VectorXd::Ones(10));
  return parameters_of_log_cholesky(body.x);
}

//     tau - tau_without = W_last T p  with the columns of the last link, T from the tool's frame to the link's
PayloadEstimate identify_payload(const Arm& arm, const MotionSource& source, const Processing& processing) {
  const int n = arm.dof();
  std::vector<double> rest, measured;
  std::vector<bool> counts;
  through(
      arm, source, processing,
      [&](const JointMotion& m, VecX<double>& tau) {
        const VecX<double> load = inverse_dynamics<double>(arm, m.q, m.qd, m.qdd) + rotor_torque<double>(arm, m.qdd);
        tau = load + friction_torque(arm, m.qd, load);
      },
      [&](const SampleEquations& s) {
        for (int j = 0; j < n; ++j) {
          rest.push_back(s.torque[j]);
          measured.push_back(s.torque[j] + s.known[j]);
          counts.push_back(s.counts[j]);
        }
      });
  const auto rows = static_cast<Eigen::Index>(rest.size());
  const RowMatrix A = payload_columns(arm, source, processing, rows);
  Evidence evidence(n, 10);
  double squares = 0, torques = 0;
  for (Eigen::Index r = 0; r < rows; ++r) {
    const auto i = static_cast<std::size_t>(r);
    const int j = static_cast<int>(r) % n;
    if (counts[i]) {
      evidence.add(j, A.row(r).data(), rest[i]);
      squares += rest[i] * rest[i];
      torques += measured[i] * measured[i];
    }
    if (j == n - 1) evidence.end_sample();
  }
  evidence.finish();
  if (evidence.parts() == 0 || !(squares > 0))
    throw Error("no equation is left after processing", "does anything move faster than the standstill threshold?");
  PayloadEstimate result;
  result.estimate = least_squares(evidence, {.tolerance = 1e-6});
  std::vector<RowMatrix> reduced;
  double left = 0;
  for (int j = 0; j < n; ++j) {
    const Factor f = evidence.whole(j);
    reduced.push_back(f.reduced() / result.estimate.noise[j]);
    left += f.residual_squares(result.estimate.x);
  }
  result.explained = 1 - left / squares;
  result.relative = std::sqrt(left / torques);

  result.body = nearest_body(result.estimate.x[0], reduced);
  result.verdict = judge_body(inertia_from_parameters<double>(result.body));
  return result;
}

}  // namespace armature::identification
