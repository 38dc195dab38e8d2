// Bytes as binary formats lay them out: integers with the low byte first, and the checksum they agree on.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "armature/rooms.hpp"

namespace armature::formats {

/// CRC-32 as in ZIP, PNG and MCAP (ISO 3309): of `bytes` after those whose checksum is `before`.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

/// A growing piece of a file.
class Bytes {
 public:
  Bytes& u8(std::uint64_t number) { return integer(number, 1); }
  Bytes& u16(std::uint64_t number) { return integer(number, 2); }
  Bytes& u32(std::uint64_t number) { return integer(number, 4); }
  Bytes& u64(std::uint64_t number) { return integer(number, 8); }
  Bytes& f64(double number);
  Bytes& raw(std::string_view bytes) {
    data_ += bytes;
    return *this;
  }
  void reserve(std::size_t size) { data_.reserve(size); }
  [[nodiscard]] const std::string& data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return data_.size(); }

 private:
  Bytes& integer(std::uint64_t number, int bytes) {
    for (int i = 0; i < bytes; ++i) data_ += static_cast<char>(number >> (8 * i) & 0xFF);
    return *this;
  }
  std::string data_;
};

/// Takes pieces of a file apart. Throws FormatError with `what` ("the directory ends early") where a field ends beyond the piece.
class ByteFields {
 public:
  ByteFields(std::string_view data, std::string what, std::string file)
      : data_(data), what_(std::move(what)), file_(std::move(file)) {}

  std::string_view take(std::uint64_t size);
  std::uint64_t integer(int bytes);
  unsigned u8() { return static_cast<unsigned>(integer(1)); }
  unsigned u16() { return static_cast<unsigned>(integer(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(integer(4)); }
  std::uint64_t u64() { return integer(8); }
  /// A length of four bytes, then that many bytes.
  std::string_view text() { return take(u32()); }
  [[nodiscard]] bool empty() const { return data_.empty(); }
  [[nodiscard]] std::string_view rest() const { return data_; }

 private:
  std::string_view data_;
  std::string what_, file_;
};

/// Hands bytes to an open file and counts them. Throws Error when the file takes no more.
class ByteSink {
 public:
  ByteSink(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {}
  void write(std::string_view bytes);
  void flush();
  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] std::uint32_t crc() const { return crc_; }  // of everything so far
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::FILE* file_;
  std::string name_;
  std::uint64_t position_ = 0;
  std::uint32_t crc_ = 0;
};

}  // namespace armature::formats
