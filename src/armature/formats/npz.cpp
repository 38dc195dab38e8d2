#include "armature/formats/npz.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/bytes.hpp"

namespace armature::formats {

namespace {

/// An array in NumPy's format: magic, version, a Python dictionary padded to 64 bytes, the data.
Bytes npy(std::string_view type, std::string_view shape, std::size_t data_size) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  const std::size_t before = 10;  // magic, version and length
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  Bytes bytes;
  bytes.reserve(before + header.size() + data_size);
  bytes.raw("\x93NUMPY").u8(1).u8(0).u16(header.size()).raw(header);
  return bytes;
}

Bytes npy(std::span<const double> numbers) {
  Bytes bytes = npy("<f8", fmt::format("({},)", numbers.size()), 8 * numbers.size());
  for (const double number : numbers) bytes.f64(number);
  return bytes;
}

Bytes npy(const std::string& ascii) { return npy(fmt::format("|S{}", ascii.size()), "()", ascii.size()).raw(ascii); }

/// A ZIP archive whose members are stored as they are.
class Archive {
 public:
  Archive(std::FILE* file, const std::string& name) : sink_(file, name) {}

  void add(const std::string& name, const std::string& data) {
    check_size(data.size());
    const std::uint64_t offset = sink_.position();
    Bytes common;  // of the member's own header and its entry in the directory
    common.u16(20).u16(utf8).u16(stored).u16(0).u16(first_day).u32(crc32(data)).u32(data.size()).u32(data.size());
    common.u16(name.size()).u16(0);
    sink_.write(Bytes().raw("PK\3\4").raw(common.data()).raw(name).data());
    sink_.write(data);
    directory_.raw("PK\1\2").u16(20).raw(common.data()).u16(0).u16(0).u16(0).u32(0).u32(offset).raw(name);
    check_size(sink_.position());
    ++members_;
  }

  void finish() {
    const std::uint64_t offset = sink_.position();
    sink_.write(directory_.data());
    check_size(sink_.position());
    Bytes end;
    end.raw("PK\5\6").u16(0).u16(0).u16(members_).u16(members_).u32(directory_.size()).u32(offset).u16(0);
    sink_.write(end.data());
    sink_.flush();
  }

 private:
  static constexpr unsigned utf8 = 1U << 11, stored = 0;  // flags and method
  static constexpr unsigned first_day = 1U << 5 | 1;      // 1 January 1980: the same log gives the same bytes

  void check_size(std::uint64_t bytes) const {
    if (bytes >= std::numeric_limits<std::uint32_t>::max() || members_ >= std::numeric_limits<std::uint16_t>::max())
      throw Error("a log of more than 4 GB does not fit into NPZ", "write it as CSV, or in parts", {sink_.name()});
  }

  ByteSink sink_;
  Bytes directory_;
  std::uint64_t members_ = 0;
};

/// What is known about the log, in ASCII.
std::string about(const Log& log) {
  using Json = nlohmann::ordered_json;
  Json facts = Json::array(), channels = Json::array(), events = Json::array();
  for (const auto& [key, value] : log.facts) facts.push_back({key, value});
  for (const Channel& channel : log.channels) channels.push_back({{"name", channel.name}, {"unit", channel.unit}});
  for (const LogEvent& event : log.events)
    events.push_back({{"time", event.time}, {"kind", event.kind}, {"detail", event.detail}});
  const Json json{{"title", log.title},
                  {"incomplete", log.incomplete},
                  {"facts", facts},
                  {"channels", channels},
                  {"events", events}};
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace

void write_npz(const Log& log, std::FILE* file, const std::string& file_name) {
  std::set<std::string> names{"time", "_log"};
  for (const Channel& channel : log.channels) {
    if (channel.values.size() != log.time.size())
      throw Error(fmt::format("channel '{}' has {} values, the log has {} times", printable(channel.name),
                              channel.values.size(), log.time.size()),
                  "every channel has one value per time", {file_name});
    if (channel.name.empty() || channel.name.size() > 1000 || !names.insert(channel.name).second)
      throw Error(fmt::format("the name '{}' of a channel is taken or none", printable(channel.name)),
                  "names differ, also from 'time' and '_log'", {file_name});
  }
  Archive archive(file, file_name);
  archive.add("time.npy", npy(log.time).data());
  for (const Channel& channel : log.channels) archive.add(channel.name + ".npy", npy(channel.values).data());
  archive.add("_log.npy", npy(about(log)).data());
  archive.finish();
}

}  // namespace armature::formats
