// From a point of the unit cube to a scenario of its own.
#pragma once

#include <string>
#include <vector>

#include "armature/campaign/campaign.hpp"

namespace armature::campaign {

/// One number that differs from run to run.
struct Input {
  std::string name;  // "controller.kp.0"
  std::string unit;  // in which it is recorded
};

class Variation {
 public:
  /// Throws FormatError at the place of a key that leads nowhere.
  explicit Variation(const Campaign& campaign);

  /// Of the unit cube.
  [[nodiscard]] std::size_t dimensions() const { return inputs_.size() - repeated_; }
  /// What is recorded of a run, in order.
  [[nodiscard]] const std::vector<Input>& inputs() const { return inputs_; }
  /// What the inputs are at a point of a plan [SI; choices: which].
  [[nodiscard]] std::vector<double> values(const std::vector<double>& point) const;
  /// The scenario of such values under a name of its own: complete, with the robots "arm.yaml" and "believed.yaml". Throws FormatError or ModelError where
  /// there is no such machine.
  [[nodiscard]] LoadedScenario scenario(const std::vector<double>& values, const std::string& name) const;
  /// "arm.payload.mass = 2.1 kg, ...", for messages and pages.
  [[nodiscard]] std::string text(const std::vector<double>& values) const;
  [[nodiscard]] const Arm& believed() const { return believed_; }
  /// All that the runs depend on, but for their number: equal texts, equal runs.
  [[nodiscard]] std::string identity() const;

 private:
  void apply(Yaml& scenario, Yaml& arm, const std::string& key, const Place& place, Varied::Mode mode,
             const std::string& value) const;
  [[nodiscard]] std::string drawn_text(std::size_t varied, double value) const;

  const Campaign& campaign_;
  Yaml scenario_, arm_;
  Arm believed_;
  bool arm_varies_ = false;
  std::vector<Input> inputs_;
  std::size_t repeated_ = 0;  // inputs beyond the first of a table of samples: they share its coordinate
};

}  // namespace armature::campaign
