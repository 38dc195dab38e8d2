#include "armature/scalar/pack.hpp"

#include <cmath>
#include <cstdint>

#include "armature/scalar/internal/sine_lanes.hpp"
#include "armature/scalar/sin_cos.hpp"
#include "armature/scalar/tanh_lanes.hpp"
#include "armature/scalar/wide_registers.hpp"

namespace armature::scalar {

namespace {

using Piece = Pack::Piece;
using Bits = std::int64_t __attribute__((vector_size(sizeof(Piece)), aligned(8)));

template <class F>
Pack lane_by_lane(F f) {
  Pack result;
  for (int lane = 0; lane < Pack::width; ++lane) result.set(lane, f(lane));
  return result;
}

}  // namespace

void sin_cos(const Pack* x, int count, Pack* s, Pack* c) {
  in_wide_registers<Pack>([&] {
    for (int k = 0; k < count; ++k)
      for (int part = 0; part < Pack::pieces; ++part) {
        Piece angle, sine, cosine;
        x[k].load(part, angle);
        sin_cos_lanes<Piece, Bits>(angle, sine, cosine);
        s[k].store(part, sine);
        c[k].store(part, cosine);
      }
  });
  for (int k = 0; k < count; ++k) {
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
  Pack result;
  in_wide_registers<Pack>([&] {
    for (int part = 0; part < Pack::pieces; ++part) {
      Piece x, y;
      a.load(part, x);
      tanh_lanes<Piece, Bits>(x, y);
      result.store(part, y);
    }
  });
  return result;
}
Pack atan2(const Pack& y, const Pack& x) {
  return lane_by_lane([&](int i) { return std::atan2(y[i], x[i]); });
}

}  // namespace armature::scalar
