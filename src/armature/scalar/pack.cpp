#include "armature/scalar/pack.hpp"

#include <cmath>
#include <cstdint>

#include "armature/scalar/tanh_lanes.hpp"

namespace armature::scalar {

namespace {

using Lanes = Pack::Lanes;
using Bits = std::int64_t __attribute__((vector_size(Pack::width * sizeof(double)), aligned(8)));

// x = k π/2 + r with |r| <= π/4: π/2 in three pieces, the first two short enough for k times them to be exact while
// |k| < 2^17 [Cody1980].
constexpr double pio2_1 = 0x1.921fb544p+0, pio2_2 = 0x1.0b4611a6p-34, pio2_3 = 0x1.3198a2e037073p-69;
constexpr double shifter = 0x1.8p52;  // adding it rounds to the nearest integer, left in the low bits

// Minimax polynomials on [-π/4, π/4]; coefficients of fdlibm's kernels (Sun Microsystems 1993).
void kernel_sin(const Lanes& r, const Lanes& z, Lanes& s) {
  Lanes p = Lanes{} + 1.58969099521155010221e-10;
  for (const double c : {-2.50507602534068634195e-08, 2.75573137070700676789e-06, -1.98412698298579493134e-04,
                         8.33333333332248946124e-03, -1.66666666666666324348e-01})
    p = p * z + c;
  s = r + r * z * p;
}
void kernel_cos(const Lanes& z, Lanes& c_out) {
  Lanes p = Lanes{} - 1.13596475577881948265e-11;
  for (const double c : {2.08757232129817482790e-09, -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                         -1.38888888888741095749e-03, 4.16666666666666019037e-02})
    p = p * z + c;
  const Lanes half = 0.5 * z, w = 1.0 - half;
  c_out = w + (((1.0 - w) - half) + z * z * p);
}

/// sin(x + quarter π/2)
Pack sine(const Pack& a, std::int64_t quarter) {
  Lanes x, s, c;
  a.load(x);
  const Lanes shifted = x * 0.63661977236758134308 + shifter;
  const Lanes k = shifted - shifter;
  const Lanes r = ((x - k * pio2_1) - k * pio2_2) - k * pio2_3;
  Bits quadrant;
  __builtin_memcpy(&quadrant, &shifted, sizeof quadrant);
  quadrant += quarter;
  const Lanes z = r * r;
  kernel_sin(r, z, s);
  kernel_cos(z, c);
  const Bits odd = (quadrant & 1) != 0, negative = (quadrant & 2) != 0;
  const Lanes value = odd ? c : s;
  return Pack(negative ? -value : value);
}

template <class F>
Pack lane_by_lane(F f) {
  Pack result;
  for (int lane = 0; lane < Pack::width; ++lane) result.set(lane, f(lane));
  return result;
}

}  // namespace

Pack sin(const Pack& a) { return sine(a, 0); }
Pack cos(const Pack& a) { return sine(a, 1); }
Pack sqrt(const Pack& a) {
  return lane_by_lane([&](int i) { return std::sqrt(a[i]); });
}
Pack exp(const Pack& a) {
  return lane_by_lane([&](int i) { return std::exp(a[i]); });
}
Pack tanh(const Pack& a) {
  Lanes x, y;
  a.load(x);
  tanh_lanes<Lanes, Bits>(x, y);
  return Pack(y);
}
Pack atan2(const Pack& y, const Pack& x) {
  return lane_by_lane([&](int i) { return std::atan2(y[i], x[i]); });
}

}  // namespace armature::scalar
