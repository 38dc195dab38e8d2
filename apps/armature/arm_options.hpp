// What several verbs ask for in the same words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "armature/core/units.hpp"
#include "armature/formats/load_arm.hpp"
#include "armature/formats/settings_units.hpp"
#include "armature/run/movable.hpp"
#include "command_line.hpp"

namespace armature::app {

/// The arm a verb is about.
struct ArmOptions {
  std::string arm;
  std::optional<std::string> base, tip;
  std::vector<std::string> lock;  // "joint=value"
  bool as_given = false;
  std::optional<std::string> gravity, payload;  // in place of the described ones

  /// ARM, --base, --tip, --lock and --as-given.
  void add_to(Verb& verb);
  /// --gravity and --payload.
  void add_overrides_to(Verb& verb);

  [[nodiscard]] ParsedArm read() const;
  /// The arm, checked, with the overrides; repeats its warnings on the error stream. For kinematics alone inertia is taken as given.
  [[nodiscard]] LoadedArm load(ArmUse use = ArmUse::torques, const KernelSet& kernels = built_in_kernels()) const;
};

/// "joint=value" as joint and value.
std::vector<std::pair<std::string, std::string>> parse_locks(const std::vector<std::string>& options);

/// "10 deg, 0.2, -3" as numbers, the i-th of units[i]. `option` is named in the errors.
std::vector<double> parse_quantities(const std::string& option, const std::string& text,
                                     const std::vector<FileUnit>& units, const std::string& expected);
std::vector<double> parse_quantities(const std::string& option, const std::string& text,
                                     const std::vector<Dimension>& dimensions, const std::string& expected);

/// One quantity per joint, as "10 deg, 20 mm, 0.3". A bare position is refused where a scenario would refuse it, and
/// where it is beyond the joint's range by size: it was meant in degrees or millimetres.
std::vector<double> parse_joint_quantities(const std::string& option, const std::string& text, const Arm& arm,
                                           Dimension revolute, Dimension prismatic, const std::string& expected);

/// The number that an option gives, with its unit; `otherwise` where the option is not given. Errors name the option.
double parse_option(const std::string& option, const std::optional<std::string>& text, const FileUnit& unit,
                    double otherwise);
double parse_option(const std::string& option, const std::optional<std::string>& text, Dimension dimension,
                    double otherwise);

}  // namespace armature::app
