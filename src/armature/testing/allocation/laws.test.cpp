// No control law makes a heap call in a tick: alone, behind a guard, while terms are switched and while faults come in.
#include <cmath>
#include <cstdlib>

#include "armature/algorithms/jacobian.hpp"
#include "armature/control/guarded.hpp"
#include "armature/testing/allocation/heap_calls.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/every_law.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature::rooms;
using namespace armature::testing;

namespace {

/// What a law sees at tick k: a motion that changes all the time, some way off its reference.
struct Tick {
  Measurement y;
  Reference r;
};
Tick tick_of(const Arm& arm, long k) {
  const int n = arm.dof();
  const double t = 1e-3 * static_cast<double>(k);
  Tick now;
  now.y.q.resize(n);
  now.y.qd.resize(n);
  now.r.q.resize(n);
  now.r.qd.resize(n);
  now.r.qdd.resize(n);
  for (int i = 0; i < n; ++i) {
    const double w = 1 + 0.3 * i;
    now.r.q[i] = 0.3 * std::sin(w * t);
    now.r.qd[i] = 0.3 * w * std::cos(w * t);
    now.r.qdd[i] = -0.3 * w * w * std::sin(w * t);
    now.y.q[i] = now.r.q[i] + 0.02 * std::sin(3 * t + i);
    now.y.qd[i] = now.r.qd[i] + 0.06 * std::cos(3 * t + i);
  }
  now.y.torque = VecX<double>::Zero(n);
  now.y.wrench[2] = std::sin(t);
  now.y.sequence = k;
  const LinkPoses<double> poses = forward_kinematics<double>(arm, now.r.q);
  now.r.X_WT = tool_pose<double>(arm, poses);
  now.r.twist = tool_jacobian<double>(arm, poses) * now.r.qd;
  now.r.wrench[2] = 1;
  return now;
}

}  // namespace

TEST_CASE("no law makes a heap call in 100 000 ticks (fewer without ARMATURE_LONG_TESTS)") {
  const long ticks = std::getenv("ARMATURE_LONG_TESTS") ? 100000 : 3000;
  Random random(5);
  for (const int dof : {3, 7}) {
    const Arm arm = random_arm(dof, random);
    for (NamedLaw& law : every_law(arm)) {
      CAPTURE(law.name);
      VecX<double> tau = VecX<double>::Zero(dof);
      law.law.reset(tick_of(arm, 0).y);
      CHECK(heap_calls_of([&] {
              for (long k = 1; k <= ticks; ++k) {
                const Tick now = tick_of(arm, k);
                law.law.update(now.y, now.r, 1e-3, tau);
                if (k % 1000 == 0) law.law.switch_term("gravity", k % 2000 == 0);
                if (k % 1500 == 0) law.law.reset(now.y);
              }
            }) == 0);
      CHECK(tau.allFinite());

      Guarded guard(arm, std::move(law.law), {.torque = VecX<double>::Constant(dof, 100)});
      CHECK(heap_calls_of([&] {
              for (long k = 0; k < 300; ++k) {
                Tick now = tick_of(arm, k);
                if (k % 100 == 0) guard.reset(now.y);
                if (k % 100 == 50) now.y.q[0] = std::nan("");
                guard.update(now.y, now.r, 1e-3, tau);
              }
            }) == 0);
    }
  }
}
