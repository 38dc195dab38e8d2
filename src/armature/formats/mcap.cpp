#include "armature/formats/mcap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/bytes.hpp"
#include "armature/formats/internal/mcap_records.hpp"

namespace armature::formats {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t chunk_size = 1 << 20;  // [bytes]
using namespace mcap;

std::string record(Opcode opcode, const Bytes& content) {
  return Bytes().u8(opcode).u64(content.size()).raw(content.data()).data();
}
std::string text(std::string_view text) { return Bytes().u32(text.size()).raw(text).data(); }

using StringMap = std::vector<std::pair<std::string, std::string>>;
std::string text(const StringMap& map) {
  Bytes entries;
  std::set<std::string> keys;  // they are unique in MCAP
  for (const auto& [key, value] : map) {
    std::string name = key;
    for (int i = 2; !keys.insert(name).second; ++i) name = fmt::format("{} ({})", key, i);
    entries.raw(text(name)).raw(text(value));
  }
  return text(std::string_view(entries.data()));
}

std::string json_text(const std::string& name) {
  return Json(name).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The two topics, by the numbers of their channels; schemas are numbered alike.
enum Topic : unsigned { samples = 1, events = 2 };
constexpr std::array topics{samples, events};

std::string schema_record(Topic topic, const Log& log) {
  const Json number{{"type", {"number", "null"}}};
  Json properties{{"time", {{"type", "number"}, {"description", "s"}}}};
  if (topic == events)
    properties["kind"] = properties["detail"] = {{"type", "string"}};
  else
    for (const Channel& c : log.channels) {
      properties[c.name] = number;
      properties[c.name]["description"] = c.unit;
    }
  const Json json{{"title", topic == samples ? "samples" : "events"}, {"type", "object"}, {"properties", properties}};
  return record(schema, Bytes()
                            .u16(topic)
                            .raw(text(topic == samples ? samples_schema : events_schema))
                            .raw(text("jsonschema"))
                            .raw(text(json.dump(-1, ' ', false, Json::error_handler_t::replace))));
}

std::string channel_record(Topic topic) {
  return record(channel, Bytes()
                             .u16(topic)
                             .u16(topic)
                             .raw(text(topic == samples ? samples_topic : events_topic))
                             .raw(text("json"))
                             .raw(text(StringMap{})));
}

class McapWriter {
 public:
  McapWriter(std::FILE* file, const std::string& file_name, const Log& log) : sink_(file, file_name), log_(log) {
    sink_.write(magic);
    sink_.write(record(header, Bytes().raw(text("")).raw(text("armature"))));
    for (const Topic topic : topics) {
      sink_.write(schema_record(topic, log_));
      sink_.write(channel_record(topic));
    }
    add_metadata("log", {{"title", log.title}, {"incomplete", log.incomplete}});
    add_metadata("facts", log.facts);
  }

  void add_message(Topic topic, std::uint64_t time, std::string_view json) {
    Index& index = index_[topic - 1];
    if (chunk_.size() == 0) chunk_start_ = time;
    if (messages() == 0) start_ = time;
    index.entries.u64(time).u64(chunk_.size());
    chunk_.raw(record(message, Bytes().u16(topic).u32(index.messages & 0xFFFFFFFF).u64(time).u64(time).raw(json)));
    ++index.messages;
    end_ = time;
    if (chunk_.size() >= chunk_size) finish_chunk();
  }

  void finish() {
    if (chunk_.size() > 0) finish_chunk();
    sink_.write(record(data_end, Bytes().u32(sink_.crc())));
    write_summary();
    sink_.write(magic);
    sink_.flush();
  }

 private:
  struct Index {
    Bytes entries;  // time and place of the messages in this chunk
    std::uint64_t messages = 0;
  };

  [[nodiscard]] std::uint64_t messages() const { return index_[0].messages + index_[1].messages; }

  void add_metadata(const std::string& name, const StringMap& map) {
    const std::uint64_t place = sink_.position();
    sink_.write(record(metadata, Bytes().raw(text(name)).raw(text(map))));
    metadata_index_ += record(metadata_index, Bytes().u64(place).u64(sink_.position() - place).raw(text(name)));
  }

  void finish_chunk() {
    const std::uint64_t place = sink_.position(), size = chunk_.size();
    Bytes content;
    content.u64(chunk_start_).u64(end_).u64(size).u32(crc32(chunk_.data())).raw(text("")).u64(size).raw(chunk_.data());
    sink_.write(record(chunk, content));
    const std::uint64_t indices = sink_.position();
    Bytes places;
    for (const Topic topic : topics) {
      Index& index = index_[topic - 1];
      if (index.entries.size() == 0) continue;
      places.u16(topic).u64(sink_.position());
      sink_.write(record(message_index, Bytes().u16(topic).raw(text(std::string_view(index.entries.data())))));
      index.entries = {};
    }
    Bytes entry;
    entry.u64(chunk_start_).u64(end_).u64(place).u64(indices - place).raw(text(std::string_view(places.data())));
    entry.u64(sink_.position() - indices).raw(text("")).u64(size).u64(size);
    chunk_index_ += record(chunk_index, entry);
    chunk_ = {};
    ++chunks_;
  }

  /// Everything a reader wants to know first, in groups of one opcode, then where each group stands.
  void write_summary() {
    const std::uint64_t start = sink_.position();
    Bytes summary, offsets;
    const auto add_group = [&](Opcode opcode, const std::string& records) {
      if (records.empty()) return;
      offsets.raw(record(summary_offset, Bytes().u8(opcode).u64(start + summary.size()).u64(records.size())));
      summary.raw(records);
    };
    Bytes counts;
    for (const Topic topic : topics) counts.u16(topic).u64(index_[topic - 1].messages);
    Bytes numbers;
    numbers.u64(messages()).u16(topics.size()).u32(topics.size()).u32(0).u32(2).u32(chunks_).u64(start_).u64(end_);
    numbers.raw(text(std::string_view(counts.data())));
    add_group(schema, schema_record(samples, log_) + schema_record(events, log_));
    add_group(channel, channel_record(samples) + channel_record(events));
    add_group(statistics, record(statistics, numbers));
    add_group(chunk_index, chunk_index_);
    add_group(metadata_index, metadata_index_);

    const std::uint64_t offset_start = start + summary.size();
    summary.raw(offsets.data()).u8(footer).u64(20).u64(start).u64(offset_start);  // the footer but for the checksum
    sink_.write(summary.data());
    sink_.write(Bytes().u32(crc32(summary.data())).data());
  }

  ByteSink sink_;
  const Log& log_;
  Bytes chunk_;
  std::array<Index, 2> index_;
  std::uint64_t chunk_start_ = 0, start_ = 0, end_ = 0, chunks_ = 0;
  std::string chunk_index_, metadata_index_;
};

void check(const Log& log, const std::string& file_name) {
  std::set<std::string> names{"time"};
  for (const Channel& c : log.channels) {
    if (c.values.size() != log.time.size())
      throw Error(fmt::format("channel '{}' has {} values, the log has {} times", printable(c.name), c.values.size(),
                              log.time.size()),
                  "every channel has one value per time", {file_name});
    if (!names.insert(c.name).second)
      throw Error(fmt::format("two channels are called '{}'", printable(c.name)), "names must differ", {file_name});
  }
}

}  // namespace

void write_mcap(const Log& log, std::FILE* file, const std::string& file_name) {
  check(log, file_name);
  std::vector<LogEvent> events_in_order = log.events;
  std::stable_sort(events_in_order.begin(), events_in_order.end(),
                   [](const LogEvent& a, const LogEvent& b) { return a.time < b.time; });
  double origin = 0;
  if (!log.time.empty()) origin = std::min(origin, log.time.front());
  if (!events_in_order.empty()) origin = std::min(origin, events_in_order.front().time);
  const auto nanoseconds = [&](double time) {
    const double count = (time - origin) * 1e9;
    if (!(count < 9e18)) throw Error(fmt::format("the time {} s does not fit into MCAP", time), "", {file_name});
    return static_cast<std::uint64_t>(std::llround(count));
  };

  McapWriter writer(file, file_name, log);
  auto event = events_in_order.begin();
  const auto add_event = [&] {
    writer.add_message(events, nanoseconds(event->time),
                       fmt::format(R"({{"time":{},"kind":{},"detail":{}}})", exact_text(event->time),
                                   json_text(event->kind), json_text(event->detail)));
    ++event;
  };
  std::vector<std::string> keys;
  for (const Channel& c : log.channels) keys.push_back("," + json_text(c.name) + ":");
  std::string json;
  for (std::size_t k = 0; k < log.time.size(); ++k) {
    while (event != events_in_order.end() && event->time < log.time[k]) add_event();
    json = R"({"time":)" + exact_text(log.time[k]);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const double value = log.channels[i].values[k];
      json += keys[i] + (std::isfinite(value) ? exact_text(value) : "null");
    }
    json += '}';
    writer.add_message(samples, nanoseconds(log.time[k]), json);
  }
  while (event != events_in_order.end()) add_event();
  writer.finish();
}

}  // namespace armature::formats
