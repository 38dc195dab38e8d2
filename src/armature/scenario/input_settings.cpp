#include "armature/scenario/input_settings.hpp"

namespace armature::scenario {

JointDimension dimension_of(LoopInput::Quantity quantity) {
  switch (quantity) {
    case LoopInput::Quantity::torque:
    case LoopInput::Quantity::law_torque:
      return joint_dimension::torque;
    case LoopInput::Quantity::current:
      return {dimension::current, dimension::current};
    case LoopInput::Quantity::voltage:
      return {dimension::voltage, dimension::voltage};
    case LoopInput::Quantity::position:
      return joint_dimension::position;
    case LoopInput::Quantity::velocity:
      return joint_dimension::velocity;
    case LoopInput::Quantity::acceleration:
      return joint_dimension::acceleration;
  }
  return joint_dimension::torque;
}

void InputSettings::fields(Fields& f) {
  f.integer("joint", joint, "number of the joint, from 1", Range::positive);
  f.word(
      "quantity", quantity, {"torque", "law_torque", "current", "voltage", "position", "velocity", "acceleration"},
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
