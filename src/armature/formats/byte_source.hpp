// Bytes from outside, in order: a file, the standard input, or what a file packed with xz holds. A source of any length needs the
// same memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "armature/rooms.hpp"

namespace armature::formats {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// What unpacking may cost. A file may grow by `largest_growth` once it has given `free_growth` bytes: logs grow by 3 to 100, only
/// files made to fill a disk by more.
inline constexpr std::uint64_t unpacking_memory = std::uint64_t{256} << 20;  // [bytes]; `xz -9` needs a quarter of it
inline constexpr std::uint64_t largest_growth = 1000, free_growth = std::uint64_t{64} << 20;

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Puts at most `most` bytes at `to` and says how many; 0 at the end. Throws FormatError.
  virtual std::size_t read(char* to, std::size_t most) = 0;
};

/// The file at `path`; the standard input where `path` is "-". A name that ends in .xz is unpacked while it is read. Throws
/// FormatError.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);
/// An open file as it is; `name` is its name in messages.
std::unique_ptr<ByteSource> bytes_of(File file, std::string name);
/// What the packed bytes hold.
std::unique_ptr<ByteSource> unpacked_xz(std::unique_ptr<ByteSource> packed, std::string name);

/// A piece of memory, which must outlive the source.
std::unique_ptr<ByteSource> bytes_of(std::string_view memory);

/// Everything that is left. Throws FormatError where that is more than `largest` bytes.
std::string read_all(ByteSource& source, std::size_t largest, const std::string& name);

}  // namespace armature::formats
