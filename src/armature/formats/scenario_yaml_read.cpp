#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/text.hpp"
#include "armature/formats/scenario_yaml.hpp"
#include "armature/formats/scenario_yaml_units.hpp"
#include "armature/formats/yaml.hpp"

namespace armature {

namespace {

constexpr std::size_t longest_path = 4096;  // [bytes]

[[noreturn]] void wrong_count(const Yaml& value, const std::string& what, std::size_t got, const std::string& wanted) {
  throw FormatError(fmt::format("{} has {} numbers", what, got), wanted, value.place);
}

class ScenarioReader {
 public:
  ScenarioReader(const Yaml& value, std::string what, const JointKinds& kinds, SettingPlaces& places)
      : map_(value, std::move(what)), kinds_(kinds), places_(places) {}

  void number(const char* key, double& x, Dimension d, const char*, Range range = Range::any) {
    if (const Yaml* v = find(key)) x = in_range(*v, path(key), quantity_of(*v, path(key), unit_of(d)), range);
  }
  void angle(const char* key, double& x, const char*, Range range = Range::any) {
    if (const Yaml* v = find(key))
      x = in_range(*v, path(key), quantity_of(*v, path(key), unit_of(dimension::angle, true)), range);
  }
  void numbers(const char* key, std::vector<double>& x, Dimension d, const char*, std::size_t count,
               Range range = Range::any) {
    if (const Yaml* v = find(key)) x = list(*v, path(key), unit_of(d), count, range);
  }
  void angles(const char* key, std::vector<double>& x, const char*, std::size_t count) {
    if (const Yaml* v = find(key)) x = list(*v, path(key), unit_of(dimension::angle, true), count, Range::any);
  }
  void joints(const char* key, std::vector<double>& x, const JointDimension& d, const char*, Range range = Range::any) {
    if (const Yaml* v = find(key)) x = one_a_joint(*v, path(key), d, range);
  }
  void task(const char* key, std::vector<double>& x, const TaskDimension& d, const std::string& task, const char*,
            Range range = Range::any) {
    const Yaml* v = find(key);
    if (!v) return;
    const std::vector<bool> about = coordinates_of(task);
    const std::vector<const Yaml*> items = one_for_all(*v, path(key), about.size());
    if (items.size() != about.size())
      wrong_count(
          *v, path(key), items.size(),
          fmt::format("one number for all coordinates of the task '{}', or one for each: {}", task, about.size()));
    x.clear();
    for (std::size_t i = 0; i < items.size(); ++i)
      x.push_back(in_range(*items[i], path(key), quantity_of(*items[i], path(key), unit_of(d, about[i])), range));
  }
  void joint_rows(const char* key, std::vector<std::vector<double>>& x, const JointDimension& d, const char*) {
    const Yaml* v = find(key);
    if (!v) return;
    x.clear();
    for (const Yaml& row : list_of(*v, path(key))) x.push_back(one_a_joint(row, path(key), d, Range::any));
  }
  void rows(const char* key, std::vector<std::vector<double>>& x, Dimension d, const char*) {
    const Yaml* v = find(key);
    if (!v) return;
    x.clear();
    for (const Yaml& row : list_of(*v, path(key))) x.push_back(list(row, path(key), unit_of(d), 0, Range::any));
    if (x.size() != kinds_.size())
      throw FormatError(fmt::format("{} has {} lists", path(key), x.size()),
                        fmt::format("one a joint: {}", kinds_.size()), v->place);
  }
  void points(const char* key, std::vector<std::vector<double>>& x, const char*) {
    const Yaml* v = find(key);
    if (!v) return;
    x.clear();
    for (const Yaml& row : list_of(*v, path(key)))
      x.push_back(list(row, path(key), unit_of(dimension::length), 3, Range::any));
  }
  void integer(const char* key, int& x, const char*, Range range = Range::any) {
    const Yaml* v = find(key);
    if (!v) return;
    const double number = quantity_of(*v, path(key), FileUnit{"", dimension::none});
    if (number != std::floor(number) || std::abs(number) > 1e9)
      throw FormatError(fmt::format("{} is {}", path(key), printable(v->text)), "a whole number is needed", v->place);
    x = static_cast<int>(in_range(*v, path(key), number, range));
  }
  void flag(const char* key, bool& x, const char*) {
    if (const Yaml* v = find(key)) x = choice_of(*v, path(key), {"false", "true"}) == 1;
  }
  void word(const char* key, std::string& x, const std::vector<std::string>& words, const char*) {
    if (const Yaml* v = find(key)) x = words[choice_of(*v, path(key), words)];
  }
  void text(const char* key, std::string& x, const char*) {
    const Yaml* v = find(key);
    if (!v) return;
    const std::string_view k = key;
    if (k == "question")  // may have several lines
      x = text_of(*v, path(key));
    else
      x = v->text.empty() ? text_of(*v, path(key))
                          : name_of(*v, path(key), k == "robot" || k == "table" ? longest_path : longest_name);
  }
  template <class T>
  void group(const char* key, T& x, const char*) {
    if (const Yaml* v = find(key)) read(*v, path(key), x);
  }
  template <class T>
  void groups(const char* key, std::vector<T>& x, const char*) {
    const Yaml* v = find(key);
    if (!v) return;
    x.clear();
    for (const Yaml& item : list_of(*v, path(key))) {
      const std::string what = fmt::format("{}[{}]", path(key), x.size());
      places_.put(what, item.place);
      read(item, what, x.emplace_back());
    }
  }
  /// Whether the keys that follow are of this kind.
  static bool of_kind(const std::string& kind, const std::vector<std::string>& kinds) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  }
  static void any_kind() {}
  void finish() const { map_.finish(); }

 private:
  [[nodiscard]] std::string path(const char* key) const {
    return map_.what() == "scenario" ? key : map_.what() + "." + key;
  }
  const Yaml* find(const char* key) {
    const Yaml* v = map_.find(key);
    if (v) places_.put(path(key), v->place);
    return v;
  }
  static double in_range(const Yaml& v, const std::string& what, double x, Range range) {
    if (range == Range::positive && !(x > 0))
      throw FormatError(fmt::format("{} is {}", what, printable(v.text)), "it must be greater than zero", v.place);
    if (range == Range::not_negative && !(x >= 0))
      throw FormatError(fmt::format("{} is {}", what, printable(v.text)), "it cannot be negative", v.place);
    return x;
  }
  static std::vector<double> list(const Yaml& v, const std::string& what, const FileUnit& unit, std::size_t count,
                                  Range range) {
    if (count == 0 && v.kind == Yaml::Kind::text) return {in_range(v, what, quantity_of(v, what, unit), range)};
    const std::vector<Yaml>& items = list_of(v, what);
    std::vector<double> x = quantities_of(v, what, unit, count > 0 ? count : items.size());
    for (std::size_t i = 0; i < x.size(); ++i) in_range(items[i], what, x[i], range);
    return x;
  }
  std::vector<double> one_a_joint(const Yaml& v, const std::string& what, const JointDimension& d, Range range) const {
    const std::vector<const Yaml*> items = one_for_all(v, what, kinds_.size());
    if (items.size() != kinds_.size())
      wrong_count(v, what, items.size(), fmt::format("one number for all joints, or one for each: {}", kinds_.size()));
    std::vector<double> x;
    for (std::size_t i = 0; i < items.size(); ++i)
      x.push_back(in_range(*items[i], what, quantity_of(*items[i], what, unit_of(d, kinds_[i])), range));
    return x;
  }
  /// The items of a list; something that is not a list counts `count` times, each time in the unit of its place.
  static std::vector<const Yaml*> one_for_all(const Yaml& v, const std::string& what, std::size_t count) {
    if (v.kind == Yaml::Kind::text) return std::vector<const Yaml*>(count, &v);
    std::vector<const Yaml*> items;
    for (const Yaml& item : list_of(v, what)) items.push_back(&item);
    return items;
  }
  template <class T>
  void read(const Yaml& v, const std::string& what, T& x) {
    ScenarioReader reader(v, what, kinds_, places_);
    x.fields(reader);
    reader.finish();
  }

  YamlMap map_;
  const JointKinds& kinds_;
  SettingPlaces& places_;
};

Yaml::Entry* entry_of(Yaml& map, const std::string& key) {
  const auto found =
      std::find_if(map.entries.begin(), map.entries.end(), [&](const Yaml::Entry& e) { return e.key == key; });
  return found == map.entries.end() ? nullptr : &*found;
}

/// Puts `value` under the dotted path into the tree, making maps on the way; a whole number counts into a list from 0.
void set_value(Yaml& root, const std::string& path, const std::string& value) {
  const Place place{"--set " + path, 0, 0};
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
      node = &node->list[static_cast<std::size_t>(std::stoi(key))];
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

ParsedScenario read_scenario(const Yaml& root, const std::function<JointKinds(const std::string&)>& joints_slide) {
  YamlMap top(root, "scenario");
  ParsedScenario parsed;
  const Yaml& robot = top.at("robot");
  const JointKinds kinds = [&] {
    try {
      return joints_slide(text_of(robot, "robot"));
    } catch (const Error& error) {  // an arm's file has places of its own
      if (!error.place().file.empty()) throw;
      throw FormatError(error.finding(), error.hint(), robot.place);
    }
  }();
  parsed.places.put("", root.place);
  ScenarioReader reader(root, "scenario", kinds, parsed.places);
  parsed.scenario.fields(reader);
  reader.finish();
  const Yaml& name = top.at("scenario");
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

Place SettingPlaces::of(std::string key) const {
  while (true) {
    const auto found = places_.find(key);
    if (found != places_.end()) return found->second;
    if (key.empty()) return {};
    const std::size_t cut = key.find_last_of(".[");
    key = cut == std::string::npos ? "" : key.substr(0, cut);
  }
}

std::vector<std::string> SettingPlaces::inside(const std::string& block) const {
  std::vector<std::string> keys;
  for (const auto& [key, place] : places_)
    if (key.size() > block.size() + 1 && key.compare(0, block.size(), block) == 0 && key[block.size()] == '.' &&
        key.find_first_of(".[", block.size() + 1) == std::string::npos)
      keys.push_back(key.substr(block.size() + 1));
  return keys;
}

ParsedScenario parse_scenario(std::string_view text, const std::string& file,
                              const std::function<JointKinds(const std::string&)>& joints_slide,
                              const Overrides& overrides) {
  Yaml root = parse_yaml(text, file);
  take_cases(root);
  for (const auto& [path, value] : overrides) set_value(root, path, value);
  return read_scenario(root, joints_slide);
}

std::vector<ParsedScenario> parse_cases(std::string_view text, const std::string& file,
                                        const std::function<JointKinds(const std::string&)>& joints_slide,
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

}  // namespace armature
