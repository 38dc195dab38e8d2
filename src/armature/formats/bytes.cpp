#include "armature/formats/bytes.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "armature/core/error.hpp"

namespace armature::formats {

namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t r = i;
    for (int bit = 0; bit < 8; ++bit) r = (r & 1) != 0 ? r >> 1 ^ 0xEDB88320U : r >> 1;
    table[i] = r;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> table = make_table();

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  std::uint32_t r = ~before;
  for (const char c : bytes) r = r >> 8 ^ table[(r ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~r;
}

Bytes& Bytes::f64(double number) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return u64(bits);
}

std::string_view ByteFields::take(std::uint64_t size) {
  if (size > data_.size()) throw FormatError(what_ + " ends early", "the file is damaged: copy it again", {file_});
  const std::string_view taken = data_.substr(0, static_cast<std::size_t>(size));
  data_.remove_prefix(taken.size());
  return taken;
}

std::uint64_t ByteFields::integer(int bytes) {
  std::uint64_t number = 0;
  int bit = 0;
  for (const char c : take(static_cast<std::uint64_t>(bytes))) {
    number |= std::uint64_t{static_cast<unsigned char>(c)} << bit;
    bit += 8;
  }
  return number;
}

void ByteSink::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
    throw Error(fmt::format("cannot be written: {}", std::strerror(errno)), "is the disk full?", {name_});
  position_ += bytes.size();
  crc_ = crc32(bytes, crc_);
}

void ByteSink::flush() {
  if (std::fflush(file_) != 0)
    throw Error(fmt::format("cannot be written: {}", std::strerror(errno)), "is the disk full?", {name_});
}

}  // namespace armature::formats
