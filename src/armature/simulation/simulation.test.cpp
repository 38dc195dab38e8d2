// Physical laws of the plant, seen through the integrators.
#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/model/dh.hpp"
#include "armature/plant/compose.hpp"
#include "armature/simulation/integrator.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/law_bench.hpp"
#include "armature/testing/random_arms.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::simulation;
using namespace armature::testing;

namespace {

/// Supplied less dissipated less gained, relative to what moved.
double energy_gap(const Plant& plant, const Integrator& run, double stored_at_start) {
  const Eigen::VectorXd& x = run.state();
  const Eigen::Index e = x.size() - 2;
  const double gained = plant.stored_energy(x.data(), run.modes()) - stored_at_start;
  return std::abs(x[e] - x[e + 1] - gained) / (1 + std::abs(x[e]) + std::abs(x[e + 1]) + std::abs(gained));
}

/// A mass on a rotor: one axis, one torque motor.
PlantDescription block(double inertia, Friction law) {
  PlantDescription d;
  d.rotors = {{"block", inertia}};
  d.friction = {{0, law, true, 1e-3}};
  d.motors = {{.name = "motor", .drives = {{0, 1.0}}}};
  return d;
}

/// A mass of 1 kg that slides along z, without gravity.
Arm slider() {
  const Inertia<double> inertia = inertia_about_com<double>(1.0, {0, 0, 0}, Mat3<double>::Identity());
  ArmDescription d =
      arm_from_dh("slider", {{.name = "z", .type = JointType::prismatic, .inertia = inertia}}).description();
  d.gravity.setZero();
  return Arm(d);
}

}  // namespace

TEST_CASE("a block on a rough table sticks exactly, breaks away at the limit and stops again") {
  const Plant plant(block(2.0, CoulombViscous{3.0, 0}));
  for (const Method method : {Method::dormand_prince, Method::cvode}) {
    Integrator run(plant, {.method = method});
    std::vector<LogEvent> events;
    const VecX<double> none(0);
    run.start(0, plant.state_at(none, none), numbers({2.9}));
    run.advance(1, events);
    CHECK(run.state()[0] == 0);  // not almost
    CHECK(run.state()[1] == 0);
    CHECK(events.empty());
    run.set_input(numbers({5.0}));  // a = (5-3)/2
    run.advance(2, events);
    CHECK(run.state()[1] == doctest::Approx(1).epsilon(1e-9));
    CHECK(run.state()[0] == doctest::Approx(0.5).epsilon(1e-9));
    run.set_input(numbers({1.0}));  // a = (1-3)/2: stops after one more second
    run.advance(5, events);
    CHECK(run.state()[1] == 0);
    CHECK(run.state()[0] == doctest::Approx(1.0).epsilon(1e-8));
    REQUIRE(events.size() == 1);
    CHECK(events[0].kind == "stick");
    CHECK(events[0].time == doctest::Approx(3).epsilon(1e-8));
    CHECK(energy_gap(plant, run, 0) < 1e-8);
  }
}

TEST_CASE("an arm's joint that sticks holds while the others move, and the balance of energy holds") {
  Random random(3);
  for (int trial = 0; trial < 10; ++trial) {
    PlantDescription d;
    const int dof = 1 + trial % 3;
    d.arm = random_arm(dof, random);
    for (int i = 0; i < dof; ++i) {
      d.friction.push_back({i, CoulombViscous{random.uniform(0, 8), random.uniform(0, 1)}, true, 1e-3});
      d.motors.push_back({.name = std::to_string(i), .drives = {{i, 1.0}}});
    }
    const Plant plant(d);
    Eigen::VectorXd u(dof);
    Integrator run(plant, {});
    std::vector<LogEvent> events;
    run.start(0, plant.state_at(random_vector(dof, random), VecX<double>::Zero(dof)), Eigen::VectorXd::Zero(dof));
    const double stored = plant.stored_energy(run.state().data(), run.modes());
    for (int k = 1; k <= 20; ++k) {
      for (int i = 0; i < dof; ++i) u[i] = random.uniform(-15, 15);
      run.set_input(u);
      run.advance(0.05 * k, events);
    }
    CHECK(run.state()[run.state().size() - 1] >= 0);  // dissipated
    CHECK(energy_gap(plant, run, stored) < 1e-7);
  }
}

TEST_CASE("play of a spring is twice the backlash wide and its impacts only take energy") {
  PlantDescription d;
  d.rotors = {{"motor", 0.01}, {"load", 0.02}};
  d.springs = {
      {.name = "gear", .driver = 0, .driven = 1, .ratio = 1, .stiffness = 500, .damping = 0.05, .backlash = 0.01}};
  d.motors = {{.name = "m", .drives = {{0, 1.0}}}};
  const Plant plant(d);
  Integrator run(plant, {});
  std::vector<LogEvent> events;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(plant.states());
  x[2] = 1.0;  // the motor turns at 1 rad/s, load at rest in the middle of the play
  run.start(0, x, numbers({0}));
  const double stored = plant.stored_energy(x.data(), run.modes());
  run.advance(1.0, events);
  REQUIRE(events.size() >= 3);
  CHECK(events[0].kind == "contact");
  CHECK(events[0].time == doctest::Approx(0.01).epsilon(1e-8));
  // after the first impact the sides part; the play crossed until the next contact is 2 S wide
  const double momentum = 0.01 * run.state()[2] + 0.02 * run.state()[3];
  CHECK(momentum == doctest::Approx(0.01).epsilon(1e-8));  // nothing outside pushes
  CHECK(energy_gap(plant, run, stored) < 1e-8);
  double last = 0;
  Integrator again(plant, {});
  again.start(0, x, numbers({0}));
  std::vector<LogEvent> ignored;
  for (int i = 1; i <= 1000; ++i) {
    again.advance(1e-3 * i, ignored);
    const double lost = again.state()[again.state().size() - 1];
    CHECK(lost >= last - 1e-12);
    last = lost;
  }
  // Teeth part where spring and damper no longer push, at S + d/c v, and meet on the other side at -S; between, nothing acts.
  int flights = 0;
  for (std::size_t i = 0; i + 1 < events.size(); ++i) {
    if (events[i].kind != "release" || events[i + 1].kind != "contact") continue;
    const double from = events[i].time, to = events[i + 1].time;
    Integrator crossing(plant, {});
    crossing.start(0, x, numbers({0}));
    crossing.advance((from + to) / 2, ignored);
    const double speed = std::abs(crossing.state()[2] - crossing.state()[3]);
    CHECK(speed * (to - from) == doctest::Approx(2 * 0.01 + 0.05 / 500 * speed).epsilon(1e-6));
    ++flights;
  }
  CHECK(flights > 0);
}

TEST_CASE("a tool that starts on a wall is held by it when it moves or is pushed inwards, and let go outwards") {
  // a sliding tool on a wall at z = 0 without damping: z'' = -k z/m while it touches
  PlantDescription d;
  d.arm = slider();
  d.walls = {{.name = "floor", .stiffness = 4000}};
  d.motors = {{.name = "m", .drives = {{0, 1.0}}}};
  const Plant plant(d);
  const double m = 1, w = std::sqrt(4000 / m);
  for (const Method method : {Method::dormand_prince, Method::cvode, Method::automatic}) {
    CAPTURE(to_string(method));
    const auto after = [&](double speed, double push, double time, std::vector<LogEvent>& events) {
      Integrator run(plant, {.method = method});
      run.start(0, plant.state_at(VecX<double>::Zero(1), VecX<double>::Constant(1, speed)), numbers({push}));
      run.advance(time, events);
      return run.state()[0];
    };
    std::vector<LogEvent> events;
    CHECK(after(-0.5, 0, 0.01, events) == doctest::Approx(-0.5 / w * std::sin(w * 0.01)).epsilon(1e-8));
    CHECK(events.empty());                                                               // it touches from the start
    CHECK(after(-0.5, 0, pi / w + 0.1, events) == doctest::Approx(0.05).epsilon(1e-7));  // and flies off as fast
    REQUIRE(events.size() == 1);
    CHECK(events[0].kind == "leave");
    CHECK(events[0].time == doctest::Approx(pi / w).epsilon(1e-8));
    events.clear();
    const double sunk = after(0, -3, 0.02, events);  // at rest, then pushed
    CHECK(sunk == doctest::Approx(-3 / 4000.0 * (1 - std::cos(w * 0.02))).epsilon(1e-7));
    REQUIRE(events.size() == 1);
    CHECK(events[0].kind == "touch");
    events.clear();
    CHECK(after(0, 3, 0.1, events) == doctest::Approx(0.5 * 3 * 0.01).epsilon(1e-8));
    CHECK(after(0.5, 0, 0.1, events) == doctest::Approx(0.05).epsilon(1e-8));
    CHECK(after(0, 0, 0.1, events) == 0);
    CHECK(events.empty());
  }
}

TEST_CASE("a push of any profile gives a free mass the momentum under its curve") {
  using Profile = ToolWrench::Profile;
  const double F = 6, from = 0.1, to = 0.5, T = to - from;
  const auto speed_after = [&](ToolWrench push) {
    push.from = from;
    push.to = to;
    if (push.profile != Profile::table) push.wrench[2] = F;
    PlantDescription d;
    d.arm = slider();
    d.wrenches = {push};
    const Plant plant(d);
    Integrator run(plant, {});
    std::vector<LogEvent> events;
    run.start(0, plant.state_at(VecX<double>::Zero(1), VecX<double>::Zero(1)), Eigen::VectorXd(0));
    run.advance(1, events);
    CHECK(events.size() == 2);
    CHECK(energy_gap(plant, run, 0) < 1e-9);
    return run.state()[1];
  };
  CHECK(speed_after({}) == doctest::Approx(F * T).epsilon(1e-9));
  CHECK(speed_after({.profile = Profile::ramp}) == doctest::Approx(F * T / 2).epsilon(1e-9));
  CHECK(speed_after({.profile = Profile::half_sine}) == doctest::Approx(F * T * 2 / pi).epsilon(1e-9));
  const double w = 2 * pi * 3;
  CHECK(speed_after({.profile = Profile::sine, .frequency = 3}) ==
        doctest::Approx(F / w * (1 - std::cos(w * T))).epsilon(1e-9));
  ToolWrench table{.profile = Profile::table, .times = {0.1, 0.2, 0.3}};  // 2 N until 0.1 s, up to 8 N, down to 0
  for (const double f : {2.0, 8.0, 0.0}) table.table.push_back((Vec6<double>() << 0, 0, f, 0, 0, 0).finished());
  CHECK(speed_after(table) == doctest::Approx(0.1 * (2 + 5 + 4)).epsilon(1e-8));
}

TEST_CASE("teeth that start just in touch push from the start when they close, and part when they open") {
  PlantDescription d;
  d.rotors = {{"wheel", 2.0}};
  d.springs = {{.name = "tooth", .driver = 0, .driven = ground, .stiffness = 800, .backlash = 0.01}};
  const Plant plant(d);
  for (const Method method : {Method::dormand_prince, Method::cvode}) {
    const auto after = [&](double side, double speed) {
      Integrator run(plant, {.method = method});
      Eigen::VectorXd x = Eigen::VectorXd::Zero(plant.states());
      x[0] = side * 0.01;
      x[1] = speed;
      run.start(0, x, Eigen::VectorXd(0));
      std::vector<LogEvent> events;
      run.advance(0.02, events);
      return run.state()[0];
    };
    for (const double side : {-1.0, 1.0}) {
      CHECK(after(side, side) == doctest::Approx(side * (0.01 + std::sin(20 * 0.02) / 20)).epsilon(1e-8));
      CHECK(after(side, -0.5 * side) == doctest::Approx(0).scale(1));  // crosses half of the play
    }
  }
}

TEST_CASE("an explicit and an implicit integrator find the same events") {
  PlantDescription d = block(0.01, CoulombViscous{0.3, 0.02});
  d.rotors.push_back({"load", 0.02});
  d.springs = {{.name = "gear", .driver = 0, .driven = 1, .stiffness = 500, .damping = 0.05, .backlash = 0.01}};
  const Plant plant(d);
  std::vector<LogEvent> found[2];
  Eigen::VectorXd end[2];
  for (const Method method : {Method::dormand_prince, Method::cvode}) {
    const std::size_t k = method == Method::cvode;
    Integrator run(plant, {.method = method});
    Eigen::VectorXd x = Eigen::VectorXd::Zero(plant.states());
    x[2] = 3;
    run.start(0, x, numbers({0}));
    for (int i = 1; i <= 100; ++i) {
      run.set_input(numbers({0.5 * std::sin(0.2 * i)}));
      run.advance(1e-2 * i, found[k]);
    }
    end[k] = run.state();
    CHECK(energy_gap(plant, run, 0.045) < 1e-7);
  }
  REQUIRE(found[0].size() == found[1].size());
  REQUIRE(found[0].size() > 10);
  for (std::size_t i = 0; i < found[0].size(); ++i) {
    CHECK(found[0][i].kind == found[1][i].kind);
    CHECK(found[0][i].time == doctest::Approx(found[1][i].time).epsilon(1e-6));
  }
  CHECK((end[0] - end[1]).norm() < 1e-6);
}

TEST_CASE("a load picked up by an arm whose joints stick sets them in motion, and friction opposes it") {
  Random random(8);
  int moved = 0;
  for (int trial = 0; trial < 20; ++trial) {
    PlantDescription d;
    d.arm = random_arm(3, random);
    for (int i = 0; i < 3; ++i) d.friction.push_back({i, CoulombViscous{i == 1 ? 40.0 : 0.5, 0.1}, true, 1e-3});
    d.payloads = {{0.01, {.mass = 3, .inertia = Vec3<double>::Constant(0.01)}}};
    const Plant plant(d);
    VecX<double> qd = random_vector(3, random);
    qd[1] = 0;  // sticks
    Integrator run(plant, {});
    std::vector<LogEvent> events;
    run.start(0, plant.state_at(random_vector(3, random), qd), Eigen::VectorXd(0));
    const double stored = plant.stored_energy(run.state().data(), run.modes());
    double lost = 0;
    for (int k = 1; k <= 40; ++k) {
      run.advance(1e-3 * k, events);
      const double now = run.state()[run.state().size() - 1];
      REQUIRE(now >= lost - 1e-10);
      lost = now;
    }
    for (const LogEvent& event : events) moved += event.time > 0.01 && event.kind == "stick" && event.detail == "q2";
    REQUIRE(energy_gap(plant, run, stored) < 1e-8);
  }
  CHECK(moved > 0);
}

TEST_CASE("LuGre bristles give energy back beyond the passivity condition, and never within it") {
  // rate of dissipation = sigma2 v² + sigma1 v zd + sigma0² z² |v|/g, smallest at the longest bristle, sigma0 z = stiction
  for (const double sigma1 : {0.15, 5.0}) {
    const LuGre law{1e3, sigma1, 0.1, 0.2, 0.3, 0.1};
    PlantDescription d;
    d.rotors = {{"block", 1}};
    d.friction = {{0, law, true, 1e-3}};
    const Plant plant(d);
    Eigen::VectorXd x = Eigen::VectorXd::Zero(plant.states()), xd = x;
    const Modes modes = plant.modes_at(0, x, nullptr);
    double least = 1e9;
    for (double v = 0.01; v < 20; v *= 1.1) {
      x[1] = v;
      x[2] = law.stiction / law.sigma0;
      plant.derivative(0, x.data(), static_cast<const double*>(nullptr), modes, xd.data());
      least = std::min(least, xd[xd.size() - 1]);
    }
    CHECK((least >= 0) == (law.sigma1 * (law.stiction / law.coulomb - 1) <= law.sigma2));
  }
}

TEST_CASE("random arms that rub, hit a rough wall and pick things up: dissipation never runs backwards") {
  Random random(14);
  const int runs = std::getenv("ARMATURE_LONG_TESTS") ? 10000 : 60;
  int touched = 0;
  for (int trial = 0; trial < runs; ++trial) {
    CAPTURE(trial);
    PlantDescription d;
    const int dof = 1 + static_cast<int>(random.bits() % 3);
    d.arm = random_arm(dof, random);
    const Friction laws[] = {CoulombViscous{0.3, 0.1}, LuGre{1e3, 0.15, 0.1, 0.2, 0.3, 0.1}};
    for (int i = 0; i < dof; ++i) d.friction.push_back({i, laws[random.bits() % 2], true, 1e-3});
    const VecX<double> q = random_vector(dof, random), qd = random_vector(dof, random);
    const Vec3<double> tool = tool_pose(*d.arm, forward_kinematics(*d.arm, q)).p;
    d.walls = {{.name = "wall",
                .point = tool - Vec3<double>(0, 0, random.uniform(0, 0.01)),
                .stiffness = random.uniform(1e3, 1e4),
                .damping = random.uniform(0, 30),
                .friction = random.uniform(0, 0.8),
                .tangential_stiffness = 1e4}};
    if (random.uniform() < 0.5)
      d.payloads = {{0.02, {.mass = 0.5, .inertia = Vec3<double>::Constant(1e-3)}}, {0.04, {}}};
    const Plant plant(d);
    Integrator run(plant, {.relative = 1e-9, .absolute = 1e-11});
    std::vector<LogEvent> events;
    run.start(0, plant.state_at(q, qd), Eigen::VectorXd(0));
    const double stored = plant.stored_energy(run.state().data(), run.modes());
    double last = 0;
    for (int k = 1; k <= 3; ++k) {
      run.advance(0.02 * k, events);
      const double lost = run.state()[run.state().size() - 1];
      REQUIRE(lost >= last - 1e-8);
      last = lost;
    }
    REQUIRE(energy_gap(plant, run, stored) < 1e-6);
    for (const LogEvent& event : events) touched += event.kind == "touch";
  }
  CHECK(touched > runs / 10);
}

TEST_CASE("short random runs with friction and play (long: ten thousand): dissipation never runs backwards") {
  Random random(4);
  const int runs = std::getenv("ARMATURE_LONG_TESTS") ? 10000 : 300;
  for (int trial = 0; trial < runs; ++trial) {
    PlantDescription d;
    d.rotors = {{"motor", random.uniform(0.01, 0.1)}, {"load", random.uniform(0.01, 1)}};
    d.springs = {{.name = "gear",
                  .driver = 0,
                  .driven = 1,
                  .ratio = random.uniform(1, 5),
                  .stiffness = random.uniform(10, 1000),
                  .hardening = random.uniform(0, 1e4),
                  .damping = random.uniform(0, 1),
                  .backlash = random.uniform() < 0.5 ? 0.01 : 0.0,
                  .error_amplitude = 1e-3,
                  .error_order = 2,
                  .hysteresis_torque = random.uniform(0.1, 1),
                  .hysteresis_stiffness = 50}};
    const Friction laws[] = {CoulombViscous{0.3, 0.1}, Stribeck{0.2, 0.4, 0.1, 0.05, 2},
                             LuGre{1e3, 0.15, 0.1, 0.2, 0.3, 0.1}, ThreeSigmoid{{0.4, -0.1, 0.05}, {20, 5, 1}, 0.1},
                             LoadDependent{0.1, 0.05, 0.1}};
    d.friction = {{0, laws[random.bits() % 5], true, 1e-3}, {1, laws[random.bits() % 5], true, 1e-3}};
    d.motors = {{.name = "m", .drives = {{0, 1.0}}}};
    const Plant plant(d);
    Integrator run(plant, {.relative = 1e-9, .absolute = 1e-11});
    std::vector<LogEvent> events;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(plant.states());
    x[2] = random.normal();
    x[3] = random.normal();
    run.start(0, x, numbers({random.normal()}));
    const double stored = plant.stored_energy(x.data(), run.modes());
    double last = 0;
    for (int k = 1; k <= 5; ++k) {
      run.advance(0.02 * k, events);
      const double lost = run.state()[run.state().size() - 1];
      REQUIRE(lost >= last - 1e-9);
      last = lost;
    }
    REQUIRE(energy_gap(plant, run, stored) < 1e-6);
  }
}

TEST_CASE("a payload is picked up without creating energy and let go without changing the joints' speed") {
  Random random(5);
  PlantDescription d;
  d.arm = random_arm(3, random);
  d.payloads = {{0.1, {.mass = 2, .inertia = Vec3<double>::Constant(0.01)}}, {0.2, {}}};
  const Plant plant(d);
  Integrator run(plant, {.method = Method::dormand_prince});
  std::vector<LogEvent> events;
  run.start(0, plant.state_at(random_vector(3, random), random_vector(3, random)), Eigen::VectorXd(0));
  const double stored = plant.stored_energy(run.state().data(), run.modes());
  run.advance(0.15, events);
  CHECK(run.state()[run.state().size() - 1] > 0);  // an inelastic pick-up costs energy
  CHECK(energy_gap(plant, run, stored) < 1e-9);
  run.advance(0.3, events);
  CHECK(energy_gap(plant, run, stored) < 1e-9);
  REQUIRE(events.size() == 2);
  CHECK(events[0].kind == "grasp");
  CHECK(events[1].kind == "let go");
}

TEST_CASE("motors with coupled joints rub in the plant as in the arm's friction, whatever they are fed with") {
  Random random(31);
  for (const Motor::Command command : {Motor::Command::torque, Motor::Command::current}) {
    const int n = 3;
    ArmDescription d = random_arm(n, random).description();
    d.couplings = Eigen::MatrixXd::Identity(n, n);
    (*d.couplings)(2, 1) = 0.7;
    for (JointDescription& joint : d.joints) {
      joint.limits.torque.reset();
      joint.drive.gear_ratio = -40;
      joint.drive.rotor_inertia = 1e-4;
      joint.drive.torque_constant = 0.1;
      joint.drive.rotor_coulomb = 0.05;
      joint.drive.rotor_viscous = 1e-3;
    }
    const Arm arm(d);
    const ComposeOptions options{.drives = ComposeOptions::Drives::rigid, .command = command, .smoothing = 0.01};
    const Composition composed = compose(arm, options);
    const Plant plant(composed.plant);
    const VecX<double> q = random_vector(n, random, 1), qd = random_vector(n, random, 1),
                       tau = random_vector(n, random, 20);
    const Eigen::VectorXd u = composed.to_command * tau;
    Eigen::VectorXd x = plant.state_at(q, qd), xd(plant.states());
    plant.derivative<double>(0, x.data(), u.data(), plant.modes_at(0, x, u.data()), xd.data());
    const VecX<double> qdd = xd.segment(n, n), rigid = inverse_dynamics<double>(arm, q, qd, qdd);
    const VecX<double> needed =
        rigid + rotor_torque<double>(arm, qdd) + smooth_friction<double>(arm, qd, tau, options.smoothing);
    CHECK((needed - tau).norm() < 1e-9 * (1 + tau.norm()));

    Integrator run(plant, {});
    run.start(0, x, u);
    std::vector<LogEvent> events;
    const double stored = plant.stored_energy(x.data(), run.modes());
    run.advance(0.2, events);
    CHECK(energy_gap(plant, run, stored) < 1e-7);
  }
}
