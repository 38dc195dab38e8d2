#include "armature/formats/internal/zip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/byte_source.hpp"
#include "armature/formats/bytes.hpp"

namespace armature::formats {

namespace {

constexpr std::string_view local_mark("PK\3\4", 4), entry_mark("PK\1\2", 4), end_mark("PK\5\6", 4);
constexpr std::size_t end_size = 22, longest_comment = 0xFFFF;
constexpr unsigned stored = 0, deflated = 8, encrypted = 1;

[[noreturn]] void damaged_zip(const std::string& finding, const std::string& file) {
  throw FormatError(finding, "the archive is damaged_zip: copy it again", {file});
}

/// The end of the directory: its last occurrence whose comment reaches exactly to the end of the file.
std::size_t find_end(std::string_view archive, const std::string& file) {
  const std::size_t first = archive.size() - std::min(archive.size(), end_size + longest_comment);
  for (std::size_t at = archive.rfind(end_mark); at != std::string_view::npos && at >= first;
       at = at > 0 ? archive.rfind(end_mark, at - 1) : std::string_view::npos) {
    if (at + end_size > archive.size()) continue;
    ByteFields end(archive.substr(at + 20), "the end", file);
    if (end.u16() == archive.size() - at - end_size) return at;
  }
  throw FormatError("is no ZIP archive, or not complete", "is it a file of numpy.savez? copy it again", {file});
}

std::string inflated(std::string_view packed, std::uint64_t size, const std::string& name, const std::string& file) {
  std::string content(static_cast<std::size_t>(size), '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(content.data());
  stream.avail_out = static_cast<uInt>(content.size());
  const int answer = inflate(&stream, Z_FINISH);
  const bool whole = answer == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!whole) damaged_zip(fmt::format("'{}' cannot be unpacked", printable(name)), file);
  return content;
}

}  // namespace

std::vector<ZipMember> zip_members(std::string_view archive, const std::string& file) {
  const std::size_t end_at = find_end(archive, file);
  ByteFields end(archive.substr(end_at + 4), "the end of the directory", file);
  const unsigned disk = end.u16(), directory_disk = end.u16(), count_here = end.u16(), count = end.u16();
  const std::uint64_t size = end.u32(), offset = end.u32();
  if (count == 0xFFFF || offset == 0xFFFFFFFF || size == 0xFFFFFFFF)
    throw FormatError("is larger than 4 GB", "write it in parts, or as CSV", {file});
  if (disk != 0 || directory_disk != 0 || count_here != count)
    throw FormatError("is a part of a larger archive", "put the parts together", {file});
  if (offset + size > end_at) damaged_zip("the directory ends beyond the file", file);

  ByteFields directory(archive.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(size)),
                       "the directory", file);
  std::vector<ZipMember> members;
  std::uint64_t packed = 0, unpacked = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (directory.take(4) != entry_mark) damaged_zip("the directory cannot be read", file);
    directory.take(4);  // versions
    ZipMember member;
    const unsigned flags = directory.u16();
    member.method = directory.u16();
    directory.take(4);  // date
    member.checksum = directory.u32();
    member.packed = directory.u32();
    member.size = directory.u32();
    const unsigned name = directory.u16(), extra = directory.u16(), comment = directory.u16();
    directory.take(8);  // disk and attributes
    member.offset = directory.u32();
    member.name = directory.take(name);
    directory.take(extra);
    directory.take(comment);
    const std::string shown = printable(member.name);
    if ((flags & encrypted) != 0) throw FormatError(fmt::format("'{}' is encrypted", shown), "decrypt it", {file});
    if (member.method != stored && member.method != deflated)
      throw FormatError(fmt::format("'{}' is packed by method {}", shown, member.method),
                        "numpy.savez and numpy.savez_compressed write what is read here", {file});
    if (member.packed == 0xFFFFFFFF || member.size == 0xFFFFFFFF || member.offset == 0xFFFFFFFF)
      throw FormatError(fmt::format("'{}' is larger than 4 GB", shown), "write it in parts, or as CSV", {file});
    if (member.method == stored && member.packed != member.size)
      damaged_zip(fmt::format("'{}' has two sizes", shown), file);
    packed += member.packed;
    unpacked += member.size;
    members.push_back(std::move(member));
  }
  if (!directory.empty()) damaged_zip("the directory is longer than its members", file);
  if (packed > archive.size()) damaged_zip("the members are larger than the archive", file);
  if (unpacked > free_growth && unpacked / largest_growth > packed)
    throw FormatError(fmt::format("grows to more than {} times its size when it is unpacked", largest_growth),
                      "no log does; was the archive made to fill a memory?", {file});
  return members;
}

std::string zip_content(std::string_view archive, const ZipMember& member, const std::string& file) {
  if (member.offset > archive.size())
    damaged_zip(fmt::format("'{}' begins beyond the file", printable(member.name)), file);
  ByteFields header(archive.substr(static_cast<std::size_t>(member.offset)),
                    fmt::format("'{}'", printable(member.name)), file);
  if (header.take(4) != local_mark)
    damaged_zip(fmt::format("'{}' is not where the directory says", printable(member.name)), file);
  header.take(22);
  const unsigned name = header.u16(), extra = header.u16();
  if (header.take(name) != member.name)
    damaged_zip(fmt::format("'{}' is not where the directory says", printable(member.name)), file);
  header.take(extra);
  const std::string_view packed = header.take(member.packed);
  std::string content =
      member.method == stored ? std::string(packed) : inflated(packed, member.size, member.name, file);
  if (crc32(content) != member.checksum)
    damaged_zip(fmt::format("the checksum of '{}' is wrong", printable(member.name)), file);
  return content;
}

}  // namespace armature::formats
