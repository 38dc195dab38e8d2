// Numbers that look random but are functions of their argument.
#pragma once

#include <cstdint>
#include <cstring>

#include "armature/rooms.hpp"

namespace armature::core {

/// Finalizer of SplitMix64 [Steele2014]: every input bit reaches every output bit.
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

inline std::uint64_t bits_of(double x) {
  std::uint64_t u = 0;
  std::memcpy(&u, &x, sizeof u);
  return u;
}

}  // namespace armature::core
