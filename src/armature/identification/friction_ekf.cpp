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
#include "armature/numerics/runge_kutta.hpp"

namespace armature::identification {

namespace {

using std::exp;
using std::sin;
using std::tanh;

constexpr int N = 11;  // (q, qd, ln J, c, f1, f2, f3, ln w1, ln w2, ln w3, b)
using State = Eigen::Matrix<double, N, 1>;
using Square = Eigen::Matrix<double, N, N>;

/// A number with its derivatives by all parts of the state at once.
struct Sloped {
  double value = 0;
  State slope = State::Zero();
  Sloped() = default;
  explicit Sloped(double x) : value(x) {}
  Sloped(double x, const State& s) : value(x), slope(s) {}
  friend Sloped operator+(const Sloped& a, const Sloped& b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Sloped operator-(const Sloped& a, const Sloped& b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Sloped operator-(const Sloped& a) { return {-a.value, -a.slope}; }
  friend Sloped operator*(const Sloped& a, const Sloped& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  Sloped& operator+=(const Sloped& b) { return *this = *this + b; }
  friend Sloped sin(const Sloped& a) { return {std::sin(a.value), std::cos(a.value) * a.slope}; }
  friend Sloped exp(const Sloped& a) { return {std::exp(a.value), std::exp(a.value) * a.slope}; }
  friend Sloped tanh(const Sloped& a) {
    const double t = std::tanh(a.value);
    return {t, (1 - t * t) * a.slope};
  }
};

/// qdd by (11); `theta` are the parameters of the state.
template <class S>
S acceleration(const S& q, const S& v, const S* theta, double tau, double phase) {
  S friction = theta[8] * v;
  for (int k = 0; k < 3; ++k) friction += theta[2 + k] * tanh(exp(theta[5 + k]) * v);
  return (S(tau) - friction - theta[1] * sin(q + S(phase))) * exp(-theta[0]);
}

template <class S>
struct JointState {
  using Scalar = S;
  S q, v;
  friend JointState operator+(const JointState& a, const JointState& b) { return {a.q + b.q, a.v + b.v}; }
  friend JointState operator*(const S& s, const JointState& a) { return {s * a.q, s * a.v}; }
};

/// One tick by Runge–Kutta, in steps short against the friction's steepest slope.
template <class S>
void advance(S* x, double tau, double tick, double phase, int steps) {
  const double h = tick / steps;
  const S* theta = x + 2;
  for (int i = 0; i < steps; ++i) {
    const JointState<S> at{x[0], x[1]};
    const auto slope = [&](double, const JointState<S>& s) {
      return JointState<S>{s.v, acceleration(s.q, s.v, theta, tau, phase)};
    };
    const JointState<S> next = classical_step(at, h, slope(0, at), slope);
    x[0] = next.q;
    x[1] = next.v;
  }
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
      Square L = Square::Identity();
      L.col(0) -= K;
      P = L * P * L.transpose() + R * K * K.transpose();  // Joseph's form
      if (last && k % 100 == 0) result.course.push_back(values_of(x));
      if (k + 1 == position.size()) break;
      const int steps = steps_for(x.data() + 2, s.tick);
      Square F = Square::Identity();
      std::array<Sloped, N> d;
      for (int i = 0; i < N; ++i) d[i] = {x[i], State::Unit(i)};
      advance(d.data(), torque[k], s.tick, s.guess.phase, steps);
      F.row(0) = d[0].slope.transpose();
      F.row(1) = d[1].slope.transpose();
      x[0] = d[0].value;
      x[1] = d[1].value;
      P = F * P * F.transpose();
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
    std::array<Sloped, N> d;
    for (int i = 0; i < N; ++i) d[i] = {x[i], State::Unit(i)};
    advance(d.data(), torque[k], s.tick, s.guess.phase, steps);
    Eigen::Matrix<double, 2, N> F;
    F << d[0].slope.transpose(), d[1].slope.transpose();
    x[0] = d[0].value;
    x[1] = d[1].value;
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

/// Where an extended filter ends depends on its way there. Gauss–Newton steps to the parameters of least surprise.
void settle(std::span<const double> torque, std::span<const double> position, const FrictionEkfSettings& s,
            JointDynamics& joint) {
  constexpr int most_steps = 10;
  constexpr double enough = 1e-6;  // relative gain
  Told at = told_by(joint, torque, position, s);
  const auto try_step = [&](double damping) {
    const LinearPart sum = at.sum();
    const Eigen::VectorXd scale = scale_of(sum);
    Eigen::MatrixXd M = scale.asDiagonal() * sum.M * scale.asDiagonal();
    M.diagonal().array() += damping;
    const Eigen::VectorXd d =
        scale.cwiseProduct(solved_symmetric(M, scale.cwiseProduct(sum.m))).cwiseMax(-1.0).cwiseMin(1.0);
    State x = state_of(joint, 0, 0);
    x.tail<FrictionEkfResult::parameters>() += d;
    const JointDynamics trial = joint_of(x, joint.phase);
    Told there = told_by(trial, torque, position, s);
    if (!(there.surprise < at.surprise)) return TriedStep::worse;
    const double gain = at.surprise - there.surprise;
    joint = trial;
    at = std::move(there);
    return gain < enough * at.squares ? TriedStep::settled : TriedStep::better;
  };
  damped_descent(
      {.first = 1e-4, .falls = 0.1, .rises = 30, .least = 0, .attempts = most_steps, .trials = most_steps},
      [] { return true; }, try_step);
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
  check(torque, position, s);
  std::optional<FrictionEkfResult> best;
  std::string trouble;
  for (const double early :
       {1.0, 6.0, 30.0}) {  // an extended filter may settle in a wrong place: the smallest surprise counts
    try {
      FrictionEkfResult result = filter(torque, position, s, early);
      if (!best || result.innovation < best->innovation) best = std::move(result);
    } catch (const Error& error) {
      trouble = error.finding();
    }
  }
  if (!best) throw Error(trouble, "a better guess, less doubt, or more disturbance");
  settle(torque, position, s, best->estimate);
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
  for (const double tau : torque) {
    double friction = safe.friction.viscous * x[1];
    for (std::size_t k = 0; k < 3; ++k) friction += safe.friction.f[k] * std::tanh(safe.friction.w[k] * x[1]);
    out.q.push_back(x[0]);
    out.v.push_back(x[1]);
    out.friction.push_back(friction);
    out.gravity.push_back(safe.gravity * std::sin(x[0] + safe.phase));
    out.inertial.push_back(tau - friction - out.gravity.back());
    advance(x.data(), tau, tick, safe.phase, steps);
  }
  return out;
}

}  // namespace armature::identification
