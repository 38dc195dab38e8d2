// What the elements do to the axes, added up, in one mode.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "armature/scalar/dual.hpp"
#include "armature/scalar/matrix.hpp"

namespace armature::plant {

inline constexpr int max_axes = 64;

/// An element finds what it needs of the state and adds its torques, the rates of its inner states and its power.
template <Scalar S>
struct Forces {
  Forces(int axes, int inner_states) {  // only what is there: a machine has few of the axes it might have
    std::fill_n(drive.begin(), axes, S(0));
    std::fill_n(friction.begin(), axes, S(0));
    std::fill_n(rate.begin(), inner_states, S(0));
  }
  std::array<S, max_axes> drive;           // of motors and springs [N m]
  std::array<S, max_axes> friction;        // to be subtracted; zero at stuck axes
  std::array<S, max_axes> rate;            // d/dt of the inner states, from 2 axes on
  Vec6<S> tool = Vec6<S>::Constant(S(0));  // wrench on the tool in world axes
  S supplied = S(0), dissipated = S(0);    // [W]
};

inline double magnitude(double x) { return std::abs(x); }
inline Dual magnitude(const Dual& x) { return x.value < 0 ? -x : x; }

inline bool below(double a, double b) { return a < b; }
inline bool below(const Dual& a, const Dual& b) { return a.value < b.value; }

inline double clamped(double x, const std::optional<double>& limit) {
  return limit ? std::min(std::max(x, -*limit), *limit) : x;
}
inline Dual clamped(const Dual& x, const std::optional<double>& limit) {
  return limit && std::abs(x.value) > *limit ? Dual(x.value > 0 ? *limit : -*limit) : x;
}

}  // namespace armature::plant
