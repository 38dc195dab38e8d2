#include "armature/simulation/loop_inputs.hpp"

namespace armature::simulation {

namespace {

void act(const LoopInput& input, double t, double& on) noexcept {
  if (input.signal.acts_at(t)) on = (input.replace ? 0 : on) + input.signal.at(t);
}

bool feeds_motor(const LoopInput& input) noexcept {
  return input.quantity == LoopInput::Quantity::current || input.quantity == LoopInput::Quantity::voltage;
}

}  // namespace

void LoopInputs::act_on(double t, Reference& r) const noexcept {
  for (const LoopInput& input : inputs_) {
    if (input.quantity == LoopInput::Quantity::position) act(input, t, r.q[input.index]);
    if (input.quantity == LoopInput::Quantity::velocity) act(input, t, r.qd[input.index]);
    if (input.quantity == LoopInput::Quantity::acceleration) act(input, t, r.qdd[input.index]);
  }
}

void LoopInputs::act_on(double t, VecX<double>& torque) const noexcept {
  for (const LoopInput& input : inputs_)
    if (input.quantity == LoopInput::Quantity::torque) act(input, t, torque[input.index]);
}

void LoopInputs::act_in_front_of_guard(double t, VecX<double>& torque) const noexcept {
  for (const LoopInput& input : inputs_)
    if (input.quantity == LoopInput::Quantity::law_torque) act(input, t, torque[input.index]);
}

void LoopInputs::act_on(double t, Eigen::VectorXd& command) const noexcept {
  for (const LoopInput& input : inputs_)
    if (feeds_motor(input)) act(input, t, command[input.index]);
}

void LoopInputs::cut(VecX<double>& torque) const noexcept {
  for (const LoopInput& input : inputs_)
    if (input.replace && input.quantity == LoopInput::Quantity::torque) torque[input.index] = 0;
}

void LoopInputs::cut(Eigen::VectorXd& command) const noexcept {
  for (const LoopInput& input : inputs_)
    if (input.replace && feeds_motor(input)) command[input.index] = 0;
}

}  // namespace armature::simulation
