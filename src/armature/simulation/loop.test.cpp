#include "armature/simulation/loop.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <numbers>
#include <thread>

#include "armature/control/joint_pd.hpp"
#include "armature/core/error.hpp"
#include "armature/model/dh.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::simulation;

namespace {

/// A horizontal one-joint arm: gravity does not act, inertia about the axis is 1 kg m².
Arm turntable() {
  const Inertia<double> inertia = inertia_about_com<double>(1.0, {0, 0, 0}, Vec3<double>(1.5, 1.5, 1.0).asDiagonal());
  return arm_from_dh("turntable", {{.name = "turn", .inertia = inertia}});
}

ReferenceSource hold_at(double q) {
  return [q](double, Reference& r) {
    r.q = VecX<double>::Constant(1, q);
    r.qd = r.qdd = VecX<double>::Zero(1);
  };
}

AnyController pd(double kp, double kd) {
  return AnyController(JointPd{VecX<double>::Constant(1, kp), VecX<double>::Constant(1, kd)});
}

Log run(double kp, double kd, LoopSettings settings) {
  const Composition composition = compose(turntable());
  const Plant plant(composition.plant);
  AnyController controller = pd(kp, kd);
  return run_loop(plant, composition.to_command, controller, hold_at(1),
                  plant.state_at(VecX<double>::Zero(1), VecX<double>::Zero(1)), settings);
}

}  // namespace

TEST_CASE("a continuous PD law gives the step response of the second-order system that it makes") {
  const double w = 5, z = 0.4, wd = w * std::sqrt(1 - z * z);
  const Log log =
      run(w * w, 2 * z * w,
          {.duration = 2, .tick = 1e-2, .continuous = true, .integrator = {.method = Method::dormand_prince}});
  for (std::size_t i = 0; i < log.time.size(); ++i) {
    const double t = log.time[i];
    const double expected = 1 - std::exp(-z * w * t) * (std::cos(wd * t) + z * w / wd * std::sin(wd * t));
    CHECK(log.channel("q1").values[i] == doctest::Approx(expected).epsilon(1e-8));
    CHECK(std::abs(log.channel("energy_error").values[i]) < 1e-8);
  }
}

TEST_CASE("the hold's error halves with the tick") {
  const auto end = [](double tick, bool continuous) {
    return run(25, 4,
               {.duration = 0.5,
                .tick = tick,
                .continuous = continuous,
                .integrator = {.method = Method::dormand_prince}})
        .channel("q1")
        .values.back();
  };
  const double truth = end(1e-3, true);
  CHECK((end(2e-3, false) - truth) / (end(1e-3, false) - truth) == doctest::Approx(2).epsilon(0.02));
}

TEST_CASE("gains that are unstable under the hold are reported with time and hint, and the log up to there is kept") {
  const Log log = run(1e7, 5e3, {.duration = 5, .tick = 1e-3, .integrator = {.method = Method::rk4}});
  CHECK(log.incomplete.ends_with("passes 10000 rad/s"));
  CHECK(log.incomplete.starts_with("diverged at t = "));
  CHECK(log.incomplete.find('\n') == std::string::npos);
  REQUIRE(log.facts.size() == 2);
  CHECK(log.facts[0].first == "hint");
  CHECK(log.facts[1] == std::pair<std::string, std::string>("integrator", "rk4 in steps of at most 1 ms"));
  for (const double v : log.channel("v1").values) CHECK(std::abs(v) <= diverged_speed);
  CHECK(log.time.size() > 1);
  CHECK(log.time.back() < 5);
}

TEST_CASE("a run is stopped within a second, in the middle of a tick that takes hours") {
  for (const Method method : {Method::euler, Method::rk4, Method::dormand_prince, Method::cvode, Method::automatic}) {
    CAPTURE(to_string(method));
    std::atomic<bool> stop = false;
    LoopSettings settings{.duration = 1e6, .tick = 1e6, .integrator = {.method = method, .stop = &stop}};
    settings.continuous = method >= Method::dormand_prince;
    std::chrono::steady_clock::time_point asked;
    std::jthread user([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      asked = std::chrono::steady_clock::now();
      stop = true;
    });
    const Log log = run(1e10, 0, settings);  // it turns to and fro 1e5 times per second
    user.join();
    CHECK(std::chrono::steady_clock::now() - asked < std::chrono::seconds(1));
    CHECK(log.incomplete.starts_with("stopped by the user at "));
    CHECK(log.time.size() == 1);
  }
}

TEST_CASE("more steps, ticks or logged numbers than a run may have are refused before it begins") {
  const LoopSettings sound{.duration = 0.05, .tick = 1e-3, .integrator = {.method = Method::rk4}};
  LoopSettings steps = sound, ticks = sound, log = sound, adaptive = sound;
  steps.integrator.step = 1e-12;
  CHECK_THROWS_WITH_AS(run(1, 1, steps), doctest::Contains("in steps of 1e-12 s\n  hint: at most 1e+10 steps"), Error);
  ticks.tick = 1e-12;
  CHECK_THROWS_WITH_AS(run(1, 1, ticks), doctest::Contains("at most 1e+09 ticks"), Error);
  log.tick = 1e-10;
  CHECK_THROWS_WITH_AS(run(1, 1, log), doctest::Contains("a log of 5e+08 samples of "), Error);
  log.log_every = 1000000;
  log.duration = 1e-6;  // as many channels, few samples
  CHECK(run(1, 1, log).incomplete.empty());
  adaptive.integrator = {.method = Method::dormand_prince, .step = 1e-12};  // a step that nobody takes
  CHECK(run(1, 1, adaptive).incomplete.empty());
}

TEST_CASE("the same run twice gives the same log, bit for bit, with noise and quantization") {
  LoopSettings settings{.duration = 0.3, .integrator = {.method = Method::rk4}};
  settings.sensors = {.encoder_resolution = 1e-5,
                      .position_noise = 1e-5,
                      .speed = SensorSettings::Speed::difference,
                      .delay = 2,
                      .seed = 9};
  settings.converter = {.bits = 12, .range = 30, .delay = 1};
  const Log a = run(100, 10, settings), b = run(100, 10, settings);
  settings.sensors.seed = 10;
  const Log c = run(100, 10, settings);
  REQUIRE(a.channels.size() == b.channels.size());
  for (std::size_t i = 0; i < a.channels.size(); ++i) CHECK(a.channels[i].values == b.channels[i].values);
  CHECK(a.channel("q1").values != c.channel("q1").values);
}

TEST_CASE("a position reading lies on the encoder's grid, delayed by whole ticks, and a command on the converter's") {
  LoopSettings settings{.duration = 0.2, .integrator = {.method = Method::rk4}};
  settings.sensors = {.encoder_resolution = 1e-3, .delay = 3};
  settings.converter = {.bits = 8, .range = 20};
  const Log log = run(100, 10, settings);
  const auto& q = log.channel("q1").values;
  const auto& measured = log.channel("q1_meas").values;
  const double lsb = 40.0 / 255;
  for (std::size_t i = 3; i < q.size(); ++i) {
    CHECK(measured[i] == doctest::Approx(1e-3 * std::nearbyint(q[i - 3] / 1e-3)));
    const double u = log.channel("u_turn").values[i];
    CHECK(std::abs(u / lsb - std::nearbyint(u / lsb)) < 1e-9);
    CHECK(std::abs(u) <= 20 + lsb);
  }
}

TEST_CASE("geared rotors weigh their ratio squared, and an elastic drive with a stiff spring is a rigid one") {
  ArmDescription description = turntable().description();
  description.joints[0].drive.gear_ratio = 10;
  description.joints[0].drive.rotor_inertia = 0.02;  // 2 kg m² at the joint
  description.joints[0].drive.stiffness = 1e6;
  description.joints[0].drive.damping = 50;
  const Arm arm(description);
  const auto angle_after_push = [&](ComposeOptions::Drives drives) {
    const Composition composition = compose(arm, {.drives = drives});
    const Plant plant(composition.plant);
    AnyController controller(OpenLoop{VecX<double>::Constant(1, 6.0)});
    const Log log = run_loop(plant, composition.to_command, controller, hold_at(0),
                             plant.state_at(VecX<double>::Zero(1), VecX<double>::Zero(1)), {.duration = 1});
    CHECK(std::abs(log.channel("energy_error").values.back()) < 1e-6);
    return log.channel("q1").values.back();
  };
  CHECK(angle_after_push(ComposeOptions::Drives::ideal) == doctest::Approx(0.5 * 6.0 / 1).epsilon(1e-6));
  CHECK(angle_after_push(ComposeOptions::Drives::rigid) == doctest::Approx(0.5 * 6.0 / 3).epsilon(1e-6));
  CHECK(angle_after_push(ComposeOptions::Drives::elastic) == doctest::Approx(0.5 * 6.0 / 3).epsilon(1e-4));
}

//     J q'' = -k (q - p) - d (q' - p'),  N² Jr p'' = tau + k (q - p) + d (q' - p'),  p = motor angle / N
TEST_CASE(
    "a stiff PD law behind an elastic gear holds still with its instruments at the motor and rings at the joint") {
  ArmDescription description = turntable().description();
  Drive& drive = description.joints[0].drive;
  drive.gear_ratio = 50;
  drive.rotor_inertia = 2e-4;
  drive.stiffness = 1e4;
  drive.damping = 2;
  const Composition composition = compose(Arm(description), {.drives = ComposeOptions::Drives::elastic});
  const Plant plant(composition.plant);
  const auto run = [&](SensorSettings::Side side, double start) {
    LoopSettings settings{.duration = 1, .tick = 1e-3, .continuous = true};
    settings.sensors.side = side;
    AnyController controller = pd(2e4, 100);
    return run_loop(plant, composition.to_command, controller, hold_at(0),
                    plant.state_at(VecX<double>::Constant(1, start), VecX<double>::Zero(1)), settings);
  };
  const Log quiet = run(SensorSettings::Side::motor, 0.01), loud = run(SensorSettings::Side::joint, 0.01);
  CHECK(std::abs(quiet.channel("q1").values.back()) < 1e-4);
  CHECK((!loud.incomplete.empty() || std::abs(loud.channel("q1").values.back()) > 0.1));
  for (std::size_t k = 0; k < quiet.time.size(); k += 50)
    CHECK(quiet.channel("q1_meas").values[k] == doctest::Approx(quiet.channel("q_turn").values[k] / 50));
}

TEST_CASE("springs of coupled motors: the stiffer, the more like stiff gears, and the books balance") {
  const auto link = [](double m) {
    return inertia_about_com<double>(m, {0.1, 0, 0}, Vec3<double>(0.02, 0.05, 0.06).asDiagonal());
  };
  ArmDescription description =
      arm_from_dh("wrist", {{.name = "bend", .alpha = std::numbers::pi / 2, .inertia = link(2)},
                            {.name = "turn", .a = 0.2, .inertia = link(1)}})
          .description();
  description.couplings = Eigen::MatrixXd{{1, 0}, {-0.7, 1}};
  const auto joints_after_push = [&](ComposeOptions::Drives drives, double stiffness) {
    for (JointDescription& joint : description.joints) {
      joint.drive.gear_ratio = -20;
      joint.drive.rotor_inertia = 2e-4;
      joint.drive.stiffness = stiffness;
      joint.drive.damping = 1e-3 * stiffness;
      joint.friction = CoulombViscous{0, 0.5};
    }
    const Composition composition = compose(Arm(description), {.drives = drives});
    const Plant plant(composition.plant);
    AnyController controller(OpenLoop{VecX<double>{{0.8, -0.5}}});
    const VecX<double> q0{{0.4, -0.3}}, v0{{-1.0, 2.0}};
    VecX<double> shown, speed;
    shown_at(SensorSettings::Side::motor, plant, plant.state_at(q0, v0).data(), shown,
             speed);  // nothing is twisted yet
    CHECK((shown - q0).norm() + (speed - v0).norm() < 1e-12);
    const Log log = run_loop(plant, composition.to_command, controller,
                             [](double, Reference& r) { r.q = r.qd = r.qdd = VecX<double>::Zero(2); },
                             plant.state_at(q0, v0), {.duration = 0.5});
    REQUIRE(log.incomplete == "");
    for (const double error : log.channel("energy_error").values) CHECK(std::abs(error) < 1e-6);
    return Eigen::Vector2d(log.channel("q1").values.back(), log.channel("q2").values.back());
  };
  const Eigen::Vector2d stiff = joints_after_push(ComposeOptions::Drives::rigid, 1);
  const double far = (joints_after_push(ComposeOptions::Drives::elastic, 1e3) - stiff).norm(),
               near = (joints_after_push(ComposeOptions::Drives::elastic, 1e5) - stiff).norm();
  CHECK(near < 1e-4);
  CHECK(far > 20 * near);
  description.joints[1].drive.rotor_inertia.reset();
  CHECK_THROWS_WITH_AS(compose(Arm(description), {.drives = ComposeOptions::Drives::elastic}),
                       doctest::Contains("no rotor_inertia"), ModelError);
  CHECK_THROWS_WITH_AS(compose(turntable(), {.drives = ComposeOptions::Drives::elastic}),
                       doctest::Contains("no joint has an elastic drive"), ModelError);
}

TEST_CASE(
    "a harmonic drive as an arm describes it: waves of its error, a spring that hardens, a cycle that loses heat") {
  ArmDescription description = turntable().description();
  Drive& drive = description.joints[0].drive;
  drive.gear_ratio = 100;
  drive.rotor_inertia = 1e-4;
  drive.stiffness = 1e4;
  drive.hardening = 1e9;
  drive.gear_error = 2e-4;
  drive.gear_error_order = 2;
  const auto torque = [&](double rotor, double joint) {
    const Plant plant(compose(Arm(description), {.drives = ComposeOptions::Drives::elastic}).plant);
    Eigen::VectorXd x = plant.state_at(VecX<double>::Zero(1), VecX<double>::Zero(1)), u = Eigen::VectorXd::Zero(1);
    x[0] = joint;
    x[1] = rotor;
    return plant.drive_torque(x.data(), u.data(), plant.modes_at(0, x, u.data()))[0];
  };
  for (const double rotor : {0.0, 0.5, 1.0, 4.0}) {
    const double rest = rotor / 100 + 2e-4 * std::sin(2 * rotor);
    CHECK(std::abs(torque(rotor, rest)) < 1e-9);
    CHECK(torque(rotor, rest - 1e-3) == doctest::Approx(1e4 * 1e-3 + 1e9 * 1e-9));
  }
  const auto lost_in_a_swing = [&] {
    const Composition composition = compose(Arm(description), {.drives = ComposeOptions::Drives::elastic});
    const Plant plant(composition.plant);
    AnyController controller(OpenLoop{VecX<double>::Zero(1)});
    Eigen::VectorXd x = plant.state_at(VecX<double>::Zero(1), VecX<double>::Zero(1));
    x[0] = 2e-3;
    const Log log = run_loop(plant, composition.to_command, controller, hold_at(0), x, {.duration = 0.2});
    CHECK(std::abs(log.channel("energy_error").values.back()) < 1e-6);
    return log.channel("energy_dissipated").values.back();
  };
  CHECK(std::abs(lost_in_a_swing()) < 1e-6);
  drive.hysteresis_torque = 2;
  drive.hysteresis_stiffness = 4e4;
  CHECK(lost_in_a_swing() > 1e-3);
}

TEST_CASE("a gear passes on the share of the torque that its efficiency says, and brakes with what it loses") {
  ArmDescription description = turntable().description();
  Drive& drive = description.joints[0].drive;
  drive.gear_ratio = 10;
  drive.efficiency = 0.8;
  drive.rotor_inertia = 1e-6;
  drive.stiffness = 1e5;
  drive.damping = 50;
  const LuGre bristles{.sigma0 = 1e-9, .sigma1 = 0, .sigma2 = 0, .coulomb = 1e-9, .stiction = 1e-9};
  for (const Friction& law : {Friction(NoFriction{}), Friction(CoulombViscous{}), Friction(bristles)})
    for (const auto drives : {ComposeOptions::Drives::rigid, ComposeOptions::Drives::elastic})
      for (const bool exact : {true, false}) {
        CAPTURE(law.index());
        CAPTURE(exact);
        description.joints[0].friction = law;
        const Composition composition =
            compose(Arm(description), {.drives = drives, .exact_stick = exact, .smoothing = 1e-6});
        const Plant plant(composition.plant);
        const double inertia = 1 + 1e-4 * (drives == ComposeOptions::Drives::rigid);
        const auto speed_after = [&](double speed, double torque) {
          AnyController controller(OpenLoop{VecX<double>::Constant(1, torque)});
          const Log log =
              run_loop(plant, composition.to_command, controller, hold_at(0),
                       plant.state_at(VecX<double>::Zero(1), VecX<double>::Constant(1, speed)), {.duration = 0.1});
          CHECK(log.incomplete == "");
          CHECK(std::abs(log.channel("energy_error").values.back()) < 1e-6);
          if (speed == 0)
            CHECK(log.channel("energy_dissipated").values.back() ==
                  doctest::Approx(0.2 * log.channel("energy_supplied").values.back()).epsilon(2e-3));
          return log.channel("v1").values.back();
        };
        CHECK(speed_after(0, 6) == doctest::Approx(0.1 * 0.8 * 6 / inertia).epsilon(2e-3));
        CHECK(speed_after(2, -6) == doctest::Approx(2 - 0.1 * 1.2 * 6 / inertia).epsilon(2e-3));
      }
}

//     up to w1 = V/(K N) - I R/(K N) the current limit holds: w = N K I t / J; then J w' = N K (V - K N w)/R
TEST_CASE("an amplifier's current bounds the torque, its voltage the speed, and where one takes over is an event") {
  ArmDescription description = turntable().description();  // J = 1 kg m²
  Drive& drive = description.joints[0].drive;
  const double N = 10, K = 0.1, R = 1, I = 10, V = 24;
  drive.gear_ratio = N;
  drive.torque_constant = K;
  drive.resistance = R;
  drive.current_limit = I;
  drive.voltage_limit = V;
  const double w1 = (V - I * R) / (K * N), t1 = w1 / (N * K * I);
  const double expected = V / (K * N) - I * R / (K * N) * std::exp(-N * N * K * K / R * (3 - t1));
  using Command = Motor::Command;
  for (const auto& [command, asked, inductance] :
       {std::tuple{Command::current, 1e3, 0.0}, {Command::voltage, 1e3, 0.0}, {Command::voltage, 1e3, 1e-5}}) {
    CAPTURE(static_cast<int>(command));
    CAPTURE(inductance);
    drive.inductance = inductance;
    for (const double sign : {1.0, -1.0}) {
      const Composition composition = compose(Arm(description), {.command = command});
      const Plant plant(composition.plant);
      AnyController controller(OpenLoop{VecX<double>::Constant(1, sign * asked)});
      const Log log = run_loop(plant, composition.to_command, controller, hold_at(0),
                               plant.state_at(VecX<double>::Zero(1), VecX<double>::Zero(1)), {.duration = 3});
      REQUIRE(log.incomplete == "");
      CHECK(log.channel("v1").values.back() == doctest::Approx(sign * expected).epsilon(1e-4));
      CHECK(std::abs(log.channel("energy_error").values.back()) < 1e-6);
      REQUIRE(!log.events.empty());
      CHECK(log.events.back().kind == (command == Command::current ? "saturated" : "unsaturated"));
      CHECK(log.events.back().time == doctest::Approx(t1).epsilon(1e-4));
    }
  }
  const double torque_limit = N * K * I;
  CHECK(*compose(Arm(description)).plant.motors[0].torque_limit == doctest::Approx(torque_limit));
  description.joints[0].limits.torque = 0.5 * torque_limit;  // the joint's own, and the lesser
  CHECK(*compose(Arm(description)).plant.motors[0].torque_limit == doctest::Approx(0.5 * torque_limit));
  CHECK(*compose(Arm(description), {.command = Command::current}).plant.motors[0].current_limit ==
        doctest::Approx(0.5 * I));
  CHECK(
      !compose(Arm(description), {.command = Command::current, .torque_limits = false}).plant.motors[0].current_limit);
}

TEST_CASE("an elastic wall stops a pushed tool where the forces balance") {
  ArmDescription description = turntable().description();
  description.joints[0].placement = DhRow{.a = 1};
  Composition composition = compose(Arm(description));
  composition.plant.walls = {
      {.name = "wall", .point = {0, 0.1, 0}, .normal = {0, -1, 0}, .stiffness = 1000, .damping = 200}};
  const Plant plant(composition.plant);
  AnyController controller(OpenLoop{VecX<double>::Constant(1, 5.0)});
  const Log log = run_loop(plant, composition.to_command, controller, hold_at(0),
                           plant.state_at(VecX<double>::Zero(1), VecX<double>::Zero(1)), {.duration = 8});
  REQUIRE(!log.events.empty());
  CHECK(log.events[0].kind == "touch");
  const double q = log.channel("q1").values.back(), force = log.channel("force_y").values.back();
  CHECK(force == doctest::Approx(-1000 * (std::sin(q) - 0.1)).epsilon(1e-6));
  CHECK(-force * std::cos(q) == doctest::Approx(5.0).epsilon(1e-4));  // lever times wall force = drive torque
  CHECK(std::abs(log.channel("energy_error").values.back()) < 1e-6);
}
