#include "armature/identification/friction_ekf.hpp"

#include <cmath>
#include <cstdlib>
#include <string>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/joint_filter.hpp"
#include "armature/identification/validate.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::identification;

namespace {

JointDynamics truth() { return {0.045, 1.7, 0.3, {{1.2, -0.4, 0.1}, {50, 8, 1}, 0.15}}; }

std::vector<double> swinging_torque(double amplitude, int samples) {
  std::vector<double> tau;
  for (int k = 0; k < samples; ++k) {
    const double t = 1e-3 * k;
    tau.push_back(amplitude * (std::sin(2 * pi * 0.31 * t) + 0.6 * std::sin(2 * pi * 1.13 * t + 1) +
                               0.3 * std::sin(2 * pi * 0.07 * t)));
  }
  return tau;
}

double curve(const ThreeSigmoid& f, double v) {
  double tau = f.viscous * v;
  for (std::size_t k = 0; k < 3; ++k) tau += f.f[k] * std::tanh(f.w[k] * v);
  return tau;
}

/// Inertia and gravity of an arm of one joint.
JointDynamics described(const Arm& arm) {
  const VecX<double> zero = VecX<double>::Zero(1), quarter = VecX<double>::Constant(1, pi / 2);
  const double cosine = gravity_torque<double>(arm, zero)[0], sine = gravity_torque<double>(arm, quarter)[0];
  JointDynamics d;
  d.inertia = mass_matrix<double>(arm, zero)(0, 0);
  d.gravity = std::hypot(sine, cosine);
  d.phase = std::atan2(cosine, sine);
  return d;
}

}  // namespace

TEST_CASE("the filter finds friction, inertia and gravity from a rounded encoder, far from its guess") {
  const std::vector<double> tau = swinging_torque(1.6, 30000);
  JointSimulation motion = simulate_joint(truth(), tau, 1e-3, 0.2, 0);
  double fastest = 0;
  for (const double v : motion.v) fastest = std::max(fastest, std::abs(v));
  for (double& q : motion.q) q = 1e-5 * std::nearbyint(q / 1e-5);
  FrictionEkfSettings s;
  s.guess = {0.08, 1.0, 0.3, {{0.8, -0.1, 0.1}, {30, 5, 1}, 0.3}};
  s.disturbance = 0.2;
  const FrictionEkfResult r = friction_ekf(tau, motion.q, s);
  CHECK(r.estimate.inertia == doctest::Approx(0.045).epsilon(0.01));
  CHECK(r.estimate.gravity == doctest::Approx(1.7).epsilon(0.01));
  for (double v = 0.02; v < fastest; v *= 1.3) {
    CAPTURE(v);
    CHECK(curve(r.estimate.friction, v) == doctest::Approx(curve(truth().friction, v)).epsilon(0.03));
  }
  CHECK(r.innovation < 2e-4);
  const JointSimulation again = simulate_joint(r.estimate, tau, 1e-3, motion.q[0], 0);
  double error = 0, size = 0;
  for (std::size_t k = 0; k < 5000; ++k) {
    error += std::pow(again.q[k] - motion.q[k], 2);
    size += std::pow(motion.q[k] - motion.q[0], 2);
  }
  CHECK(std::sqrt(error / size) < 0.05);
}

TEST_CASE("the filter finds laws of many shapes from a start that its own log gives") {
  ArmDescription d;
  d.name = "pendulum";
  MassProperties bob;
  bob.mass = 0.6;
  bob.position = {0, 0.25, 0};
  bob.tensor = 0.004 * Mat3<double>::Identity();
  JointDescription swing;
  swing.name = "swing";
  swing.placement = OriginAxis{{}, Vec3<double>::UnitX()};
  swing.link = {"bob", bob};
  d.joints = {swing};
  const Arm arm(d);
  Random random(11);
  double worst = 0;
  int good = 0;
  const int laws = std::getenv("ARMATURE_LONG_TESTS") != nullptr ? 8 : 2;
  for (int k = 0; k < laws; ++k) {
    JointDynamics joint = described(arm);
    joint.friction.f = {random.uniform(0.5, 2), -random.uniform(0.1, 0.5), random.uniform(0.05, 0.3)};
    joint.friction.w = {random.uniform(30, 100), random.uniform(4, 12), random.uniform(0.5, 2)};
    joint.friction.viscous = random.uniform(0.05, 0.3);
    const std::vector<double> tau = swinging_torque(2 + 1.2 * joint.friction.f[0], 30000);
    const JointSimulation motion = simulate_joint(joint, tau, 1e-3, 0.2, 0);
    MotionBlock log;
    log.step = 1e-3;
    log.q.resize(30000, 1);
    log.tau.resize(30000, 1);
    double fastest = 0;
    for (Eigen::Index i = 0; i < 30000; ++i) {
      log.q(i, 0) = 1e-5 * std::nearbyint(motion.q[i] / 1e-5);
      log.tau(i, 0) = tau[i];
      fastest = std::max(fastest, std::abs(motion.v[i]));
    }
    const JointFilter found =
        filter_joint(arm, source_of(log), default_processing({.torque_delay = -0.5e-3}, 1e-3), std::nullopt);
    double error = 0;
    for (double v = 0.02; v < fastest; v *= 1.2)
      error = std::max(error, std::abs(curve(found.filter.estimate.friction, v) / curve(joint.friction, v) - 1));
    CAPTURE(k);
    CAPTURE(error);
    CHECK(found.filter.estimate.inertia == doctest::Approx(joint.inertia).epsilon(0.02));
    worst = std::max(worst, error);
    good += error < 0.05;
  }
  MESSAGE(good << " of " << laws << " curves within 5 %, the worst off by " << 100 * worst << " %");
  CHECK(good == laws);
}

TEST_CASE(
    "of twelve random laws, in a wide range and at slow and fast motion, eleven are found from the default start") {
  // drawn from ranges: the seeds were not looked at before; without ARMATURE_LONG_TESTS the first three, of which none may fail
  const int laws = std::getenv("ARMATURE_LONG_TESTS") != nullptr ? 12 : 3;
  int good = 0;
  for (int law = 1; law <= laws; ++law) {
    const auto seed = static_cast<std::uint64_t>(1000 + law);
    CAPTURE(seed);
    Random random(seed);
    const auto spread = [&](double low, double high) {
      return std::exp(random.uniform(std::log(low), std::log(high)));
    };
    const double size = spread(0.3, 5), dry = size * spread(0.5, 6);
    ArmDescription d;
    d.name = "pendulum";
    MassProperties bob;
    bob.mass = 0.6 * size;
    bob.position = {0, random.uniform(0, 1) < 0.3 ? 0.0 : 0.25, 0};
    bob.tensor = 0.02 * size * Mat3<double>::Identity();
    JointDescription swing;
    swing.name = "swing";
    swing.placement = OriginAxis{{}, Vec3<double>::UnitX()};
    swing.link = {"bob", bob};
    d.joints = {swing};
    const Arm arm(d);
    JointDynamics joint = described(arm);
    joint.friction.f = {dry, -dry * random.uniform(0.05, 0.5), dry * random.uniform(0.05, 0.4)};
    joint.friction.w = {spread(20, 200), spread(3, 15), spread(0.3, 3)};
    joint.friction.viscous = dry * random.uniform(0.02, 0.4);
    const double amplitude = 1.1 * joint.gravity + random.uniform(1.2, 2.2) * dry, phase = random.uniform(0, 2 * pi);
    constexpr int samples = 30000;
    std::vector<double> tau;
    for (int k = 0; k < samples; ++k) {
      const double t = 1e-3 * k;
      tau.push_back(amplitude * (0.8 * std::sin(2 * pi * 0.31 * t + phase) + 0.5 * std::sin(2 * pi * 1.13 * t + 1) +
                                 0.25 * std::sin(2 * pi * 0.07 * t)));
    }
    const JointSimulation motion = simulate_joint(joint, tau, 1e-3, 0.2, 0);
    MotionBlock log;
    log.step = 1e-3;
    log.q.resize(samples, 1);
    log.tau.resize(samples, 1);
    double fastest = 0;
    for (int i = 0; i < samples; ++i) {
      log.q(i, 0) = 1e-5 * std::nearbyint(motion.q[i] / 1e-5);
      log.tau(i, 0) = tau[i];
      fastest = std::max(fastest, std::abs(motion.v[i]));
    }
    const JointFilter found =
        filter_joint(arm, source_of(log), default_processing({.torque_delay = -0.5e-3}, 1e-3), std::nullopt);
    CHECK_NOTHROW((void)Arm(found.arm));  // a law that a joint may have
    double error = 0;
    for (double v = 0.02; v < fastest; v *= 1.1)
      error = std::max(error, std::abs(curve(found.filter.estimate.friction, v) / curve(joint.friction, v) - 1));
    MESSAGE(seed << ": up to " << fastest << " rad/s, off by " << 100 * error << " %");
    good += error < 0.05;
  }
  CHECK(good >= (laws == 12 ? 11 : laws));
}

TEST_CASE("a joint's energy balance closes in its simulation") {
  const std::vector<double> tau = swinging_torque(1.6, 3000);
  const JointDynamics joint = truth();
  const JointSimulation m = simulate_joint(joint, tau, 1e-3, 0.2, 0);
  double supplied = 0, lost = 0;
  for (std::size_t k = 0; k + 1 < tau.size(); ++k) {
    supplied += tau[k] * (m.q[k + 1] - m.q[k]);
    lost += 0.5e-3 * (m.friction[k] * m.v[k] + m.friction[k + 1] * m.v[k + 1]);
  }
  const double kinetic = 0.5 * joint.inertia * m.v.back() * m.v.back();
  const double potential = joint.gravity * (std::cos(m.q[0] + joint.phase) - std::cos(m.q.back() + joint.phase));
  CHECK(kinetic + potential == doctest::Approx(supplied - lost).epsilon(2e-3).scale(supplied));
}

TEST_CASE("signals that say nothing are refused") {
  const std::vector<double> tau(2000, 0.0), still(2000, 0.4), few(10, 0.0);
  FrictionEkfSettings s;
  s.guess = truth();
  CHECK_THROWS_WITH_AS(friction_ekf(tau, still, s), doctest::Contains("moves by"), Error);
  CHECK_THROWS_WITH_AS(friction_ekf(few, few, s), doctest::Contains("too few"), Error);
  CHECK_THROWS_WITH_AS(friction_ekf(tau, few, s), doctest::Contains("2000 torques and 10 positions"), Error);
}

TEST_CASE("the filter's intervals hold the truth, whatever disturbance it was told of") {
  const bool longer = std::getenv("ARMATURE_LONG_TESTS") != nullptr;
  const int seeds = longer ? 100 : 3, samples = 10000;
  double inside = 0, all = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    std::vector<double> tau(samples, 0.0), logged;
    for (const auto& [amplitude, frequency] : {std::pair{1.6, 0.31}, {0.96, 1.13}, {0.48, 0.07}}) {
      const double size = amplitude * random.uniform(0.7, 1.3), phase = 2 * pi * random.uniform(0, 1);
      for (int k = 0; k < samples; ++k) tau[k] += size * std::sin(2 * pi * frequency * 1e-3 * k + phase);
    }
    for (const double t : tau) logged.push_back(t + 0.05 * random.normal());  // 1.1 rad/s² a tick
    JointSimulation motion = simulate_joint(truth(), tau, 1e-3, 0.2, 0);
    for (double& q : motion.q) q = 1e-5 * std::nearbyint(q / 1e-5);
    FrictionEkfSettings s;
    s.guess = {0.043, 1.8, 0.3, {{1.1, -0.35, 0.1}, {40, 8, 1.6}, 0.13}};
    s.doubt = 0.3;
    s.disturbance = 0.1;
    const FrictionEkfResult r = friction_ekf(logged, motion.q, s);
    const auto found = r.values(), true_values = FrictionEkfResult{truth(), {}, 1, {}, 0}.values();
    for (int k = 0; k < FrictionEkfResult::parameters; ++k) {
      const auto i = static_cast<std::size_t>(k);
      inside += std::abs(found[i] - true_values[i]) <= r.half_width(k);
      ++all;
    }
  }
  MESSAGE(std::to_string(100 * inside / all) << " % of " << all << " intervals hold the truth");
  CHECK(inside >= (longer ? 0.92 : 0.85) * all);
  if (longer) CHECK(inside <= 0.98 * all);
}
