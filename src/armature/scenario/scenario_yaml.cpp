#include "armature/scenario/scenario_yaml.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/core/text.hpp"
#include "armature/formats/key_path.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/scenario/robot_yaml.hpp"

namespace armature::scenario {

namespace {

/// `over` replaces what it names in `base`; maps are merged unless they are of different kinds.
void overlay(Yaml& base, const Yaml& over) {
  for (const Yaml::Entry& entry : over.entries) {
    Yaml::Entry* old = base.entry(entry.key);
    if (!old) {
      base.entries.push_back(entry);
      continue;
    }
    const Yaml& fresh = entry.value;
    const bool maps = old->value.kind == Yaml::Kind::map && fresh.kind == Yaml::Kind::map;
    const Yaml::Entry *kind = fresh.entry("kind"), *old_kind = old->value.entry("kind");
    const bool another = kind && (!old_kind || old_kind->value.text != kind->value.text);
    if (maps && !another && !fresh.entry("terms"))
      overlay(old->value, fresh);
    else
      *old = entry;
  }
}

/// Puts `value` under the dotted path into the tree, making maps on the way. Under no path it is a file, whose blocks replace those of
/// the scenario.
void set_value(Yaml& root, const std::string& path, const std::string& value) {
  if (path.empty()) {
    const Yaml file = parse_yaml(read_text_file(value, 1 << 20), value);
    if (file.kind != Yaml::Kind::map)
      throw FormatError("it holds no blocks of a scenario", "for example controller: {kind: joint_pid, ...}",
                        file.place);
    return overlay(root, file);
  }
  const Place place{"--set " + path, 0, 0};
  if (path.starts_with("robot.")) open_robot(root);
  for (Yaml* node : values_at(root, path, place, true)) *node = parse_yaml(value, place.file);
}

ParsedScenario read_scenario(Yaml root, const AskJoints& joints_slide) {
  ParsedScenario parsed;
  parsed.scenario.choice = take_choice(root, "robot", "robot");
  if (Yaml::Entry* belief = root.entry("belief"))
    parsed.scenario.belief.choice = take_choice(belief->value, "belief.robot", "robot");
  YamlMap top(root, "scenario");
  const Yaml& robot = top.at("robot");
  const JointKinds kinds = [&] {
    try {
      return joints_slide(text_of(robot, "robot"), parsed.scenario.choice);
    } catch (const Error& error) {  // an arm's file has places of its own
      if (!error.place().file.empty()) throw;
      throw FormatError(error.finding(), error.hint(), robot.place);
    }
  }();
  const Yaml& name = top.at("scenario");
  parsed.places.put("", root.place);
  read_settings(root, kinds, parsed.places, [&](Fields& f) { parsed.scenario.fields(f); });
  if (parsed.scenario.scenario.empty()) throw FormatError("its name is empty", "e.g. scenario: reach", name.place);
  return parsed;
}

/// Takes the block `cases` out of the tree.
std::vector<Yaml> take_cases(Yaml& root) {
  std::vector<Yaml> cases;
  if (Yaml::Entry* entry = root.entry("cases")) {
    cases = list_of(entry->value, "cases");
    if (cases.empty()) throw FormatError("cases is empty", "name at least one case", entry->value.place);
    root.entries.erase(root.entries.begin() + (entry - root.entries.data()));
  }
  return cases;
}

}  // namespace

ParsedScenario parse_scenario(std::string_view text, const std::string& file, const AskJoints& joints_slide,
                              const Overrides& overrides) {
  Yaml root = parse_yaml(text, file);
  take_cases(root);
  for (const auto& [path, value] : overrides) set_value(root, path, value);
  return read_scenario(root, joints_slide);
}

ParsedScenario parse_scenario(const Yaml& tree, const AskJoints& joints_slide) {
  return read_scenario(tree, joints_slide);
}

std::vector<ParsedScenario> parse_cases(std::string_view text, const std::string& file, const AskJoints& joints_slide,
                                        const Overrides& overrides) {
  Yaml root = parse_yaml(text, file);
  const std::vector<Yaml> cases = take_cases(root);
  std::vector<ParsedScenario> scenarios;
  for (const Yaml& item : cases) {
    YamlMap map(item, fmt::format("cases[{}]", scenarios.size()));
    const Yaml& name = map.at("case");
    const std::string called = name_of(name, "case");
    for (const ParsedScenario& other : scenarios)
      if (other.name == called)
        throw FormatError(fmt::format("there are two cases '{}'", printable(called)), "rename one", name.place);
    Yaml over = item;
    over.entries.erase(over.entries.begin() + (over.entry("case") - over.entries.data()));
    Yaml tree = root;
    overlay(tree, over);
    for (const auto& [path, value] : overrides) set_value(tree, path, value);
    scenarios.push_back(read_scenario(tree, joints_slide));
    scenarios.back().name = called;
  }
  if (cases.empty()) {
    for (const auto& [path, value] : overrides) set_value(root, path, value);
    scenarios.push_back(read_scenario(root, joints_slide));
  }
  return scenarios;
}

std::string write_scenario(const Scenario& scenario, const JointKinds& joints_slide) {
  const std::string text = write_settings(joints_slide, [copy = scenario](Fields& f) mutable { copy.fields(f); });
  return with_choice(with_choice(text, "", 0, scenario.choice), "belief", 2, scenario.belief.choice);
}

std::vector<SettingKey> scenario_keys() {
  std::vector<SettingKey> keys = list_settings([](Fields& f) {
    Scenario defaults;
    defaults.fields(f);
  });
  for (const std::string robot : {"belief.robot", "robot"}) {
    const std::vector<SettingKey> more = choice_keys(robot);
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const SettingKey& k) { return k.key == robot; });
    keys.insert(found + 1, more.begin(), more.end());
  }
  return keys;
}

}  // namespace armature::scenario
