// Lesson 1: a control loop at 1 kHz on a robot. Read the state, update the controller, write the torques.
//
// The tool of a Panda arm draws a circle under Cartesian impedance control, with its elbow damped in the null space. The
// controller is built before the loop starts; a tick neither allocates nor throws. A guard goes around it: it starts without a
// bump, keeps the limits of the arm, and stops the arm when samples stay away - which happens here after two seconds.
#include <fmt/core.h>

#include <cmath>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/control/cartesian_impedance.hpp"
#include "armature/control/compensation.hpp"
#include "armature/control/guarded.hpp"
#include "armature/control/null_space.hpp"
#include "armature/control/term_sum.hpp"
#include "armature/formats/catalogue.hpp"
#include "driver.hpp"

using namespace armature;
using namespace armature::control;

int main() {
  const Arm panda = catalogue_arm("panda");
  VecX<double> start(7);
  start << 0, -0.5, 0, -2.2, 0, 1.7, 0.8;
  example::Driver driver(panda, start);

  // The law, from named terms that can be switched on and off while it runs ...
  Vec6<double> stiffness;
  stiffness << 3000, 3000, 3000, 100, 100, 100;  // [N/m; N m/rad]
  TermSum law(
      7,
      terms(
          Term{"impedance", AnyController(CartesianImpedance(panda, {.stiffness = stiffness, .zeta = 0.9}))},
          Term{"friction",
               AnyController(FrictionCompensation(
                   panda, {.speed = FrictionCompensationSettings::Speed::measured, .share = 0.9, .sign_width = 0.02}))},
          Term{"elbow", AnyController(NullSpaceTerm(panda, AnyController(JointDamping{VecX<double>::Constant(7, 4)}),
                                                    {.rows = TaskRows::full()}))}));
  // ... and a guard around it. The limits are the arm's own.
  Guarded controller(panda, AnyController(std::move(law)),
                     {.torque_rate = VecX<double>::Constant(7, 1000), .missed_samples = 2});

  Measurement y = driver.read();
  controller.reset(y);
  const Pose<double> home = tool_pose(panda, forward_kinematics<double>(panda, y.q));
  const double radius = 0.08, w = 2 * M_PI / 2;  // a turn in two seconds
  Reference r;
  VecX<double> tau(7);
  Status said = Condition::brakes;  // not yet said anything
  double farthest = 0;
  for (int k = 0; k < 3500; ++k) {
    const double t = 1e-3 * k, s = std::min(1.0, t);  // the radius grows during the first second
    if (k == 2000) driver.lose_samples();
    if (k == 1500) controller.switch_term("elbow", false);  // any term, at any time

    y = driver.read();
    r.X_WT = home;
    const Vec3<double> around(0, std::sin(w * t), std::cos(w * t) - 1),
        along(0, w * std::cos(w * t), -w * std::sin(w * t));
    r.X_WT.p += radius * s * around;
    r.twist.head<3>() = radius * (s * along + (t < 1 ? 1.0 : 0.0) * around);
    controller.update(y, r, 1e-3, tau);
    driver.write(tau);

    if (!(controller.status() == said)) fmt::print("{:5.3f} s  {}\n", t, to_string(said = controller.status()));
    if (k > 500 && k < 2000)
      farthest = std::max(farthest, (tool_pose(panda, forward_kinematics<double>(panda, y.q)).p - r.X_WT.p).norm());
  }
  fmt::print("farthest from the path: {:.0f} mm; cause of the stop: {}\n", 1e3 * farthest,
             to_string(controller.cause()));
  return farthest < 0.02 && controller.cause().has(Condition::stale) ? 0 : 1;
}
