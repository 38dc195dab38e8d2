// Logs from MCAP: what write_mcap() writes, and the joint states in bags of ROS 2.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/bytes.hpp"
#include "armature/formats/cdr.hpp"
#include "armature/formats/internal/mcap_records.hpp"
#include "armature/formats/log_source.hpp"
#include "armature/formats/mcap.hpp"
#include "armature/formats/table.hpp"

namespace armature::formats {

namespace {

using OrderedJson = nlohmann::ordered_json;

/// Takes the numbers of a flat object {"time": 0.001, "q1": 0.25, "tau1": null} without building a tree.
class SampleReader : public nlohmann::json_sax<OrderedJson> {
 public:
  /// `numbers` gets the value of each of `names`.
  SampleReader(const std::map<std::string, std::size_t, std::less<>>& names, std::vector<double>& numbers)
      : names_(names), numbers_(numbers), given_(numbers.size(), false) {}

  /// Whether the text was such an object, with every name in it once.
  bool read(std::string_view text) {
    return OrderedJson::sax_parse(text.begin(), text.end(), this) && count_ == numbers_.size();
  }

  bool null() override { return put(std::numeric_limits<double>::quiet_NaN()); }
  bool number_integer(number_integer_t number) override { return put(static_cast<double>(number)); }
  bool number_unsigned(number_unsigned_t number) override { return put(static_cast<double>(number)); }
  bool number_float(number_float_t number, const string_t&) override { return put(number); }
  bool boolean(bool) override { return false; }
  bool string(string_t&) override { return false; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return !std::exchange(open_, true); }
  bool key(string_t& name) override {
    const auto found = names_.find(name);
    if (found == names_.end() || given_[found->second]) return false;
    at_ = found->second;
    given_[at_] = true;
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return false; }
  bool end_array() override { return false; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool put(double number) {
    if (!open_) return false;
    numbers_[at_] = number;
    ++count_;
    return true;
  }
  const std::map<std::string, std::size_t, std::less<>>& names_;
  std::vector<double>& numbers_;
  std::vector<bool> given_;
  std::size_t at_ = 0, count_ = 0;
  bool open_ = false;
};

class McapReader {
 public:
  explicit McapReader(const std::string& file) : file_(file) {}

  Log read(ByteSource& source) {
    mcap::walk_records(source, file_, [this](mcap::Opcode opcode, std::string_view content) {
      ByteFields fields(content, "a record", file_);
      if (opcode == mcap::schema) read_schema(fields);
      if (opcode == mcap::channel) read_channel(fields);
      if (opcode == mcap::message) read_message(fields);
      if (opcode == mcap::metadata) read_metadata(fields);
    });
    if (!has_samples_ && !states_.empty()) return joint_states();
    if (!has_samples_) {
      std::string topics;
      for (const std::string& topic : others_) topics += (topics.empty() ? "" : ", ") + topic;
      throw FormatError(fmt::format("has neither a topic {} of ours nor joint states", mcap::samples_topic),
                        others_.empty() ? "it has no topics at all"
                                        : fmt::format("it has {}; of a bag's topics joint states are read ({}, cdr)",
                                                      printable(topics, 200), joint_state_type),
                        {file_});
    }
    std::stable_sort(log_.events.begin(), log_.events.end(),
                     [](const LogEvent& a, const LogEvent& b) { return a.time < b.time; });
    return std::move(log_);
  }

 private:
  enum class Role { other, samples, events, joint_states };

  [[noreturn]] void wrong(const std::string& finding) const {
    throw FormatError(finding, "what `armature simulate --mcap` writes is read here", {file_});
  }

  void read_schema(ByteFields& fields) {
    const unsigned number = fields.u16();
    const std::string_view name = fields.text();
    fields.text();  // encoding
    const std::string_view text = fields.text();
    if (name == mcap::events_schema) roles_of_schemas_[number] = Role::events;
    if (name == joint_state_type || name == "sensor_msgs/JointState") roles_of_schemas_[number] = Role::joint_states;
    if (name != mcap::samples_schema) return;
    const auto [known, is_new] = schemas_.emplace(number, text);
    if (known->second != text) wrong("a schema is there twice");
    roles_of_schemas_[number] = Role::samples;
    if (!is_new) return;
    if (schemas_.size() > 1) wrong(fmt::format("has two schemas '{}'", name));
    try {
      const OrderedJson json = OrderedJson::parse(text);
      for (const auto& [key, property] : json.at("properties").items()) {
        if (!names_.emplace(key, names_.size()).second) wrong("a property is there twice");
        const auto unit = property.value("description", std::string());
        if (key != "time")
          log_.channels.push_back({key, unit, {}});
        else if (unit != "s")
          wrong("the time is not in seconds");
      }
    } catch (const OrderedJson::exception&) {
      wrong(fmt::format("the schema '{}' cannot be read", name));
    }
    if (names_.empty() || names_.find("time") == names_.end() || names_["time"] != 0)
      wrong("the time is not the first property");
    if (names_.size() > most_table_columns) wrong(fmt::format("has more than {} channels", most_table_columns));
    row_.resize(names_.size());
  }

  void read_channel(ByteFields& fields) {
    const unsigned number = fields.u16(), schema = fields.u16();
    const std::string_view topic = fields.text(), encoding = fields.text();
    const auto found = roles_of_schemas_.find(schema);
    const Role role = found == roles_of_schemas_.end() ? Role::other : found->second;
    const bool ours = encoding == "json" && ((role == Role::samples && topic == mcap::samples_topic) ||
                                             (role == Role::events && topic == mcap::events_topic));
    const bool states = encoding == "cdr" && role == Role::joint_states && states_.size() < 100;
    roles_of_channels_[number] = ours ? role : states ? Role::joint_states : Role::other;
    if (states) {
      topics_.insert_or_assign(number, std::string(topic));
      states_.try_emplace(std::string(topic), file_);
    }
    has_samples_ = has_samples_ || (ours && role == Role::samples);
    if (!ours && others_.size() < 100) others_.insert(std::string(topic));
  }

  void read_message(ByteFields& fields) {
    const auto found = roles_of_channels_.find(fields.u16());
    if (found == roles_of_channels_.end()) wrong("a message belongs to no channel");
    fields.take(4);  // its number
    const auto recorded = static_cast<std::int64_t>(fields.u64());
    fields.take(8);  // when it was published
    if (found->second == Role::joint_states) states_.at(topics_.at(found->first)).add(fields.rest(), recorded);
    const std::string_view text = fields.rest();
    if (found->second == Role::samples) read_sample(text);
    if (found->second == Role::events) read_event(text);
  }

  void read_sample(std::string_view text) {
    if (!SampleReader(names_, row_).read(text))
      wrong(fmt::format("sample {} is not an object with a number per channel: {}", log_.time.size() + 1,
                        printable(text)));
    if (log_.time.size() >= most_held_numbers / row_.size())
      throw FormatError(fmt::format("has more than {} numbers", most_held_numbers),
                        "that is more than is held in memory: cut the log, or write CSV", {file_});
    log_.time.push_back(row_[0]);
    for (std::size_t i = 0; i < log_.channels.size(); ++i) log_.channels[i].values.push_back(row_[i + 1]);
  }

  void read_event(std::string_view text) {
    try {
      const OrderedJson event = OrderedJson::parse(text);
      log_.events.push_back(
          {event.at("time").get<double>(), event.at("kind").get<std::string>(), event.at("detail").get<std::string>()});
    } catch (const OrderedJson::exception&) {
      wrong(fmt::format("the event {} cannot be read", printable(text)));
    }
  }

  /// The topic /joint_states, or the only one of its type that has messages.
  Log joint_states() {
    std::vector<std::string> full;
    for (const auto& [topic, states] : states_)
      if (states.rows() > 0) full.push_back(topic);
    const auto at = states_.find("/joint_states");
    if (at != states_.end() && at->second.rows() > 0) full = {at->first};
    if (full.size() > 1)
      throw FormatError(
          fmt::format("has joint states on the topics {}", printable(fmt::format("{}", fmt::join(full, ", ")), 200)),
          "record one of them, or /joint_states", {file_});
    return (full.empty() ? states_.begin()->second : states_.at(full.front())).take();
  }

  void read_metadata(ByteFields& fields) {
    const std::string_view name = fields.text();
    ByteFields entries(fields.text(), "a record", file_);
    while (!entries.empty()) {
      const std::string key(entries.text()), value(entries.text());
      if (!keys_.emplace(name, key).second) wrong(fmt::format("the key '{}' repeats", printable(key)));
      if (name == "facts") log_.facts.emplace_back(key, value);
      if (name == "log" && key == "title") log_.title = value;
      if (name == "log" && key == "incomplete") log_.incomplete = value;
    }
  }

  const std::string& file_;
  Log log_;
  std::map<unsigned, std::string> schemas_;  // of samples, by number
  std::map<unsigned, Role> roles_of_schemas_, roles_of_channels_;
  std::map<std::string, std::size_t, std::less<>> names_;  // the time, then the channels: where they stand in a row
  std::vector<double> row_;
  std::set<std::pair<std::string, std::string>> keys_;  // of the metadata
  std::set<std::string> others_;                        // topics that are passed over
  std::map<unsigned, std::string> topics_;              // of joint states, by channel
  std::map<std::string, JointStateLog> states_;         // by topic
  bool has_samples_ = false;
};

}  // namespace

Log read_mcap(ByteSource& source, const std::string& file_name) { return McapReader(file_name).read(source); }

}  // namespace armature::formats
