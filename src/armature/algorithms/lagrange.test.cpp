#include "armature/algorithms/lagrange.hpp"

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

TEST_CASE("Lagrange and Newton–Euler ask for the same torques") {
  for (const auto& [arm, q, qd, qdd] : samples()) {
    CAPTURE(arm.name());
    CHECK(relative_error(lagrange_inverse_dynamics<double>(arm, q, qd, qdd),
                         inverse_dynamics<double>(arm, q, qd, qdd)) < 1e-12);
  }
}

TEST_CASE("the coefficients are the mass matrix, its Christoffel symbols and gravity") {
  for (const auto& [arm, q, qd, qdd] : samples(1)) {
    CAPTURE(arm.name());
    const int n = arm.dof();
    const LagrangeForm<double> D(arm, q);
    const MatX<double> M = mass_matrix<double>(arm, q);
    const VecX<double> g = gravity_torque<double>(arm, q);
    std::vector<MatX<double>> dM;  // dM/dq_k, by dual numbers
    for (int k = 0; k < n; ++k) dM.push_back(slope_of(mass_matrix<Dual>(arm, with_slope(q, VecX<double>::Unit(n, k)))));
    double scale = 1, worst = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) {
          const double christoffel = 0.5 * (dM[k](i, j) + dM[j](i, k) - dM[i](j, k));
          scale = std::max(scale, std::abs(christoffel));
          worst = std::max(worst, std::abs(D.coriolis(i, j, k) - christoffel));
        }
    CHECK(worst < 1e-12 * scale);
    MatX<double> inertia(n, n);
    VecX<double> gravity(n);
    for (int i = 0; i < n; ++i) {
      gravity[i] = D.gravity(i);
      for (int j = 0; j < n; ++j) inertia(i, j) = D.inertia(i, j);
    }
    CHECK(relative_error(inertia, M) < 1e-12);
    CHECK(relative_error(gravity, g) < 1e-12);
  }
}
