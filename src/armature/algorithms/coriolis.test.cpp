#include "armature/algorithms/coriolis.hpp"

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/lagrange.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

TEST_CASE("the Coriolis matrix times the velocity is the Coriolis torque") {
  for (const auto& [arm, q, qd, qdd] : samples()) {
    CAPTURE(arm.name());
    CHECK(relative_error(coriolis_matrix<double>(arm, q, qd) * qd, coriolis_torque<double>(arm, q, qd)) < 1e-12);
  }
}

TEST_CASE("the mass matrix changes at the rate C + C', so that dM/dt - 2C is skew") {
  for (const auto& [arm, q, qd, qdd] : samples()) {
    CAPTURE(arm.name());
    const MatX<double> rate = slope_of(mass_matrix<Dual>(arm, with_slope(q, qd)));
    const MatX<double> C = coriolis_matrix<double>(arm, q, qd);
    CHECK(relative_error(C + C.transpose(), rate) < 1e-12);
  }
}

TEST_CASE("entry by entry it is the Christoffel symbols, differentiated from the mass matrix and traced by Lagrange") {
  for (const auto& [arm, q, qd, qdd] : samples(2)) {
    CAPTURE(arm.name());
    const int n = arm.dof();
    std::vector<MatX<double>> dM;  // dM/dq_k, by dual numbers
    for (int k = 0; k < n; ++k) dM.push_back(slope_of(mass_matrix<Dual>(arm, with_slope(q, VecX<double>::Unit(n, k)))));
    const LagrangeForm<double> D(arm, q);
    MatX<double> christoffel = MatX<double>::Zero(n, n), traced = MatX<double>::Zero(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) {
          christoffel(i, j) += 0.5 * (dM[k](i, j) + dM[j](i, k) - dM[i](j, k)) * qd[k];
          traced(i, j) += D.coriolis(i, j, k) * qd[k];
        }
    const MatX<double> C = coriolis_matrix<double>(arm, q, qd);
    CHECK(relative_error(C, christoffel) < 1e-12);
    CHECK(relative_error(C, traced) < 1e-12);
  }
}
