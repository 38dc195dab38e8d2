#include "armature/scalar/sin_cos.hpp"

#include <cmath>
#include <cstdint>

#include "armature/scalar/internal/sine_lanes.hpp"
#include "armature/scalar/wide_registers.hpp"

namespace armature::scalar {

namespace {

using FourLanes = double __attribute__((vector_size(4 * sizeof(double)), aligned(8)));
using FourBits = std::int64_t __attribute__((vector_size(4 * sizeof(double)), aligned(8)));

void four_at(const double* x, double* s, double* c) {
  FourLanes angle, sine, cosine;
  __builtin_memcpy(&angle, x, sizeof angle);
  sin_cos_lanes<FourLanes, FourBits>(angle, sine, cosine);
  __builtin_memcpy(s, &sine, sizeof sine);
  __builtin_memcpy(c, &cosine, sizeof cosine);
}

void up_to_three(const double* x, int count, double* s, double* c) {
  const FourLanes angle{x[0], count > 1 ? x[1] : 0, count > 2 ? x[2] : 0, 0};
  FourLanes sine, cosine;
  sin_cos_lanes<FourLanes, FourBits>(angle, sine, cosine);
  for (int i = 0; i < count; ++i) {
    s[i] = sine[i];
    c[i] = cosine[i];
  }
}

}  // namespace

void sin_cos(const double* x, int count, double* s, double* c) {
  in_wide_registers<Pack>([&] {  // lanes like those of a Pack: without AVX2 they take twice the time
    if (count < 4) {
      if (count > 0) up_to_three(x, count, s, c);
    } else {
      for (int i = 0; i + 4 <= count; i += 4) four_at(x + i, s + i, c + i);
      if (count % 4 != 0) four_at(x + count - 4, s + count - 4, c + count - 4);  // some of them a second time
    }
  });
  int small = 0;
  for (int i = 0; i < count; ++i) small += std::abs(x[i]) <= largest_sine_lane;
  if (small == count) return;
  for (int i = 0; i < count; ++i)
    if (!(std::abs(x[i]) <= largest_sine_lane)) {  // also what is not a number
      s[i] = std::sin(x[i]);
      c[i] = std::cos(x[i]);
    }
}

}  // namespace armature::scalar
