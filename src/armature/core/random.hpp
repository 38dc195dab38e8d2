// Random numbers that are the same on every machine (std::normal_distribution is not).
#pragma once

#include <cmath>
#include <cstdint>

#include "armature/rooms.hpp"

namespace armature::core {

/// SplitMix64 [Steele2014]: small, fast, seedable, equal everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  double uniform(double lower, double upper) { return lower + (upper - lower) * uniform(); }
  /// Standard normal, by the polar method of Marsaglia.
  double normal() {
    double u = 0, v = 0, s = 0;
    do u = uniform(-1, 1), v = uniform(-1, 1), s = u * u + v * v;
    while (s >= 1 || s == 0);
    return u * std::sqrt(-2 * std::log(s) / s);
  }

 private:
  std::uint64_t state_;
};

}  // namespace armature::core
