#include "armature/testing/every_law.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "armature/control/guarded.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/law_bench.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::control;
using namespace armature::testing;

namespace {

Measurement reading(const MovingArm& plant, long sequence) {
  return {plant.q, plant.qd, VecX<double>::Zero(plant.arm.dof()), plant.tool_wrench(), sequence};
}

/// One of the numbers of a tick replaced by nonsense, a vector by one of another size, or everything by something old.
void spoil(Random& random, Measurement& y, Reference& r, double& dt, const Measurement& old) {
  const double nonsense[] = {
      std::nan(""), INFINITY, -INFINITY, 1e300, -1e9, 1e3, std::numeric_limits<double>::denorm_min()};
  const double bad = nonsense[random.bits() % 7];
  const auto hit = [&](VecX<double>& x) {
    if (x.size() > 0) x[random.bits() % static_cast<std::uint64_t>(x.size())] = bad;
  };
  switch (random.bits() % 18) {
    case 0:
      return hit(y.q);
    case 1:
      return hit(y.qd);
    case 2:
      return hit(y.torque);
    case 3:
      y.wrench[random.bits() % 6] = bad;
      return;
    case 4:
      return hit(r.q);
    case 5:
      return hit(r.qd);
    case 6:
      return hit(r.qdd);
    case 7:
      r.X_WT.p[random.bits() % 3] = bad;
      return;
    case 8:
      r.X_WT.R(static_cast<Eigen::Index>(random.bits() % 3), 1) = bad;
      return;
    case 9:
      r.twist[random.bits() % 6] = bad;
      return;
    case 10:
      r.acceleration[random.bits() % 6] = bad;
      return;
    case 11:
      r.wrench[random.bits() % 6] = bad;
      return;
    case 12:
      y.q.resize(random.bits() % 17);
      y.q.setZero();
      return;
    case 13:
      r.qd.resize(random.bits() % 17);
      r.qd.setZero();
      return;
    case 14:
      y = old;
      return;  // stale
    case 15:
      y.q *= 1 + random.normal();
      return;  // jump
    case 16:
      dt = random.bits() % 2 ? bad : -dt;
      return;
    default:
      r.X_WT.p += 3 * Vec3<double>(random.normal(), random.normal(), random.normal());
      return;  // out of reach
  }
}

}  // namespace

TEST_CASE("the torque parts of every law add up to its command, and names and sizes of parts never change") {
  for (const char* name : {"rrr", "rpr", "panda"}) {
    const Arm arm = built_in_arm(name);
    Random random(1);
    for (NamedLaw& law : every_law(arm)) {
      CAPTURE(law.name);
      std::vector<Eigen::Index> sizes;
      for (const Part& p : law.law.parts()) sizes.push_back(p.value.size());
      MovingArm plant(arm, random_vector(arm.dof(), random, 0.5));
      law.law.reset(reading(plant, -1));
      VecX<double> tau;
      for (int k = 0; k < 5; ++k) {
        plant.qd = random_vector(arm.dof(), random);
        const Reference r =
            moving_at(arm, plant.q + random_vector(arm.dof(), random, 0.1), plant.qd, random_vector(arm.dof(), random));
        law.law.update(reading(plant, -1), r, 1e-3, tau);
        VecX<double> sum = VecX<double>::Zero(arm.dof());
        bool torques = false;
        std::size_t i = 0;
        for (const Part& p : law.law.parts()) {
          CHECK(p.value.size() == sizes[i++]);
          if (p.is_torque()) {
            sum += p.value;
            torques = true;
          }
        }
        CHECK(tau.allFinite());
        if (torques) CHECK(relative_error(sum, tau) < 1e-9);
      }
    }
  }
}

TEST_CASE(
    "faults: whatever is measured or wanted, every guarded law stays finite and within its limits and stops in one "
    "tick") {
  const int faults = std::getenv("ARMATURE_LONG_TESTS") ? 10000 : 300;
  for (const char* name : {"rrr", "panda"}) {
    const Arm arm = built_in_arm(name);
    const int n = arm.dof();
    Random random(2024);
    for (NamedLaw& each : every_law(arm)) {
      CAPTURE(each.name);
      const VecX<double> rate = VecX<double>::Constant(n, 2000);
      Guarded guard(arm, std::move(each.law), {.torque_rate = rate, .ramp = 0.005, .missed_samples = 0});
      const VecX<double>& limit = guard.limits().torque;
      MovingArm plant(arm, VecX<double>::Constant(n, 0.3));
      if (n == 7) plant.q[3] = -1.5;
      const VecX<double> home = plant.q;
      VecX<double> tau = VecX<double>::Zero(n), last = tau;
      long count = 0;
      int finite = 0, within = 0, slow_enough = 0, stopped = 0, must_stop = 0, ticks = 0;
      const auto tick_with = [&](const Measurement& y, const Reference& r, double dt) {
        guard.update(y, r, dt, tau);
        ++ticks;
        finite += tau.size() == n && tau.allFinite();
        within += (tau.cwiseAbs().array() <= limit.array()).all();
        slow_enough +=
            ((tau - last).cwiseAbs().array() <= 2000 * std::max(std::isfinite(dt) ? dt : 0.0, 0.0) + 1e-9).all() ||
            !(dt > 0) || dt > 0.1;
        last = tau;
      };
      for (int k = 0; k < faults; ++k) {
        plant.q = home;
        plant.qd = random_vector(n, random, 0.2);
        Measurement old = reading(plant, count++);
        guard.reset(old);
        guard.update(old, standing_at(arm, home), 1e-3, last);
        for (int quiet = 0; quiet < 2; ++quiet) {
          old = reading(plant, count++);
          tick_with(old, standing_at(arm, home + random_vector(n, random, 0.05)), 1e-3);
        }
        Measurement y = reading(plant, count++);
        Reference r = standing_at(arm, home + random_vector(n, random, 0.05));
        double dt = 1e-3;
        spoil(random, y, r, dt, old);
        const bool was_running = guard.mode() == Guarded::Mode::running;
        tick_with(y, r, dt);
        const Needs needs = guard.needs();
        bool wrong = !(y.q.size() == n && y.q.allFinite() && y.qd.allFinite()) || y.sequence == old.sequence;
        wrong = wrong || !(dt >= 0 && dt <= 0.1);
        if (needs.joint_reference)
          wrong = wrong || !(r.q.allFinite() && r.qd.size() == n && r.qd.allFinite() && r.qdd.allFinite());
        if (needs.tool_reference)
          wrong = wrong ||
                  !(r.X_WT.p.allFinite() && r.X_WT.R.allFinite() && r.twist.allFinite() && r.acceleration.allFinite());
        if (needs.wrench_reference) wrong = wrong || !r.wrench.allFinite();
        if (needs.wrench) wrong = wrong || !y.wrench.allFinite();
        if (was_running && wrong) {
          ++must_stop;
          stopped += guard.mode() != Guarded::Mode::running;
        }
        tick_with(reading(plant, count++), standing_at(arm, home), 1e-3);
      }
      CHECK(finite == ticks);
      CHECK(within == ticks);
      CHECK(slow_enough == ticks);
      CHECK(must_stop > faults / 10);
      CHECK(stopped == must_stop);
    }
  }
}

TEST_CASE("one reading or reference that is no number does not poison a law: the next ticks are as good as ever") {
  for (const char* name : {"rrr", "panda"}) {
    const Arm arm = built_in_arm(name);
    const int n = arm.dof();
    for (const double bad : {std::nan(""), static_cast<double>(INFINITY), -static_cast<double>(INFINITY)})
      for (int where = 0; where < 8; ++where)
        for (NamedLaw& each : every_law(arm)) {
          CAPTURE(name);
          CAPTURE(each.name);
          CAPTURE(where);
          CAPTURE(bad);
          MovingArm plant(arm, VecX<double>::Constant(n, 0.3));
          if (n == 7) plant.q[3] = -1.5;
          plant.qd = VecX<double>::Constant(n, 0.1);
          const Reference wanted = moving_at(arm, plant.q + VecX<double>::Constant(n, 0.01), plant.qd, plant.qd);
          each.law.reset(reading(plant, -1));
          VecX<double> tau;
          for (int k = 0; k < 20; ++k) each.law.update(reading(plant, -1), wanted, 1e-3, tau);
          Measurement y = reading(plant, -1);
          Reference r = wanted;
          double* spoilt[] = {&y.q[0],     &y.qd[1], &y.torque[0], &y.wrench[2],
                              &r.q[n - 1], &r.qd[0], &r.X_WT.p[1], &r.wrench[0]};
          *spoilt[where] = bad;
          each.law.update(y, r, 1e-3, tau);
          for (int k = 0; k < 3; ++k) {
            each.law.update(reading(plant, -1), wanted, 1e-3, tau);
            REQUIRE(tau.allFinite());
            for (const Part& p : each.law.parts()) REQUIRE(p.value.allFinite());
          }
          each.law.integrals([](std::span<double> state, std::span<const double>) {
            for (const double x : state) REQUIRE(std::isfinite(x));
          });
        }
  }
}

TEST_CASE("singular and unreachable targets: no torque beyond the limits, and the status tells") {
  for (const char* name : {"planar3r", "rrr", "panda"}) {
    const Arm arm = built_in_arm(name);
    const int n = arm.dof();
    CAPTURE(arm.name());
    for (NamedLaw& each : every_law(arm)) {
      if (!each.law.needs().tool_reference) continue;
      CAPTURE(each.name);
      const bool follows_force = each.law.needs().wrench_reference;
      Guarded guard(arm, std::move(each.law), {.velocity = VecX<double>::Constant(n, 50)});
      MovingArm plant(arm, VecX<double>::Constant(n, 0.2));
      if (n == 7) {
        plant.q[3] = -1.2;
        plant.q[5] = 1.5;
      }
      Reference r = standing_at(arm, plant.q);
      const Vec3<double> from = r.X_WT.p;
      const Vec3<double> beyond = from.normalized() * 5;  // far out of reach: the arm stretches out, which is singular
      guard.reset(reading(plant, -1));
      VecX<double> tau;
      bool told = false;
      for (int k = 0; k < 2000; ++k) {
        r.X_WT.p = from + (beyond - from) * std::min(1.0, k / 1500.0);
        guard.update(reading(plant, -1), r, 1e-3, tau);
        REQUIRE(tau.allFinite());
        REQUIRE((tau.cwiseAbs().array() <= guard.limits().torque.array()).all());
        const Status s = guard.status();
        told = told || s.has(Condition::singular) || s.has(Condition::unreachable) ||
               s.has(Condition::representation) || s.has(Condition::saturated) || s.has(Condition::stopping) ||
               s.has(Condition::holding);
        plant.step(1e-3, tau);
      }
      CHECK(plant.q.allFinite());
      // Transposed Jacobians need no inverse and pull on; least squares (six coordinates, three joints) just settle.
      const bool inverts = !follows_force && each.name.find("PD") == std::string::npos &&
                           each.name.find("mpedance") == std::string::npos && !(n < 6 && each.name.ends_with("ZYZ"));
      if (inverts) CHECK(told);
    }
  }
}
