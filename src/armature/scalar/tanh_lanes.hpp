// The hyperbolic tangent of several numbers side by side, in vector registers. For .cpp files that compute many.
#pragma once

#include <cstdint>

#include "armature/rooms.hpp"

namespace armature::scalar {

/// y = tanh(x), within 3 ulp (libm: 2.2); `Lanes` is a vector of doubles, `Bits` one of as many std::int64_t. Plain sums, products and one
/// quotient without a branch: every compiler gives the same bits, unless it contracts them.
///
/// With e = expm1(2|x|) it is e/(e + 2), and with 2|x| = k ln 2 + r, |r| <= ln 2/2, e = 2^k expm1(r) + (2^k - 1) [Cody1980].
template <class Lanes, class Bits>
void tanh_lanes(const Lanes& x, Lanes& y) {
  constexpr double shifter = 0x1.8p52;  // adding it rounds to a whole number, left in the low bits
  constexpr double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;  // k times the first is exact
  Bits sign, power;
  __builtin_memcpy(&sign, &x, sizeof sign);
  Bits size = sign & 0x7fffffffffffffff;
  sign ^= size;
  Lanes twice;
  __builtin_memcpy(&twice, &size, sizeof twice);
  twice += twice;
  twice = twice > 44.0 ? Lanes{} + 44.0 : twice;  // from there on tanh is 1; not a number stays so
  const Lanes shifted = twice * 0x1.71547652b82fep0 + shifter, k = shifted - shifter;
  const Lanes r = (twice - k * ln2_high) - k * ln2_low;
  // expm1(r) = r + r²/2! + ... + r^13/13!: what is left out is below 2^-56 of it
  const Lanes r2 = r * r, r4 = r2 * r2;
  const Lanes low = (1. / 2 + r * (1. / 6)) + r2 * (1. / 24 + r * (1. / 120));
  const Lanes middle = (1. / 720 + r * (1. / 5040)) + r2 * (1. / 40320 + r * (1. / 362880));
  const Lanes high = (1. / 3628800 + r * (1. / 39916800)) + r2 * (1. / 479001600 + r * (1. / 6227020800));
  const Lanes small = r + r2 * (low + r4 * (middle + r4 * high));
  __builtin_memcpy(&power, &shifted, sizeof power);
  power = (power + 1023) << 52;
  Lanes two_to_k;
  __builtin_memcpy(&two_to_k, &power, sizeof two_to_k);
  const Lanes e = two_to_k * small + (two_to_k - 1.0), ratio = e / (e + 2.0);
  __builtin_memcpy(&size, &ratio, sizeof size);
  size |= sign;
  __builtin_memcpy(&y, &size, sizeof y);
}

}  // namespace armature::scalar
