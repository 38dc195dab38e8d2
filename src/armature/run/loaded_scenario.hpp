// A scenario with its arms, checked and ready.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "armature/control/controller.hpp"
#include "armature/model/arm.hpp"
#include "armature/scenario/scenario_yaml.hpp"

namespace armature::run {

/// A scenario that was loaded has its arms, the true one and the believed one, and is ready to run.
struct LoadedScenario {
  Scenario scenario;
  Arm arm;           // the true one
  Arm believed;      // the controller's
  std::string name;  // of the case; empty where the scenario has none
  std::string text;  // as written out again, with every default
  SettingPlaces places;
  std::vector<std::string> warnings;
  KernelSet kernels{};  // from which its arms take the functions that were written for them
  /// A law of your own in place of the one that the scenario names; observer, guard and collision watch stay around it. It is made
  /// from the believed arm whenever a loop is built, which happens again where a run starts anew with another method.
  std::function<AnyController(const Arm& believed)> law{};

  /// "scenario" or "scenario: case".
  [[nodiscard]] std::string title() const { return name.empty() ? scenario.scenario : scenario.scenario + ": " + name; }
  /// Throws FormatError at the place of a setting.
  [[noreturn]] void refuse(const std::string& key, const std::string& finding, const std::string& hint) const {
    throw FormatError(finding, hint, places.of(key));
  }
  /// Throws FormatError where `who` ("the input") names a joint that the arm does not have.
  void check_joint(int joint, const std::string& key, const std::string& who) const;
  /// What `make` returns; an error of its own that has no place gets that of the setting.
  template <class F>
  auto placed(const std::string& key, F make) const {
    try {
      return make();
    } catch (const Error& error) {
      if (!error.place().file.empty()) throw;
      throw FormatError(error.finding(), error.hint(), places.of(key));
    }
  }
};

/// Reads a scenario file; a robot file is looked for beside it. Arms take from `kernels` the functions that were written for them.
/// Throws FormatError or ModelError with place and hint.
LoadedScenario load_scenario(const std::string& path, const Overrides& overrides = {}, const KernelSet& kernels = {});
/// Reads a scenario from its text; `file` is its name in messages, and other files are looked for beside it.
LoadedScenario scenario_from_text(std::string_view text, const std::string& file, const Overrides& overrides = {},
                                  const KernelSet& kernels = {});

/// The same, once a case of its block `cases`; itself where there is none.
std::vector<LoadedScenario> load_cases(const std::string& path, const Overrides& overrides = {},
                                       const KernelSet& kernels = {});
std::vector<LoadedScenario> cases_from_text(std::string_view text, const std::string& file,
                                            const Overrides& overrides = {}, const KernelSet& kernels = {});

/// The scenario that a tree without cases spells, about arms that are there already: the true one, and the one that `belief` starts from.
LoadedScenario scenario_from_tree(const Yaml& tree, const Arm& truth, const Arm& believed_robot);
/// The arm that `belief` starts from, before its other settings change it.
Arm believed_robot(const LoadedScenario& loaded);

/// Three numbers of a scenario as a vector.
inline Vec3<double> vec3(const std::vector<double>& numbers) { return {numbers[0], numbers[1], numbers[2]}; }

}  // namespace armature::run

namespace armature {
using run::load_scenario;
using run::LoadedScenario;
using run::scenario_from_text;
}  // namespace armature
