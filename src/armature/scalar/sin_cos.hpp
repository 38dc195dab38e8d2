// Sines and cosines of all joints of an arm in one call.
#pragma once

#include "armature/scalar/pack.hpp"
#include "armature/scalar/scalar.hpp"

namespace armature::scalar {

/// s[i] = sin(x[i]), c[i] = cos(x[i]) for i < count.
template <Scalar S>
void sin_cos(const S* x, int count, S* s, S* c) {
  for (int i = 0; i < count; ++i) {
    s[i] = sin(x[i]);
    c[i] = cos(x[i]);
  }
}

/// Several at a time, within 2 ulp of libm, and the same bits as Pack's; libm itself for |x| > 1e5.
void sin_cos(const double* x, int count, double* s, double* c);
void sin_cos(const Pack* x, int count, Pack* s, Pack* c);

}  // namespace armature::scalar
