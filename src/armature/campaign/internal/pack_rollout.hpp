// The closed loop of codegen/compiled/rollout.hpp on packs: what it asks of a number, for eight at once.
#pragma once

#include <cmath>
#include <cstdint>

#include "armature/codegen/compiled/rollout_numbers.hpp"
#include "armature/scalar/pack.hpp"

namespace armature_rollout {

using armature::scalar::Pack;

/// Where a condition holds: all ones or all zeros in each lane.
struct PackMask {
  using Bits = std::int64_t __attribute__((vector_size(sizeof(Pack::Piece)), aligned(8)));
  std::int64_t lanes[Pack::width];

  [[gnu::always_inline]] void load(int k, Bits& x) const { __builtin_memcpy(&x, lanes + k * Pack::piece, sizeof x); }
  [[gnu::always_inline]] void store(int k, const Bits& x) { __builtin_memcpy(lanes + k * Pack::piece, &x, sizeof x); }
  [[gnu::always_inline]] PackMask& operator|=(const PackMask& b) {
    for (int k = 0; k < Pack::pieces; ++k) {
      Bits x, y;
      load(k, x);
      b.load(k, y);
      store(k, x | y);
    }
    return *this;
  }
};

template <class F>
[[gnu::always_inline]] inline PackMask compared(const Pack& a, const Pack& b, F f) {
  PackMask mask;
  for (int k = 0; k < Pack::pieces; ++k) {
    Pack::Piece x, y;
    a.load(k, x);
    b.load(k, y);
    PackMask::Bits bits;
    f(x, y, bits);
    mask.store(k, bits);
  }
  return mask;
}
[[gnu::always_inline]] inline PackMask operator<(const Pack& a, const Pack& b) {
  return compared(a, b, [](const Pack::Piece& x, const Pack::Piece& y, PackMask::Bits& bits) { bits = x < y; });
}
[[gnu::always_inline]] inline PackMask operator>(const Pack& a, const Pack& b) { return b < a; }
[[gnu::always_inline]] inline PackMask operator<=(const Pack& a, const Pack& b) {
  return compared(a, b, [](const Pack::Piece& x, const Pack::Piece& y, PackMask::Bits& bits) { bits = x <= y; });
}
[[gnu::always_inline]] inline PackMask operator>=(const Pack& a, const Pack& b) { return b <= a; }
[[gnu::always_inline]] inline PackMask beyond(const Pack& x, const Pack& bound) {
  return compared(x, bound, [](const Pack::Piece& a, const Pack::Piece& b, PackMask::Bits& bits) { bits = ~(a <= b); });
}
inline bool everywhere(const PackMask& condition) {
  std::int64_t all = -1;
  for (const std::int64_t lane : condition.lanes) all &= lane;
  return all != 0;
}

[[gnu::always_inline]] inline Pack select(const PackMask& condition, const Pack& yes, const Pack& no) {
  Pack chosen;
  for (int k = 0; k < Pack::pieces; ++k) {
    PackMask::Bits bits;
    Pack::Piece a, b;
    condition.load(k, bits);
    yes.load(k, a);
    no.load(k, b);
    chosen.store(k, bits ? a : b);
  }
  return chosen;
}
[[gnu::always_inline]] inline Pack larger(const Pack& a, const Pack& b) { return select(a < b, b, a); }
[[gnu::always_inline]] inline Pack smaller(const Pack& a, const Pack& b) { return select(b < a, b, a); }
[[gnu::always_inline]] inline Pack magnitude(const Pack& a) { return select(a < Pack(0.0), -a, a); }
/// To even; beyond 2^51 there is no fraction to lose.
[[gnu::always_inline]] inline Pack rounded(const Pack& a) {
  const Pack whole = (a + Pack(0x1.8p52)) - Pack(0x1.8p52);
  return select(magnitude(a) < Pack(0x1p51), whole, a);
}
[[gnu::always_inline]] inline Pack smooth_sign(const Pack& x) { return tanh(x); }
inline Pack acos(const Pack& a) {
  Pack angle;
  for (int i = 0; i < Pack::width; ++i) angle.set(i, std::acos(a[i]));
  return angle;
}

template <>
struct Number<Pack> {
  using Scalar = double;
  using Mask = PackMask;
  static constexpr int lanes = Pack::width;
  static constexpr PackMask nowhere = {};
};

/// The numbers of core/random.hpp, one by one, for every lane its own.
template <>
struct Sequence<Pack> {
  Noise noise[Pack::width];

  explicit Sequence(const uint64_t* seed) {
    for (int lane = 0; lane < Pack::width; ++lane) noise[lane].state = seed[lane];
  }
  template <int most>
  void normal(int count, Pack (&z)[most]) {
    for (int lane = 0; lane < Pack::width; ++lane)
      for (int i = 0; i < count; ++i) {
        double u = 0, s = 0;
        noise[lane].pair(u, s);
        z[i].set(lane, u * std::sqrt(-2 * std::log(s) / s));
      }
  }
};

}  // namespace armature_rollout

#include "armature/codegen/compiled/rollout.hpp"  // finds the functions above
