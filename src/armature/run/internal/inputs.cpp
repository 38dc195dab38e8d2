#include "armature/run/internal/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/core/text.hpp"
#include "armature/run/internal/table_beside.hpp"

namespace armature::run {

namespace {

using Quantity = LoopInput::Quantity;

std::string key_of(std::size_t i) { return fmt::format("inputs[{}]", i); }

bool is_electric(Quantity quantity) { return quantity == Quantity::current || quantity == Quantity::voltage; }
bool of_reference(Quantity quantity) { return quantity >= Quantity::position; }

/// The motor that is fed with the input.
int motor_of(const LoadedScenario& loaded, const PlantDescription& plant, const InputSettings& s, std::size_t i) {
  const bool voltage = s.quantity == Quantity::voltage;
  const auto wanted = voltage ? Motor::Command::voltage : Motor::Command::current;
  const std::string& name = loaded.arm.joint(s.joint - 1).name;
  for (std::size_t k = 0; k < plant.motors.size(); ++k) {
    if (plant.motors[k].name != name) continue;
    if (plant.motors[k].command == wanted) return static_cast<int>(k);
    loaded.refuse(key_of(i) + ".quantity",
                  fmt::format("the input is a {}, and the motors of this plant are not fed with that",
                              voltage ? "voltage" : "current"),
                  fmt::format("plant: {{command: {}}}, for an arm whose file has the drives' torque_constant{}",
                              voltage ? "voltage" : "current", voltage ? " and resistance" : ""));
  }
  loaded.refuse(key_of(i) + ".joint", fmt::format("joint '{}' has no motor", name), "it is passive");
}

TimeSignal signal_of(const LoadedScenario& loaded, const InputSettings& s, std::size_t i, bool turns) {
  const std::string key = key_of(i);
  std::vector<double> times, values;
  if (!s.signal.table.empty()) {
    const TableBeside rows(loaded, key + ".table", s.signal.table);
    std::string column = s.signal.column;
    if (column.empty()) {
      if (rows.columns().size() != 1)
        rows.refuse(fmt::format("has {} columns beside its time", rows.columns().size()), "say which: column: NAME");
      column = rows.columns().front();
    }
    const JointDimension d = dimension_of(s.quantity);
    times = rows.time();
    values = rows.column(column, turns ? d.turning : d.sliding);
    if (values.empty())
      rows.refuse(fmt::format("has no column '{}'", printable(column)), suggestion(column, rows.columns()));
    if (loaded.places.given(key + ".amplitude"))
      loaded.refuse(key + ".amplitude", "the input has a table and an amplitude of its own", "give one of them");
  }
  const auto seed = static_cast<std::uint64_t>(loaded.scenario.seed) * 1000 + i;
  return loaded.placed(
      key, [&] { return TimeSignal(s.signal, loaded.scenario.run.tick, seed, std::move(times), std::move(values)); });
}

LoopInput input_of(const LoadedScenario& loaded, const PlantDescription& plant, std::size_t i) {
  const InputSettings& s = loaded.scenario.inputs[i];
  loaded.check_joint(s.joint, key_of(i) + ".joint", "the input");
  const bool turns = loaded.arm.body(s.joint - 1).revolute;
  for (const LockSettings& lock : loaded.scenario.plant.locks)
    if (lock.joint == s.joint)
      loaded.refuse(key_of(i) + ".joint",
                    fmt::format("joint {} is driven by an input and locked by plant.locks", s.joint),
                    "leave one of them out");
  if (s.quantity == Quantity::law_torque && !loaded.scenario.controller.safety.on)
    loaded.refuse(key_of(i) + ".quantity", "the input acts in front of the guard, and there is none",
                  "controller.safety: {on: true}, or quantity: torque");
  if (s.signal.table.empty() && s.signal.amplitude == 0)
    loaded.refuse(key_of(i) + ".amplitude", "the input has no amplitude",
                  "its largest magnitude, for example amplitude: 2 N*m");
  return {.name = s.name.empty() ? std::to_string(i + 1) : s.name,
          .unit = unit_of(s.quantity, turns),
          .quantity = s.quantity,
          .index = is_electric(s.quantity) ? motor_of(loaded, plant, s, i) : s.joint - 1,
          .replace = s.replace,
          .signal = signal_of(loaded, s, i, turns)};
}

}  // namespace

LoopInputs inputs_of(const LoadedScenario& loaded, const PlantDescription& plant) {
  std::vector<LoopInput> inputs;
  for (std::size_t i = 0; i < loaded.scenario.inputs.size(); ++i) {
    LoopInput input = input_of(loaded, plant, i);
    if (std::any_of(inputs.begin(), inputs.end(), [&](const LoopInput& other) { return other.name == input.name; }))
      loaded.refuse(key_of(i) + ".name", fmt::format("there are two inputs '{}'", printable(input.name)), "rename one");
    inputs.push_back(std::move(input));
  }
  return LoopInputs(std::move(inputs));
}

void check_inputs(const LoadedScenario& loaded, const Needs& needs) {
  for (std::size_t i = 0; i < loaded.scenario.inputs.size(); ++i)
    if (of_reference(loaded.scenario.inputs[i].quantity) && !needs.joint_reference)
      loaded.refuse(key_of(i) + ".quantity",
                    fmt::format("the input acts on the joints' reference, which the law '{}' does not read",
                                loaded.scenario.controller.kind()),
                    "quantity: torque, or a law of the joints");
}

ReferenceSource with_inputs(ReferenceSource reference, const LoopInputs& inputs) {
  const auto& all = inputs.all();
  if (std::none_of(all.begin(), all.end(), [](const LoopInput& input) { return of_reference(input.quantity); }))
    return reference;
  return [reference = std::move(reference), inputs](double t, Reference& r) {
    reference(t, r);
    inputs.act_on(t, r);
  };
}

}  // namespace armature::run
