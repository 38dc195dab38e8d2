#include "armature/scenario/scenario_yaml.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/core/text.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/scenario/robot_yaml.hpp"

namespace armature::scenario {

namespace {

Yaml::Entry* entry_of(Yaml& map, const std::string& key) {
  const auto found =
      std::find_if(map.entries.begin(), map.entries.end(), [&](const Yaml::Entry& e) { return e.key == key; });
  return found == map.entries.end() ? nullptr : &*found;
}

/// `over` replaces what it names in `base`; maps are merged unless they are of different kinds.
void overlay(Yaml& base, const Yaml& over) {
  for (const Yaml::Entry& entry : over.entries) {
    Yaml::Entry* old = entry_of(base, entry.key);
    if (!old) {
      base.entries.push_back(entry);
      continue;
    }
    Yaml fresh = entry.value;
    const bool maps = old->value.kind == Yaml::Kind::map && fresh.kind == Yaml::Kind::map;
    const Yaml::Entry* kind = maps ? entry_of(fresh, "kind") : nullptr;
    const Yaml::Entry* old_kind = maps ? entry_of(old->value, "kind") : nullptr;
    const bool another = kind && (!old_kind || old_kind->value.text != kind->value.text);
    if (maps && !another && !entry_of(fresh, "terms"))
      overlay(old->value, fresh);
    else
      *old = entry;
  }
}

/// Puts `value` under the dotted path into the tree, making maps on the way; a whole number counts into a list from 0. Under
/// no path it is a file, whose blocks replace those of the scenario.
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
  Yaml* node = &root;
  std::size_t start = 0;
  while (true) {
    const std::size_t dot = path.find('.', start);
    const std::string key = path.substr(start, dot == std::string::npos ? dot : dot - start);
    if (key.empty())
      throw FormatError("an empty name in '" + printable(path) + "'", "write --set run.duration=2s", place);
    if (node->kind == Yaml::Kind::nothing) node->kind = Yaml::Kind::map;
    if (node->kind == Yaml::Kind::list) {
      const bool number = key.find_first_not_of("0123456789") == std::string::npos && key.size() < 6;
      if (!number || static_cast<std::size_t>(std::stoi(key)) >= node->list.size())
        throw FormatError(
            fmt::format("'{}' asks for item '{}' of a list of {}", printable(path), printable(key), node->list.size()),
            "items count from 0", place);
      node = &node->list[std::stoi(key)];
    } else if (node->kind == Yaml::Kind::map) {
      Yaml::Entry* found = entry_of(*node, key);
      if (!found) {
        Yaml fresh;
        fresh.place = place;
        node->entries.push_back({key, place, fresh});
        found = &node->entries.back();
      }
      node = &found->value;
    } else {
      throw FormatError("'" + printable(path) + "' goes into something that has no keys", "see --help-keys", place);
    }
    if (dot == std::string::npos) break;
    start = dot + 1;
  }
  *node = parse_yaml(value, "--set " + path);
}

ParsedScenario read_scenario(Yaml root, const AskJoints& joints_slide) {
  ParsedScenario parsed;
  parsed.scenario.choice = take_choice(root, "robot", "robot");
  if (Yaml::Entry* belief = root.kind == Yaml::Kind::map ? entry_of(root, "belief") : nullptr)
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
  if (root.kind != Yaml::Kind::map) return cases;
  if (Yaml::Entry* entry = entry_of(root, "cases")) {
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
    over.entries.erase(over.entries.begin() + (entry_of(over, "case") - over.entries.data()));
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
