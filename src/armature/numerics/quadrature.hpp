// Integrals of smooth functions.
#pragma once

#include <vector>

#include "armature/rooms.hpp"

namespace armature::numerics {

/// The integral of f over [0, 1] is the sum of weight * f(at).
struct Quadrature {
  std::vector<double> at, weight;
};
/// The rule of Gauss and Legendre with n points: exact for polynomials up to degree 2 n - 1.
Quadrature gauss_legendre(int n);

}  // namespace armature::numerics
