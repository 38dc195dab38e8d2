#include "armature/scalar/pack.hpp"

#include <cmath>
#include <cstdint>

#include "armature/scalar/sin_cos.hpp"
#include "armature/scalar/sine_lanes.hpp"
#include "armature/scalar/tanh_lanes.hpp"

namespace armature::scalar {

namespace {

using Lanes = Pack::Lanes;
using Bits = std::int64_t __attribute__((vector_size(Pack::width * sizeof(double)), aligned(8)));

template <class F>
Pack lane_by_lane(F f) {
  Pack result;
  for (int lane = 0; lane < Pack::width; ++lane) result.set(lane, f(lane));
  return result;
}

}  // namespace

void sin_cos(const Pack* x, int count, Pack* s, Pack* c) {
  for (int k = 0; k < count; ++k) {
    Lanes angle, sine, cosine;
    x[k].load(angle);
    sin_cos_lanes<Lanes, Bits>(angle, sine, cosine);
    s[k] = Pack(sine);
    c[k] = Pack(cosine);
    int small = 0;
    for (int lane = 0; lane < Pack::width; ++lane) small += std::abs(x[k][lane]) <= largest_sine_lane;
    if (small == Pack::width) continue;
    for (int lane = 0; lane < Pack::width; ++lane)
      if (const double a = x[k][lane]; !(std::abs(a) <= largest_sine_lane)) {  // also what is not a number
        s[k].set(lane, std::sin(a));
        c[k].set(lane, std::cos(a));
      }
  }
}

Pack sin(const Pack& a) {
  Pack s, c;
  sin_cos(&a, 1, &s, &c);
  return s;
}
Pack cos(const Pack& a) {
  Pack s, c;
  sin_cos(&a, 1, &s, &c);
  return c;
}
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
