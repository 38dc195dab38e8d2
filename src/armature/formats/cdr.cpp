#include "armature/formats/cdr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/log_source.hpp"

namespace armature::formats {

namespace {

constexpr std::size_t most_joints = 200, longest_joint_name = 200;

/// Takes a message apart. Numbers are aligned to their size, counted from behind the four bytes that say the order of bytes.
class CdrFields {
 public:
  CdrFields(std::string_view bytes, const std::string& file) : data_(bytes), file_(file) {
    if (data_.size() < 4 || data_[0] != 0 || (data_[1] != 0 && data_[1] != 1))
      wrong("its first bytes are not those of plain CDR");
    big_ = data_[1] == 0;
    data_.remove_prefix(4);
  }

  std::uint64_t integer(std::size_t size) {
    align(size);
    if (data_.size() - at_ < size) wrong("it ends early");
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < size; ++i)
      number = number << 8 | static_cast<unsigned char>(data_[at_ + (big_ ? i : size - 1 - i)]);
    at_ += size;
    return number;
  }
  double number() {
    const std::uint64_t bits = integer(8);
    double x = 0;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }
  std::string text(std::size_t longest) {
    const std::uint64_t size = integer(4);
    if (size > data_.size() - at_) wrong("a text is longer than the message");
    if (size > longest) wrong("a text is too long");
    std::string_view bytes = data_.substr(at_, size);
    at_ += size;
    while (bytes.ends_with('\0')) bytes.remove_suffix(1);
    return std::string(bytes);
  }
  /// How many elements of at least `size` bytes follow.
  std::size_t count(std::size_t size) {
    const std::uint64_t n = integer(4);
    if (n > (data_.size() - at_) / size) wrong("an array is longer than the message");
    if (n > most_joints) wrong(fmt::format("it has more than {} joints", most_joints));
    return static_cast<std::size_t>(n);
  }
  std::vector<double> numbers() {
    std::vector<double> list(count(8));
    for (double& x : list) x = number();
    return list;
  }
  [[noreturn]] void wrong(const std::string& what) const {
    throw FormatError(fmt::format("a message is no {}: {}", joint_state_type, what),
                      "is the file damaged, or its messages packed one by one?", {file_});
  }

 private:
  void align(std::size_t size) { at_ = std::min((at_ + size - 1) / size * size, data_.size()); }
  std::string_view data_;
  const std::string& file_;
  std::size_t at_ = 0;
  bool big_ = false;
};

/// The joints of a Universal Robots arm, whose driver publishes motor currents as efforts.
bool of_universal_robots(const std::vector<std::string>& names) {
  for (const char* joint : {"shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"})
    if (std::none_of(names.begin(), names.end(),
                     [&](const std::string& n) { return n.find(joint) != std::string::npos; }))
      return false;
  return true;
}

}  // namespace

JointState read_joint_state(std::string_view cdr, const std::string& file) {
  CdrFields fields(cdr, file);
  JointState state;
  const auto seconds = static_cast<std::int32_t>(static_cast<std::uint32_t>(fields.integer(4)));
  const std::uint64_t nanoseconds = fields.integer(4);
  if (nanoseconds >= 1'000'000'000) fields.wrong("a stamp has more than a second of nanoseconds");
  state.stamp = std::int64_t{seconds} * 1'000'000'000 + static_cast<std::int64_t>(nanoseconds);
  fields.text(10'000);  // frame
  state.name.resize(fields.count(4));
  for (std::string& name : state.name) name = fields.text(longest_joint_name);
  state.position = fields.numbers();
  state.velocity = fields.numbers();
  state.effort = fields.numbers();
  for (const auto* list : {&state.position, &state.velocity, &state.effort})
    if (!list->empty() && !state.name.empty() && list->size() != state.name.size())
      fields.wrong(fmt::format("{} names, but {} values", state.name.size(), list->size()));
  return state;
}

std::size_t JointStateLog::column_of(const std::string& name) {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at != names_.end()) return static_cast<std::size_t>(at - names_.begin());
  if (names_.size() == most_joints)
    throw FormatError(fmt::format("has more than {} joints", most_joints), "is this a bag of joint states?", {file_});
  names_.push_back(name);
  for (auto& list : values_) list.emplace_back();
  return names_.size() - 1;
}

void JointStateLog::add(std::string_view cdr, std::int64_t recorded) {
  const JointState state = read_joint_state(cdr, file_);
  const std::size_t row = recorded_.size();
  if (row >= most_held_numbers / (3 * names_.size() + 2))
    throw FormatError(fmt::format("has more than {} numbers", most_held_numbers), "cut the bag", {file_});
  stamps_.push_back(state.stamp);
  recorded_.push_back(recorded);
  const std::size_t joints =
      std::max({state.name.size(), state.position.size(), state.velocity.size(), state.effort.size()});
  for (std::size_t i = 0; i < joints; ++i) {
    const std::size_t column = column_of(i < state.name.size() ? state.name[i] : std::to_string(i + 1));
    const std::vector<double>* lists[] = {&state.position, &state.velocity, &state.effort};
    for (std::size_t what = 0; what < 3; ++what) {
      if (i >= lists[what]->size()) continue;
      std::vector<double>& values = values_[what][column];
      values.resize(row, std::numeric_limits<double>::quiet_NaN());
      const double x = (*lists[what])[i];
      values.push_back(std::isfinite(x) ? x : std::numeric_limits<double>::quiet_NaN());
    }
  }
}

Log JointStateLog::take() {
  if (recorded_.empty())
    throw FormatError(fmt::format("holds no {}", joint_state_type), "was the topic recorded?", {file_});
  Log log;
  const bool stamped = std::all_of(stamps_.begin(), stamps_.end(), [](std::int64_t t) { return t != 0; });
  const std::vector<std::int64_t>& clock = stamped ? stamps_ : recorded_;
  for (const std::int64_t t : clock) {
    // differences of hostile stamps need not fit 64 bits
    log.time.push_back(1e-9 * static_cast<double>(static_cast<std::int64_t>(
                                  static_cast<std::uint64_t>(t) - static_cast<std::uint64_t>(clock.front()))));
  }
  log.facts.emplace_back(time_origin_fact, fmt::format("{} ns{}", clock.front(),
                                                       stamped ? "" : " (time of recording; messages have no stamp)"));
  constexpr const char* words[] = {"position", "velocity", "effort"};
  for (std::size_t what = 0; what < 3; ++what)
    for (std::size_t i = 0; i < names_.size(); ++i) {
      std::vector<double>& values = values_[what][i];
      if (values.empty()) continue;
      values.resize(log.time.size(), std::numeric_limits<double>::quiet_NaN());
      log.channels.push_back({fmt::format("{}_{}", words[what], names_[i]), "", std::move(values)});
    }
  if (of_universal_robots(names_))
    log.facts.emplace_back(
        "note",
        "drivers of Universal Robots publish motor currents [A] as effort; if these are such, map them as "
        "`current` with a torque_scale");
  return log;
}

}  // namespace armature::formats
