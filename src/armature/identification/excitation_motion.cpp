#include "armature/identification/excitation_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/core/units.hpp"

namespace armature::identification {

ExcitationLimits limits_of(const Arm& arm) {
  constexpr double none = std::numeric_limits<double>::infinity();
  const int n = arm.dof();
  ExcitationLimits limits;
  for (VecX<double>* bound : {&limits.upper, &limits.velocity, &limits.acceleration, &limits.torque})
    *bound = VecX<double>::Constant(n, none);
  limits.lower = -limits.upper;
  for (int i = 0; i < n; ++i) {
    const Limits& own = arm.joint(i).limits;
    if (own.lower) limits.lower[i] = *own.lower;
    if (own.upper) limits.upper[i] = *own.upper;
    if (own.velocity) limits.velocity[i] = *own.velocity;
    if (own.acceleration) limits.acceleration[i] = *own.acceleration;
  }
  return limits;
}

std::vector<std::string> complete_limits(const Arm& arm, ExcitationLimits& limits) {
  const DefaultJointLimits d;
  std::vector<std::string> strokes, speeds, accelerations;
  for (int i = 0; i < arm.dof(); ++i) {
    const bool turns = arm.body(i).revolute;
    const auto assume = [&](double& limit, double value, std::vector<std::string>& list, const char* per) {
      if (std::isfinite(limit)) return;
      limit = value;
      list.push_back(fmt::format("{} {:.3g} {}{}", arm.joint(i).name, value, turns ? "rad" : "m", per));
    };
    if (!turns) {
      const double lower = limits.lower[i], upper = limits.upper[i];
      assume(limits.lower[i], std::isfinite(upper) ? upper - 2 * d.stroke : -d.stroke, strokes, "");
      assume(limits.upper[i], std::isfinite(lower) ? lower + 2 * d.stroke : d.stroke, strokes, "");
    }
    assume(limits.velocity[i], turns ? d.turning_speed : d.sliding_speed, speeds, "/s");
    assume(limits.acceleration[i], limits.velocity[i] / d.rise, accelerations, "/s^2");
  }
  std::vector<std::string> sentences;
  const auto say = [&](const char* kind, const std::vector<std::string>& list) {
    if (!list.empty())
      sentences.push_back(fmt::format("no {} limit is stated; assumed: {}", kind, fmt::join(list, ", ")));
  };
  say("position", strokes);
  say("velocity", speeds);
  say("acceleration", accelerations);
  return sentences;
}

FourierPath FourierCoefficients::path() const {
  std::vector<FourierPath::Joint> list;
  for (Eigen::Index i = 0; i < joints(); ++i) {
    const Eigen::VectorXd s = sine.col(i), c = cosine.col(i);
    list.push_back({offset[i], {s.begin(), s.end()}, {c.begin(), c.end()}});
  }
  return FourierPath(base_frequency, std::move(list));
}

FourierCoefficients FourierCoefficients::extended(int harmonics) const {
  FourierCoefficients c{base_frequency, offset, Eigen::MatrixXd::Zero(harmonics, sine.cols()),
                        Eigen::MatrixXd::Zero(harmonics, sine.cols())};
  c.sine.topRows(sine.rows()) = sine;
  c.cosine.topRows(cosine.rows()) = cosine;
  return c;
}

FourierBasis::FourierBasis(double base_frequency, int harmonics, int samples)
    : sine_(harmonics, samples), cosine_(harmonics, samples), rate_(harmonics) {
  for (int k = 0; k < harmonics; ++k) {
    rate_[k] = 2 * pi * base_frequency * (k + 1);
    for (int s = 0; s < samples; ++s) {
      // the angle modulo a turn, exactly
      const double turns = static_cast<double>(static_cast<long>(k + 1) * s % samples) / samples;
      sine_(k, s) = std::sin(2 * pi * turns);
      cosine_(k, s) = std::cos(2 * pi * turns);
    }
  }
}

//     q = q0 + Σ (a sin - b cos)/ω,   v = Σ (a cos + b sin),   acceleration = Σ ω (b cos - a sin)
void FourierBasis::motion(const FourierCoefficients& c, MotionSamples& m) const {
  const Eigen::DiagonalMatrix<double, Eigen::Dynamic> slow(rate_.cwiseInverse()), fast(rate_);
  const Eigen::MatrixXd a_slow = slow * c.sine, b_slow = slow * c.cosine, a_fast = fast * c.sine,
                        b_fast = fast * c.cosine;
  m.q.noalias() = a_slow.transpose() * sine_;
  m.q.noalias() -= b_slow.transpose() * cosine_;
  m.q.colwise() += c.offset;
  m.v.noalias() = c.sine.transpose() * cosine_;
  m.v.noalias() += c.cosine.transpose() * sine_;
  m.a.noalias() = b_fast.transpose() * cosine_;
  m.a.noalias() -= a_fast.transpose() * sine_;
}

void FourierBasis::pull_back(const MotionSamples& m, FourierCoefficients& g) const {
  const Eigen::DiagonalMatrix<double, Eigen::Dynamic> slow(rate_.cwiseInverse()), fast(rate_);
  const Eigen::MatrixXd qs = sine_ * m.q.transpose(), qc = cosine_ * m.q.transpose(), vs = sine_ * m.v.transpose(),
                        vc = cosine_ * m.v.transpose(), as = sine_ * m.a.transpose(), ac = cosine_ * m.a.transpose();
  g.offset += m.q.rowwise().sum();
  g.sine += slow * qs + vc - fast * as;
  g.cosine += vs - slow * qc + fast * ac;
}

VecX<double> motion_torque(const Arm& arm, const VecX<double>& q, const VecX<double>& v, const VecX<double>& a) {
  const VecX<double> load = inverse_dynamics<double>(arm, q, v, a) + rotor_torque<double>(arm, a);
  return load + smooth_friction<double>(arm, v, load);
}

double LimitUse::worst() const {
  return std::max({position.maxCoeff(), velocity.maxCoeff(), acceleration.maxCoeff(), torque.maxCoeff()});
}

namespace {

/// The maximum of f about the middle sample of three, by golden section.
template <class F>
double refined(const F& f, double from, double to) {
  constexpr double golden = 0.6180339887498949;
  double a = from, b = to, x = b - golden * (b - a), y = a + golden * (b - a), fx = f(x), fy = f(y);
  for (int i = 0; i < 30; ++i) {
    if (fx > fy) {
      b = y;
      y = x;
      fy = fx;
      x = b - golden * (b - a);
      fx = f(x);
    } else {
      a = x;
      x = y;
      fx = fy;
      y = a + golden * (b - a);
      fy = f(y);
    }
  }
  return std::max(fx, fy);
}

/// How much of its range a joint uses at a sample; above 1 where it leaves it. `certain` allows for what lies between the samples.
double range_used(double q, double low, double high, double certain) {
  if (std::isfinite(low) && std::isfinite(high)) return std::abs(q - (low + high) / 2) * certain / ((high - low) / 2);
  if (std::isfinite(high)) return q <= high ? 0 : 1 + (q - high);
  if (std::isfinite(low)) return q >= low ? 0 : 1 + (low - q);
  return 0;
}

}  // namespace

LimitUse limit_use(const Arm& arm, const FourierCoefficients& c, const ExcitationLimits& limits) {
  const int n = c.joints(), L = std::max(2000, 200 * c.harmonics());
  const double certain = 1 / std::cos(pi * c.harmonics() / L), T = 1 / c.base_frequency;
  const FourierPath path = c.path();
  LimitUse use;
  for (VecX<double>* share : {&use.position, &use.velocity, &use.acceleration, &use.torque, &use.largest_velocity,
                              &use.largest_acceleration, &use.largest_torque})
    *share = VecX<double>::Zero(n);
  Eigen::MatrixXd torque(n, L);
  Eigen::VectorXd outside(L), near(L);
  JointMotion m;
  const auto leaves = [&] {
    const Vec3<double> p = tool_pose(arm, forward_kinematics<double>(arm, m.q)).p;
    return std::max((p - limits.workspace->upper).maxCoeff(), (limits.workspace->lower - p).maxCoeff());
  };
  const auto nears = [&] {
    return limits.least_clearance -
           armature::algorithms::clearance(*limits.clearance, forward_kinematics<double>(arm, m.q)).distance;
  };
  for (int s = 0; s < L; ++s) {
    path.at(T * s / L, m);
    for (int i = 0; i < n; ++i) {
      use.position[i] = std::max(use.position[i], range_used(m.q[i], limits.lower[i], limits.upper[i], certain));
      use.largest_velocity[i] = std::max(use.largest_velocity[i], std::abs(m.qd[i]) * certain);
      use.largest_acceleration[i] = std::max(use.largest_acceleration[i], std::abs(m.qdd[i]) * certain);
    }
    torque.col(s) = motion_torque(arm, m.q, m.qd, m.qdd).cwiseAbs();
    if (limits.workspace) outside[s] = leaves();
    if (limits.clearance) near[s] = nears();
  }
  use.workspace = limits.workspace ? -std::numeric_limits<double>::infinity() : 0;
  use.clearance = limits.clearance ? -std::numeric_limits<double>::infinity() : 0;
  for (int s = 0; s < L; ++s) {
    const int before = (s + L - 1) % L, after = (s + 1) % L;
    const auto peak = [&](auto quantity) {  // its largest value between the neighbours of the sample
      const auto at = [&](double t) {
        path.at(t, m);
        return quantity();
      };
      return refined(at, T * (s - 1) / L, T * (s + 1) / L);
    };
    for (int i = 0; i < n; ++i)
      if (torque(i, s) >= torque(i, before) && torque(i, s) >= torque(i, after) &&
          torque(i, s) > 0.98 * use.largest_torque[i])
        use.largest_torque[i] =
            std::max(use.largest_torque[i], peak([&] { return std::abs(motion_torque(arm, m.q, m.qd, m.qdd)[i]); }));
    if (limits.workspace && outside[s] >= outside[before] && outside[s] >= outside[after])
      use.workspace = std::max(use.workspace, peak(leaves));
    if (limits.clearance && near[s] >= near[before] && near[s] >= near[after])
      use.clearance = std::max(use.clearance, peak(nears));
  }
  use.velocity = use.largest_velocity.cwiseQuotient(limits.velocity);
  use.acceleration = use.largest_acceleration.cwiseQuotient(limits.acceleration);
  use.torque = use.largest_torque.cwiseQuotient(limits.torque);
  return use;
}

}  // namespace armature::identification
