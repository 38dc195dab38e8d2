#include "armature/numerics/quadrature.hpp"

#include <cmath>
#include <utility>

#include "armature/core/units.hpp"

namespace armature::numerics {

//  The roots x of Legendre's polynomial P_n by Newton, from (k+1) P_{k+1} = (2k+1) x P_k - k P_{k-1};
//  weights 2/((1 - x²) P_n'²) on [-1, 1].
Quadrature gauss_legendre(int n) {
  Quadrature rule;
  for (int i = 0; i < n; ++i) {
    double x = -std::cos(pi * (i + 0.75) / (n + 0.5)), slope = 0;
    for (int round = 0; round < 50; ++round) {
      double p = 1, before = 0;
      for (int k = 0; k < n; ++k) {
        const double older = std::exchange(before, p);
        p = ((2 * k + 1) * x * before - k * older) / (k + 1);
      }
      slope = n * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    rule.at.push_back((1 + x) / 2);
    rule.weight.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

}  // namespace armature::numerics
