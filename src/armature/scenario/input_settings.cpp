#include "armature/scenario/input_settings.hpp"

namespace armature::scenario {

namespace {

/// In the order of LoopInput::Quantity.
struct Quantity {
  const char* word;
  JointDimension dimension;
  const char *turning, *sliding;  // units
};
constexpr Quantity quantities[] = {{"torque", joint_dimension::torque, "N m", "N"},
                                   {"law_torque", joint_dimension::torque, "N m", "N"},
                                   {"current", {dimension::current, dimension::current}, "A", "A"},
                                   {"voltage", {dimension::voltage, dimension::voltage}, "V", "V"},
                                   {"position", joint_dimension::position, "rad", "m"},
                                   {"velocity", joint_dimension::velocity, "rad/s", "m/s"},
                                   {"acceleration", joint_dimension::acceleration, "rad/s^2", "m/s^2"}};

const Quantity& row_of(LoopInput::Quantity quantity) { return quantities[static_cast<std::size_t>(quantity)]; }

}  // namespace

JointDimension dimension_of(LoopInput::Quantity quantity) { return row_of(quantity).dimension; }
const char* unit_of(LoopInput::Quantity quantity, bool turns) {
  return turns ? row_of(quantity).turning : row_of(quantity).sliding;
}

void InputSettings::fields(Fields& f) {
  f.integer("joint", joint, "number of the joint, from 1", Range::positive);
  Fields::Words words;
  for (const Quantity& known : quantities) words.emplace_back(known.word);
  f.word(
      "quantity", quantity, words,
      "what it adds to: the joint torque that the controller asks for; that of the law in front of its guard; current "
      "or "
      "voltage of the motor, where plant.command is that; position, velocity or acceleration of the joint's reference");
  f.flag("replace", replace, "while it acts it stands in place of what is there, instead of adding to it");
  f.text("name", name, "its channel in the log is input_NAME (default: its number)");
  f.of_joint("amplitude", signal.amplitude, joint, dimension_of(quantity),
             "largest magnitude, in the unit of the quantity (a table has its own numbers)");
  signal.fields(f);
}

}  // namespace armature::scenario
