// Which columns of a log are those of a force/torque sensor, by their names.
#include <algorithm>
#include <array>
#include <map>

#include "armature/formats/log_map.hpp"

namespace armature::formats {

namespace {

constexpr std::string_view force_words[] = {"f", "force", "forces"};
constexpr std::string_view moment_words[] = {"t", "m", "torque", "torques", "moment", "moments", "tau", "mu"};
constexpr std::string_view wrench_words[] = {"wrench", "ft"};  // before a number
constexpr std::string_view reading_words[] = {"meas", "measured", "actual", "act", "raw"};
constexpr std::string_view asked_words[] = {"ref", "reference", "target",  "desired",
                                            "des", "cmd",       "command", "setpoint"};

/// Small letters and digits that stand together.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  int last = 0;  // 1: a letter, 2: a digit
  for (const char c : name) {
    const char small = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    const int now = small >= 'a' && small <= 'z' ? 1 : small >= '0' && small <= '9' ? 2 : 0;
    if (now != last && !words.back().empty()) words.emplace_back();
    if (now != 0) words.back() += small;
    last = now;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

template <std::size_t n>
bool among(std::string_view word, const std::string_view (&list)[n]) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

/// Columns whose names differ by the part of the wrench only.
struct Sensor {
  std::array<std::string, 6> names;
  std::map<int, std::string> numbered;
  bool measured = false;
  std::size_t order = 0;  // of its first column
};

/// 0 to 2 for x, y, z; -1 for anything else.
int axis_of(std::string_view word) { return word.size() == 1 && word[0] >= 'x' && word[0] <= 'z' ? word[0] - 'x' : -1; }

/// What a name says: which part of a wrench it is, as a word or by a number, and what else.
struct NamedPart {
  std::string rest;
  int part = -1;    // 0 to 5; -1: none
  int number = -1;  // behind a word for wrench
  bool asked = false, measured = false;
};

NamedPart read_name(const std::string& name) {
  const std::vector<std::string> words = words_of(name);
  NamedPart said;
  int kind = -1, axis = -1;  // kind 0: force, 3: moment
  for (std::size_t w = 0; w < words.size(); ++w) {
    const std::string& word = words[w];
    const std::string_view head = std::string_view(word).substr(0, word.size() - 1);
    const int own = axis_of(word), last = axis_of(std::string_view(word).substr(word.size() - 1));
    if (own >= 0 && axis < 0)
      axis = own;
    else if (kind < 0 && (among(word, force_words) || among(word, moment_words)))
      kind = among(word, force_words) ? 0 : 3;
    else if (kind < 0 && last >= 0 && (among(head, force_words) || among(head, moment_words))) {
      kind = among(head, force_words) ? 0 : 3;
      axis = last;
    } else if (w > 0 && among(words[w - 1], wrench_words) && word.size() == 1 && word[0] >= '0' && word[0] <= '6')
      said.number = word[0] - '0';
    else
      said.rest += word + " ";
    said.asked = said.asked || among(word, asked_words);
    said.measured = said.measured || among(word, reading_words);
  }
  if (kind >= 0 && axis >= 0) said.part = kind + axis;
  return said;
}

}  // namespace

std::vector<std::string> guess_wrench_columns(const std::vector<LogColumn>& columns) {
  std::map<std::string, Sensor> sensors;  // by what else their names say
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const NamedPart said = read_name(columns[c].name);
    if (said.asked || (said.part < 0 && said.number < 0)) continue;
    const auto [at, is_new] = sensors.try_emplace(said.rest);
    Sensor& sensor = at->second;
    if (is_new) sensor.order = c;
    sensor.measured = said.measured;
    if (said.part < 0)
      sensor.numbered.emplace(said.number, columns[c].name);
    else if (std::string& name = sensor.names[static_cast<std::size_t>(said.part)]; name.empty())
      name = columns[c].name;
  }
  const Sensor* best = nullptr;
  for (auto& [rest, sensor] : sensors) {
    const int first = sensor.numbered.count(0) > 0 ? 0 : 1;
    for (int k = 0; k < 6; ++k)
      if (std::string& name = sensor.names[k]; name.empty() && sensor.numbered.count(first + k) > 0)
        name = sensor.numbered.at(first + k);
    if (std::any_of(sensor.names.begin(), sensor.names.end(), [](const std::string& name) { return name.empty(); }))
      continue;
    if (best == nullptr || std::pair(!sensor.measured, sensor.order) < std::pair(!best->measured, best->order))
      best = &sensor;
  }
  return best == nullptr ? std::vector<std::string>()
                         : std::vector<std::string>(best->names.begin(), best->names.end());
}

}  // namespace armature::formats
