// What drives a loop from outside over time, beside its law or in its place.
#pragma once

#include <string>
#include <vector>

#include "armature/control/controller.hpp"
#include "armature/trajectory/signal.hpp"

namespace armature::simulation {

struct LoopInput {
  enum class Quantity {
    torque,       ///< of the joint: at the controller's output
    law_torque,   ///< of the joint: at the law's output, in front of the guard
    current,      ///< of the motor: at the plant's input
    voltage,      ///< of the motor: at the plant's input
    position,     ///< of the joint's reference
    velocity,     ///< of the joint's reference
    acceleration  ///< of the joint's reference
  };
  std::string name;  // of its channel in the log, after "input_"
  std::string unit;
  Quantity quantity = Quantity::torque;
  int index = 0;         // of the joint; of the motor where it is a current or a voltage
  bool replace = false;  // it stands in place of what the law asks for, while it acts
  TimeSignal signal;
};

/// Each adds to what is there, in their order, or replaces it. Allocates nothing.
class LoopInputs {
 public:
  LoopInputs() = default;
  explicit LoopInputs(std::vector<LoopInput> inputs) : inputs_(std::move(inputs)) {}
  [[nodiscard]] const std::vector<LoopInput>& all() const { return inputs_; }

  void act_on(double t, Reference& r) const noexcept;
  void act_on(double t, VecX<double>& torque) const noexcept;
  /// The law's, in front of the guard: the controller calls it, not the loop.
  void act_in_front_of_guard(double t, VecX<double>& torque) const noexcept;
  /// Commands to the motors.
  void act_on(double t, Eigen::VectorXd& command) const noexcept;
  /// Zero where an input stands in place of the law: no feedback passes there.
  void cut(VecX<double>& torque) const noexcept;
  void cut(Eigen::VectorXd& command) const noexcept;

 private:
  std::vector<LoopInput> inputs_;
};

}  // namespace armature::simulation
