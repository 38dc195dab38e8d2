#include "armature/identification/estimator_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/identification/internal/by_simulation.hpp"
#include "armature/identification/internal/energy_estimate.hpp"
#include "armature/identification/physical_estimate.hpp"
#include "armature/identification/torque_delay.hpp"

namespace armature::identification {

namespace {

constexpr double most_numbers = 5e8;           // of equations that are kept in memory
constexpr std::size_t most_simulated = 60000;  // samples of a log that is simulated
constexpr double simulation_rate = 250;        // [Hz] at which output error compares positions
constexpr double knows_nothing = 1e3;          // deviation where recursive least squares begins
constexpr double loop_explained = 0.9;         // share of a torque that the loop's law has to give
constexpr double column_noise = 0.01;          // of total least squares: share of a column's size

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
    source.for_each([&](JointSample s) {
      s.q = s.reference;
      s.qd = s.reference = nullptr;
      sample(s);
    });
  };
  Processing p = processing;
  p.measured_velocity = false;
  RowMatrix Z(e.rows(), e.columns());
  Eigen::Index row = 0;
  stream_equations(wanted, model, p, [&](const SampleEquations& s) {
    while (row < e.rows() && e.time[row] == s.time) {
      Z.row(row) = s.rows.row(e.joint[row]);
      ++row;
    }
  });
  return Z.topRows(row);
}

/// Accelerations carry what noise there is: columns of inertia as noisy, relative to their size, as the torque; friction exact.
Estimate total(const TorqueModel& model, const Equations& e, const Estimate& weighted) {
  Eigen::VectorXd error = Eigen::VectorXd::Zero(model.size());
  const double rows = static_cast<double>(e.rows());
  for (int c = 0; c < model.base().count(); ++c)
    error[c] =
        weighted.determined[c] ? column_noise * std::sqrt(e.A.col(c).squaredNorm() / rows) / weighted.noise.mean() : 0;
  return total_least_squares(e, error, weighted.noise);
}

/// With weights f^k an equation counts as if the last (1 + f)/(1 - f) of them were all: the variance grows by that share.
Estimate recursive(const Equations& e, const Estimate& weighted, double forgetting) {
  RecursiveLeastSquares r(Eigen::VectorXd::Zero(e.columns()), Eigen::VectorXd::Constant(e.columns(), knows_nothing),
                          forgetting);
  for (Eigen::Index row = 0; row < e.rows(); ++row)
    r.update(e.A.row(row).transpose(), e.y[row], weighted.noise[e.joint[row]]);
  Estimate s = weighted;
  for (Eigen::Index k = 0; k < s.x.size(); ++k)
    if (s.determined[k]) s.x[k] = r.x()[k];
  s.covariance *= std::max(1.0, static_cast<double>(e.rows()) * (1 - forgetting) / (1 + forgetting));
  return s;
}

/// The part of the log that is asked for, in memory; with the reference where it is wanted.
MotionBlock short_log(const TorqueModel& model, const MotionSource& source, const Processing& p,
                      RowMatrix* reference = nullptr) {
  const MotionBlock log =
      block_of(with_torque_delay(source, model.dof(), p.torque_delay), model.dof(), p, most_simulated, reference);
  if (static_cast<std::size_t>(log.samples()) > most_simulated)
    throw Error(fmt::format("identification by simulation is for short logs, at most {} samples", most_simulated),
                "take a part of it by --from and --to, or another estimator");
  return log;
}

/// Every n-th position, with the mean of the torques around it: as many before it as after it, the outermost by half if n is even.
MotionBlock thinned(const MotionBlock& log, Eigen::Index n) {
  MotionBlock thin;
  thin.start = log.start;
  thin.step = log.step * static_cast<double>(n);
  const Eigen::Index rows = log.samples() / n;
  thin.q.resize(rows, log.q.cols());
  thin.tau.resize(rows, log.q.cols());
  for (Eigen::Index k = 0; k < rows; ++k) {
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(log.tau.cols());
    double weights = 0;
    for (Eigen::Index d = -(n / 2); d <= n / 2; ++d) {
      const Eigen::Index row = k * n + d;
      if (row < 0 || row >= log.samples()) continue;
      const double weight = n % 2 == 0 && std::abs(d) == n / 2 ? 0.5 : 1;
      sum += weight * log.tau.row(row);
      weights += weight;
    }
    thin.q.row(k) = log.q.row(k * n);
    thin.tau.row(k) = sum / weights;
  }
  return thin;
}

/// Where a simulation begins: the described bodies, with friction from the log. What least squares makes of a log that needs simulation
/// may have no positive mass matrix.
Eigen::VectorXd possible_start(const TorqueModel& model, const Evidence& evidence, const Estimate& weighted) {
  constexpr double as_described = 1e9;
  return physical_estimate(model, evidence, {.weight = as_described, .noise = weighted.noise}).x;
}

Estimate by_output_error(const TorqueModel& model, const MotionSource& source, const Processing& processing,
                         const Eigen::VectorXd& start, Estimate weighted) {
  const auto every = std::max<Eigen::Index>(1, std::llround(1 / (simulation_rate * source.step)));
  const OutputErrorResult r =
      output_error(model, thinned(short_log(model, source, processing), every), start, {.tolerance = 1e-6});
  weighted.x = r.x;
  weighted.covariance = r.covariance;
  weighted.freedom = r.freedom;
  weighted.iterations = r.iterations;
  return weighted;
}

/// The law of the loop comes from the log, the motion from simulating that loop, the columns from the motion. Signs of dry friction are
/// smoothed in the simulation, over a hundredth of the joint's usual speed.
Estimate by_direct_inverse(const TorqueModel& model, const MotionSource& source, const Processing& processing,
                           const Eigen::VectorXd& start) {
  if (!source.reference)
    throw Error("didim simulates the loop, and that needs the motion that was asked for",
                "name the columns of the reference in the map: reference: q_ref{}");
  RowMatrix reference;
  const MotionBlock log = short_log(model, source, processing, &reference);
  Processing commands = processing;  // as they were given at their rows, and held
  if (commands.torque_delay != 0) commands.torque_delay += source.step / 2;
  const LoopLaw law = find_loop_law(model.arm(), short_log(model, source, commands), reference, processing);
  for (int j = 0; j < model.dof(); ++j)
    if (!(law.explained[j] > loop_explained) || !(law.kp[j] > 0) || !(law.kd[j] >= 0))
      throw Error(
          fmt::format(
              "joint {}: its torque is not that of a PID law with feed-forward on the reference ({:.0f} % of it "
              "is, with kp {:.3g} and kd {:.3g})",
              j + 1, 100 * std::max(law.explained[j], 0.0), law.kp[j], law.kd[j]),
          "didim simulates such a loop; use iv, or oe");
  TorqueModelSettings smooth = model.settings();
  const FilteredMotion moved = filtered_motion(log, processing);
  for (int j = 0; j < model.dof(); ++j) {
    const double speed = std::sqrt(moved.qd.col(j).squaredNorm() / static_cast<double>(moved.qd.rows()));
    double& width = smooth.friction[j].width;
    width = std::max(width, 0.01 * speed);
    smooth.motor_friction_width = std::max(smooth.motor_friction_width, width);
  }
  const TorqueModel simulated(model.arm(), smooth);
  const Eigen::VectorXd begin = moved.q.row(0).transpose();
  const auto simulate = [&](const Eigen::VectorXd& x) {
    for (double share = 1; share > 0.1; share /= 2) {  // parameters of no arm: back towards where it began
      try {
        return simulate_loop(simulated, start + share * (x - start), law, reference, begin, log.step);
      } catch (const Error&) {
        continue;
      }
    }
    return simulate_loop(simulated, start, law, reference, begin, log.step);
  };
  Processing whole = processing;
  whole.measured_velocity = false;
  DirectInverseResult r = direct_inverse(model, log.tau, log.step, simulate, start, whole);
  if (!r.converged)
    throw Error(fmt::format("the parameters do not settle within {} simulations of the loop", r.iterations - 1),
                "the log may be of another loop than a PID with feed-forward: use iv or oe");
  r.estimate.iterations = r.iterations - 1;
  return r.estimate;
}

}  // namespace

void refuse_unsimulable(const TorqueModel& model, const MotionSource& source, const Processing& processing) {
  (void)short_log(model, source, processing);
}

bool by_least_squares(Estimator kind) { return kind == Estimator::ordinary || kind == Estimator::weighted; }

bool takes_loads(Estimator kind) {
  return kind != Estimator::output_error && kind != Estimator::energy && kind != Estimator::direct_inverse;
}

Estimate estimate_by(Estimator kind, const EstimatorSettings& settings, const TorqueModel& model,
                     const MotionSource& source, const Processing& processing, const Evidence& evidence) {
  const Estimate weighted = least_squares(evidence, {.weighted = kind != Estimator::ordinary});
  if (by_least_squares(kind)) return weighted;
  if (kind == Estimator::energy) {
    Estimate e = energy_estimate(model, source, processing);
    e.noise = weighted.noise;  // of the torques, joint by joint
    return e;
  }
  if (kind == Estimator::output_error)
    return by_output_error(model, source, processing, possible_start(model, evidence, weighted), weighted);
  if (kind == Estimator::direct_inverse)
    return by_direct_inverse(model, source, processing, possible_start(model, evidence, weighted));
  if (static_cast<double>(model.size()) * evidence.samples() * model.dof() > most_numbers)
    throw Error("this estimator keeps all equations in memory, and there are too many",
                "use weighted least squares, or a larger --decimation");
  const Equations e = remember(model, source, processing);
  switch (kind) {
    case Estimator::robust:
      return robust_least_squares(e);
    case Estimator::likelihood:
      return maximum_likelihood(e);
    case Estimator::instruments:
      return instrumental_variables(e, instruments(model, source, processing, e));
    case Estimator::recursive:
      return recursive(e, weighted, settings.forgetting);
    default:
      return total(model, e, weighted);
  }
}

}  // namespace armature::identification
