// Laws as scenarios put them together: terms, switches, guard, observer, collision watch, trials.
#include <algorithm>
#include <cmath>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/control/status.hpp"
#include "armature/core/error.hpp"
#include "armature/run/payload_changes.hpp"
#include "armature/run/run_report.hpp"
#include "armature/run/run_scenario.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::run;

namespace {

const std::string planar = "scenario: x\nrobot: planar3r\nstart: {q: [30 deg, 40 deg, 50 deg]}\n";

Log log_of(const std::string& text) {
  Log log = run_scenario(scenario_from_text(text, "x.yaml"));
  REQUIRE(log.incomplete.empty());
  return log;
}

double at(const Log& log, const std::string& channel, double time) {
  return log.channel(channel).values[std::lround(time / (log.time[1] - log.time[0]))];
}

/// First time at which the status has the condition; infinite where never.
double first(const Log& log, Condition condition) {
  for (std::size_t i = 0; i < log.time.size(); ++i)
    if (static_cast<unsigned>(log.channel("status").values[i]) & static_cast<unsigned>(condition)) return log.time[i];
  return std::numeric_limits<double>::infinity();
}

}  // namespace

TEST_CASE("a term is switched off and on at its times, and the command is the sum of the terms") {
  const Log log = log_of(planar + R"(controller:
  kind: sum
  fade: 50 ms
  terms:
    - {kind: gravity, name: weight}
    - {kind: joint_pd, name: pd, kp: [2000, 1000, 300], kd: [100, 40, 8]}
  switches: [{time: 0.5 s, term: weight, on: false}, {time: 1 s, term: weight, on: true}]
run: {duration: 1.5 s}
)");
  const LoadedScenario loaded = scenario_from_text(planar + "controller: {kind: open_loop}\n", "x.yaml");
  VecX<double> q(3);
  for (int i = 0; i < 3; ++i) q[i] = log.channel("q" + std::to_string(i + 1)).values.front();
  const VecX<double> g = gravity_torque<double>(loaded.arm, q);
  CHECK(at(log, "part_weight1", 0.4) == doctest::Approx(g[0]).epsilon(1e-6));
  CHECK(at(log, "part_weight1", 0.6) == 0);
  CHECK(at(log, "part_pd1", 0.9) == doctest::Approx(g[0]).epsilon(0.02));
  CHECK(at(log, "part_weight1", 1.2) == doctest::Approx(g[0]).epsilon(0.01));
  for (const double t : {0.1, 0.52, 0.8, 1.02, 1.4})
    CHECK(at(log, "tau2", t) == doctest::Approx(at(log, "part_weight2", t) + at(log, "part_pd2", t)));
}

TEST_CASE("a guard starts the law without a bump, and says so") {
  const std::string law =
      "reference: {kind: hold, to: [60 deg, 40 deg, 50 deg]}\nplant: {torque_limits: false}\n"
      "controller: {kind: joint_pd, kp: [500, 300, 80], kd: [60, 25, 5]";
  const Log bare = log_of(planar + law + "}\nrun: {duration: 0.5 s}\n"),
            guarded =
                log_of(planar + law +
                       ", safety: {on: true, ramp: 0.2 s, torque: [400, 400, 400], velocity: [50, 50, 50]}}\nrun: "
                       "{duration: 0.5 s}\n");
  const LoadedScenario loaded = scenario_from_text(planar + "controller: {kind: open_loop}\n", "x.yaml");
  VecX<double> q(3);
  for (int i = 0; i < 3; ++i) q[i] = guarded.channel("q" + std::to_string(i + 1)).values.front();
  CHECK(at(bare, "tau1", 0) == doctest::Approx(500 * 30 * pi / 180));
  CHECK(std::abs(at(guarded, "tau1", 0) - gravity_torque<double>(loaded.arm, q)[0]) < 0.05 * at(bare, "tau1", 0));
  CHECK(first(guarded, Condition::starting) == 0);
  CHECK(static_cast<unsigned>(guarded.channel("status").values.back()) == 0);
}

TEST_CASE("a law on a Kalman observer sees less noise in the speed than differences of a coarse encoder have") {
  const std::string text =
      "scenario: x\nrobot: rrr\nstart: {q: [0, -0.5, 1]}\nsensors: {encoder: 1e-4, speed: difference}\nreference: "
      "{kind: "
      "polynomial, to: [0.5, 0, 0.5], duration: 0.5 s}\ncontroller: {kind: joint_pd, kp: [800, 800, 300], kd: [60, 60, "
      "15]";
  const Log bare = log_of(text + "}\nrun: {duration: 0.5 s}\n"),
            seen = log_of(text +
                          ", observer: {kind: kalman, resolution: [1e-4, 1e-4, 1e-4], jerk: [200, 200, 200]}}\nrun: "
                          "{duration: 0.5 s}\n");
  const auto roughness = [](const Log& log) {
    const auto& tau = log.channel("tau1").values;
    double sum = 0;
    for (std::size_t i = 2; i < tau.size(); ++i) sum += std::pow(tau[i] - 2 * tau[i - 1] + tau[i - 2], 2);
    return std::sqrt(sum);
  };
  CHECK(roughness(seen) < 0.3 * roughness(bare));
}

TEST_CASE("a blow is noticed when it falls, not before, and the arm stops") {
  const Log log = log_of(planar + R"(plant: {wrenches: [{from: 0.4 s, to: 0.6 s, force: [0, 30 N, 0]}]}
controller:
  kind: sum
  terms: [{kind: gravity}, {kind: joint_pd, name: pd, kp: [300, 150, 40], kd: [60, 25, 5]}]
  collision: {method: momentum, gain: 80 1/s, threshold: [3, 2, 1], reaction: stop}
run: {duration: 1.5 s}
)");
  CHECK(first(log, Condition::collision) > 0.4);
  CHECK(first(log, Condition::collision) < 0.43);
  CHECK(std::abs(log.channel("v1").values.back()) < 0.01);
}

TEST_CASE("a load that comes and goes is told with its times and masses") {
  const LoadedScenario loaded = scenario_from_text(R"(scenario: x
robot: ur5e
start: {on_reference: true}
plant: {payloads: [{time: 1.5 s, mass: 2 kg, com: [0, 0, 60 mm], inertia: [0.004, 0.004, 0.003]}, {time: 3 s, mass: 0 kg}]}
sensors: {speed_noise: 2e-3 rad/s}
reference: {kind: sine, from: [0, -1.2, 1.4, -1, -1.4, 0.2], amplitude: [0.6, 0.35, 0.5, 0.7, 0.6, 0.9], frequency: [0.3, 0.4, 0.5, 0.45, 0.6, 0.7]}
controller:
  kind: computed_torque
  kp: [100, 100, 100, 100, 100, 100]
  kd: [20, 20, 20, 20, 20, 20]
  payload_watch: {on: true}
run: {duration: 5 s}
)",
                                                   "x.yaml");
  const RunResult result = run_timed(loaded);
  const std::vector<CarriedPayload> carried = carried_payloads(result.log);
  REQUIRE(carried.size() == 3);
  const double times[] = {0, 1.5, 3}, masses[] = {0, 2, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::abs(carried[i].from - times[i]) < 0.2);
    CHECK(carried[i].noticed - times[i] < 0.3);
    CHECK(std::abs(carried[i].mass - masses[i]) < 3 * carried[i].mass_deviation);
    CHECK(carried[i].mass_deviation < 0.1);
  }
  CHECK(carried[1].something());
  CHECK_FALSE(carried[2].something());
  CHECK((carried[1].com - Vec3<double>(0, 0, 0.06)).norm() < 0.01);
  CHECK(first(result.log, Condition::payload_changed) == doctest::Approx(carried[1].noticed));
  CHECK(std::count_if(result.log.events.begin(), result.log.events.end(),
                      [](const LogEvent& e) { return e.kind == payload_event; }) == 2);
  CHECK(run_json(loaded, result).find("\"payloads\"") != std::string::npos);
}

TEST_CASE("every trial of learning control is better than the one before") {
  const Log log = log_of(R"(scenario: x
robot: rrr
start: {on_reference: true}
reference: {kind: spline, order: 5, times: [0 s, 0.25 s, 0.5 s], waypoints: [[0, -0.5, 1], [0.3, -0.2, 0.7], [0, -0.5, 1]], repeat: 4}
controller:
  kind: sum
  terms:
    - {kind: joint_pd, name: pd, kp: [800, 800, 300], kd: [60, 60, 15]}
    - {kind: gravity}
    - {kind: iterative_learning, name: learned, kp: [300, 300, 100], kd: [40, 30, 8], trial: 0.5 s, lead: 2, smoothing: 8}
run: {duration: 2 s}
)");
  double last = 1e9;
  for (int trial = 0; trial < 4; ++trial) {
    double sum = 0;
    for (int i = trial * 500; i < (trial + 1) * 500; ++i) {
      const auto k = static_cast<std::size_t>(i);
      for (const char* q : {"q1", "q2", "q3"})
        sum += std::pow(log.channel(q).values[k] - log.channel(std::string(q) + "_ref").values[k], 2);
    }
    CHECK(sum < 0.6 * last);
    last = sum;
  }
}

TEST_CASE("a law with an integral acts continuously as the sampled one does when its tick tends to zero") {
  // the hold and the sums in place of integrals are wrong by a multiple of the tick
  const std::string wall = "plant: {walls: [{point: [0, 0, 0.7378], normal: [0, 0, -1], stiffness: 5 N/m}]}\n";
  const std::string still = "scenario: x\nrobot: rpr\nstart: {q: [1.2, -100 mm, -0.3]}\n";
  const std::string push = "reference: {kind: hold, push: [{from: 0 s, force: [0 N, 0 N, 3 N]}]}\n";
  const std::string sine =
      "scenario: x\nrobot: rrr\nstart: {on_reference: true}\nplant: {friction: false}\nbelief: {mass_factor: [0.5]}\n"
      "reference: {kind: sine, from: [0, -0.5, 1], amplitude: [0.5, 0.5, 0.5], frequency: [0.5 Hz, 0.7 Hz, 0.9 Hz]}\n";
  const std::string inner = "task: position, mass: [0.12, 0.12, 0.12], kd: [25, 25, 25], kp: [40, 40, 40], ";
  const std::pair<std::string, std::string> cases[] = {
      {sine, "kind: joint_pid, kp: [800, 800, 300], ki: [5000, 5000, 3000], kd: [60, 60, 15]"},
      {sine,
       "kind: sum, terms: [{kind: gravity}, {kind: joint_pid, kp: [300, 300, 90], ki: [900, 900, 300], kd: [60, 60, "
       "15]}]"},
      {sine, "kind: adaptive, kd: [40, 40, 15], lambda: [10, 10, 10], adaptation: 2, friction: false"},
      {still + wall + push, "kind: force, " + inner + "force_kp: [5, 5, 5], force_ki: [5, 5, 5]"},
      {still + wall + push, "kind: parallel_force_position, " + inner + "force_kp: [5, 5, 5], force_ki: [5, 5, 5]"},
      {still + wall + push,
       "kind: hybrid_force_position, task: position, force_axes: z, kp: [50, 50, 50], kd: [10, 10, 10], mass: [1, 1, "
       "1], "
       "force_kd: [20, 20, 20], force_kp: [2, 2, 2], force_ki: [5, 5, 5]"},
      {still + wall + "reference: {kind: hold, to: [1, 0 m, -0.5]}\n",
       "kind: admittance, " + inner + "frame_mass: [5, 5, 5], frame_kd: [12, 12, 12], frame_kp: [35, 35, 35]"},
  };
  for (const auto& [world, law] : cases) {
    CAPTURE(law);
    const auto end = [&, &world = world, &law = law](const std::string& mode, const std::string& tick) {
      const Log log = log_of(world + "controller: {" + law + mode + "}\nrun: {duration: 1 s, tick: " + tick + "}\n");
      Eigen::Vector3d q;
      for (int i = 0; i < 3; ++i) q[i] = log.channel("q" + std::to_string(i + 1)).values.back();
      return q;
    };
    const Eigen::Vector3d limit = end(", continuous: true", "10 ms");
    const Eigen::Vector3d coarse = end("", "0.25 ms") - limit, fine = end("", "0.125 ms") - limit;
    CHECK(fine.norm() > 1e-7);
    CHECK(coarse.norm() / fine.norm() == doctest::Approx(2).epsilon(0.05));
  }
}

TEST_CASE("what works sample by sample is refused in a continuous loop, with its place") {
  const std::pair<const char*, const char*> wrong[] = {
      {"kind: joint_pd, kp: [1, 1, 1], kd: [1, 1, 1], safety: {on: true}", "the guard"},
      {"kind: joint_pd, kp: [1, 1, 1], kd: [1, 1, 1], observer: {kind: kalman, resolution: [1, 1, 1], jerk: [1, 1, 1]}",
       "the observer"},
      {"kind: joint_pd, kp: [1, 1, 1], kd: [1, 1, 1], collision: {method: momentum, threshold: [1, 1, 1]}",
       "the collision watch"},
      {"kind: joint_pd, kp: [1, 1, 1], kd: [1, 1, 1], payload_watch: {on: true}", "the payload watch"},
      {"kind: sum, terms: [{kind: iterative_learning, kp: [1, 1, 1], kd: [1, 1, 1], trial: 1 s}]",
       "iterative_learning"},
  };
  for (const auto& [law, what] : wrong) {
    const std::string text = planar + "controller: {" + law + ", continuous: true}\n";
    std::string said;
    try {
      run_scenario(scenario_from_text(text, "x.yaml"));
    } catch (const Error& error) {
      said = error.what();
    }
    CHECK(said.find(what) != std::string::npos);
    CHECK(said.find("x.yaml:") != std::string::npos);
    CHECK(said.find("sample") != std::string::npos);
  }
}

TEST_CASE("a law that learns is not taken for an unstable one") {
  const LoadedScenario loaded = scenario_from_text(
      "scenario: x\nrobot: rrr\nstart: {on_reference: true}\nbelief: {mass_factor: [0.5], friction: false}\n"
      "reference: {kind: sine, from: [0, -0.5, 1], amplitude: [0.5, 0.5, 0.5], frequency: [0.5 Hz, 0.7 Hz, 0.9 Hz]}\n"
      "controller: {kind: adaptive, kd: [40, 40, 15], lambda: [10, 10, 10], adaptation: 2, friction_size: 5 N*m}\n",
      "x.yaml");
  CHECK(build(loaded).warnings.empty());
}
