#include <cmath>
#include <cstdlib>
#include <numbers>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/collision.hpp"
#include "armature/control/compensation.hpp"
#include "armature/control/computed_torque.hpp"
#include "armature/control/joint_pd.hpp"
#include "armature/control/kalman_motion_observer.hpp"
#include "armature/core/error.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/law_bench.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::control;
using namespace armature::testing;

TEST_CASE("the Kalman gain is stationary: it solves the Riccati equation and ends the filter's own recursion") {
  for (const double tick : {1e-4, 1e-3, 5e-3})
    for (const double resolution : {1e-7, 1e-5, 1e-3})
      for (const double jerk : {1.0, 1e3, 1e6}) {
        CAPTURE(tick);
        CAPTURE(resolution);
        CAPTURE(jerk);
        const KalmanMotionFilter f = kalman_motion_filter(tick, resolution, jerk);
        const double R = resolution * resolution / 12, Q = jerk * jerk;
        const auto recursion = [&](const Mat3<double>& P) {
          const Vec3<double> k = P.col(0) / (P(0, 0) + R);
          return Mat3<double>(f.E * (P - k * P.row(0)) * f.E.transpose() + f.gamma * Q * f.gamma.transpose());
        };
        // Compared in units in which the entries are of one size: resolution, tick.
        const Vec3<double> unit(1 / resolution, tick / resolution, tick * tick / resolution);
        const Mat3<double> here = unit.asDiagonal() * f.P * unit.asDiagonal();
        const Mat3<double> next = unit.asDiagonal() * recursion(f.P) * unit.asDiagonal();
        CHECK((next - here).cwiseAbs().maxCoeff() < 1e-9 * here.cwiseAbs().maxCoeff());
        Mat3<double> P = Mat3<double>::Zero();
        if (jerk * tick * tick * tick / resolution > 1e-3) {
          for (int k = 0; k < 20000; ++k) P = recursion(P);
          CHECK((unit.asDiagonal() * (P - f.P) * unit.asDiagonal()).cwiseAbs().maxCoeff() <
                1e-6 * here.cwiseAbs().maxCoeff());
        }
        Mat3<double> update = Mat3<double>::Identity();
        update.col(0) -= f.k;
        CHECK(eigenvalues(update * f.E).cwiseAbs().maxCoeff() < 1);
        CHECK(std::abs(f.response(1e-9 / tick, 0, tick) - 1.0) < 1e-4);  // slow motions pass unchanged
      }
  CHECK_THROWS_AS(kalman_motion_filter(1e-3, 0, 1), Error);
}

TEST_CASE("the Kalman observer's response is what a sine gives") {
  const double tick = 1e-3, frequency = 20;
  const KalmanMotionSettings settings{.tick = tick, .resolution = numbers({1e-5}), .jerk = numbers({300})};
  KalmanMotionObserver observer(settings);
  const Reference r{numbers({0}), numbers({0}), numbers({0})};
  observer.reset(numbers({0}), r);
  const double w = 2 * std::numbers::pi * frequency;
  std::complex<double> sum[3] = {};
  const int settle = 4000, count = 1000;
  for (int k = 0; k < settle + count; ++k) {
    const double t = k * tick;
    const Motion& m = observer.update(numbers({std::sin(w * t)}), r);
    const std::complex<double> turn = std::polar(2.0 / count, -w * t);
    if (k >= settle) {
      sum[0] += m.q[0] * turn;
      sum[1] += m.qd[0] * turn;
      sum[2] += m.qdd[0] * turn;
    }
  }
  for (int state = 0; state < 3; ++state) {
    const std::complex<double> expected =
        observer.filter(0).response(frequency, state, tick) * std::complex<double>(0, -1);
    CHECK(std::abs(sum[state] - expected) < 1e-6 * std::abs(expected));
  }
}

TEST_CASE("reconstructed motion: position below 5e-4 rad, acceleration far quieter than differences [Kostic2004]") {
  const double tick = 1e-3, resolution = 1e-5, w = 2 * std::numbers::pi * 0.5, amplitude = 0.5;
  KalmanMotionObserver observer(
      {.tick = tick, .resolution = numbers({resolution}), .jerk = numbers({amplitude * w * w * w})});
  Random random(5);
  double position = 0, acceleration = 0, difference = 0, last[2] = {0, 0};
  for (int k = 0; k < 20000; ++k) {
    const double t = k * tick;
    // The joint follows its reference with an error that the observer does not know of.
    const double e = 0.01 * std::sin(7 * t), edd = -0.49 * std::sin(7 * t);
    const Reference r{numbers({amplitude * std::sin(w * t)}), numbers({amplitude * w * std::cos(w * t)}),
                      numbers({-amplitude * w * w * std::sin(w * t)})};
    const double read = std::round((r.q[0] + e) / resolution) * resolution;
    if (k == 0) observer.reset(numbers({read}), r);
    const Motion& m = observer.update(numbers({read}), r);
    if (k > 2000) {
      position = std::max(position, std::abs(m.q[0] - r.q[0] - e));
      const double twice = (read - 2 * last[0] + last[1]) / (tick * tick);
      acceleration += std::pow(m.qdd[0] - r.qdd[0] - edd, 2);
      difference += std::pow(twice - r.qdd[0] - edd, 2);
    }
    last[1] = last[0];
    last[0] = read;
  }
  CHECK(position < 5e-4);
  CHECK(std::sqrt(difference / acceleration) > 5);
}

TEST_CASE("an observed law sees the reconstructed motion") {
  const Arm rrr = built_in_arm("rrr");
  Observed law(
      KalmanMotionObserver(
          {.tick = 1e-3, .resolution = VecX<double>::Constant(3, 1e-5), .jerk = VecX<double>::Constant(3, 500)}),
      AnyController(ComputedTorque(rrr, {.kp = VecX<double>::Constant(3, 200), .kd = VecX<double>::Constant(3, 30)})));
  MovingArm plant(rrr, numbers({0.1, 0.2, 0.3}));
  const Reference r = standing_at(rrr, numbers({0.3, 0.1, 0.5}));
  law.reset({plant.q, plant.qd});
  VecX<double> tau;
  for (int k = 0; k < 3000; ++k) {
    const VecX<double> read = (plant.q / 1e-5).array().round() * 1e-5;
    law.update({read, VecX<double>::Constant(3, 99)}, r, 1e-3, tau);  // its speed sensor is broken: not used
    plant.step(1e-3, tau);
  }
  CHECK((plant.q - r.q).cwiseAbs().maxCoeff() < 1e-3);
}

TEST_CASE("torque from outside: three estimates follow a step as 1 - exp(-K t), with friction, while the arm moves") {
  const Arm rrr = built_in_arm("rrr");
  for (const auto method :
       {ExternalTorqueMethod::measured, ExternalTorqueMethod::momentum, ExternalTorqueMethod::desired}) {
    CAPTURE(static_cast<int>(method));
    const double gain = 40, tick = 1e-3;
    ExternalTorqueObserver observer(rrr, {.method = method, .gain = gain});
    ComputedTorque law(
        rrr,
        {.kp = VecX<double>::Constant(3, 10000), .kd = VecX<double>::Constant(3, 200), .terms = {.friction = true}});
    MovingArm plant(rrr, numbers({0, 0.5, -1}), true);
    const auto motion = [&](double t) {
      const VecX<double> size = numbers({0.5, 0.4, 0.6});
      return moving_at(rrr, numbers({0, 0.5, -1}) + size * (t - std::sin(3 * t) / 3), size * (1 - std::cos(3 * t)),
                       size * 3 * std::sin(3 * t));
    };
    observer.reset({plant.q, plant.qd});
    const VecX<double> push = numbers({3, -2, 1.5});
    const bool desired = method == ExternalTorqueMethod::desired;
    VecX<double> tau;
    for (int k = 0; k < 2000; ++k) {
      const double t = k * tick;
      const Reference r = motion(t);
      if (k > 0) observer.update({plant.q, plant.qd}, r, tau, tick);
      if (k == 1000) {
        CHECK(observer.estimate().cwiseAbs().maxCoeff() < (desired ? 0.2 : 0.05));
        plant.extra = push;
      }
      if (k == 1000 + 25 && !desired)  // one time constant later
        CHECK(relative_error(observer.estimate(), VecX<double>(push * (1 - std::exp(-1.0)))) < 0.05);
      law.update({plant.q, plant.qd}, r, tick, tau);
      plant.step(tick, tau);
    }
    CHECK(relative_error(observer.estimate(), push) < (desired ? 0.1 : 0.02));
  }
}

TEST_CASE("the momentum observer's noise is as computed, and grows with the gain") {
  const Arm rrr = built_in_arm("rrr");
  const VecX<double> q = numbers({0.3, 0.4, -0.8}), noise = numbers({2e-3, 1e-3, 3e-3});
  const VecX<double> g = gravity_torque<double>(rrr, q);
  Random random(7);
  for (const double gain : {10.0, 50.0, 300.0}) {
    ExternalTorqueObserver observer(rrr, {.gain = gain, .friction = false});
    observer.reset({q, VecX<double>::Zero(3)});
    VecX<double> square = VecX<double>::Zero(3);
    const int count = 40000;
    for (int k = 0; k < count; ++k) {
      VecX<double> qd(3);
      for (int i = 0; i < 3; ++i) qd[i] = noise[i] * random.normal();
      square += observer.update({q, qd}, {}, g, 1e-3).cwiseAbs2();
    }
    const VecX<double> expected = external_torque_noise(rrr, q, noise, gain, 1e-3);
    for (int i = 0; i < 3; ++i) CHECK(std::sqrt(square[i] / count) == doctest::Approx(expected[i]).epsilon(0.05));
  }
  // The factor leaves the stated part of normal noise outside.
  CHECK(threshold_factor(0.01, 1) == doctest::Approx(2.5758).epsilon(1e-4));
  CHECK(std::erfc(threshold_factor(0.01, 3e4) / std::sqrt(2.0)) == doctest::Approx(0.01 / 3e4).epsilon(1e-6));
}

namespace {

/// The RRR arm moves about under computed torque for a second, sometimes something hits its tool.
struct CollisionTrial {
  Arm true_arm = built_in_arm("rrr");
  Arm believed = with_friction(true_arm, 1.1);  // its friction is believed 10 % too large
  double tick = 1e-3, gain = 60;
  VecX<double> speed_noise = numbers({2e-3, 2e-3, 2e-3});  // white, every sample [rad/s]
  VecX<double> threshold;

  static Arm with_friction(const Arm& arm, double factor) {
    ArmDescription d = arm.description();
    for (JointDescription& joint : d.joints) {
      auto& f = std::get<ThreeSigmoid>(joint.friction);
      for (double& x : f.f) x *= factor;
      f.viscous *= factor;
    }
    return Arm(std::move(d));
  }

  /// Noise by its standard deviation in the stretched posture, where the inertia is largest, and what the friction may be
  /// wrong by: 10 % of it at full speed, both ways.
  CollisionTrial() {
    const VecX<double> sigma = external_torque_noise(believed, numbers({0, 0, 0}), speed_noise, gain, tick);
    VecX<double> friction(3);
    for (int i = 0; i < 3; ++i) friction[i] = friction_torque(believed.joint(i).friction, 2.0);
    threshold = threshold_factor(0.01, 3000) * sigma + 0.2 * friction;
  }

  struct Outcome {
    bool detected = false;
    double delay = 0;  // [s]
  };
  Outcome run(std::uint64_t seed, bool hit) const {
    Random random(seed);
    CollisionMonitor law(believed,
                         AnyController(ComputedTorque(believed, {.kp = VecX<double>::Constant(3, 100),
                                                                 .kd = VecX<double>::Constant(3, 20),
                                                                 .terms = {.friction = true}})),
                         {.observer = {.gain = gain}, .threshold = threshold, .reaction = CollisionReaction::none});
    VecX<double> centre = numbers({random.uniform(-3, 3), random.uniform(-1, 1), random.uniform(-2, 2)});
    VecX<double> size(3), rate(3), phase(3);
    for (int i = 0; i < 3; ++i) {
      size[i] = random.uniform(0.1, 0.3);
      rate[i] = random.uniform(2, 5);
      phase[i] = random.uniform(0, 6.28);
    }
    const auto motion = [&](double t) {
      Reference r{centre, centre, centre};
      for (int i = 0; i < 3; ++i) {
        r.q[i] = centre[i] + size[i] * std::sin(rate[i] * t + phase[i]);
        r.qd[i] = size[i] * rate[i] * std::cos(rate[i] * t + phase[i]);
        r.qdd[i] = -size[i] * rate[i] * rate[i] * std::sin(rate[i] * t + phase[i]);
      }
      return r;
    };
    const Reference first = motion(0);
    MovingArm plant(true_arm, first.q, true);
    plant.qd = first.qd;
    // A blow on a joint: 10 N m and more (waist, shoulder) or 5 (elbow), a half sine of 60 to 150 ms.
    const int joint = static_cast<int>(random.uniform(0, 3));
    const double peak =
        (joint == 2 ? random.uniform(5, 12) : random.uniform(10, 30)) * (random.uniform() < 0.5 ? -1 : 1);
    const double start = random.uniform(0.3, 0.7), length = random.uniform(0.06, 0.15);
    law.reset({plant.q, plant.qd});
    VecX<double> tau;
    for (int k = 0; k < 1000; ++k) {
      const double t = k * tick;
      VecX<double> speed = plant.qd;
      for (int i = 0; i < 3; ++i) speed[i] += speed_noise[i] * random.normal();
      law.update({plant.q, speed}, motion(t), tick, tau);
      if (law.collided()) return {!hit || t >= start, t - start};
      plant.extra = VecX<double>::Zero(3);
      if (hit && t >= start && t < start + length)
        plant.extra[joint] = peak * std::sin(std::numbers::pi * (t - start) / length);
      plant.step(tick, tau);
    }
    return {};
  }
};

}  // namespace

TEST_CASE("collisions are detected and noise is not, at 2 mrad/s of speed noise and 10 % wrong friction") {
  const int count = std::getenv("ARMATURE_LONG_TESTS") ? 1000 : 60;
  const CollisionTrial trial;
  int detected = 0, false_alarms = 0;
  std::vector<double> delays;
  for (int k = 0; k < count; ++k) {
    const auto outcome = trial.run(static_cast<std::uint64_t>(1000 + k), true);
    detected += outcome.detected;
    if (outcome.detected) delays.push_back(outcome.delay);
    false_alarms += trial.run(static_cast<std::uint64_t>(900000 + k), false).detected;
  }
  std::ranges::sort(delays);
  MESSAGE("of " << count << " collisions " << detected << " detected, median after " << 1e3 * delays[delays.size() / 2]
                << " ms; " << false_alarms << " false alarms in as many quiet runs of 1 s; thresholds "
                << trial.threshold.transpose() << " N m");
  CHECK(detected >= 0.99 * count);
  CHECK(false_alarms <= 0.01 * count);
}

TEST_CASE("reactions to a collision: the arm stops, floats or goes back") {
  const Arm rrr = built_in_arm("rrr");
  const VecX<double> start = numbers({0, 0.4, -0.8});
  for (const auto reaction : {CollisionReaction::stop, CollisionReaction::gravity, CollisionReaction::retract}) {
    CAPTURE(static_cast<int>(reaction));
    CollisionMonitor law(rrr,
                         AnyController(ComputedTorque(rrr, {.kp = VecX<double>::Constant(3, 400),
                                                            .kd = VecX<double>::Constant(3, 40),
                                                            .terms = {.friction = true}})),
                         {.threshold = numbers({3, 3, 2}), .reaction = reaction});
    MovingArm plant(rrr, start, true);
    law.reset({plant.q, plant.qd});
    VecX<double> tau;
    double hit_at = 0;
    for (int k = 0; k < 3000; ++k) {
      const double t = k * 1e-3, s = 1 - std::exp(-2 * t);
      const Reference r{start + numbers({s, 0, 0}), numbers({2 * std::exp(-2 * t), 0, 0}),
                        numbers({-4 * std::exp(-2 * t), 0, 0})};
      tick(law, plant, r, 1e-3, tau);
      plant.extra = numbers({0, 0, 0});
      if (plant.q[0] > 0.5) plant.extra[0] = -2000 * (plant.q[0] - 0.5);  // something stiff in the way
      if (!law.collided()) hit_at = plant.q[0];
    }
    CHECK(law.collided());
    CHECK(law.status().has(Condition::collision));
    CHECK(hit_at == doctest::Approx(0.5).epsilon(0.05));
    if (reaction == CollisionReaction::retract) {
      CHECK(plant.q[0] == doctest::Approx(hit_at - 0.15).epsilon(0.05));
    } else if (reaction == CollisionReaction::stop) {
      CHECK(plant.q[0] < 0.52);
      CHECK(plant.qd.cwiseAbs().maxCoeff() < 1e-3);
    } else {
      CHECK((tau - gravity_torque<double>(rrr, plant.q)).norm() < 0.5);
      plant.extra = numbers({-8, 0, 0});
      const double before = plant.q[0];
      for (int k = 0; k < 500; ++k) tick(law, plant, standing_at(rrr, start), 1e-3, tau);
      CHECK(plant.q[0] < before - 0.05);  // gives way to a hand
    }
  }
}
