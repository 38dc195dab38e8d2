#include "armature/identification/friction_ekf.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <optional>

#include "armature/core/error.hpp"
#include "armature/identification/estimate.hpp"
#include "armature/identification/statistics.hpp"
#include "armature/numerics/damped_descent.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

constexpr int N = 11;  // (q, qd, ln J, c, f1, f2, f3, ln w1, ln w2, ln w3, b)
using State = Eigen::Matrix<double, N, 1>;
using Square = Eigen::Matrix<double, N, N>;

/// The parameters of the state, as (11) needs them.
struct JointLaw {
  explicit JointLaw(const State& x, double turned) : c(x[3]), b(x[10]), per_inertia(std::exp(-x[2])), phase(turned) {
    for (int k = 0; k < 3; ++k) {
      f[k] = x[4 + k];
      w[k] = std::exp(x[7 + k]);
    }
  }
  [[nodiscard]] double friction(double v) const {
    double torque = b * v;
    for (int k = 0; k < 3; ++k) torque += f[k] * std::tanh(w[k] * v);
    return torque;
  }
  /// qdd.
  [[nodiscard]] double acceleration(double q, double v, double tau) const {
    return (tau - friction(v) - c * std::sin(q + phase)) * per_inertia;
  }
  /// qdd, and its derivatives by (q, qd) and the parameters; those by q and qd are moved by what these hang on already.
  double acceleration(double q, double v, double tau, const State& dq, const State& dv, State& slope) const {
    const double sine = std::sin(q + phase);
    double torque = tau - b * v - c * sine, by_v = b;
    slope.setZero();
    slope[3] = -sine;
    slope[10] = -v;
    for (int k = 0; k < 3; ++k) {
      const double t = std::tanh(w[k] * v), bend = f[k] * w[k] * (1 - t * t);
      torque -= f[k] * t;
      by_v += bend;
      slope[4 + k] = -t;
      slope[7 + k] = -bend * v;
    }
    slope[2] = -torque;
    slope = (per_inertia * (slope - c * std::cos(q + phase) * dq - by_v * dv)).eval();
    return torque * per_inertia;
  }
  double f[3], w[3], c, b, per_inertia, phase;
};

/// One tick by Runge–Kutta, in steps short against the friction's steepest slope.
void advance(State& x, double tau, double tick, double phase, int steps) {
  const JointLaw law(x, phase);
  const double h = tick / steps;
  for (int i = 0; i < steps; ++i) {
    const double q = x[0], v = x[1], a1 = law.acceleration(q, v, tau), v2 = v + h / 2 * a1;
    const double a2 = law.acceleration(q + h / 2 * v, v2, tau), v3 = v + h / 2 * a2;
    const double a3 = law.acceleration(q + h / 2 * v2, v3, tau), v4 = v + h * a3;
    const double a4 = law.acceleration(q + h * v3, v4, tau);
    x[0] += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    x[1] += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
}

using MotionSlopes = Eigen::Matrix<double, 2, N>;  // of q and qd by the state a tick before

/// The same with its derivatives.
MotionSlopes advance_with_slopes(State& x, double tau, double tick, double phase, int steps) {
  const JointLaw law(x, phase);
  const double h = tick / steps;
  State dq = State::Unit(0), dv = State::Unit(1), s1, s2, s3, s4;
  for (int i = 0; i < steps; ++i) {
    const double q = x[0], v = x[1];
    const double a1 = law.acceleration(q, v, tau, dq, dv, s1), v2 = v + h / 2 * a1;
    const State dv2 = dv + h / 2 * s1;
    const double a2 = law.acceleration(q + h / 2 * v, v2, tau, dq + h / 2 * dv, dv2, s2), v3 = v + h / 2 * a2;
    const State dv3 = dv + h / 2 * s2;
    const double a3 = law.acceleration(q + h / 2 * v2, v3, tau, dq + h / 2 * dv2, dv3, s3), v4 = v + h * a3;
    const State dv4 = dv + h * s3;
    const double a4 = law.acceleration(q + h * v3, v4, tau, dq + h * dv3, dv4, s4);
    x[0] += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    x[1] += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    dq += h / 6 * (dv + 2 * dv2 + 2 * dv3 + dv4);
    dv += h / 6 * (s1 + 2 * s2 + 2 * s3 + s4);
  }
  MotionSlopes F;
  F << dq.transpose(), dv.transpose();
  return F;
}

int steps_for(const double* theta, double tick) {
  double slope = std::abs(theta[8]);
  for (int k = 0; k < 3; ++k) slope += std::abs(theta[2 + k]) * std::exp(theta[5 + k]);
  return std::clamp(static_cast<int>(std::ceil(slope * std::exp(-theta[0]) * tick)), 1, 20);
}

State state_of(const JointDynamics& joint, double q, double v) {
  State x;
  x << q, v, std::log(joint.inertia), joint.gravity, joint.friction.f[0], joint.friction.f[1], joint.friction.f[2],
      std::log(joint.friction.w[0]), std::log(joint.friction.w[1]), std::log(joint.friction.w[2]),
      joint.friction.viscous;
  return x;
}

JointDynamics joint_of(const State& x, double phase) {
  return {std::exp(x[2]), x[3], phase, {{x[4], x[5], x[6]}, {std::exp(x[7]), std::exp(x[8]), std::exp(x[9])}, x[10]}};
}

std::array<double, FrictionEkfResult::parameters> values_of(const State& x) {
  return {std::exp(x[2]), x[3], x[4], x[5], x[6], std::exp(x[7]), std::exp(x[8]), std::exp(x[9]), x[10]};
}

void check(std::span<const double> torque, std::span<const double> position, const FrictionEkfSettings& s) {
  if (torque.size() != position.size())
    throw Error(fmt::format("{} torques and {} positions", torque.size(), position.size()), "one of each per sample");
  if (torque.size() < 1000)
    throw Error(fmt::format("{} samples are too few", torque.size()), "some seconds are needed");
  for (std::size_t k = 0; k < torque.size(); ++k)
    if (!std::isfinite(torque[k]) || !std::isfinite(position[k]))
      throw Error(fmt::format("sample {} holds no number", k + 1), "cut the log or fill the gap");
  const auto [low, high] = std::minmax_element(position.begin(), position.end());
  if (*high - *low < 100 * s.resolution)
    throw Error(fmt::format("the joint moves by {:.3g} rad only", *high - *low), "drive it harder, in both directions");
  if (!(s.guess.inertia > 0) ||
      !std::all_of(s.guess.friction.w.begin(), s.guess.friction.w.end(), [](double w) { return w > 0; }))
    throw Error("the guess has no inertia, or a sigmoid without width", "both are positive");
  if (!(s.tick > 0) || !(s.resolution > 0) || !(s.doubt > 0) || !(s.disturbance > 0) || s.passes < 1)
    throw Error("tick, resolution, doubt, disturbance and passes are positive", "");
}

}  // namespace

std::array<double, FrictionEkfResult::parameters> FrictionEkfResult::values() const {
  return values_of(state_of(estimate, 0, 0));
}

double FrictionEkfResult::half_width(int k) const { return student_quantile(0.975, freedom) * deviation[k]; }

const std::array<std::string, FrictionEkfResult::parameters>& friction_ekf_names() {
  static const std::array<std::string, FrictionEkfResult::parameters> names{"J",  "c",  "f1", "f2", "f3",
                                                                            "w1", "w2", "w3", "b"};
  return names;
}

namespace {

/// All passes; the first allow for `early` times the disturbance, since far from the truth the model is worse than its noise.
FrictionEkfResult filter(std::span<const double> torque, std::span<const double> position, const FrictionEkfSettings& s,
                         double early) {
  FrictionEkfResult result;
  State x = state_of(s.guess, position[0], 0);
  if (!s.gravity) x[3] = 0;
  const double largest = std::max({std::abs(x[4]), std::abs(x[5]), std::abs(x[6]), 1e-6});
  const double R = s.resolution * s.resolution / 12;
  Square P;
  for (int pass = 0; pass < s.passes; ++pass) {
    const double doubt = s.doubt * std::pow(0.6, pass),
                 disturbance = s.disturbance * std::max(1.0, early * std::pow(0.4, pass));
    State deviation;
    deviation << s.resolution, 1.0, doubt, s.gravity ? doubt * std::max(std::abs(s.guess.gravity), largest) : 0,
        doubt * largest, doubt * largest, doubt * largest, doubt, doubt, doubt, doubt * largest;
    P = deviation.cwiseAbs2().asDiagonal();
    x[0] = position[0];
    x[1] = 0;
    result.course.clear();
    double squares = 0;
    const bool last = pass + 1 == s.passes;
    for (std::size_t k = 0; k < position.size(); ++k) {
      const double innovation = position[k] - x[0], S = P(0, 0) + R;
      squares += innovation * innovation;
      const State K = P.col(0) / S;
      x += K * innovation;
      const State p = P.col(0);
      P += -K * p.transpose() - p * K.transpose() + S * K * K.transpose();  // Joseph's form
      if (last && k % 100 == 0) result.course.push_back(values_of(x));
      if (k + 1 == position.size()) break;
      const int steps = steps_for(x.data() + 2, s.tick);
      const MotionSlopes F = advance_with_slopes(x, torque[k], s.tick, s.guess.phase, steps);
      P.topRows<2>() = (F * P).eval();
      P.leftCols<2>() = (P * F.transpose()).eval();
      const double kick = disturbance * s.tick;
      P(1, 1) += kick * kick;
      P(0, 0) += kick * kick * s.tick * s.tick / 4;
      P = (P + P.transpose()) / 2;
      if (!x.allFinite() || std::abs(x[2]) > 50)
        throw Error(fmt::format("the filter diverges at {:.3f} s", static_cast<double>(k) * s.tick),
                    "a better guess, less doubt, or more disturbance");
    }
    result.innovation = std::sqrt(squares / static_cast<double>(position.size()));
  }
  result.estimate = joint_of(x, s.guess.phase);
  return result;
}

/// Steepest sigmoid first: the filter does not care which is which.
void put_in_order(JointDynamics& joint) {
  ThreeSigmoid& f = joint.friction;
  std::array<std::size_t, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return f.w[a] > f.w[b]; });
  const ThreeSigmoid before = f;
  for (std::size_t k = 0; k < 3; ++k) {
    f.f[k] = before.f[order[k]];
    f.w[k] = before.w[order[k]];
  }
}

//  With the parameters held the filter is one of (q, qd); its innovation e and what of it hangs on the parameters are
//      psi = dq/dtheta before an update,   D = d(q, qd)/dtheta:   D <- (1 - K h') D,   D <- F D + G
//  the gain K taken as given. A part of the log then says  sum psi psi'/S dtheta = sum psi e/S.
struct Told {
  std::vector<LinearPart> parts;
  double surprise = 0;  // sum of e²/S + ln S
  double squares = 0;   // sum of e²/S
  [[nodiscard]] LinearPart sum() const {
    LinearPart all{Eigen::MatrixXd::Zero(parts.front().m.size(), parts.front().m.size()),
                   Eigen::VectorXd::Zero(parts.front().m.size())};
    for (const LinearPart& part : parts) {
      all.M += part.M;
      all.m += part.m;
    }
    return all;
  }
};
Told told_by(const JointDynamics& joint, std::span<const double> torque, std::span<const double> position,
             const FrictionEkfSettings& s) {
  constexpr int p = FrictionEkfResult::parameters;
  constexpr std::size_t parts = 64;
  State x = state_of(joint, position[0], 0);
  Eigen::Matrix2d P = Eigen::Vector2d(s.resolution * s.resolution, 1).asDiagonal();
  Eigen::Matrix<double, 2, p> D = Eigen::Matrix<double, 2, p>::Zero();
  const double R = s.resolution * s.resolution / 12, kick = s.disturbance * s.tick;
  const int steps = steps_for(x.data() + 2, s.tick);
  Told told{std::vector<LinearPart>(parts, {Eigen::MatrixXd::Zero(p, p), Eigen::VectorXd::Zero(p)})};
  for (std::size_t k = 0; k < position.size(); ++k) {
    const double e = position[k] - x[0], S = P(0, 0) + R;
    Eigen::Matrix<double, p, 1> psi = D.row(0).transpose();
    if (!s.gravity) psi[1] = 0;
    LinearPart& part = told.parts[k * parts / position.size()];
    part.M += psi * psi.transpose() / S;
    part.m += psi * e / S;
    told.squares += e * e / S;
    told.surprise += e * e / S + std::log(S);
    const Eigen::Vector2d K = P.col(0) / S;
    x.head<2>() += K * e;
    D -= K * D.row(0).eval();
    P -= K * P.row(0).eval();
    const MotionSlopes F = advance_with_slopes(x, torque[k], s.tick, s.guess.phase, steps);
    D = (F.leftCols<2>() * D + F.rightCols<p>()).eval();
    P = (F.leftCols<2>() * P * F.leftCols<2>().transpose()).eval();
    P(1, 1) += kick * kick;
    P(0, 0) += kick * kick * s.tick * s.tick / 4;
  }
  if (!std::isfinite(told.surprise)) told.surprise = INFINITY;
  return told;
}

/// Of each parameter, so that the matrix of the sum has ones on its diagonal; zero where the log says nothing.
Eigen::VectorXd scale_of(const LinearPart& sum) {
  return (sum.M.diagonal().array() > 0)
      .select(sum.M.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse().array(), 0.0);
}

/// Where the parameters may be: friction that grows with the speed does not drive, and a sigmoid that is far wider than the speeds
/// reached is viscous friction by another name (the two would trade places without end), one far narrower is a jump.
struct Bounds {
  double narrowest = 0, widest = 0;  // of ln w
  /// What of the state lies beyond them comes back.
  [[nodiscard]] State kept(State x) const {
    for (int k = 7; k < 10; ++k) x[k] = std::clamp(x[k], widest, narrowest);
    x[10] = std::max(x[10], 0.0);
    return x;
  }
  /// Parameters at a bound that would go beyond it.
  [[nodiscard]] bool stopped(const State& x, int parameter, double push) const {
    const int k = parameter + 2;
    return (k >= 7 && k < 10 && ((x[k] <= widest && push < 0) || (x[k] >= narrowest && push > 0))) ||
           (k == 10 && x[k] <= 0 && push < 0);
  }
};

Bounds bounds_for(std::span<const double> position, double tick) {
  constexpr std::size_t apart = 20;  // samples: the encoder's steps do not show
  double fastest = 0;
  for (std::size_t k = apart; k < position.size(); ++k)
    fastest = std::max(fastest, std::abs(position[k] - position[k - apart]) / (apart * tick));
  return {std::log(2e4 / fastest), std::log(0.5 / fastest)};
}

/// Where an extended filter ends depends on its way there. Gauss–Newton steps to the parameters of least surprise.
double settle(std::span<const double> torque, std::span<const double> position, const FrictionEkfSettings& s,
              const Bounds& bounds, JointDynamics& joint) {
  constexpr int most_steps = 60;
  constexpr double enough = 1e-6;  // relative gain
  joint = joint_of(bounds.kept(state_of(joint, 0, 0)), joint.phase);
  Told at = told_by(joint, torque, position, s);
  int idle = 0;  // steps in a row that gained next to nothing
  const auto try_step = [&](double damping) {
    LinearPart sum = at.sum();
    const State x = state_of(joint, 0, 0);
    const Eigen::VectorXd scale = scale_of(sum);
    for (int k = 0; k < sum.m.size(); ++k)
      if (bounds.stopped(x, k, sum.m[k])) {
        sum.M.row(k).setZero();
        sum.M.col(k).setZero();
        sum.m[k] = 0;
      }
    Eigen::MatrixXd M = scale.asDiagonal() * sum.M * scale.asDiagonal();
    M.diagonal().array() += damping;
    State d = State::Zero();
    d.tail<FrictionEkfResult::parameters>() = scale.cwiseProduct(solved_symmetric(M, scale.cwiseProduct(sum.m)));
    for (const int k : {2, 7, 8, 9}) d[k] = std::clamp(d[k], -1.0, 1.0);  // logarithms
    const JointDynamics trial = joint_of(bounds.kept(x + d), joint.phase);
    Told there = told_by(trial, torque, position, s);
    if (!(there.surprise < at.surprise)) return TriedStep::worse;
    const double gain = at.surprise - there.surprise;
    joint = trial;
    at = std::move(there);
    idle = gain < enough * at.squares ? idle + 1 : 0;
    return idle == 2 ? TriedStep::settled : TriedStep::better;
  };
  damped_descent(
      {.first = 1e-4, .least = 0, .iterations = most_steps, .trials = most_steps}, [] { return true; }, try_step);
  return at.surprise;
}

void find_deviations(Told told, FrictionEkfResult& result) {
  constexpr int p = FrictionEkfResult::parameters;
  const Eigen::VectorXd scale = scale_of(told.sum());
  for (LinearPart& part : told.parts) {
    part.M = (scale.asDiagonal() * part.M * scale.asDiagonal()).eval();
    part.m = scale.cwiseProduct(part.m).eval();
  }
  // a little of something, so that what the log does not show stays finite
  const LinearPart always{1e-10 * Eigen::MatrixXd::Identity(p, p), Eigen::VectorXd::Zero(p)};
  const Eigen::MatrixXd V = leave_one_out_covariance(told.parts, always, result.freedom);
  const auto values = result.values();
  for (int k = 0; k < p; ++k) {
    const bool logarithmic = k == 0 || (k >= 5 && k <= 7);
    result.deviation[k] = scale[k] * std::sqrt(V(k, k)) * (logarithmic ? values[k] : 1);
  }
}

}  // namespace

FrictionEkfResult friction_ekf(std::span<const double> torque, std::span<const double> position,
                               const FrictionEkfSettings& s) {
  constexpr double expected = 1.5;  // mean square of an innovation over its deviation: one where the model is right
  check(torque, position, s);
  const Bounds bounds = bounds_for(position, s.tick);
  std::optional<FrictionEkfResult> best;
  std::string trouble;
  double least = INFINITY;
  // an extended filter may settle in a wrong place: the smallest surprise counts, and it is looked for until there is none left
  for (const double early : {1.0, 6.0, 30.0}) {
    try {
      FrictionEkfResult result = filter(torque, position, s, early);
      const double surprise = settle(torque, position, s, bounds, result.estimate);
      if (surprise < least) {
        least = surprise;
        best = std::move(result);
      }
    } catch (const Error& error) {
      trouble = error.finding();
      continue;
    }
    const Told told = told_by(best->estimate, torque, position, s);
    if (told.squares < expected * static_cast<double>(position.size())) break;
  }
  if (!best) throw Error(trouble, "a better guess, less doubt, or more disturbance");
  put_in_order(best->estimate);
  find_deviations(told_by(best->estimate, torque, position, s), *best);
  return *best;
}

JointSimulation simulate_joint(const JointDynamics& joint, std::span<const double> torque, double tick, double q0,
                               double v0) {
  JointSimulation out;
  JointDynamics safe = joint;
  for (double& w : safe.friction.w) w = std::max(w, 1e-12);
  State x = state_of(safe, q0, v0);
  const int steps = 2 * steps_for(x.data() + 2, tick);
  const JointLaw law(x, safe.phase);
  for (const double tau : torque) {
    const double friction = law.friction(x[1]);
    out.q.push_back(x[0]);
    out.v.push_back(x[1]);
    out.friction.push_back(friction);
    out.gravity.push_back(safe.gravity * std::sin(x[0] + safe.phase));
    out.inertial.push_back(tau - friction - out.gravity.back());
    advance(x, tau, tick, safe.phase, steps);
  }
  return out;
}

}  // namespace armature::identification
