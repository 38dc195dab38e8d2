#include "armature/run/hold_stability.hpp"

#include <cmath>
#include <limits>

#include "armature/numerics/decompositions.hpp"
#include "armature/numerics/matrix_functions.hpp"

namespace armature::run {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Eigen::Index most_states = 300;  // states whose eigenvalues are worth the time: long delays are not looked at

/// d command / d (q; qd), by central differences about the measurement y. What a law learns from one of them does not count
/// in the next.
Eigen::MatrixXd feedback_of(AnyController& law, const Measurement& y, const Reference& r, const LoopSettings& loop,
                            const Eigen::MatrixXd& to_command) {
  const Eigen::Index n = y.q.size();
  Eigen::MatrixXd K(to_command.rows(), 2 * n);
  const Eigen::VectorXd known = integrals_of(law);
  const auto command = [&](Eigen::Index i, double change) {
    Measurement moved = y;
    (i < n ? moved.q[i] : moved.qd[i - n]) += change;
    VecX<double> tau = VecX<double>::Zero(n);
    law.reset(y);
    set_integrals(law, known.data());
    law.update(moved, r, loop.tick, tau);
    loop.inputs.cut(tau);
    Eigen::VectorXd fed = to_command * tau;
    loop.inputs.cut(fed);
    return fed;
  };
  constexpr double step = 1e-6;
  for (Eigen::Index i = 0; i < 2 * n; ++i) K.col(i) = (command(i, step) - command(i, -step)) / (2 * step);
  return K;
}

}  // namespace

Feedback feedback_about(const Plant& plant, const Eigen::MatrixXd& to_command, AnyController& law,
                        const ReferenceSource& reference, const Eigen::VectorXd& start, const LoopSettings& loop) {
  const Eigen::Index n = plant.dof();
  Measurement y;
  shown_at(loop.sensors.side, plant, start.data(), y.q, y.qd);
  y.torque = VecX<double>::Zero(n);
  Reference r;
  reference(0, r);
  VecX<double> tau = VecX<double>::Zero(n);
  law.reset(y);
  law.update(y, r, loop.tick, tau);
  Feedback feedback{to_command * tau, {}};
  if (feedback.u.allFinite()) feedback.K = feedback_of(law, y, r, loop, to_command);
  return feedback;
}

//  z = (x, last positions, readings under way, commands under way); one tick takes z to
//    y = (q, qd or (q - q_last)/T),  u = K y_delayed,  x' = Ad x + Bd u_delayed.
Eigen::MatrixXd held_map(const Plant& plant, const LinearPlant& linear, const Eigen::MatrixXd& K,
                         const LoopSettings& loop) {
  const Eigen::Index n = plant.dof(), m = plant.inputs(), nx = linear.A.rows();
  const HeldPlant grown = held(linear, loop.tick);
  const bool difference = loop.sensors.speed == SensorSettings::Speed::difference;
  const Eigen::Index readings = loop.sensors.delay, commands = loop.converter.delay;
  const Eigen::Index last = nx, reading = last + (difference ? n : 0), command = reading + 2 * n * readings,
                     size = command + m * commands;
  if (size > most_states) return {};
  Eigen::MatrixXd step(size, size);
  for (Eigen::Index k = 0; k < size; ++k) {
    const Eigen::VectorXd z = Eigen::VectorXd::Unit(size, k);
    Eigen::VectorXd next = Eigen::VectorXd::Zero(size), now(2 * n);
    VecX<double> q, qd;
    shown_at(loop.sensors.side, plant, z.data(), q, qd);
    now << q, qd;
    if (difference) {
      now.tail(n) = (q - z.segment(last, n)) / loop.tick;
      next.segment(last, n) = q;
    }
    const auto queued = [&](Eigen::Index first, Eigen::Index ticks, const Eigen::VectorXd& in) -> Eigen::VectorXd {
      if (ticks == 0) return in;  // else the oldest stands first
      const Eigen::Index wide = in.size();
      next.segment(first, wide * (ticks - 1)) = z.segment(first + wide, wide * (ticks - 1));
      next.segment(first + wide * (ticks - 1), wide) = in;
      return z.segment(first, wide);
    };
    const Eigen::VectorXd seen = queued(reading, readings, now), acts = queued(command, commands, K * seen);
    next.head(nx) = grown.A * z.head(nx) + grown.B * acts;
    step.col(k) = next;
  }
  return step;
}

Eigen::MatrixXd continuous_map(const Plant& plant, const LinearPlant& linear, const Eigen::MatrixXd& K,
                               const LoopSettings& loop) {
  const Eigen::Index n = plant.dof(), nx = linear.A.rows();
  Eigen::MatrixXd closed = linear.A;
  for (Eigen::Index k = 0; k < nx; ++k) {
    Eigen::VectorXd z = Eigen::VectorXd::Zero(plant.states()), seen(2 * n);
    z[k] = 1;
    VecX<double> q, qd;
    shown_at(loop.sensors.side, plant, z.data(), q, qd);
    seen << q, qd;
    closed.col(k) += linear.B * (K * seen);
  }
  return closed;
}

HeldLoop held_loop(const Plant& plant, const Eigen::MatrixXd& to_command, AnyController& law,
                   const ReferenceSource& reference, const Eigen::VectorXd& start, const LoopSettings& loop) {
  const auto [u, K] = feedback_about(plant, to_command, law, reference, start, loop);
  if (!u.allFinite()) return {};
  Eigen::VectorXd x = start;
  const LinearPlant linear = linearize(plant, 0, x, u, plant.modes_at(0, x, u.data()));
  if (!linear.A.allFinite()) return {};
  constexpr HeldLoop beyond_numbers{.radius = infinite, .slowest = 0, .unstable = true};
  if (!K.allFinite()) return beyond_numbers;
  const Eigen::MatrixXd step = held_map(plant, linear, K, loop);
  if (step.size() == 0) return {};
  HeldLoop result;
  result.radius = eigenvalues(step).cwiseAbs().maxCoeff();
  if (!std::isfinite(result.radius)) return beyond_numbers;
  // where stiffness is high, positions and speeds differ by many powers of ten, and rounding would decide over the damping
  const Eigen::MatrixXd closed = balanced_for_eigenvalues(continuous_map(plant, linear, K, loop));
  result.slowest = eigenvalues(closed).real().maxCoeff();
  const double rounding = 1e-13 * closed.cwiseAbs().rowwise().sum().maxCoeff();
  result.unstable = result.radius > 1 + 1e-6 && result.slowest < 1e-6 + rounding;
  return result;
}

}  // namespace armature::run
