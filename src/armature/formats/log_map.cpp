#include "armature/formats/log_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/formats/yaml.hpp"

namespace armature::formats {

namespace {

enum class Quantity { position, velocity, torque, current };

constexpr std::size_t most_names = 64;  // of joints, that are looked for in every column

/// What a word in the name of a column says; the better known come first.
struct QuantityWord {
  std::string_view word;
  Quantity quantity;
};
constexpr QuantityWord quantity_words[] = {
    {"q", Quantity::position},        {"position", Quantity::position},   {"positions", Quantity::position},
    {"pos", Quantity::position},      {"angle", Quantity::position},      {"theta", Quantity::position},
    {"v", Quantity::velocity},        {"qd", Quantity::velocity},         {"dq", Quantity::velocity},
    {"velocity", Quantity::velocity}, {"velocities", Quantity::velocity}, {"vel", Quantity::velocity},
    {"speed", Quantity::velocity},    {"qdot", Quantity::velocity},       {"tau", Quantity::torque},
    {"torque", Quantity::torque},     {"torques", Quantity::torque},      {"effort", Quantity::torque},
    {"efforts", Quantity::torque},    {"trq", Quantity::torque},          {"i", Quantity::current},
    {"current", Quantity::current},   {"currents", Quantity::current},    {"cur", Quantity::current},
    {"curr", Quantity::current},      {"iq", Quantity::current},          {"omega", Quantity::velocity},
    {"angles", Quantity::position},   {"moment", Quantity::torque},
};
constexpr std::string_view measured_words[] = {"meas", "measured", "actual", "act", "msr"};
constexpr std::string_view wanted_words[] = {"ref", "reference", "target",    "desired", "des",
                                             "cmd", "command",   "commanded", "setpoint"};
constexpr std::string_view motor_words[] = {"mot", "motor"};
constexpr std::string_view idle_words[] = {"joint", "joints", "field", "data", "state", "states", "j", "axis", "msg"};

template <std::size_t n>
bool is_one_of(std::string_view word, const std::string_view (&words)[n]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// Columns whose names differ by a joint's number or name only.
struct Family {
  std::map<int, std::string> members;  // by number
  bool by_name = false;
  std::optional<Quantity> quantity;
  bool wanted = false, measured = false;  // a target; a reading
  bool motor = false;                     // of the motors
  std::size_t rank = 0;                   // of its word
  std::size_t order = 0;                  // of its first column in the file
};

/// What the pattern says beside the joint; nothing where a word is not known.
void read_words(const std::string& pattern, Family& family) {
  std::string word;
  for (const char c : pattern + " ") {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter) {
      word += c >= 'a' ? c : static_cast<char>(c + 32);
      continue;
    }
    if (word.empty()) continue;
    const auto known = std::find_if(std::begin(quantity_words), std::end(quantity_words),
                                    [&](const QuantityWord& q) { return q.word == word; });
    if (known != std::end(quantity_words)) {
      if (family.quantity) {  // two of them: q_tau
        family.quantity.reset();
        return;
      }
      family.quantity = known->quantity;
      family.rank = static_cast<std::size_t>(known - std::begin(quantity_words));
    } else if (is_one_of(word, wanted_words)) {
      family.wanted = true;
    } else if (is_one_of(word, measured_words)) {
      family.measured = true;
    } else if (is_one_of(word, motor_words)) {
      family.motor = true;
    } else if (!is_one_of(word, idle_words)) {
      family.quantity.reset();
      return;
    }
    word.clear();
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// All families; a column is in as many as it has numbers in its name.
std::vector<Family> families_of(const std::vector<LogColumn>& columns, const std::vector<std::string>& names) {
  std::map<std::string, Family> found;
  const auto add = [&](const std::string& pattern, int number, const std::string& name, bool by_name,
                       std::size_t order) {
    const auto [at, is_new] = found.try_emplace((by_name ? "n" : "d") + pattern);
    if (is_new) {
      at->second.by_name = by_name;
      at->second.order = order;
      read_words(pattern, at->second);
    }
    at->second.members.emplace(number, name);
  };
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string& name = columns[c].name;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::size_t at = name.find(names[i]);
      if (at == std::string::npos || names[i].empty()) continue;
      const std::size_t end = at + names[i].size();  // joint_1 is not meant in joint_10, nor wrist in wrist_1
      const bool whole = (end == name.size() || !is_digit(name[end]) || !is_digit(name[end - 1]));
      const bool longer = std::any_of(names.begin(), names.end(), [&](const std::string& other) {
        return other.size() > names[i].size() && other.find(names[i]) != std::string::npos &&
               name.find(other) != std::string::npos;
      });
      if (whole && !longer) add(name.substr(0, at) + " {} " + name.substr(end), static_cast<int>(i) + 1, name, true, c);
    }
    if (std::none_of(name.begin(), name.end(), is_digit)) add(name, 1, name, false, c);  // of an arm with one joint
    for (std::size_t at = 0; at < name.size();) {
      std::size_t end = at;
      while (end < name.size() && is_digit(name[end])) ++end;
      if (end > at && end - at <= 3)
        add(name.substr(0, at) + "{}" + name.substr(end), std::stoi(name.substr(at, end - at)), name, false, c);
      at = std::max(end, at + 1);
    }
  }
  std::vector<Family> families;
  for (auto& [pattern, family] : found)
    if (family.quantity) families.push_back(std::move(family));
  std::stable_sort(families.begin(), families.end(), [](const Family& a, const Family& b) {
    const auto key = [](const Family& f) { return std::tuple(!f.measured, f.rank, !f.by_name, f.order); };
    return key(a) < key(b);
  });
  return families;
}

/// The members of a family, one per joint; empty where some are missing.
std::vector<std::string> all_members(const Family& family, int joints) {
  for (const int first : {1, 0}) {
    std::vector<std::string> names;
    for (int i = 0; i < joints; ++i)
      if (const auto at = family.members.find(first + i); at != family.members.end()) names.push_back(at->second);
    if (static_cast<int>(names.size()) == joints && !(first == 1 && family.members.count(0) > 0)) return names;
  }
  return {};
}

/// Members in a row from 1 or 0.
int members_in_a_row(const Family& family) {
  int first = family.members.count(0) > 0 ? 0 : 1, count = 0;
  while (family.members.count(first + count) > 0) ++count;
  return count;
}

std::vector<std::string> names_of(const Yaml& value, const std::string& what, const Arm& arm) {
  const int dof = arm.dof();
  std::vector<std::string> names;
  if (value.kind == Yaml::Kind::list) {
    for (const Yaml& item : list_of(value, what)) names.push_back(text_of(item, what));
  } else {
    const std::string pattern = text_of(value, what);
    std::size_t hole = std::string::npos, length = 0;
    int first = 1;
    for (const std::string_view mark : {"{}", "{0}", "{1}", "{name}"})
      if (const std::size_t at = pattern.find(mark); at != std::string::npos) {
        hole = at;
        length = mark.size();
        first = mark == "{0}" ? 0 : mark == "{name}" ? -1 : 1;
      }
    if (hole == std::string::npos && dof > 1)
      throw FormatError(fmt::format("{} '{}' is one name for {} joints", what, printable(pattern), dof),
                        "write {} where the joint's number goes, {name} where its name does, or a list", value.place);
    for (int i = 0; i < dof; ++i)
      names.push_back(hole == std::string::npos
                          ? pattern
                          : pattern.substr(0, hole) + (first < 0 ? arm.joint(i).name : std::to_string(first + i)) +
                                pattern.substr(hole + length));
  }
  if (names.size() != static_cast<std::size_t>(dof))
    throw FormatError(fmt::format("{} has {} names", what, names.size()), fmt::format("one per joint: {}", dof),
                      value.place);
  return names;
}

LogMap::Side side_of(const Yaml& value, const char* what) {
  return choice_of(value, what, {"joint", "motor"}) == 0 ? LogMap::Side::joint : LogMap::Side::motor;
}

/// "q{}" where that is what the names are; else nothing.
std::string pattern_of(const std::vector<std::string>& names) {
  if (names.size() < 2) return {};
  for (const int first : {1, 0}) {
    const std::string number = std::to_string(first);
    for (std::size_t at = names[0].find(number); at != std::string::npos; at = names[0].find(number, at + 1)) {
      const std::string head = names[0].substr(0, at), tail = names[0].substr(at + number.size());
      bool all = true;
      for (std::size_t i = 0; i < names.size(); ++i)
        all = all && names[i] == head + std::to_string(first + static_cast<int>(i)) + tail;
      if (all) return head + (first == 1 ? "{}" : "{0}") + tail;
    }
  }
  return {};
}

/// A name as it stands in YAML.
std::string yaml_name(const std::string& name) {
  const bool plain =
      !name.empty() &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == std::string::npos;
  if (plain) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return text + '"';
}

std::string yaml_list(const std::vector<std::string>& names) {
  std::vector<std::string> list;
  for (const std::string& name : names) list.push_back(yaml_name(name));
  return fmt::format("[{}]", fmt::join(list, ", "));
}

std::string yaml_names(const std::vector<std::string>& names) {
  const std::string pattern = pattern_of(names);
  return pattern.empty() ? yaml_list(names) : fmt::format("\"{}\"", pattern);
}

/// Throws: names the columns that are missing, and gives a map to begin with.
[[noreturn]] void refuse_missing(const std::vector<std::string>& missing, const LogMap& found,
                                 const std::vector<LogColumn>& columns, const std::string& file) {
  std::vector<std::string> known;
  for (const LogColumn& c : columns) known.push_back(c.name);
  LogMap draft = found;
  if (draft.position.empty()) draft.position = {"NAME_OF_JOINT_1", "..."};
  if (draft.torque.empty()) draft.torque = {"NAME_OF_JOINT_1", "..."};
  std::string lines;
  const std::string text = write_log_map(draft);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines += "\n    " + text.substr(begin, end - begin);
    begin = end + 1;
  }
  throw FormatError(
      fmt::format(
          "the column '{}' is missing{}", printable(missing.front()),
          missing.size() > 1
              ? fmt::format(", and {} more: {}", missing.size() - 1,
                            printable(fmt::format("{}", fmt::join(missing.begin() + 1, missing.end(), ", ")), 200))
              : ""),
      fmt::format("the log has {}. Other names are given in a map (--map map.yaml), for example{}",
                  printable(fmt::format("{}", fmt::join(known, ", ")), 300), lines),
      {file, 1});
}

}  // namespace

GuessedColumns guess_columns(const std::vector<LogColumn>& columns, int joints, const std::vector<std::string>& names) {
  const std::vector<Family> families =
      families_of(columns, names.size() <= most_names ? names : std::vector<std::string>());
  GuessedColumns g;
  g.joints = joints;
  if (joints == 0)
    for (const Family& f : families)
      if (f.quantity == Quantity::position && !f.wanted) g.joints = std::max(g.joints, members_in_a_row(f));
  const auto take = [&](Quantity quantity, bool wanted, bool motor) {
    for (const Family& f : families)
      if (f.quantity == quantity && f.wanted == wanted && f.motor == motor && g.joints > 0)
        if (std::vector<std::string> all = all_members(f, g.joints); !all.empty()) return all;
    return std::vector<std::string>();
  };
  for (const bool motor : {false, true}) {  // of the joints, else of the motors
    if (g.position.empty()) {
      g.position = take(Quantity::position, false, motor);
      g.motor_positions = motor;
    }
    if (g.torque.empty()) {
      g.torque = take(Quantity::torque, false, motor);
      g.motor_torques = motor;
    }
  }
  for (const bool motor : {false, true})
    if (g.torque.empty()) {
      g.torque = take(Quantity::current, false, motor);
      g.currents = g.motor_torques = !g.torque.empty();
    }
  g.motor_positions = g.motor_positions && !g.position.empty();
  g.motor_torques = g.motor_torques && !g.torque.empty();
  g.velocity = take(Quantity::velocity, false, g.motor_positions);
  g.reference = take(Quantity::position, true, g.motor_positions);
  return g;
}

LogMap parse_log_map(std::string_view text, const std::string& file, const Arm& arm) {
  const Yaml yaml = parse_yaml(text, file);
  YamlMap m(yaml, "the map");
  LogMap map;
  const int n = arm.dof();
  if (const Yaml* v = m.find("time")) map.time = text_of(*v, "the column of the time");
  if (const Yaml* v = m.find("side")) map.positions = map.torques = side_of(*v, "the side");
  if (const Yaml* v = m.find("position_side")) map.positions = side_of(*v, "the side of the positions");
  if (const Yaml* v = m.find("torque_side")) map.torques = side_of(*v, "the side of the torques");
  if (const Yaml* v = m.find("position")) map.position = names_of(*v, "position", arm);
  if (const Yaml* v = m.find("velocity")) {
    map.no_velocity = v->kind != Yaml::Kind::list && text_of(*v, "velocity") == "none";
    if (!map.no_velocity) map.velocity = names_of(*v, "velocity", arm);
  }
  if (const Yaml* v = m.find("reference")) map.reference = names_of(*v, "reference", arm);
  if (const Yaml* v = m.find("wrench")) {
    for (const Yaml& item : list_of(*v, "wrench")) map.wrench.push_back(text_of(item, "wrench"));
    if (map.wrench.size() != 6)
      throw FormatError(fmt::format("wrench has {} names", map.wrench.size()),
                        "six: forces along x, y, z, then moments about them", v->place);
  }
  const Yaml* torque = m.find("torque");
  const Yaml* current = m.find("current");
  if (torque != nullptr && current != nullptr)
    throw FormatError("the map names torques and currents", "one of `torque` and `current`", yaml.place);
  map.currents = current != nullptr;
  if (torque != nullptr || current != nullptr)
    map.torque = names_of(torque != nullptr ? *torque : *current, map.currents ? "current" : "torque", arm);
  if (const Yaml* v = m.find("torque_scale"))
    map.torque_scale = quantities_of(*v, "torque_scale", {"", dimension::none}, static_cast<std::size_t>(n));
  if (const Yaml* v = m.find("offset")) {
    const std::vector<Yaml>& list = list_of(*v, "offset");
    if (list.size() != static_cast<std::size_t>(n))
      throw FormatError(fmt::format("offset has {} numbers", list.size()), fmt::format("one per joint: {}", n),
                        v->place);
    for (int i = 0; i < n; ++i) {
      const bool turns = arm.body(i).revolute;
      map.offset.push_back(quantity_of(
          list[i], "offset",
          turns ? FileUnit{"rad", dimension::angle, 4 * pi, "deg"} : FileUnit{"m", dimension::length, 20, "mm"}));
    }
  }
  if (const Yaml* v = m.find("units")) {
    YamlMap units(*v, "units");
    if (const Yaml* u = units.find("position")) map.position_unit = text_of(*u, "the unit of positions");
    if (const Yaml* u = units.find("velocity")) map.velocity_unit = text_of(*u, "the unit of velocities");
    if (const Yaml* u = units.find("torque")) map.torque_unit = text_of(*u, "the unit of torques");
    units.finish();
  }
  m.finish();
  return map;
}

LogMap read_log_map(const std::string& path, const Arm& arm) {
  const std::string text = read_text_file(path, largest_yaml);
  check_text(text, path, largest_yaml);
  return parse_log_map(without_byte_order_mark(text), path, arm);
}

LogMap complete_map(LogMap map, const Arm& arm, const std::vector<LogColumn>& columns, const std::string& file) {
  const int n = arm.dof();
  std::vector<std::string> joints;
  for (int i = 0; i < n; ++i) joints.push_back(arm.joint(i).name);
  const auto has = [&](const std::string& name) {
    return std::any_of(columns.begin(), columns.end(), [&](const LogColumn& c) { return c.name == name; });
  };
  if (map.position.empty() && has("q" + std::to_string(n + 1)))
    throw FormatError(fmt::format("the log has a column 'q{}', but '{}' has {} joints", n + 1, arm.name(), n),
                      "is this the log of another arm? A map says which columns count: --map", {file, 1});
  const GuessedColumns g = guess_columns(columns, n, joints);
  if (map.position.empty()) {  // names of one's own for the positions have velocities and a reference of their own too
    map.position = g.position;
    if (g.motor_positions) map.positions = LogMap::Side::motor;
    if (map.velocity.empty() && !map.no_velocity) map.velocity = g.velocity;
    if (map.reference.empty()) map.reference = g.reference;
  }
  if (map.torque
          .empty()) {  // torque constants are those of the motors; a scale of one's own is that of the side that was told
    map.torque = g.torque;
    map.currents = g.currents;
    if (g.motor_torques && (!g.currents || map.torque_scale.empty())) map.torques = LogMap::Side::motor;
  }
  std::vector<std::string> missing;
  for (const auto& [names, stem] : {std::pair(&map.position, "q"), std::pair(&map.torque, "tau")})
    for (int i = 1; i <= n && names->empty(); ++i)
      if (const std::string name = stem + std::to_string(i); !has(name)) missing.push_back(name);
  for (const auto* names : {&map.position, &map.torque, &map.velocity, &map.reference})
    for (const std::string& name : *names)
      if (!has(name)) missing.push_back(name);
  if (!missing.empty()) refuse_missing(missing, map, columns, file);
  if (map.currents && map.torque_scale.empty())
    for (int i = 0; i < n; ++i) {
      if (!arm.joint(i).drive.torque_constant)
        throw FormatError(fmt::format("the log has currents ({}), but joint '{}' has no torque constant",
                                      columns_text(map.torque), arm.joint(i).name),
                          "give drive.torque_constant in the arm file, or torque_scale in a map (--map): N m per "
                          "ampere, one per motor",
                          {file});
      map.torque_scale.push_back(*arm.joint(i).drive.torque_constant);
    }
  return map;
}

std::string write_log_map(const LogMap& map) {
  std::string text;
  if (!map.time.empty()) text += fmt::format("time: {}\n", yaml_name(map.time));
  const bool motor = map.positions == LogMap::Side::motor;
  if (motor && map.torques == map.positions) text += "side: motor\n";
  if (motor && map.torques != map.positions) text += "position_side: motor\n";
  if (!motor && map.torques == LogMap::Side::motor) text += "torque_side: motor\n";
  if (!map.position.empty()) text += fmt::format("position: {}\n", yaml_names(map.position));
  if (!map.velocity.empty()) text += fmt::format("velocity: {}\n", yaml_names(map.velocity));
  if (!map.torque.empty()) text += fmt::format("{}: {}\n", map.currents ? "current" : "torque", yaml_names(map.torque));
  if (!map.reference.empty()) text += fmt::format("reference: {}\n", yaml_names(map.reference));
  if (!map.wrench.empty()) text += fmt::format("wrench: {}\n", yaml_list(map.wrench));
  return text;
}

std::string columns_text(const std::vector<std::string>& names) {
  if (names.size() > 2 && !pattern_of(names).empty()) return printable(names.front() + " to " + names.back(), 100);
  return printable(fmt::format("{}", fmt::join(names, ", ")), 200);
}

}  // namespace armature::formats
