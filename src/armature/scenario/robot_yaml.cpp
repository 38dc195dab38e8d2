#include "armature/scenario/robot_yaml.hpp"

#include <fmt/format.h>

#include <utility>

#include "armature/core/text.hpp"

namespace armature::scenario {

namespace {

/// A value as a line of its own under a robot.
std::string line_of(std::size_t indent, const std::string& key, const std::string& value) {
  return fmt::format("{}{}: {}\n", std::string(indent, ' '), key, value);
}

}  // namespace

ArmChoice take_choice(Yaml& map, const std::string& what, const std::string& key) {
  ArmChoice choice;
  Yaml::Entry* robot = map.entry(key);
  if (!robot || robot->value.kind != Yaml::Kind::map) return choice;
  YamlMap reader(robot->value, what);
  const Yaml file = reader.at("file");
  if (const Yaml* base = reader.find("base")) choice.base = name_of(*base, what + ".base");
  if (const Yaml* tip = reader.find("tip")) choice.tip = name_of(*tip, what + ".tip");
  if (const Yaml* given = reader.find("as_given"))
    choice.as_given = choice_of(*given, what + ".as_given", {"false", "true"}) == 1;
  if (const Yaml* lock = reader.find("lock")) {
    const YamlMap joints(*lock, what + ".lock");  // a map, or it throws
    for (const Yaml::Entry& joint : lock->entries)
      choice.lock.emplace_back(joint.key, text_of(joint.value, fmt::format("{}.lock.{}", what, printable(joint.key))));
  }
  reader.finish();
  robot->value = file;
  return choice;
}

std::string with_choice(const std::string& text, const std::string& block, std::size_t indent,
                        const ArmChoice& choice) {
  if (choice == ArmChoice{}) return text;
  const std::string key = "\n" + std::string(indent, ' ') + "robot:";
  const std::size_t from = block.empty() ? 0 : text.find("\n" + block + ":\n");
  const std::size_t line = from == std::string::npos ? from : text.find(key, from);
  if (line == std::string::npos) return text;
  const std::size_t value = line + key.size(), end = text.find('\n', value);
  std::string robot = "\n" + line_of(indent + 2, "file", text.substr(value + 1, end - value - 1));
  if (!choice.base.empty()) robot += line_of(indent + 2, "base", yaml_text(choice.base));
  if (!choice.tip.empty()) robot += line_of(indent + 2, "tip", yaml_text(choice.tip));
  if (!choice.lock.empty()) robot += std::string(indent + 2, ' ') + "lock:\n";
  for (const auto& [joint, position] : choice.lock) robot += line_of(indent + 4, yaml_text(joint), yaml_text(position));
  if (choice.as_given) robot += line_of(indent + 2, "as_given", "true");
  return text.substr(0, value) + robot + text.substr(end + 1);
}

void open_robot(Yaml& map) {
  Yaml::Entry* robot = map.entry("robot");
  if (!robot || robot->value.kind != Yaml::Kind::text) return;
  const Yaml file = std::exchange(robot->value, {.kind = Yaml::Kind::map, .place = robot->place});
  robot->value.entries.push_back({"file", file.place, file});
}

std::vector<SettingKey> choice_keys(const std::string& what) {
  return {{what + ".file", "text", "", "the same, where more is said of it", {}},
          {what + ".base", "text", "", "of a URDF: the link at which the chain begins", {}},
          {what + ".tip", "text", "", "of a URDF: the link at which the chain ends", {}},
          {what + ".lock", "a map of joints and positions", "", "of a URDF: joints that are held", {}},
          {what + ".as_given",
           "true | false",
           "false",
           "use the file's inertia even where it is physically impossible",
           {"true", "false"}}};
}

}  // namespace armature::scenario
