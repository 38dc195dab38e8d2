// The records of an MCAP file (mcap.dev/spec), and the walk through them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "armature/formats/byte_source.hpp"

namespace armature::formats::mcap {

inline constexpr std::string_view magic("\x89MCAP0\r\n", 8);
enum Opcode : unsigned {
  header = 1,
  footer = 2,
  schema = 3,
  channel = 4,
  message = 5,
  chunk = 6,
  message_index = 7,
  chunk_index = 8,
  statistics = 11,
  metadata = 12,
  metadata_index = 13,
  summary_offset = 14,
  data_end = 15
};

/// What our own logs are called.
inline constexpr std::string_view samples_topic = "/log", samples_schema = "armature.Samples", events_topic = "/events",
                                  events_schema = "armature.Event";

/// Calls `each` for every record of the data section in the order of the file, those inside chunks too, plain or packed with zstd or lz4
/// (the chunks themselves and their indices are not delivered). Every checksum that is there is compared. Throws FormatError, also where a
/// chunk grows beyond what byte_source.hpp allows; `file` is the name in messages.
void walk_records(ByteSource& source, const std::string& file,
                  const std::function<void(Opcode opcode, std::string_view content)>& each);

}  // namespace armature::formats::mcap
