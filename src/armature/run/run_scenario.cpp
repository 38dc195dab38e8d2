#include "armature/run/run_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "armature/control/joint_pd.hpp"
#include "armature/core/error.hpp"
#include "armature/formats/load_arm.hpp"
#include "armature/formats/scenario_yaml.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/simulation/scene.hpp"
#include "armature/trajectory/joint_paths.hpp"

namespace armature {

namespace {

VecX<double> vector_of(const std::vector<double>& numbers, int n) {
  VecX<double> v = VecX<double>::Zero(n);
  for (std::size_t i = 0; i < numbers.size(); ++i) v[static_cast<Eigen::Index>(i)] = numbers[i];
  return v;
}
Vec3<double> vec3(const std::vector<double>& numbers) { return {numbers[0], numbers[1], numbers[2]}; }

[[noreturn]] void missing(const std::string& key, const std::string& kind) {
  throw FormatError(fmt::format("'{}' needs the key '{}'", kind, key), "see armature simulate --help-keys");
}

Plant plant_of(const LoadedScenario& loaded, Composition& composition) {
  const PlantSettings& s = loaded.scenario.plant;
  ComposeOptions options;
  options.drives = s.drives == "ideal"   ? ComposeOptions::Drives::ideal
                   : s.drives == "rigid" ? ComposeOptions::Drives::rigid
                                         : ComposeOptions::Drives::elastic;
  options.command = s.command == "torque"    ? Motor::Command::torque
                    : s.command == "current" ? Motor::Command::current
                                             : Motor::Command::voltage;
  options.friction = s.friction;
  options.exact_stick = s.stick == "exact";
  options.smoothing = s.smoothing;
  options.torque_limits = s.torque_limits;
  composition = compose(loaded.arm, options);
  PlantDescription& plant = composition.plant;
  for (const WallSettings& w : s.walls)
    plant.walls.push_back({w.name, vec3(w.point), vec3(w.normal).normalized(), w.stiffness, w.damping, w.friction,
                           w.tangential_stiffness});
  for (const WrenchSettings& w : s.wrenches) {
    ToolWrench wrench{w.from, w.to, {}};
    wrench.wrench << vec3(w.force), vec3(w.moment);
    plant.wrenches.push_back(wrench);
  }
  for (const PayloadSettings& p : s.payloads) {
    PayloadChange change{p.time, std::nullopt};
    if (p.mass != 0)
      change.payload = MassProperties{.mass = p.mass, .position = vec3(p.com), .tensor = vec3(p.inertia).asDiagonal()};
    plant.payloads.push_back(change);
  }
  for (const PassiveSettings& p : s.passive) {
    if (p.joint < 1 || p.joint > loaded.arm.dof())
      throw FormatError(fmt::format("plant.passive names joint {}", p.joint),
                        fmt::format("joints count from 1 to {}", loaded.arm.dof()));
    const auto motor = std::find_if(plant.motors.begin(), plant.motors.end(),
                                    [&](const Motor& m) { return m.drives.front().first == p.joint - 1; });
    if (motor == plant.motors.end())
      throw FormatError(fmt::format("plant.passive names joint {} twice", p.joint), "name each joint once");
    const Eigen::Index row = motor - plant.motors.begin(), last = composition.to_command.rows() - 1;
    composition.to_command.middleRows(row, last - row) = composition.to_command.bottomRows(last - row).eval();
    composition.to_command.conservativeResize(last, Eigen::NoChange);
    plant.motors.erase(motor);
    plant.springs.push_back({.name = fmt::format("passive_{}", p.joint),
                             .driver = ground,
                             .driven = p.joint - 1,
                             .stiffness = p.stiffness,
                             .damping = p.damping});
  }
  return Plant(plant);
}

/// A joint trajectory as a reference, after standing still for `begin`.
template <JointTrajectory T>
ReferenceSource follow(T path, double begin) {
  return [path = std::move(path), begin, motion = JointMotion{}](double t, Reference& r) mutable {
    path.at(std::max(0.0, t - begin), motion);
    r.q = motion.q, r.qd = motion.qd, r.qdd = motion.qdd;
    if (t < begin) r.qd.setZero(), r.qdd.setZero();
  };
}

ProfileLimits limits_of(const Arm& arm, int i, const ReferenceSettings& s) {
  const auto k = static_cast<std::size_t>(i);
  const Limits& limits = arm.joint(i).limits;
  ProfileLimits p;
  p.velocity = !s.velocity.empty() ? s.velocity[k]
               : limits.velocity   ? *limits.velocity
                                   : (missing("velocity", "fastest"), 0.0);
  p.acceleration = !s.acceleration.empty() ? s.acceleration[k]
                   : limits.acceleration   ? *limits.acceleration
                                           : (missing("acceleration", "fastest"), 0.0);
  p.jerk = s.jerk.empty() ? 0 : s.jerk[k];
  return p;
}

ReferenceSource reference_of(const LoadedScenario& loaded, const VecX<double>& start) {
  const ReferenceSettings& s = loaded.scenario.reference;
  const int n = loaded.arm.dof();
  const VecX<double> from = s.from.empty() ? start : vector_of(s.from, n);
  const VecX<double> to = s.to.empty() ? from : vector_of(s.to, n);
  if (s.kind == "hold")
    return [to](double, Reference& r) {
      r.q = to;
      r.qd = r.qdd = VecX<double>::Zero(to.size());
    };
  if (s.kind == "polynomial") return follow(polynomial_move(from, to, s.order, s.duration), s.begin);
  if (s.kind == "fastest") {
    std::vector<ProfileLimits> limits;
    for (int i = 0; i < n; ++i) limits.push_back(limits_of(loaded.arm, i, s));
    return follow(fastest_move(from, to, limits), s.begin);
  }
  if (s.kind == "spline") {
    if (s.times.empty()) missing("times", "spline");
    if (s.waypoints.empty()) missing("waypoints", "spline");
    if (s.times.size() != s.waypoints.size())
      throw FormatError("reference.times and reference.waypoints differ in length",
                        "one list of joint positions a time");
    if (s.order != 3 && s.order != 5) throw FormatError(fmt::format("a spline of order {}", s.order), "3 or 5");
    std::vector<VecX<double>> points;
    for (const auto& row : s.waypoints) points.push_back(vector_of(row, n));
    return follow(spline_path(s.times, points, s.order == 3 ? SplineKind::cubic : SplineKind::quintic), s.begin);
  }
  if (s.sine.empty()) missing("sine", "fourier");
  if (s.cosine.empty()) missing("cosine", "fourier");
  std::vector<FourierPath::Joint> joints;
  for (int i = 0; i < n; ++i)
    joints.push_back({from[i], s.sine[static_cast<std::size_t>(i)], s.cosine[static_cast<std::size_t>(i)]});
  return follow(FourierPath(s.base_frequency, std::move(joints)), s.begin);
}

AnyController controller_of(const LoadedScenario& loaded) {
  const ControllerSettings& s = loaded.scenario.controller;
  const int n = loaded.arm.dof();
  if (s.kind == "open_loop") return AnyController(OpenLoop{vector_of(s.tau, n)});
  if (s.kp.empty()) missing("kp", s.kind);
  if (s.kd.empty()) missing("kd", s.kind);
  for (const auto* gains : {&s.kp, &s.kd})
    for (const double gain : *gains)
      if (gain < 0)
        throw FormatError(fmt::format("controller: a gain is {}", gain),
                          "a negative gain pushes away from the reference");
  return AnyController(JointPd{vector_of(s.kp, n), vector_of(s.kd, n)});
}

LoopSettings loop_of(const Scenario& s, bool hybrid) {
  LoopSettings loop;
  loop.duration = s.run.duration, loop.tick = s.run.tick, loop.log_every = s.run.log_every;
  loop.checkpoints = s.run.checkpoints;
  loop.continuous = s.controller.continuous;
  IntegratorSettings& i = loop.integrator;
  const std::string method = s.run.method != "auto"    ? s.run.method
                             : hybrid                  ? "cvode"
                             : s.controller.continuous ? "dormand_prince"
                                                       : "rk4";
  for (const Method m : {Method::euler, Method::heun, Method::rk4, Method::dormand_prince, Method::cvode})
    if (to_string(m) == method) i.method = m;
  i.step = s.run.step, i.relative = s.run.tolerance, i.absolute = s.run.tolerance * 1e-2;
  SensorSettings& e = loop.sensors;
  e.encoder_resolution = s.sensors.encoder, e.position_noise = s.sensors.position_noise,
  e.speed_noise = s.sensors.speed_noise;
  e.torque_noise = s.sensors.torque_noise, e.force_noise = s.sensors.force_noise,
  e.moment_noise = s.sensors.moment_noise;
  e.speed = s.sensors.speed == "difference" ? SensorSettings::Speed::difference : SensorSettings::Speed::tachometer;
  e.delay = s.sensors.delay, e.seed = static_cast<std::uint64_t>(s.seed);
  loop.converter = {s.converter.bits, s.converter.range, s.converter.delay};
  return loop;
}

}  // namespace

LoadedScenario scenario_from_text(std::string_view text, const std::string& file,
                                  const std::vector<std::pair<std::string, std::string>>& overrides) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::optional<LoadedArm> robot;
  JointKinds kinds;
  Scenario scenario = parse_scenario(
      text, file,
      [&](const std::string& name) {
        const std::filesystem::path beside = folder / name;
        robot =
            load_arm(name.find('.') != std::string::npos && std::filesystem::exists(beside) ? beside.string() : name);
        for (int i = 0; i < robot->arm.dof(); ++i) kinds.push_back(!robot->arm.body(i).revolute);
        return kinds;
      },
      overrides);
  std::string written = write_scenario(scenario, kinds);
  return {std::move(scenario), std::move(robot->arm), std::move(written), std::move(robot->warnings)};
}

LoadedScenario load_scenario(const std::string& path,
                             const std::vector<std::pair<std::string, std::string>>& overrides) {
  return scenario_from_text(read_text_file(path, 1 << 20), path, overrides);
}

Experiment build(const LoadedScenario& loaded) {
  Composition composition;
  Plant plant = plant_of(loaded, composition);
  const int n = loaded.arm.dof();
  const VecX<double> q = vector_of(loaded.scenario.start.q, n), v = vector_of(loaded.scenario.start.v, n);
  Eigen::VectorXd start = plant.state_at(q, v);
  LoopSettings loop = loop_of(loaded.scenario, plant.hybrid());
  return {std::move(composition),  std::move(plant), controller_of(loaded),
          reference_of(loaded, q), std::move(start), std::move(loop)};
}

Log run_scenario(const LoadedScenario& loaded, const std::atomic<bool>* stop, std::function<void(double)> progress) {
  Experiment e = build(loaded);
  e.loop.stop = stop;
  e.loop.progress = std::move(progress);
  Log log = run_loop(e.plant, e.composition.to_command, e.controller, e.reference, e.start, e.loop);
  log.title = loaded.scenario.scenario;
  log.facts = {{"question", loaded.scenario.question},
               {"robot", loaded.arm.name()},
               {"seed", std::to_string(loaded.scenario.seed)},
               {"scenario", loaded.text}};
  add_scene(log, loaded.arm);
  for (const auto& wall : e.plant.description().walls)
    log.planes.push_back(
        {wall.name, {wall.point[0], wall.point[1], wall.point[2]}, {wall.normal[0], wall.normal[1], wall.normal[2]}});
  return log;
}

}  // namespace armature
