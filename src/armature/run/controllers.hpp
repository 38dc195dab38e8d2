// The control law that a scenario names.
#pragma once

#include "armature/control/controller.hpp"
#include "armature/control/task_dynamics.hpp"
#include "armature/run/loaded_scenario.hpp"

namespace armature {

/// The law with its terms, switches, observer and guard.
AnyController controller_of(const LoadedScenario& loaded);

/// The settings of one law, and where they stand: what a maker of laws is given.
struct LawSource {
  const LoadedScenario& loaded;
  const LawSettings& law;
  std::string key;  // "controller.terms[1]"

  [[nodiscard]] const Arm& arm() const { return loaded.believed; }
  [[noreturn]] void refuse(const std::string& setting, const std::string& finding, const std::string& hint) const {
    loaded.refuse(setting.empty() ? key : key + "." + setting, finding, hint);
  }
  /// Throws FormatError unless the setting was given.
  void need(const char* setting, bool given) const;
  [[nodiscard]] VecX<double> joints(const std::vector<double>& numbers) const;
};

/// The law alone, and one of each family; nothing where the kind belongs to another family.
AnyController law_of(const LawSource& source);
std::optional<AnyController> joint_law(const LawSource& source);
std::optional<AnyController> task_law(const LawSource& source);
std::optional<AnyController> force_law(const LawSource& source);
std::optional<AnyController> learning_law(const LawSource& source);

/// What the families share.
TaskCoordinates coordinates_of_law(const LawSource& source);
TaskDynamicsSettings dynamics_of(const LawSource& source);
TaskVector<double> task_vector(const std::vector<double>& numbers);

}  // namespace armature
