// ZIP archives, read strictly: one file, no encryption, members stored or deflated, less than 4 GB.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::formats {

struct ZipMember {
  std::string name;
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0, size = 0;  // [bytes]
  std::uint64_t offset = 0;            // of its own header
  unsigned method = 0;                 // 0: stored, 8: deflated
};

/// The directory of an archive. Throws FormatError; `file` is its name in messages.
std::vector<ZipMember> zip_members(std::string_view archive, const std::string& file);

/// The content of a member, unpacked and compared with its checksum. Throws FormatError.
std::string zip_content(std::string_view archive, const ZipMember& member, const std::string& file);

}  // namespace armature::formats
