#include "armature/formats/internal/mcap_records.hpp"

#include <fmt/format.h>

#include <lz4frame.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/bytes.hpp"

namespace armature::formats::mcap {

namespace {

constexpr std::uint64_t largest_record = std::uint64_t{1} << 30;  // [bytes]

/// A source that counts its checksum and must not end.
class Stream {
 public:
  Stream(ByteSource& source, const std::string& file) : source_(source), file_(file) {}

  /// The next `size` bytes; memory is taken as they come, so a length that lies costs nothing.
  std::string take(std::uint64_t size) {
    std::string bytes;
    while (bytes.size() < size) {
      const std::size_t before = bytes.size();
      const auto block = static_cast<std::size_t>(std::min<std::uint64_t>(size - before, std::uint64_t{1} << 20));
      bytes.resize(before + block);
      const std::size_t count = source_.read(bytes.data() + before, block);
      if (count == 0)
        throw FormatError("ends early", "the file is not complete: was its writer stopped? copy it again", {file_});
      bytes.resize(before + count);
    }
    crc_ = crc32(bytes, crc_);
    return bytes;
  }
  [[nodiscard]] std::uint32_t crc() const { return crc_; }
  bool at_end() {
    char more = 0;
    return source_.read(&more, 1) == 0;
  }

 private:
  ByteSource& source_;
  const std::string& file_;
  std::uint32_t crc_ = 0;
};

[[noreturn]] void damaged(const std::string& finding, const std::string& file) {
  throw FormatError(finding, "the file is damaged: copy it again", {file});
}

void check(std::uint32_t given, std::uint32_t found, const char* what, const std::string& file) {
  if (given != 0 && given != found) damaged(fmt::format("the checksum of {} is wrong", what), file);
}

std::string unpacked_zstd(std::string_view packed, std::size_t size, const std::string& file) {
  std::string content(size, '\0');
  const std::size_t got = ZSTD_decompress(content.data(), size, packed.data(), packed.size());
  if (ZSTD_isError(got) != 0U || got != size) damaged("a chunk packed with zstd cannot be unpacked", file);
  return content;
}

std::string unpacked_lz4(std::string_view packed, std::size_t size, const std::string& file) {
  std::string content(size, '\0');
  LZ4F_dctx* context = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0U) throw std::bad_alloc();
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> owner(context,
                                                                                   LZ4F_freeDecompressionContext);
  std::size_t written = 0, read = 0, more = 1;
  while (more != 0 && read < packed.size()) {
    std::size_t out = size - written, in = packed.size() - read;
    more = LZ4F_decompress(context, content.data() + written, &out, packed.data() + read, &in, nullptr);
    if (LZ4F_isError(more) != 0U || (out == 0 && in == 0)) damaged("a chunk packed with lz4 cannot be unpacked", file);
    written += out;
    read += in;
  }
  if (more != 0 || written != size || read != packed.size())
    damaged("a chunk packed with lz4 cannot be unpacked", file);
  return content;
}

/// The records in a chunk, in `room` where they had to be unpacked; compressions are told apart here.
std::string_view content_of_chunk(ByteFields& fields, const std::string& file, std::string& room) {
  fields.take(16);  // times of its first and last message
  const std::uint64_t size = fields.u64();
  const std::uint32_t crc = fields.u32();
  const std::string_view compression = fields.text();
  const std::string_view packed = fields.take(fields.u64());
  const bool zstd = compression == "zstd", lz4 = compression == "lz4";
  if (!compression.empty() && !zstd && !lz4)
    throw FormatError(fmt::format("is packed with '{}'", printable(compression)),
                      "plain chunks and those packed with zstd or lz4 are read: `mcap decompress` writes them", {file});
  if (zstd || lz4) {
    if (size > largest_record || (size > free_growth && size / largest_growth > packed.size()))
      throw FormatError(fmt::format("a chunk grows from {} to {} bytes when it is unpacked", packed.size(), size),
                        "no log does; `mcap decompress` unpacks it if you trust it", {file});
    room = zstd ? unpacked_zstd(packed, size, file) : unpacked_lz4(packed, size, file);
  } else if (packed.size() != size) {
    damaged("a chunk has another size than it says", file);
  }
  const std::string_view content = zstd || lz4 ? std::string_view(room) : packed;
  check(crc, crc32(content), "a chunk", file);
  return content;
}

}  // namespace

void walk_records(ByteSource& source, const std::string& file,
                  const std::function<void(Opcode opcode, std::string_view content)>& each) {
  Stream stream(source, file);
  if (stream.take(magic.size()) != magic) throw FormatError("is no MCAP file", "is its name right?", {file});
  bool in_data = true;
  for (bool first = true;; first = false) {
    const std::uint32_t crc_before = stream.crc();
    const std::string start = stream.take(9);
    ByteFields lead(start, "a record", file);
    const unsigned opcode = lead.u8();
    const std::uint64_t size = lead.u64();
    if (opcode == 0 || (first && opcode != header)) damaged("a record cannot be read", file);
    if (size > largest_record)
      throw FormatError(fmt::format("a record is larger than {} bytes", largest_record), "is the file damaged?",
                        {file});
    const std::string content = stream.take(size);
    ByteFields fields(content, "a record", file);
    if (opcode == data_end) {
      if (!in_data) damaged("the data end twice", file);
      check(fields.u32(), crc_before, "the data", file);
      in_data = false;
    } else if (opcode == footer) {
      if (in_data) damaged("the data have no end", file);
      if (stream.take(magic.size()) != magic || !stream.at_end()) damaged("something follows the last record", file);
      return;
    } else if (in_data && opcode == chunk) {
      std::string room;
      ByteFields inside(content_of_chunk(fields, file, room), "a chunk", file);
      while (!inside.empty()) {
        const unsigned inner = inside.u8();
        const std::string_view body = inside.take(inside.u64());
        if (inner != schema && inner != channel && inner != message) damaged("a chunk holds a strange record", file);
        each(static_cast<Opcode>(inner), body);
      }
    } else if (in_data && opcode <= data_end && opcode != message_index) {
      each(static_cast<Opcode>(opcode), content);
    }
  }
}

}  // namespace armature::formats::mcap
