#include "armature/control/guarded.hpp"

#include <cmath>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/control/compensation.hpp"
#include "armature/control/computed_torque.hpp"
#include "armature/control/joint_pd.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/moving_arm.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::control;
using testing::built_in_arm;
using testing::MovingArm;

namespace {

VecX<double> three(double a, double b, double c) { return Vec3<double>(a, b, c); }

Reference resting_at(const VecX<double>& q) {
  Reference r;
  r.q = q;
  r.qd = r.qdd = VecX<double>::Zero(q.size());
  return r;
}

AnyController stiff(const Arm& arm) {
  return AnyController(
      ComputedTorque(arm, {.kp = VecX<double>::Constant(3, 400), .kd = VecX<double>::Constant(3, 40)}));
}

/// Runs arm and guard for a while; tells the largest change of torque between ticks.
struct Bench {
  MovingArm plant;
  Guarded guard;
  long count = 0;
  VecX<double> tau = VecX<double>::Zero(3);
  double largest_step = 0, largest = 0;

  Measurement reading() { return {plant.q, plant.qd, {}, Vec6<double>::Zero(), count++}; }
  void tick(const Measurement& y, const Reference& r) {
    const VecX<double> last = tau;
    guard.update(y, r, 1e-3, tau);
    largest_step = std::max(largest_step, (tau - last).cwiseAbs().maxCoeff());
    largest = std::max(largest, tau.cwiseAbs().maxCoeff());
    plant.step(1e-3, tau);
  }
};

Bench bench(const GuardSettings& settings = {}) {
  const Arm rrr = built_in_arm("rrr");
  const VecX<double> q = three(0.2, 0.4, -0.6);
  Bench b{MovingArm(rrr, q), Guarded(rrr, stiff(rrr), settings)};
  b.guard.reset(b.reading());
  b.tau = gravity_torque<double>(rrr, q);
  return b;
}

}  // namespace

TEST_CASE("a guarded law starts without a bump however far the target is") {
  Bench b = bench({.ramp = 0.3});
  const VecX<double> far = b.plant.q + three(1, -1, 1);
  VecX<double> unguarded(3);
  AnyController bare = stiff(b.plant.arm);
  bare.update({b.plant.q, b.plant.qd}, resting_at(far), 1e-3, unguarded);
  const double bump = (unguarded - b.tau).cwiseAbs().maxCoeff();
  b.tick(b.reading(), resting_at(far));
  CHECK(b.guard.status().has(Condition::starting));
  CHECK(b.largest_step < 1e-3 * bump);
  for (int k = 0; k < 2000; ++k) b.tick(b.reading(), resting_at(far));
  CHECK(b.guard.mode() == Guarded::Mode::running);
  CHECK_FALSE(b.guard.status().has(Condition::starting));
  CHECK((b.plant.q - far).cwiseAbs().maxCoeff() < 1e-3);
}

TEST_CASE("torque and torque rate stay within their limits") {
  Bench b = bench({.torque = three(20, 25, 8), .torque_rate = three(400, 400, 100), .ramp = 0});
  for (int k = 0; k < 1000; ++k) {
    const VecX<double> last = b.tau;
    b.tick(b.reading(), resting_at(b.plant.q + three(k % 100 < 50 ? 1 : -1, 1, -1)));
    CHECK(((b.tau - last).cwiseAbs().array() <= three(0.4, 0.4, 0.1).array() + 1e-12).all());
    CHECK((b.tau.cwiseAbs().array() <= three(20, 25, 8).array()).all());
  }
}

TEST_CASE("a safe stop brakes, then holds, within the tick that is wrong") {
  for (const int fault : {0, 1, 2, 3, 4, 5, 6}) {
    CAPTURE(fault);
    Bench b = bench();
    Reference moving = resting_at(b.plant.q);
    for (int k = 0; k < 1000; ++k) {
      moving.qd = three(0.5, -0.5, 0.8);
      moving.q += 1e-3 * moving.qd;
      b.tick(b.reading(), moving);
    }
    REQUIRE(b.guard.mode() == Guarded::Mode::running);
    REQUIRE(b.plant.qd.cwiseAbs().minCoeff() > 0.3);
    Measurement y = b.reading();
    Reference r = moving;
    double dt = 1e-3;
    Condition expected = Condition::bad_measurement;
    if (fault == 0) y.q[1] = std::nan("");
    if (fault == 1) y.qd[2] = INFINITY;
    if (fault == 2) y.q[0] += 0.5;
    if (fault == 3) {
      r.qdd[0] = std::nan("");
      expected = Condition::bad_reference;
    }
    if (fault == 4) {
      r.q.resize(2);
      expected = Condition::bad_reference;
    }
    if (fault == 5) {
      dt = -1;
      expected = Condition::bad_time;
    }
    if (fault == 6) y.qd[0] = 1e6;  // finite, but the position knows nothing of it
    b.guard.update(y, r, dt, b.tau);
    CHECK(b.guard.mode() == Guarded::Mode::stopping);
    CHECK(b.guard.cause().has(expected));
    CHECK(b.tau.allFinite());
    CHECK(b.guard.status().has(Condition::stopping));
    CHECK(b.guard.status().has(Condition::brakes) == (expected == Condition::bad_measurement));
    b.plant.step(1e-3, b.tau);
    for (int k = 0; k < 1500; ++k) b.tick(b.reading(), moving);  // all is well again: the arm stays stopped
    CHECK(b.guard.mode() == Guarded::Mode::holding);
    CHECK(b.guard.status().has(Condition::holding));
    CHECK(b.plant.qd.cwiseAbs().maxCoeff() < 1e-3);
    const VecX<double> rest = b.plant.q;
    b.plant.extra = three(1, 1, 1);
    for (int k = 0; k < 1000; ++k) b.tick(b.reading(), moving);
    CHECK((b.plant.q - rest).cwiseAbs().maxCoeff() < 0.1);  // held against a push
    b.guard.reset(b.reading());
    CHECK(b.guard.mode() == Guarded::Mode::running);
  }
}

TEST_CASE("a missed sample is bridged, too many stop the arm") {
  Bench b = bench({.missed_samples = 2});
  const Reference r = resting_at(b.plant.q);
  for (int k = 0; k < 100; ++k) b.tick(b.reading(), r);
  Measurement old = b.reading();
  b.tick(old, r);
  const VecX<double> last = b.tau;
  for (int k = 0; k < 2; ++k) {
    b.tick(old, r);
    CHECK(b.guard.mode() == Guarded::Mode::running);
    CHECK(b.guard.status().has(Condition::stale));
    CHECK(b.tau == last);
  }
  b.tick(old, r);
  CHECK(b.guard.mode() == Guarded::Mode::stopping);
  CHECK(b.guard.cause().has(Condition::stale));
  CHECK(b.guard.status().has(Condition::brakes));
}

TEST_CASE("a joint that is too fast, or leaves its range, stops the arm") {
  Bench b = bench({.lower = three(-9, -9, -9), .upper = three(9, 0.8, 9), .velocity = three(2, 2, 2)});
  const Reference beyond = resting_at(three(0.2, 1.2, -0.6));
  for (int k = 0; k < 3000; ++k) b.tick(b.reading(), beyond);
  CHECK(b.guard.cause().has(Condition::joint_limit));
  CHECK(b.guard.mode() == Guarded::Mode::holding);
  CHECK(b.plant.q[1] < 1.2 - 0.1);
  b.guard.reset(b.reading());
  for (int k = 0; k < 3000; ++k) b.tick(b.reading(), resting_at(three(0.2, 0.4, -0.6)));  // the way back is free
  CHECK(b.guard.mode() == Guarded::Mode::running);
  CHECK(b.plant.q[1] == doctest::Approx(0.4).epsilon(1e-3));
}

TEST_CASE("a law that returns nonsense is stopped, and the emergency button works") {
  const Arm rrr = built_in_arm("rrr");
  Guarded guard(rrr, AnyController(OpenLoop{three(std::nan(""), 0, 0)}));
  const VecX<double> q = three(0, 0.3, 0.2), zero = three(0, 0, 0);
  guard.reset({q, zero});
  VecX<double> tau;
  guard.update({q, zero}, {}, 1e-3, tau);
  CHECK(guard.cause().has(Condition::law_failed));
  CHECK(tau.allFinite());
  Guarded good(rrr, AnyController(GravityCompensation(rrr)));
  good.reset({q, zero});
  good.stop();
  good.update({q, zero}, {}, 1e-3, tau);
  CHECK(good.mode() == Guarded::Mode::holding);
  VecX<double> sum = zero;
  for (const Part& p : good.parts()) sum += p.value;
  CHECK(testing::relative_error(sum, tau) < 1e-12);
}
