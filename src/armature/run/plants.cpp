#include "armature/run/plants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/run/table_beside.hpp"

namespace armature {

namespace {

/// The arm with viscous friction in place of its own.
Arm with_viscous(const Arm& arm, const std::vector<double>& viscous) {
  ArmDescription description = arm.description();
  std::size_t moving = 0;
  for (JointDescription& joint : description.joints)
    if (joint.type != JointType::fixed) joint.friction = CoulombViscous{.coulomb = 0, .viscous = viscous[moving++]};
  return Arm(std::move(description));
}

/// The rows of a table of wrenches.
void read_table(const LoadedScenario& loaded, const std::string& file, const std::string& key, ToolWrench& wrench) {
  const TableBeside rows(loaded, key, file);
  const char* names[] = {"force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z"};
  wrench.times = rows.time();
  wrench.table.assign(wrench.times.size(), Vec6<double>::Zero());
  bool found = false;
  for (int i = 0; i < 6; ++i) {
    const std::vector<double> values = rows.column(names[i], i < 3 ? dimension::force : dimension::torque);
    found = found || !values.empty();
    for (std::size_t row = 0; row < values.size(); ++row) wrench.table[row][i] = values[row];
  }
  if (!found)
    rows.refuse("has no wrench in it",
                "columns time [s] and any of force_x [N], force_y, force_z, moment_x [N m], moment_y, moment_z");
}

ToolWrench wrench_of(const LoadedScenario& loaded, const WrenchSettings& w, const std::string& key) {
  using Profile = ToolWrench::Profile;
  ToolWrench wrench{.from = w.from, .to = w.to, .frequency = w.frequency};
  wrench.wrench << vec3(w.force), vec3(w.moment);
  wrench.profile = w.profile == "ramp"        ? Profile::ramp
                   : w.profile == "half_sine" ? Profile::half_sine
                   : w.profile == "sine"      ? Profile::sine
                   : w.profile == "table"     ? Profile::table
                                              : Profile::constant;
  if ((wrench.profile == Profile::sine) != (w.frequency > 0))
    loaded.refuse(key, "a wrench has a frequency without being a sine, or is a sine without one",
                  "profile: sine and frequency: 2 Hz belong together");
  if ((wrench.profile == Profile::table) != !w.table.empty())
    loaded.refuse(key, "a wrench has a table without following it, or follows none",
                  "profile: table and table: FILE.csv belong together");
  if (wrench.profile == Profile::table) {
    if (!wrench.wrench.isZero(0)) loaded.refuse(key, "a wrench has a table and numbers of its own", "give one of them");
    read_table(loaded, w.table, key + ".table", wrench);
  }
  return wrench;
}

/// Takes the motor off a joint and holds the joint by a spring.
void make_passive(const LoadedScenario& loaded, const PassiveSettings& p, const std::string& key,
                  Composition& composition) {
  PlantDescription& plant = composition.plant;
  if (p.joint > loaded.arm.dof())
    loaded.refuse(key + ".joint", fmt::format("plant.passive names joint {}", p.joint),
                  fmt::format("joints count from 1 to {}", loaded.arm.dof()));
  const auto motor = std::find_if(plant.motors.begin(), plant.motors.end(),
                                  [&](const Motor& m) { return m.drives.front().first == p.joint - 1; });
  if (motor == plant.motors.end())
    loaded.refuse(key + ".joint", fmt::format("plant.passive names joint {} twice", p.joint), "name each joint once");
  const Eigen::Index row = motor - plant.motors.begin(), last = composition.to_command.rows() - 1;
  composition.to_command.middleRows(row, last - row) = composition.to_command.bottomRows(last - row).eval();
  composition.to_command.conservativeResize(last, Eigen::NoChange);
  plant.motors.erase(motor);
  for (Eigen::MatrixXd* shown :
       {&plant.motor_encoders, &plant.motor_tachometers})  // an instrument of its own, at the joint
    if (shown->size() > 0) shown->row(p.joint - 1) = Eigen::RowVectorXd::Unit(shown->cols(), p.joint - 1);
  plant.springs.push_back({.name = fmt::format("passive_{}", p.joint),
                           .driver = ground,
                           .driven = p.joint - 1,
                           .stiffness = p.stiffness,
                           .damping = p.damping});
}

}  // namespace

ComposeOptions compose_options(const PlantSettings& s) {
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
  return options;
}

Plant plant_of(const LoadedScenario& loaded, Composition& composition) {
  const PlantSettings& s = loaded.scenario.plant;
  const Arm arm = s.viscous.empty() ? loaded.arm : with_viscous(loaded.arm, s.viscous);
  composition = loaded.placed("plant", [&] { return compose(arm, compose_options(s)); });
  PlantDescription& plant = composition.plant;
  for (std::size_t i = 0; i < s.walls.size(); ++i) {
    const WallSettings& w = s.walls[i];
    if (!(vec3(w.normal).norm() > 0))
      loaded.refuse(fmt::format("plant.walls[{}].normal", i), "the wall's normal has no direction",
                    "a vector towards the free side");
    plant.walls.push_back({w.name, vec3(w.point), vec3(w.normal).normalized(), w.stiffness, w.damping, w.friction,
                           w.tangential_stiffness});
  }
  for (std::size_t i = 0; i < s.wrenches.size(); ++i) {
    const WrenchSettings& w = s.wrenches[i];
    if (!(w.to > w.from))
      loaded.refuse(fmt::format("plant.wrenches[{}].to", i),
                    fmt::format("a wrench acts from {} s to {} s", w.from, w.to), "it must end after it starts");
    plant.wrenches.push_back(wrench_of(loaded, w, fmt::format("plant.wrenches[{}]", i)));
  }
  for (const PayloadSettings& p : s.payloads) {
    PayloadChange change{p.time, std::nullopt};
    if (p.load.mass != 0)
      change.payload = MassProperties{
          .mass = p.load.mass, .position = vec3(p.load.com), .tensor = vec3(p.load.inertia).asDiagonal()};
    plant.payloads.push_back(change);
  }
  for (std::size_t i = 0; i < s.passive.size(); ++i)
    make_passive(loaded, s.passive[i], fmt::format("plant.passive[{}]", i), composition);
  return loaded.placed("plant", [&] { return Plant(plant); });
}

LoopSettings loop_of(const LoadedScenario& loaded, bool hybrid) {
  const Scenario& s = loaded.scenario;
  LoopSettings loop;
  loop.duration = s.run.duration, loop.tick = s.run.tick, loop.log_every = s.run.log_every;
  loop.checkpoints = s.run.checkpoints;
  loop.continuous = s.controller.continuous;
  IntegratorSettings& i = loop.integrator;
  const std::string method = s.run.method == "auto" && !hybrid && !s.controller.continuous ? "rk4" : s.run.method;
  for (const Method m :
       {Method::euler, Method::heun, Method::rk4, Method::dormand_prince, Method::cvode, Method::automatic})
    if (to_string(m) == method) i.method = m;
  if (hybrid && i.method < Method::dormand_prince)
    loaded.refuse("run.method", fmt::format("the method '{}' does not locate events, and this plant has some", method),
                  "leave run.method out, or write dormand_prince or cvode");
  i.step = s.run.step, i.relative = s.run.tolerance, i.absolute = s.run.tolerance * 1e-2;
  SensorSettings& e = loop.sensors;
  e.encoder_resolution = s.sensors.encoder, e.position_noise = s.sensors.position_noise,
  e.speed_noise = s.sensors.speed_noise;
  e.torque_noise = s.sensors.torque_noise, e.force_noise = s.sensors.force_noise,
  e.moment_noise = s.sensors.moment_noise;
  e.speed = s.sensors.speed == "difference" ? SensorSettings::Speed::difference : SensorSettings::Speed::tachometer;
  e.bits = s.sensors.bits, e.speed_range = s.sensors.speed_range, e.torque_range = s.sensors.torque_range,
  e.force_range = s.sensors.force_range, e.moment_range = s.sensors.moment_range;
  if (e.bits > 0 && e.speed_range + e.torque_range + e.force_range + e.moment_range == 0)
    loaded.refuse("sensors", "converters with bits need a range",
                  "give speed_range, torque_range, force_range or moment_range, the full scale");
  e.side = s.sensors.side == "motor" ? SensorSettings::Side::motor : SensorSettings::Side::joint;
  e.delay = s.sensors.delay, e.seed = static_cast<std::uint64_t>(s.seed);
  if (s.converter.bits > 0 && s.converter.range == 0)
    loaded.refuse("converter", "a converter with bits needs a range", "give converter.range, the full scale");
  loop.converter = {s.converter.bits, s.converter.range, s.converter.delay};
  return loop;
}

}  // namespace armature
