#include <cmath>
#include <numbers>

#include "armature/algorithms/energy.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/algorithms/operational_space.hpp"
#include "armature/control/cartesian_impedance.hpp"
#include "armature/control/compensation.hpp"
#include "armature/control/ik_in_loop.hpp"
#include "armature/control/joint_pd.hpp"
#include "armature/control/null_space.hpp"
#include "armature/control/operational_inverse_dynamics.hpp"
#include "armature/control/operational_pd.hpp"
#include "armature/control/term_sum.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/numerics/symmetric_eigen.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/law_bench.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::control;
using namespace armature::testing;

namespace {

TaskVector<double> all(int m, double value) { return TaskVector<double>::Constant(m, value); }

struct Case {
  Arm arm;
  TaskCoordinates task;
};

/// Arms with tasks that they can do, redundant ones included.
std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* name : {"rrr", "rpr", "puma560", "panda", "iiwa14"})
    list.push_back({built_in_arm(name), TaskCoordinates::position()});
  for (const char* name : {"puma560", "ur5", "panda", "iiwa14"})
    for (const Orientation o :
         {Orientation::quaternion, Orientation::rotation_vector, Orientation::zyz, Orientation::rpy})
      list.push_back({built_in_arm(name), TaskCoordinates::pose(o)});
  list.push_back({built_in_arm("planar3r"), TaskCoordinates::planar()});
  list.push_back({built_in_arm("planar3r"), {{0, 1}}});
  return list;
}

}  // namespace

TEST_CASE("the task's Jacobian, its drift and the target's rates are derivatives of the task's coordinates") {
  Random random(11);
  for (const Case& c : cases()) {
    CAPTURE(c.arm.name());
    const int n = c.arm.dof();
    const VecX<double> q = random_vector(n, random), qd = random_vector(n, random);
    const Reference still = standing_at(c.arm, q + random_vector(n, random, 0.2));
    TaskState here, ahead, behind;
    const double h = 1e-6;
    task_state(c.arm, c.task, q, qd, still, here);
    task_state(c.arm, c.task, q + h * qd, qd, still, ahead);
    task_state(c.arm, c.task, q - h * qd, qd, still, behind);
    CHECK(relative_error((ahead.rate - behind.rate) / (2 * h), here.Jd_qd) < 1e-5);
    if (c.task.euler() || c.task.rows.count < 4)  // coordinates in the strict sense
      CHECK(relative_error((behind.error - ahead.error) / (2 * h), here.rate) < 1e-5);

    // The target moves as the arm does: then its rate is the arm's rate at that place, and its acceleration too.
    const VecX<double> qdd = random_vector(n, random);
    task_state(c.arm, c.task, q, qd, moving_at(c.arm, q, qd, qdd), here);
    CHECK(here.error.cwiseAbs().maxCoeff() < 1e-7);
    CHECK(here.rate_error.cwiseAbs().maxCoeff() < 1e-9);
    CHECK(relative_error(here.acceleration, TaskVector<double>(here.J * qdd + here.Jd_qd)) < 1e-9);
    const Vec6<double> w = here.J_tool * qd;  // any six numbers
    if (c.task.rows.count == 6)
      CHECK(relative_error(here.J.transpose() * here.force(c.task, w), here.J_tool.transpose() * w) < 1e-9);
  }
}

TEST_CASE("inverse dynamics in the operational space gives the task its error equation") {
  Random random(12);
  for (const Case& c : cases())
    for (const Projector weighting : {Projector::moore_penrose, Projector::dynamically_consistent}) {
      CAPTURE(c.arm.name());
      const int n = c.arm.dof(), m = c.task.rows.count;
      const VecX<double> q = random_vector(n, random), qd = random_vector(n, random);
      const Reference r =
          moving_at(c.arm, q + random_vector(n, random, 0.1), random_vector(n, random), random_vector(n, random));
      OperationalInverseDynamics law(
          c.arm,
          {.dynamics = {.task = c.task, .inverse = {.weighting = weighting}}, .kp = all(m, 70), .kd = all(m, 20)});
      VecX<double> tau;
      law.update({q, qd}, r, 1e-3, tau);
      if (law.status().any()) continue;  // singular: another test
      MovingArm plant(c.arm, q);
      plant.qd = qd;
      TaskState x;
      task_state(c.arm, c.task, q, qd, r, x);
      const TaskVector<double> xdd = x.J * plant.acceleration(tau) + x.Jd_qd;
      const TaskVector<double> wanted = x.acceleration + 20 * x.rate_error + 70 * x.error;
      CHECK(relative_error(xdd, wanted) < 1e-7);
    }
}

TEST_CASE("its poles are those of the gains: -4.52 and -15.5 for 70 and 20, -15 ± 7.4j for 280 and 30 [Verona2023]") {
  const Arm rpr = built_in_arm("rpr");
  const VecX<double> q = numbers({1, 0, -0.5});
  for (const double kp : {70.0, 280.0}) {
    const double kd = kp == 70 ? 20 : 30;
    OperationalInverseDynamics law(
        rpr, {.dynamics = {.task = TaskCoordinates::position()}, .kp = all(3, kp), .kd = all(3, kd)});
    const std::complex<double> root = std::sqrt(std::complex<double>(kd * kd / 4 - kp));
    for (const auto p : closed_loop_poles(MovingArm(rpr, q), feedback(law, standing_at(rpr, q))))
      CHECK(std::min(std::abs(p - (-kd / 2 + root)), std::abs(p - (-kd / 2 - root))) < 1e-3);
  }
}

TEST_CASE("six coordinates on three joints: least squares, and the target is still reached") {
  const Arm rpr = built_in_arm("rpr");
  const VecX<double> target = numbers({1, 0, -0.5});
  OperationalInverseDynamics law(
      rpr, {.dynamics = {.task = TaskCoordinates::pose(Orientation::zyz)}, .kp = all(6, 70), .kd = all(6, 20)});
  MovingArm plant(rpr, target + numbers({0.1, -0.05, 0.2}));
  for (int k = 0; k < 3000; ++k) plant.step(1e-3, feedback(law, standing_at(rpr, target)));
  CHECK((plant.q - target).cwiseAbs().maxCoeff() < 1e-4);
  CHECK_FALSE(law.status().any());
}

TEST_CASE("where Euler angles are singular the law says so and stays finite; quaternions know nothing of it") {
  const Arm arm = built_in_arm("planar3r");  // its tool turns about the world's z axis: theta of ZYZ is zero everywhere
  const VecX<double> q = numbers({0.3, 0.9, -0.6}), qd = numbers({0.5, -0.3, 0.2});
  const Reference r = standing_at(arm, q.array() + 0.05);
  VecX<double> tau;
  for (const Orientation o : {Orientation::zyz, Orientation::rpy, Orientation::quaternion}) {
    OperationalInverseDynamics inverse(
        arm, {.dynamics = {.task = TaskCoordinates::pose(o)}, .kp = all(6, 100), .kd = all(6, 20)});
    OperationalPd spring(arm, {.task = TaskCoordinates::pose(o), .kp = all(6, 100), .kd = all(6, 20)});
    inverse.update({q, qd}, r, 1e-3, tau);
    CHECK(tau.allFinite());
    CHECK(inverse.status().has(Condition::representation) == (o == Orientation::zyz));
    spring.update({q, qd}, r, 1e-3, tau);
    CHECK(tau.allFinite());
    CHECK(spring.status().has(Condition::representation) == (o == Orientation::zyz));
  }
}

TEST_CASE("a task inverse is Moore and Penrose's where nothing is singular, and bounded where something is") {
  Random random(13);
  for (int trial = 0; trial < 300; ++trial) {
    const int m = 1 + trial % 6, n = 1 + (trial / 6) % 9;
    TaskJacobian<double> J(m, n);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) J(i, j) = random.uniform(-1, 1);
    const TaskInverseResult x =
        task_inverse(J, {}, {.weighting = Projector::moore_penrose, .threshold = 1e-5, .damping = 0});
    const TaskInverse<double>& P = x.inverse;
    if (x.singular) continue;
    CHECK((J * P * J - J).cwiseAbs().maxCoeff() < 1e-6);
    CHECK((P * J * P - P).cwiseAbs().maxCoeff() < 1e-5);
    CHECK((J * P - (J * P).transpose()).cwiseAbs().maxCoeff() < 1e-6);
    CHECK((P * J - (P * J).transpose()).cwiseAbs().maxCoeff() < 1e-6);
  }
  TaskJacobian<double> J = TaskJacobian<double>::Identity(3, 3);
  double last = 1;
  for (double s = 1; s > 1e-12; s *= 0.9) {  // towards the singularity: never more than 1/(2 damping), and continuous
    J(2, 2) = s;
    const double gain = task_inverse(J, {}, {}).inverse(2, 2);
    CHECK(gain <= 100.0 + 1e-9);
    CHECK(std::abs(gain - last) < 0.35 * std::max(gain, last) + 1e-9);
    last = gain;
  }
}

TEST_CASE("PD at the tool takes energy: its power is the spring's and the damper's") {
  Random random(14);
  for (const Case& c : cases()) {
    if (!c.task.euler() && c.task.rows.count == 6) continue;  // no potential for quaternions without their own Jacobian
    CAPTURE(c.arm.name());
    const int n = c.arm.dof(), m = c.task.rows.count;
    const VecX<double> q = random_vector(n, random), qd = random_vector(n, random);
    const Reference r = standing_at(c.arm, q + random_vector(n, random, 0.2));
    OperationalPd law(c.arm, {.task = c.task, .kp = all(m, 150), .kd = all(m, 30)});
    VecX<double> tau;
    law.update({q, qd}, r, 1e-3, tau);
    const auto spring_energy = [&](double t) {
      TaskState x;
      task_state(c.arm, c.task, q + t * qd, qd, r, x);
      return 75 * x.error.squaredNorm();
    };
    TaskState x;
    task_state(c.arm, c.task, q, qd, r, x);
    const double h = 1e-6, stored = (spring_energy(h) - spring_energy(-h)) / (2 * h);
    const double power = qd.dot(tau - gravity_torque<double>(c.arm, q));
    CHECK(std::abs(power + stored + 30 * x.rate.squaredNorm()) < 1e-4 * std::max(1.0, std::abs(stored)));
  }
}

TEST_CASE("designed damping at the tool: every mode that the spring moves has the asked ratio") {
  const Arm planar = built_in_arm("planar3r"), panda = built_in_arm("panda");
  const VecX<double> q3 = numbers({0.3, 0.9, -0.6}), q7 = numbers({0.1, -0.5, 0.2, -2.0, 0.1, 1.6, 0.7});
  const auto check = [](const Arm& arm, const VecX<double>& q, auto& law, double zeta, int modes) {
    int found = 0;
    for (const auto p : closed_loop_poles(MovingArm(arm, q), feedback(law, standing_at(arm, q)))) {
      if (std::abs(p) < 1e-2) continue;  // the null space floats
      CHECK(-p.real() / std::abs(p) == doctest::Approx(zeta).epsilon(0.02));
      ++found;
    }
    CHECK(found == 2 * modes);
  };
  for (const double zeta : {0.3, 0.7, 0.95}) {
    CartesianImpedance full(panda,
                            {.stiffness = (Vec6<double>() << 1000, 800, 600, 30, 40, 50).finished(), .zeta = zeta});
    check(panda, q7, full, zeta, 6);
    CartesianImpedance flat(planar,
                            {.stiffness = (Vec6<double>() << 300, 200, 300, 20, 20, 20).finished(), .zeta = zeta});
    check(planar, q3, flat, zeta, 3);
    OperationalPd translation(planar, {.task = {{0, 1}}, .kp = all(2, 300), .designed = true, .zeta = zeta});
    check(planar, q3, translation, zeta, 2);
  }
}

TEST_CASE("the step response of a designed Cartesian damper overshoots as its ratio says") {
  const Arm planar = built_in_arm("planar3r");
  const VecX<double> q = numbers({0.3, 0.9, -0.6});
  for (const double zeta : {0.3, 0.5, 0.7}) {
    // K = k Λ in the plane: one frequency in every direction, so that a step is a step of one mode.
    CartesianImpedance law(planar, {.stiffness = (Vec6<double>() << 400, 400, 0, 0, 0, 0).finished(), .zeta = zeta});
    const OperationalSpace<double> space = operational_space<double>(planar, q, numbers({0, 0, 0}), TaskRows{0, 1});
    const auto modes = symmetric_eigen(inverse(space.Lambda));
    const Eigen::Vector2d direction = modes.vectors.col(0);  // a mode: K is a multiple of 1, so Λ's axes are the modes
    MovingArm plant(planar, q);
    Reference r = standing_at(planar, q);
    // Tool axes differ from the world's, but with equal stiffness along both that does not matter.
    const double step = 1e-4;
    r.X_WT.p.head<2>() += step * direction;
    double peak = 0;
    for (int k = 0; k < 6000; ++k) {
      plant.step(5e-4, feedback(law, r));
      peak = std::max(peak, (plant.tool().p - standing_at(planar, q).X_WT.p).head<2>().dot(direction));
    }
    const double overshoot = peak / step - 1, log = std::log(overshoot);
    const double measured = -log / std::sqrt(std::numbers::pi * std::numbers::pi + log * log);
    CHECK(measured == doctest::Approx(zeta).epsilon(0.02));
  }
}

TEST_CASE(
    "full Cartesian impedance: the Jacobian is that of its own error, the loop is passive, the torque K sin(angle)") {
  Random random(15);
  for (const char* name : {"planar3r", "rpr", "puma560", "panda"}) {
    CAPTURE(name);
    const Arm arm = built_in_arm(name);
    const int n = arm.dof();
    const CartesianImpedanceSettings settings{.stiffness = (Vec6<double>() << 300, 200, 100, 10, 20, 30).finished(),
                                              .damping = Vec6<double>::Constant(5)};
    CartesianImpedance law(arm, settings);
    const VecX<double> q = random_vector(n, random), qd = random_vector(n, random);
    const Reference r = standing_at(arm, q + random_vector(n, random, 0.6));
    VecX<double> tau;
    const double h = 1e-6;
    law.update({q + h * qd, qd}, r, 0, tau);
    const Vec6<double> ahead = law.error();
    law.update({q - h * qd, qd}, r, 0, tau);
    const Vec6<double> behind = law.error();
    law.update({q, qd}, r, 0, tau);
    const Vec6<double> rate = law.jacobian() * qd;
    CHECK(relative_error((ahead - behind) / (2 * h), rate) < 1e-6);
    const double stored = settings.stiffness.cwiseProduct(law.error()).dot(rate);
    CHECK(qd.dot(tau - gravity_torque<double>(arm, q)) ==
          doctest::Approx(-stored - 5 * rate.squaredNorm()).epsilon(1e-9));
  }
  const Arm panda = built_in_arm("panda");  // a wrist torque of K sin(angle) about the tool's z axis
  const VecX<double> q = numbers({0.1, -0.5, 0.2, -2.0, 0.1, 1.6, 0.7});
  for (const double angle : {0.1, 1.0, 2.0, 3.0, 3.1}) {
    CartesianImpedance law(panda,
                           {.stiffness = Vec6<double>::Constant(7), .damping = Vec6<double>::Zero(), .gravity = false});
    Reference r = standing_at(panda, q);
    r.X_WT.R = r.X_WT.R * rotation_z(angle);
    VecX<double> tau;
    law.update({q, VecX<double>::Zero(7)}, r, 0, tau);
    Mat6X<double> J = tool_jacobian<double>(panda, forward_kinematics<double>(panda, q));
    Vec6<double> wrench = Vec6<double>::Zero();
    wrench.tail<3>() = 7 * std::sin(angle) * r.X_WT.R.col(2);
    CHECK(relative_error(tau, VecX<double>(J.transpose() * wrench)) < 1e-9);
  }
}

TEST_CASE("the energy of an arm under Cartesian impedance only falls, also with the damping designed on the way") {
  const Arm panda = built_in_arm("panda");
  const VecX<double> q = numbers({0.1, -0.5, 0.2, -2.0, 0.1, 1.6, 0.7});
  CartesianImpedance law(panda, {.stiffness = (Vec6<double>() << 600, 600, 600, 30, 30, 30).finished(), .zeta = 0.5});
  Reference r = standing_at(panda, q);
  r.X_WT.p += Vec3<double>(0.1, -0.1, 0.05);
  r.X_WT.R = r.X_WT.R * rotation_x(0.7);
  MovingArm plant(panda, q);
  double last = INFINITY;
  for (int k = 0; k < 1500; ++k) {
    VecX<double> tau;
    law.update({plant.q, plant.qd}, r, 0, tau);
    const double energy_now =
        armature::energy<double>(panda, plant.q, plant.qd).kinetic +
        0.5 * law.error().cwiseAbs2().dot((Vec6<double>() << 600, 600, 600, 30, 30, 30).finished());
    CHECK(energy_now <= last + 1e-6);
    last = energy_now;
    plant.step(1e-3, feedback(law, r));
  }
  CHECK((plant.tool().p - r.X_WT.p).norm() < 2e-3);
}

TEST_CASE("a dynamically consistent null-space torque does not move the tip; Moore and Penrose's does") {
  Random random(16);
  double worst_consistent = 0, least_moore_penrose = INFINITY;
  for (const char* name : {"planar3r", "panda", "iiwa14"}) {
    CAPTURE(name);
    const Arm arm = built_in_arm(name);
    const int n = arm.dof();
    const TaskRows rows = n == 3 ? TaskRows{0, 1} : TaskRows::full();
    for (int trial = 0; trial < 20; ++trial) {
      const VecX<double> q = random_vector(n, random), qd = random_vector(n, random);
      const Mat6X<double> J = tool_jacobian<double>(arm, forward_kinematics<double>(arm, q));
      for (const Projector projector : {Projector::dynamically_consistent, Projector::moore_penrose}) {
        NullSpaceTerm damping(arm, AnyController(JointDamping{VecX<double>::Constant(n, 5)}),
                              {.rows = rows, .inverse = {.weighting = projector, .threshold = 1e-6, .damping = 0}});
        VecX<double> tau;
        damping.update({q, qd}, {}, 1e-3, tau);
        if (damping.status().any()) continue;
        MovingArm plant(arm, q);
        plant.qd = qd;
        const VecX<double> without = VecX<double>::Zero(n);
        const double moved =
            rows.of<double>(J).lazyProduct(plant.acceleration(tau) - plant.acceleration(without)).norm();
        if (projector == Projector::dynamically_consistent)
          worst_consistent = std::max(worst_consistent, moved);
        else
          least_moore_penrose = std::min(least_moore_penrose, moved);
        CHECK(qd.dot(tau) <= (projector == Projector::moore_penrose ? 1e-12 : INFINITY));
      }
    }
  }
  MESSAGE("tip acceleration by null-space damping: dynamically consistent "
          << worst_consistent << " m/s² at most, Moore-Penrose " << least_moore_penrose << " m/s² at least");
  CHECK(worst_consistent < 1e-9);
  CHECK(least_moore_penrose > 1e-6);
}

TEST_CASE(
    "singularity avoidance is the slope of its potential, and the planar arm's manipulability is the closed form") {
  const Arm arm = built_in_arm("planar3r");
  Random random(17);
  for (int trial = 0; trial < 50; ++trial) {
    const VecX<double> q = random_vector(3, random);
    SingularityAvoidance law(arm, {.rows = {0, 1}, .threshold = 1, .gain = 40});
    VecX<double> tau;
    law.update({q, numbers({0, 0, 0})}, {}, 0, tau);
    const double l = 1.0 / 3, s2 = std::sin(q[1]), s3 = std::sin(q[2]), s23 = std::sin(q[1] + q[2]);
    const double m =
        std::sqrt(std::pow(l * (l * s2 + l * s23), 2) + std::pow(l * (l * s23 + l * s3), 2) + std::pow(l * l * s3, 2));
    CHECK(law.parts()[1].value[0] == doctest::Approx(m).epsilon(1e-9));
    const auto potential = [&](const VecX<double>& at) {
      VecX<double> unused;
      law.update({at, numbers({0, 0, 0})}, {}, 0, unused);
      const double deficit = std::max(0.0, 1 - law.parts()[1].value[0]);
      return 20 * deficit * deficit;
    };
    for (int i = 0; i < 3; ++i) {
      const double h = 1e-6;
      VecX<double> up = q, down = q;
      up[i] += h;
      down[i] -= h;
      CHECK(tau[i] == doctest::Approx(-(potential(up) - potential(down)) / (2 * h)).epsilon(1e-4));
    }
  }
  SingularityAvoidance far(arm, {.rows = {0, 1}, .threshold = 1e-3, .gain = 40});
  VecX<double> tau;
  far.update({numbers({0.1, 1.2, 0.8}), numbers({0, 0, 0})}, {}, 0, tau);
  CHECK(tau.norm() == 0);
  far.update({numbers({0.1, 0, 0}), numbers({0, 0, 0})}, {}, 0, tau);
  CHECK(far.status().has(Condition::singular));
  CHECK(tau.norm() == 0);
}

TEST_CASE("joint-limit avoidance pushes back within its margin only") {
  const Arm panda = built_in_arm("panda");
  JointLimitAvoidance law(panda, {.margin = 0.2, .stiffness = VecX<double>::Constant(7, 50)});
  VecX<double> q(7), tau;
  for (int i = 0; i < 7; ++i) q[i] = (*panda.joint(i).limits.lower + *panda.joint(i).limits.upper) / 2;
  law.update({q, q * 0}, {}, 0, tau);
  CHECK(tau.norm() == 0);
  q[3] = *panda.joint(3).limits.upper - 0.05;
  q[5] = *panda.joint(5).limits.lower + 0.1;
  law.update({q, q * 0}, {}, 0, tau);
  CHECK(tau[3] == doctest::Approx(-50 * 0.15));
  CHECK(tau[5] == doctest::Approx(50 * 0.1));
  CHECK(law.status().has(Condition::joint_limit));
}

TEST_CASE("inverse kinematics in the loop reaches a target, and says when it cannot") {
  const Arm arm = built_in_arm("planar3r");
  const auto law = [&] {
    return IkInLoop(
        arm,
        AnyController(
            TermSum(3, terms(Term{"pd", AnyController(JointPd{VecX<double>::Constant(3, 200), numbers({40, 20, 8})})},
                             Term{"gravity", AnyController(GravityCompensation(arm))}))),
        {.ik = {.task = IkTask::planar, .max_iterations = 30, .restarts = 0}});
  };
  const VecX<double> q = numbers({0, -15, 35}) * (std::numbers::pi / 180);
  MovingArm plant(arm, q);
  Reference r = standing_at(arm, q);
  r.X_WT.p = Vec3<double>(0.93, 0.19, 0);
  r.X_WT.R = rotation_z(35 * std::numbers::pi / 180);
  IkInLoop reaching = law();
  reaching.reset({plant.q, plant.qd});
  VecX<double> tau;
  for (int k = 0; k < 4000; ++k) tick(reaching, plant, r, 1e-3, tau);
  CHECK((plant.tool().p - r.X_WT.p).norm() < 1e-4);
  const VecX<double> solution = numbers({9.690067, -19.588079, 44.898012}) * (std::numbers::pi / 180);  // closed form
  CHECK((plant.q - solution).cwiseAbs().maxCoeff() < 1e-3);
  CHECK_FALSE(reaching.status().any());

  r.X_WT.p = Vec3<double>(0, 1.5, 0);  // the arm is 1 m long
  IkInLoop outside = law();
  outside.reset({plant.q, plant.qd});
  double largest = 0;
  for (int k = 0; k < 3000; ++k) {
    tick(outside, plant, r, 1e-3, tau);
    largest = std::max(largest, tau.cwiseAbs().maxCoeff());
  }
  CHECK(outside.status().has(Condition::unreachable));
  CHECK(plant.tool().p.norm() <= 1 + 1e-9);
  CHECK(largest < 200);
}
