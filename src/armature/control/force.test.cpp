#include <nlohmann/json.hpp>

#include "armature/control/admittance.hpp"
#include "armature/control/force_control.hpp"
#include "armature/control/hybrid_force_position.hpp"
#include "armature/control/impedance.hpp"
#include "armature/control/operational_pd.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/law_bench.hpp"
#include "armature/testing/samples.hpp"
#include "armature/testing/vectors.hpp"

using namespace armature::control;
using namespace armature::testing;

namespace {

TaskVector<double> each(int m, double value) { return TaskVector<double>::Constant(m, value); }
const Vec3<double> up(0, 0, 1);

/// The RPR arm at q with a wall across z, `delta` below the target.
MovingArm at_wall(const Arm& arm, const VecX<double>& q, double delta, double stiffness) {
  MovingArm plant(arm, q);
  plant.wrench = elastic_wall(up, plant.tool().p.z() - delta, stiffness);
  return plant;
}

}  // namespace

TEST_CASE("compliance: at rest the tool gives way by Ke δ/(Kp + Ke) [Verona2023, sec. 11.1.1]") {
  const Arm rpr = built_in_arm("rpr");
  const VecX<double> q = numbers({1, 0, -0.5});
  const double delta = 0.05, kp = 550;
  for (const double stiffness : {150.0, 750.0}) {
    OperationalPd law(rpr, {.task = TaskCoordinates::position(), .kp = each(3, kp), .kd = each(3, 100)});
    const Reference r = standing_at(rpr, q);
    MovingArm plant = at_wall(rpr, q, delta, stiffness);
    for (int k = 0; k < 8000; ++k) plant.step(5e-4, feedback(law, r));
    CHECK(r.X_WT.p.z() - plant.tool().p.z() == doctest::Approx(stiffness * delta / (kp + stiffness)).epsilon(1e-3));
    CHECK(-plant.tool_wrench()[2] == doctest::Approx(kp * stiffness * delta / (kp + stiffness)).epsilon(1e-3));
  }
}

TEST_CASE("compliance with an orientation spring stays where the coupled statics say") {
  const nlohmann::json file = reference_vectors("rpr.json");
  if (file.is_null()) {
    MESSAGE("skipped: ../shared/vectors/rpr.json is absent");
    return;
  }
  const Arm rpr = built_in_arm("rpr");
  const VecX<double> q = numbers({1, 0, -0.5});
  for (const char* name : {"compliance_Ke150", "compliance_Ke750"}) {
    CAPTURE(name);
    const nlohmann::json& known = file["controllers"][name];
    TaskVector<double> kp(6), kd(6);
    kp << 550, 550, 550, 30, 30, 30;
    kd << 100, 100, 100, 1, 1, 1;
    OperationalPd law(rpr, {.task = TaskCoordinates::pose(Orientation::zyz), .kp = kp, .kd = kd});
    const Reference r = standing_at(rpr, q);
    MovingArm plant = at_wall(rpr, q, known["delta"], known["Ke"]);
    for (int k = 0; k < 25000; ++k) plant.step(2e-4, feedback(law, r));
    CHECK(r.X_WT.p.z() - plant.tool().p.z() == doctest::Approx(known["coupled_z_error"].get<double>()).epsilon(0.01));
    CHECK(-plant.tool_wrench()[2] == doctest::Approx(known["coupled_force"].get<double>()).epsilon(0.01));
  }
}

TEST_CASE("impedance with and without force measurement: statics Ke δ/(Kp + Ke), and with it the dynamics of M_d") {
  const Arm rpr = built_in_arm("rpr");
  const VecX<double> q = numbers({1, 0, -0.5});
  const double delta = 0.05, stiffness = 10;
  for (const bool measured : {true, false}) {
    CAPTURE(measured);
    Impedance law(rpr, {.dynamics = {.task = TaskCoordinates::position()},
                        .mass = each(3, 3),
                        .kd = each(3, 50),
                        .kp = each(3, 250),
                        .force_measured = measured});
    const Reference r = standing_at(rpr, q);
    MovingArm plant = at_wall(rpr, q, delta, stiffness);
    for (int k = 0; k < 5000; ++k) plant.step(1e-3, feedback_with_force(law, r, plant));
    CHECK(r.X_WT.p.z() - plant.tool().p.z() == doctest::Approx(stiffness * delta / (250 + stiffness)).epsilon(1e-3));
    CHECK(-plant.tool_wrench()[2] == doctest::Approx(0.48077).epsilon(1e-3));
  }
  // M_d x~dd + kd x~d + kp x~ = h_e: away from the wall, and with any wrench.
  Random random(3);
  for (const char* name : {"rpr", "puma560", "panda"}) {
    const Arm arm = built_in_arm(name);
    const int n = arm.dof(), m = n == 3 ? 3 : 6;
    const TaskCoordinates task = m == 3 ? TaskCoordinates::position() : TaskCoordinates::pose();
    Impedance law(arm, {.dynamics = {.task = task}, .mass = each(m, 3), .kd = each(m, 50), .kp = each(m, 250)});
    MovingArm plant(arm, random_vector(n, random));
    plant.qd = random_vector(n, random);
    Vec6<double> w = Vec6<double>::Zero();
    w.head<3>() = Vec3<double>(4, -3, 5);
    if (m == 6) w.tail<3>() = Vec3<double>(0.5, 0.2, -0.4);
    plant.wrench = [w](double, const Pose<double>&, const Vec6<double>&) { return w; };
    const Reference r =
        moving_at(arm, plant.q + random_vector(n, random, 0.1), random_vector(n, random), random_vector(n, random));
    VecX<double> tau;
    law.update({plant.q, plant.qd, {}, w}, r, 0, tau);
    if (law.status().any()) continue;
    TaskState x;
    task_state(arm, task, plant.q, plant.qd, r, x);
    const TaskVector<double> error_dd = x.acceleration - (x.J * plant.acceleration(tau) + x.Jd_qd);
    CHECK(relative_error(TaskVector<double>(3 * error_dd + 50 * x.rate_error + 250 * x.error), x.force(task, -w)) <
          1e-7);
  }
}

TEST_CASE(
    "admittance: contact as its four poles say, the force at rest that of both springs in a row [Verona2023, sec. "
    "11.1.3]") {
  const Arm rpr = built_in_arm("rpr");
  const VecX<double> q = numbers({1, 0, -0.5});
  const double Mt = 50, Dt = 125, Kt = 350, Md = 0.12, Kd = 170, Kp = 790, Ke = 190, delta = 0.05, h = 2e-4;
  Admittance law(rpr, {.dynamics = {.task = TaskCoordinates::position()},
                       .frame_mass = each(3, Mt),
                       .frame_kd = each(3, Dt),
                       .frame_kp = each(3, Kt),
                       .mass = each(3, Md),
                       .kd = each(3, Kd),
                       .kp = each(3, Kp)});
  const Reference r = standing_at(rpr, q);
  MovingArm plant = at_wall(rpr, q, delta, Ke);
  law.reset({plant.q, plant.qd});
  VecX<double> tau;
  // The same in one dimension, x from the wall:  Mt zdd + Dt zd + Kt z = Ke x,  Md (xdd + zdd) + Kd (xd + zd) + Kp (x + z - delta) = 0
  double x = delta, v = 0, z = 0, w = 0;
  for (int k = 0; k < 30000; ++k) {
    tick(law, plant, r, h, tau);
    for (int part = 0; part < 4; ++part) {
      const double a = (Ke * x - Dt * w - Kt * z) / Mt, step = h / 4;
      v += step * (-a - (Kd * (v + w) + Kp * (x + z - delta)) / Md);
      w += step * a;
      x += step * v;
      z += step * w;
    }
    if (k % 1000 == 999) {
      CHECK(law.lag()[2] == doctest::Approx(z).epsilon(0.01));
      CHECK(-plant.tool_wrench()[2] == doctest::Approx(Ke * x).epsilon(0.01));
    }
  }
  CHECK(-plant.tool_wrench()[2] == doctest::Approx(Kt * Ke / (Kt + Ke) * delta).epsilon(5e-3));
  CHECK(r.X_WT.p.z() - plant.tool().p.z() == doctest::Approx(Ke / (Kt + Ke) * delta).epsilon(5e-3));
}

TEST_CASE("force control settles on the wanted force along the solution of its own characteristic polynomial") {
  const Arm rpr = built_in_arm("rpr");
  const VecX<double> q = numbers({1.2, -0.1, -0.3});
  struct Gains {
    double mass, kd, kp, kf, ki;
    bool parallel;
  };
  for (const Gains g : {Gains{0.12, 25, 40, 5, 5, false}, Gains{0.12, 50, 200, 50, 50, true}}) {
    CAPTURE(g.parallel);
    ForceControl law(rpr, {.dynamics = {.task = TaskCoordinates::position()},
                           .mass = each(3, g.mass),
                           .kd = each(3, g.kd),
                           .kp = each(3, g.kp),
                           .force_kp = each(3, g.kf),
                           .force_ki = each(3, g.ki),
                           .parallel = g.parallel});
    const double stiffness = 5, wanted = 3, h = 2e-4;
    MovingArm plant = at_wall(rpr, q, 0, stiffness);
    const Vec3<double> start = plant.tool().p;
    Reference r = standing_at(rpr, q);
    r.wrench[2] = wanted;
    law.reset({plant.q, plant.qd});
    double x = 0, v = 0, integral = 0;  // of the tool along z, from the wall
    VecX<double> tau;
    for (int k = 0; k < 30000; ++k) {
      tick(law, plant, r, h, tau);
      const double error = wanted - stiffness * x;
      integral += h * error;
      v += h / g.mass * (-g.kd * v + g.kp * (g.kf * error + g.ki * integral - x));
      x += h * v;
      if (k % 2500 == 2499) CHECK(-plant.tool_wrench()[2] == doctest::Approx(stiffness * x).epsilon(0.01));
    }
    CHECK(-plant.tool_wrench()[2] == doctest::Approx(wanted).epsilon(0.01));
    CHECK((plant.tool().p - start).head<2>().norm() < 1e-5);  // free directions stay
  }
}

TEST_CASE("a wanted force without contact makes the tool drift with K_I f") {
  const Arm rpr = built_in_arm("rpr");
  MovingArm plant(rpr, numbers({1.2, -0.1, -0.3}));
  ForceControl law(rpr, {.dynamics = {.task = TaskCoordinates::position()},
                         .mass = each(3, 0.12),
                         .kd = each(3, 25),
                         .kp = each(3, 40),
                         .force_kp = each(3, 0),
                         .force_ki = each(3, 0.01)});
  law.reset({plant.q, plant.qd});
  Reference r;
  r.wrench[0] = 3;
  VecX<double> tau;
  for (int k = 0; k < 10000; ++k) tick(law, plant, r, 2e-4, tau);
  CHECK(plant.tool_twist()[0] == doctest::Approx(0.01 * 3).epsilon(0.01));
}

TEST_CASE("hybrid control: force across a tilted wall, motion along it") {
  const Arm panda = built_in_arm("panda");
  const VecX<double> q = numbers({0.1, -0.5, 0.2, -2.0, 0.1, 1.6, 0.7});
  const Mat3<double> frame = rotation_x(0.4) * rotation_y(0.3);
  const Vec3<double> normal = -frame.col(2);
  MovingArm plant(panda, q);
  const Pose<double> start = plant.tool();
  const double stiffness = 2000, wanted = 10;
  plant.wrench = elastic_wall(normal, normal.dot(start.p), stiffness);
  HybridForcePosition law(panda, {.dynamics = {.task = TaskCoordinates::pose()},
                                  .frame_rpy = rpy_from_rotation(frame).angles,
                                  .force_axes = "z",
                                  .kd = each(6, 40),
                                  .kp = each(6, 400),
                                  .mass = each(6, 1),
                                  .force_kd = each(6, 120),
                                  .force_kp = each(6, 1),
                                  .force_ki = each(6, 5)});
  Reference r = standing_at(panda, q);
  r.wrench.head<3>() = wanted * normal;
  law.reset({plant.q, plant.qd});
  VecX<double> tau;
  double x = 0, v = 0, integral = 0;
  const double h = 5e-4;
  for (int k = 0; k < 8000; ++k) {
    const double t = k * h;
    const Vec3<double> along = frame.col(0) * (0.05 * (1 - std::cos(2 * t)));
    r.X_WT.p = start.p + along;
    r.twist.head<3>() = frame.col(0) * (0.1 * std::sin(2 * t));
    r.acceleration.head<3>() = frame.col(0) * (0.2 * std::cos(2 * t));
    tick(law, plant, r, h, tau);
    const double error = wanted - stiffness * x;  // m s³ + d s² + kf k s + ki k
    integral += h * error;
    v += h * (error + 5 * integral - 120 * v);
    x += h * v;
    if (k % 1000 == 999)
      CHECK(-normal.dot(plant.tool_wrench().head<3>()) == doctest::Approx(stiffness * x).epsilon(0.01));
  }
  CHECK(-normal.dot(plant.tool_wrench().head<3>()) == doctest::Approx(wanted).epsilon(0.01));
  CHECK(std::abs(frame.col(0).dot(plant.tool().p - r.X_WT.p)) < 1e-4);
  CHECK(std::abs(frame.col(1).dot(plant.tool().p - r.X_WT.p)) < 1e-4);
  CHECK(log_map(plant.tool().R.transpose() * start.R).norm() < 1e-3);
}
