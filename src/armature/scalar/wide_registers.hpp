// Eight numbers at once in the widest registers of the machine at hand, whatever the library was compiled for.
#pragma once

#include <type_traits>

#include "armature/scalar/pack.hpp"

namespace armature::scalar {

#if defined(__x86_64__) && !defined(__AVX2__)

/// f() with all that it calls in this file compiled for AVX2. Without fused products the bits are the same.
template <class F>
[[gnu::target("avx2"), gnu::flatten, gnu::noinline]] void with_avx2(const F& f) {
  f();
}

/// Calls f, which computes with S. For Pack a second copy of its code has registers of four doubles, and runs where the machine has
/// them; for other numbers this is f().
template <Scalar S, class F>
[[gnu::always_inline]] inline void in_wide_registers(const F& f) {
  if constexpr (std::is_same_v<S, Pack>)
    if (__builtin_cpu_supports("avx2")) return with_avx2(f);
  f();
}

#else  // other machines, and those compiled for in particular: the compiler knows their registers

template <Scalar S, class F>
[[gnu::always_inline]] inline void in_wide_registers(const F& f) {
  f();
}

#endif

}  // namespace armature::scalar
