// Sine and cosine of several numbers side by side, in vector registers. For .cpp files that compute many.
#pragma once

#include <cstdint>

#include "armature/rooms.hpp"

namespace armature::scalar {

/// Up to this size of x the lanes below are within 2 ulp of libm; what is larger belongs to libm.
inline constexpr double largest_sine_lane = 1e5;

/// s = sin(x), c = cos(x); `Lanes` is a vector of doubles, `Bits` one of as many std::int64_t. Plain sums and products without a
/// branch: every compiler gives the same bits for any number of lanes, unless it contracts them.
///
/// x = k π/2 + r with |r| <= π/4: π/2 in three pieces, the first two short enough for k times them to be exact while |k| < 2^17
/// [Cody1980]. Then minimax polynomials; coefficients of fdlibm's kernels (Sun Microsystems 1993).
template <class Lanes, class Bits>
void sin_cos_lanes(const Lanes& x, Lanes& s, Lanes& c) {
  constexpr double pio2_1 = 0x1.921fb544p+0, pio2_2 = 0x1.0b4611a6p-34, pio2_3 = 0x1.3198a2e037073p-69;
  constexpr double shifter = 0x1.8p52;  // adding it rounds to the nearest integer, left in the low bits
  const Lanes shifted = x * 0.63661977236758134308 + shifter;
  const Lanes k = shifted - shifter;
  const Lanes r = ((x - k * pio2_1) - k * pio2_2) - k * pio2_3;
  const Lanes z = r * r;

  Lanes p = Lanes{} + 1.58969099521155010221e-10;
  for (const double a : {-2.50507602534068634195e-08, 2.75573137070700676789e-06, -1.98412698298579493134e-04,
                         8.33333333332248946124e-03, -1.66666666666666324348e-01})
    p = p * z + a;
  const Lanes sine = r + r * z * p;

  p = Lanes{} - 1.13596475577881948265e-11;
  for (const double a : {2.08757232129817482790e-09, -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                         -1.38888888888741095749e-03, 4.16666666666666019037e-02})
    p = p * z + a;
  const Lanes half = 0.5 * z;
  const Lanes w = 1.0 - half;
  const Lanes cosine = w + (((1.0 - w) - half) + z * z * p);

  Bits quadrant;
  __builtin_memcpy(&quadrant, &shifted, sizeof quadrant);
  const Bits odd = (quadrant & 1) != 0;
  const Bits s_negative = (quadrant & 2) != 0;
  const Bits c_negative = ((quadrant + 1) & 2) != 0;
  s = odd ? cosine : sine;
  c = odd ? sine : cosine;
  s = s_negative ? -s : s;
  c = c_negative ? -c : c;
}

}  // namespace armature::scalar
