#include "armature/control/payload_observer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/control/computed_torque.hpp"
#include "armature/control/payload_watch.hpp"
#include "armature/core/error.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/law_bench.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::control;
using namespace armature::testing;

namespace {

const bool long_tests = std::getenv("ARMATURE_LONG_TESTS") != nullptr;

Arm carrying(const Arm& arm, const std::optional<MassProperties>& payload) {
  ArmDescription d = arm.description();
  d.payload = payload;
  return Arm(std::move(d));
}

/// A box of some size whose center is somewhere about the tool.
MassProperties random_load(Random& random, double least, double most) {
  const double mass = random.uniform(least, most);
  Vec3<double> edge, place;
  for (int i = 0; i < 3; ++i) {
    edge[i] = random.uniform(0.05, 0.2);
    place[i] = random.uniform(-0.08, 0.08);
  }
  const Vec3<double> square = edge.cwiseAbs2();
  const Vec3<double> inertia = mass / 12 * (Vec3<double>::Constant(square.sum()) - square);
  return {.mass = mass, .position = place, .tensor = inertia.asDiagonal()};
}

/// An arm under computed torque moves about; its drives and its speed sensors are noisy.
struct Trial {
  Arm arm, believed;
  Random random;
  PayloadWatch law;
  MovingArm plant;
  VecX<double> centre, size, rate, phase;
  double speed_noise = 2e-3;                // white, every sample [rad/s]
  VecX<double> torque_noise;                // the same, of the drives: half a percent of what they can do [N m]
  static constexpr double pace_time = 0.2;  // [s]
  double time = 0, along = 0, pace = 1, wanted_pace = 1;

  Trial(std::uint64_t seed, const PayloadObserverSettings& settings, const Arm& truth, const Arm& belief)
      : arm(truth),
        believed(belief),
        random(seed),
        law(believed,
            AnyController(ComputedTorque(believed, {.kp = VecX<double>::Constant(arm.dof(), 900),
                                                    .kd = VecX<double>::Constant(arm.dof(), 60),
                                                    .terms = {.friction = true}})),
            settings),
        plant(arm, VecX<double>::Zero(arm.dof()), true) {
    const int n = arm.dof();
    torque_noise.resize(n);
    for (int i = 0; i < n; ++i) torque_noise[i] = 5e-3 * arm.joint(i).limits.torque.value_or(100);
    centre = size = rate = phase = VecX<double>::Zero(n);
    for (int i = 0; i < n; ++i) {
      centre[i] = random.uniform(-1, 1);
      size[i] = random.uniform(0.2, 0.5);
      rate[i] = random.uniform(1.5, 4);
      phase[i] = random.uniform(0, 6.28);
    }
    const Reference first = motion();
    plant.q = first.q;
    plant.qd = first.qd;
    law.reset({plant.q, plant.qd});
  }

  /// Sines at a pace that follows `wanted_pace`: 1, or 0 to stand.
  [[nodiscard]] Reference motion() const {
    Reference r{centre, centre, centre};
    for (int i = 0; i < centre.size(); ++i) {
      const double phi = rate[i] * along + phase[i], v = size[i] * rate[i] * std::cos(phi);
      r.q[i] = centre[i] + size[i] * std::sin(phi);
      r.qd[i] = v * pace;
      r.qdd[i] = -size[i] * rate[i] * rate[i] * std::sin(phi) * pace * pace + v * (wanted_pace - pace) / pace_time;
    }
    return r;
  }

  void run_until(double end) {
    const double tick = 1e-3;
    const int n = arm.dof();
    VecX<double> tau;
    for (; time < end - tick / 2; time += tick) {
      VecX<double> speed = plant.qd;
      plant.extra = VecX<double>::Zero(n);
      for (int i = 0; i < n; ++i) {
        speed[i] += speed_noise * random.normal();
        plant.extra[i] = torque_noise[i] * random.normal();
      }
      law.update({plant.q, speed}, motion(), tick, tau);
      plant.step(tick, tau);
      along += tick * pace;
      pace += tick / pace_time * (wanted_pace - pace);
    }
  }
};

}  // namespace

TEST_CASE("quantiles of chi squared are those of tables") {
  CHECK(chi_squared_quantile(10, 0.05) == doctest::Approx(18.307).epsilon(1e-4));
  CHECK(chi_squared_quantile(10, 0.001) == doctest::Approx(29.588).epsilon(1e-4));
  CHECK(chi_squared_quantile(2, 0.01) == doctest::Approx(9.2103).epsilon(1e-4));
}

TEST_CASE("a payload picked up in mid-motion is noticed, with mass and center within their intervals") {
  for (const std::string name : {"rrr", "ur5e"}) {
    CAPTURE(name);
    const int count = (long_tests ? 500 : 30) * (name == "rrr" ? 2 : 1);
    const Arm arm = built_in_arm(name);
    int noticed = 0, right_mass = 0, right_com = 0, early = 0;
    std::vector<double> delays, widths;
    for (int k = 0; k < count; ++k) {
      Trial trial(static_cast<std::uint64_t>(25000 + k), {}, arm, arm);
      const double at = trial.random.uniform(1.5, 2.5);
      const MassProperties load = random_load(trial.random, name == "rrr" ? 1.5 : 0.5, 4);  // rrr rubs with some N m
      trial.run_until(at);
      early += trial.law.observer().changes();
      trial.plant.arm = carrying(arm, load);
      trial.run_until(at + 3);
      const PayloadObserver& o = trial.law.observer();
      if (o.changes() != 1) continue;
      ++noticed;
      delays.push_back(o.noticed_at() - at);
      CHECK(o.changed_at() <= o.noticed_at());
      const PayloadGuess& p = o.payload();
      widths.push_back(p.mass_deviation() / load.mass);
      right_mass += std::abs(p.mass() - load.mass) < 1.96 * p.mass_deviation();
      for (int i = 0; i < 3; ++i) right_com += std::abs(p.com()[i] - load.position[i]) < 1.96 * p.com_deviation()[i];
    }
    std::ranges::sort(delays);
    std::ranges::sort(widths);
    REQUIRE(noticed > 0);
    MESSAGE(name << ": of " << count << " loads " << noticed << " noticed once, half of them within "
                 << 1e3 * delays[delays.size() / 2] << " ms, all within " << 1e3 * delays.back() << " ms; of "
                 << noticed << " masses " << right_mass << ", of " << 3 * noticed << " coordinates of centers "
                 << right_com << " within their 95 % intervals; deviation of a mass " << 100 * widths[widths.size() / 2]
                 << " % in the median");
    CHECK(early == 0);
    CHECK(noticed >= 0.97 * count);
    CHECK(delays[delays.size() / 2] < 0.15);
    CHECK(widths[widths.size() / 2] < (name == "rrr" ? 0.1 : 0.01));
    // at least 95 %, less three standard deviations of the count: what may be wrong of the friction is part of the intervals
    const auto least = [](double n) { return 0.95 * n - 3 * std::sqrt(0.95 * 0.05 * n); };
    CHECK(right_mass >= least(noticed));
    CHECK(right_com >= least(3 * noticed));
  }
}

TEST_CASE("noise alone changes no payload more often than stated") {
  for (const std::string name : {"rrr", "ur5e"}) {
    CAPTURE(name);
    const Arm arm = built_in_arm(name);
    const int count = long_tests ? 400 : 40;
    const double length = 10, between = 20;  // [s]
    int alarms = 0, by_default = 0;
    for (int k = 0; k < count; ++k) {
      Trial often(static_cast<std::uint64_t>(170000 + k), {.between_alarms = between}, arm, arm);
      often.run_until(length);
      alarms += often.law.observer().changes();
      Trial seldom(static_cast<std::uint64_t>(190000 + k), {}, arm, arm);
      seldom.run_until(length);
      by_default += seldom.law.observer().changes();
    }
    const double stated = count * length / between, stated_by_default = count * length / 3600;
    MESSAGE(name << ": " << alarms << " false alarms in " << count * length << " s, " << stated
                 << " stated; by default " << by_default << ", " << stated_by_default << " stated");
    CHECK(alarms <= stated + 3 * std::sqrt(stated));
    CHECK(by_default <= stated_by_default + 3 * std::sqrt(stated_by_default));
  }
}

TEST_CASE("friction that is believed 10 % too large and masses 1 % too small are no payload that changes") {
  const Arm arm = built_in_arm("rrr");
  ArmDescription d = scaled_masses(arm, 0.99).description();
  for (JointDescription& joint : d.joints)
    if (auto* f = std::get_if<ThreeSigmoid>(&joint.friction)) {
      for (double& height : f->f) height *= 1.1;
      f->viscous *= 1.1;
    }
  const Arm believed(d);
  int early = 0, noticed = 0;
  const int count = long_tests ? 200 : 20;
  for (int k = 0; k < count; ++k) {
    Trial trial(static_cast<std::uint64_t>(300 + k), {}, arm, believed);
    trial.run_until(6);
    early += trial.law.observer().changes();
    trial.plant.arm = carrying(arm, MassProperties{.mass = 3, .tensor = 0.005 * Mat3<double>::Identity()});
    trial.run_until(9);
    noticed += trial.law.observer().changes() > 0;
  }
  MESSAGE(early << " false alarms in " << 6 * count << " s; of " << count << " loads of 3 kg " << noticed
                << " noticed");
  CHECK(early == 0);
  CHECK(noticed == count);
}

TEST_CASE("a minute of standstill winds nothing up: the estimate stays, and the motion after it is no change") {
  const Arm arm = built_in_arm("ur5e");
  Random random(4);
  const MassProperties load = random_load(random, 1, 3);
  Trial trial(4, {}, carrying(arm, load), arm);
  trial.run_until(4);
  trial.wanted_pace = 0;
  const PayloadGuess before = trial.law.observer().payload();
  trial.run_until(64);
  const PayloadGuess after = trial.law.observer().payload();
  CHECK(trial.law.observer().changes() == 0);
  CHECK(std::abs(after.mass() - load.mass) < 3 * after.mass_deviation());
  CHECK((after.com() - load.position).cwiseAbs().maxCoeff() < 3e-3);
  CHECK((after.parameters - before.parameters).tail<6>().cwiseAbs().maxCoeff() < 1e-3);  // moments of inertia [kg m²]
  for (int k = 0; k < 10; ++k) CHECK(after.covariance(k, k) < 4 * before.covariance(k, k) + 1e-6);
  trial.wanted_pace = 1;
  trial.run_until(68);
  CHECK(trial.law.observer().changes() == 0);
}

TEST_CASE("readings without any noise teach finite numbers") {
  const Arm arm = built_in_arm("ur5e");
  PayloadObserver observer(arm, {});
  const VecX<double> q = VecX<double>::Constant(6, 0.3), still = VecX<double>::Zero(6);
  observer.reset({q, still});
  for (int k = 0; k < 20000; ++k) observer.update({q, still}, {}, gravity_torque<double>(arm, q), 1e-3);
  CHECK(std::abs(observer.payload().mass()) < 3 * observer.payload().mass_deviation());
  CHECK(observer.payload().covariance.allFinite());
  CHECK(observer.changes() == 0);
}

TEST_CASE("what a payload watch cannot work with is refused") {
  const Arm arm = built_in_arm("rrr");
  CHECK_THROWS_AS(PayloadObserver(arm, {.block = 0}), Error);
  CHECK_THROWS_AS(PayloadObserver(arm, {.block = 1, .notice = 0.5}), Error);
  CHECK_THROWS_AS(PayloadObserver(arm, {.noise = numbers({1, 2})}), Error);
}
