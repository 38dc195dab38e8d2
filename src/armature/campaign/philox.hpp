// Random numbers by counter: a function of key and counter alone, so that every run has its own whatever ran before it.
#pragma once

#include <array>
#include <cstdint>

#include "armature/rooms.hpp"

namespace armature::campaign {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// Philox4x32 with ten rounds [Salmon2011].
inline PhiloxCounter philox(PhiloxCounter c, PhiloxKey k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0], b = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(a)};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c;
}

/// The random numbers of a campaign: those of one purpose do not meet those of another.
class RandomField {
 public:
  enum class Purpose : std::uint32_t { draw, shuffle, scramble, jitter };

  explicit RandomField(std::uint64_t seed)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)} {}

  [[nodiscard]] PhiloxCounter words(Purpose purpose, std::uint64_t index, std::uint32_t dimension) const {
    const auto high = static_cast<std::uint32_t>(index >> 32);
    return philox({static_cast<std::uint32_t>(index), high, dimension, static_cast<std::uint32_t>(purpose)}, key_);
  }
  [[nodiscard]] std::uint64_t bits(Purpose purpose, std::uint64_t index, std::uint32_t dimension) const {
    const PhiloxCounter w = words(purpose, index, dimension);
    return w[0] | std::uint64_t{w[1]} << 32;
  }
  /// Uniform between 0 and 1, never either.
  [[nodiscard]] double uniform(Purpose purpose, std::uint64_t index, std::uint32_t dimension) const {
    return (static_cast<double>(bits(purpose, index, dimension) >> 12) + 0.5) * 0x1.0p-52;
  }

 private:
  PhiloxKey key_;
};

}  // namespace armature::campaign
