#include "armature/run/loaded_scenario.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "armature/formats/file_kind.hpp"
#include "armature/formats/load_arm.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/run/movable.hpp"

namespace armature::run {

namespace {

/// Loads the arms that a scenario names, looking beside its file first.
class Arms {
 public:
  Arms(const std::string& file, KernelSet with)
      : kernels(std::move(with)), folder_(std::filesystem::path(file).parent_path()) {}

  LoadedArm load(const std::string& name, const ArmChoice& choice) const {
    const std::filesystem::path beside = folder_ / name;
    const bool is_file = name.find('.') != std::string::npos && std::filesystem::exists(beside);
    LoadedArm loaded = load_arm(is_file ? beside.string() : name, choice, kernels);
    refuse_useless(loaded.arm, ArmUse::motion);
    return loaded;
  }
  /// For the reader of the scenario: which joints slide.
  JointKinds remember(const std::string& name, const ArmChoice& choice) {
    robot = load(name, choice);
    kinds = joint_kinds(robot->arm);
    return kinds;
  }
  std::optional<LoadedArm> robot;
  JointKinds kinds;
  KernelSet kernels;

 private:
  std::filesystem::path folder_;
};

void scale_masses(const LoadedScenario& loaded, const std::vector<double>& factors, ArmDescription& description) {
  const std::size_t n = loaded.arm.dof();
  if (factors.size() != 1 && factors.size() != n)
    loaded.refuse("belief.mass_factor", fmt::format("belief.mass_factor has {} numbers", factors.size()),
                  fmt::format("one for all links, or one per joint: {}", n));
  std::size_t moving = 0;  // links before the first moving joint stand still: their mass does not matter
  for (JointDescription& joint : description.joints) {
    if (joint.type != JointType::fixed) ++moving;
    if (!joint.link.mass || moving == 0) continue;
    const double factor = factors[factors.size() == 1 ? 0 : moving - 1];
    MassProperties& mass = *joint.link.mass;
    mass.mass *= factor;
    mass.tensor *= factor;
    if (mass.position_is_first_moment) mass.position *= factor;
  }
}

Arm robot_of_belief(const LoadedScenario& loaded, const Arms& arms) {
  const BeliefSettings& s = loaded.scenario.belief;
  if (s.robot.empty()) return loaded.arm;
  return loaded.placed("belief.robot", [&] { return arms.load(s.robot, s.choice).arm; });
}

Arm believed_arm(const LoadedScenario& loaded, const Arm& other) {
  const BeliefSettings& s = loaded.scenario.belief;
  if (other.dof() != loaded.arm.dof())
    loaded.refuse("belief.robot", fmt::format("belief.robot '{}' has {} joints", s.robot, other.dof()),
                  fmt::format("the true arm has {}", loaded.arm.dof()));
  for (int i = 0; i < other.dof(); ++i)
    if (other.body(i).revolute != loaded.arm.body(i).revolute)
      loaded.refuse("belief.robot", fmt::format("joint {} of belief.robot '{}' moves in another way", i + 1, s.robot),
                    "turning and sliding joints must stand in the same order");
  ArmDescription description = other.description();
  for (JointDescription& joint : description.joints) joint.flexible.reset();  // laws know rigid links
  if (!s.mass_factor.empty()) scale_masses(loaded, s.mass_factor, description);
  if (!s.friction)
    for (JointDescription& joint : description.joints) joint.friction = NoFriction{};
  set_viscous(s.viscous, description);
  if (!s.gravity.empty()) description.gravity = vec3(s.gravity);
  if (s.payload.size() > 1)
    loaded.refuse("belief.payload", "belief.payload has more than one load", "a tool carries one body");
  for (const Load& load : s.payload) description.payload = load.body();
  return loaded.placed("belief", [&] { return other.with_description(std::move(description)); });
}

std::string text_of_scenario(const std::string& path) {
  refuse_other_kinds(path, {FileKind::scenario}, "a scenario");
  return read_text_file(path, 1 << 20);
}

LoadedScenario finished(ParsedScenario parsed, const Arms& arms) {
  Scenario alone = parsed.scenario;  // a case, written out, is a scenario of its own
  if (!parsed.name.empty()) alone.scenario += ": " + parsed.name;
  std::string text = write_scenario(alone, arms.kinds);
  LoadedScenario loaded{std::move(parsed.scenario), arms.robot->arm,      arms.robot->arm, parsed.name, std::move(text),
                        std::move(parsed.places),   arms.robot->warnings, arms.kernels};
  loaded.believed = believed_arm(loaded, robot_of_belief(loaded, arms));
  return loaded;
}

}  // namespace

void LoadedScenario::check_joint(int joint, const std::string& key, const std::string& who) const {
  if (joint > arm.dof())
    refuse(key, fmt::format("{} names joint {}", who, joint), fmt::format("joints count from 1 to {}", arm.dof()));
}

LoadedScenario scenario_from_text(std::string_view text, const std::string& file, const Overrides& overrides,
                                  const KernelSet& kernels) {
  Arms arms(file, kernels);
  ParsedScenario parsed = parse_scenario(
      text, file, [&](const std::string& name, const ArmChoice& choice) { return arms.remember(name, choice); },
      overrides);
  return finished(std::move(parsed), arms);
}

LoadedScenario scenario_from_tree(const Yaml& tree, const Arm& truth, const Arm& believed_robot) {
  const JointKinds kinds = joint_kinds(truth);
  ParsedScenario parsed = parse_scenario(tree, [&](const std::string&, const ArmChoice&) { return kinds; });
  std::string text = write_scenario(parsed.scenario, kinds);
  LoadedScenario loaded{std::move(parsed.scenario), truth, truth, {}, std::move(text), std::move(parsed.places), {}};
  loaded.believed = believed_arm(loaded, believed_robot);
  return loaded;
}

Arm believed_robot(const LoadedScenario& loaded) {
  return robot_of_belief(loaded, Arms(loaded.places.of("").file, loaded.kernels));
}

LoadedScenario load_scenario(const std::string& path, const Overrides& overrides, const KernelSet& kernels) {
  return scenario_from_text(text_of_scenario(path), path, overrides, kernels);
}

std::vector<LoadedScenario> cases_from_text(std::string_view text, const std::string& file, const Overrides& overrides,
                                            const KernelSet& kernels) {
  std::vector<Arms> arms;  // a case may have another robot
  std::vector<ParsedScenario> parsed = parse_cases(
      text, file,
      [&](const std::string& name, const ArmChoice& choice) {
        return arms.emplace_back(file, kernels).remember(name, choice);
      },
      overrides);
  std::vector<LoadedScenario> loaded;
  for (std::size_t i = 0; i < parsed.size(); ++i) loaded.push_back(finished(std::move(parsed[i]), arms[i]));
  return loaded;
}

std::vector<LoadedScenario> load_cases(const std::string& path, const Overrides& overrides, const KernelSet& kernels) {
  return cases_from_text(text_of_scenario(path), path, overrides, kernels);
}

}  // namespace armature::run
