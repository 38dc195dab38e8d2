#include "armature/run/plants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/run/internal/limits.hpp"
#include "armature/run/internal/table_beside.hpp"

namespace armature::run {

namespace {

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

ToolWrench wrench_of(const LoadedScenario& loaded, const ToolWrench& settings, const std::string& key) {
  using Profile = ToolWrench::Profile;
  ToolWrench wrench = settings;
  if (!(wrench.to > wrench.from))
    loaded.refuse(key + ".to", fmt::format("a wrench acts from {} s to {} s", wrench.from, wrench.to),
                  "it must end after it starts");
  if ((wrench.profile == Profile::sine) != (wrench.frequency > 0))
    loaded.refuse(key, "a wrench has a frequency without being a sine, or is a sine without one",
                  "profile: sine and frequency: 2 Hz belong together");
  if ((wrench.profile == Profile::table) != !wrench.file.empty())
    loaded.refuse(key, "a wrench has a table without following it, or follows none",
                  "profile: table and table: FILE.csv belong together");
  if (wrench.profile == Profile::table) {
    if (!wrench.wrench.isZero(0)) loaded.refuse(key, "a wrench has a table and numbers of its own", "give one of them");
    read_table(loaded, wrench.file, key + ".table", wrench);
  }
  return wrench;
}

/// Takes the motor off a joint and holds the joint by a spring.
void make_passive(const LoadedScenario& loaded, const PassiveSettings& p, const std::string& key,
                  Composition& composition) {
  PlantDescription& plant = composition.plant;
  loaded.check_joint(p.joint, key + ".joint", "plant.passive");
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

/// Puts a brake on a joint.
void lock(const LoadedScenario& loaded, const LockSettings& s, const std::string& key, PlantDescription& plant) {
  loaded.check_joint(s.joint, key + ".joint", "plant.locks");
  if (std::find(plant.locks.begin(), plant.locks.end(), s.joint - 1) != plant.locks.end())
    loaded.refuse(key + ".joint", fmt::format("plant.locks names joint {} twice", s.joint), "name each joint once");
  const VecX<double>& v = loaded.scenario.start.v;
  if (v.size() > 0 && v[s.joint - 1] != 0)
    loaded.refuse("start.v", fmt::format("joint {} is locked and starts with a speed", s.joint), "zero, or no lock");
  plant.locks.push_back(s.joint - 1);
}

}  // namespace

Plant plant_of(const LoadedScenario& loaded, Composition& composition, const VecX<double>* stops_at) {
  const PlantSettings& s = loaded.scenario.plant;
  composition = loaded.placed("plant", [&] { return compose(loaded.arm, s); });
  if (!s.reduced.empty() && loaded.scenario.run.sensors.side == SensorSettings::Side::motor)
    loaded.refuse("sensors.side", "a reduced drive has no shaft at which a motor's encoder could sit",
                  "sensors.side: joint, or no plant.reduced");
  PlantDescription& plant = composition.plant;
  plant.walls = s.walls;
  for (std::size_t i = 0; i < plant.walls.size(); ++i) {
    if (!(plant.walls[i].normal.norm() > 0))
      loaded.refuse(fmt::format("plant.walls[{}].normal", i), "the wall's normal has no direction",
                    "a vector towards the free side");
    plant.walls[i].normal.normalize();
  }
  for (std::size_t i = 0; i < s.wrenches.size(); ++i)
    plant.wrenches.push_back(wrench_of(loaded, s.wrenches[i], fmt::format("plant.wrenches[{}]", i)));
  plant.payloads = s.payloads;
  for (std::size_t i = 0; i < s.passive.size(); ++i)
    make_passive(loaded, s.passive[i], fmt::format("plant.passive[{}]", i), composition);
  for (std::size_t i = 0; i < s.locks.size(); ++i) lock(loaded, s.locks[i], fmt::format("plant.locks[{}]", i), plant);
  if (stops_at) add_end_stops(loaded, *stops_at, plant);
  return loaded.placed("plant", [&] { return Plant(plant); });
}

LoopSettings loop_of(const LoadedScenario& loaded, bool hybrid) {
  LoopSettings loop = loaded.scenario.run;
  loop.continuous = loaded.scenario.controller.continuous;
  const Method method = loop.integrator.method;
  if (hybrid && method < Method::dormand_prince)
    loaded.refuse("run.method",
                  fmt::format("the method '{}' does not locate events, and this plant has some", to_string(method)),
                  "leave run.method out, or write dormand_prince or cvode");
  const SensorSettings& e = loop.sensors;
  if (e.bits > 0 && e.speed_range + e.torque_range + e.force_range + e.moment_range == 0)
    loaded.refuse("sensors", "converters with bits need a range",
                  "give speed_range, torque_range, force_range or moment_range, the full scale");
  loop.sensors.seed = static_cast<std::uint64_t>(loaded.scenario.seed);
  if (loop.converter.bits > 0 && loop.converter.range == 0)
    loaded.refuse("converter", "a converter with bits needs a range", "give converter.range, the full scale");
  return loop;
}

}  // namespace armature::run
