#include "armature/algorithms/derivatives.hpp"

#include "armature/algorithms/coriolis.hpp"
#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/numerics/ldlt.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

namespace {

std::vector<BodyWrench<double>> random_wrenches(int dof, Random& random) {
  std::vector<BodyWrench<double>> wrenches;
  const auto vector = [&]() -> Vec3<double> {
    return Vec3<double>(random.normal(), random.normal(), random.normal()) * 10;
  };
  for (int i = 0; i < dof; ++i) wrenches.push_back({i, vector(), vector()});
  return wrenches;
}

/// The same wrenches as constants for dual numbers.
std::vector<BodyWrench<Dual>> constant(const std::vector<BodyWrench<double>>& wrenches) {
  std::vector<BodyWrench<Dual>> all;
  for (const auto& w : wrenches) all.push_back({w.body, w.f.cast<Dual>(), w.mu.cast<Dual>()});
  return all;
}

}  // namespace

TEST_CASE("derivatives of the torque are what dual numbers find, column by column, with wrenches on every body") {
  Random random(21);
  for (const auto& [arm, q, qd, qdd] : samples()) {
    CAPTURE(arm.name());
    const int n = arm.dof();
    const auto wrenches = random_wrenches(n, random);
    InverseDynamicsDerivatives<double> d;
    inverse_dynamics_derivatives<double>(arm, q, qd, qdd, wrenches, d);
    MatX<double> dq(n, n), dqd(n, n);
    const VecX<double> none = VecX<double>::Zero(n);
    for (int k = 0; k < n; ++k) {
      const VecX<double> unit = VecX<double>::Unit(n, k);
      VecX<Dual> tau;
      inverse_dynamics<Dual>(arm, with_slope(q, unit), with_slope(qd, none), with_slope(qdd, none), constant(wrenches),
                             tau);
      dq.col(k) = slope_of(tau);
      inverse_dynamics<Dual>(arm, with_slope(q, none), with_slope(qd, unit), with_slope(qdd, none), constant(wrenches),
                             tau);
      dqd.col(k) = slope_of(tau);
    }
    CHECK(relative_error(d.dq, dq) < 1e-11);
    CHECK(relative_error(d.dqd, dqd) < 1e-11);
    CHECK(relative_error(d.dqd, 2 * coriolis_matrix<double>(arm, q, qd)) < 1e-12);
    CHECK(relative_error(d.M, mass_matrix<double>(arm, q)) < 1e-12);
  }
}

TEST_CASE("derivatives of the acceleration are what dual numbers find, measured as torques") {
  Random random(22);
  for (const auto& [arm, q, qd, qdd] : samples()) {
    CAPTURE(arm.name());
    const int n = arm.dof();
    const auto wrenches = random_wrenches(n, random);
    VecX<double> tau;
    inverse_dynamics<double>(arm, q, qd, qdd, wrenches, tau);
    ForwardDynamicsDerivatives<double> d;
    forward_dynamics_derivatives<double>(arm, q, qd, tau, wrenches, d);
    const MatX<double> M = mass_matrix<double>(arm, q);
    InverseDynamicsDerivatives<double> torque;
    inverse_dynamics_derivatives<double>(arm, q, qd, qdd, wrenches, torque);
    const VecX<double> none = VecX<double>::Zero(n);
    for (int k = 0; k < n; ++k) {
      const VecX<double> unit = VecX<double>::Unit(n, k);
      const auto residual = [&, &arm = arm, &q = q, &qd = qd](const VecX<double>& dq, const VecX<double>& dqd,
                                                              const VecX<double>& dtau, const VecX<double>& column,
                                                              const VecX<double>& as_torque) {
        VecX<Dual> acceleration;
        forward_dynamics<Dual>(arm, with_slope(q, dq), with_slope(qd, dqd), with_slope(tau, dtau), constant(wrenches),
                               acceleration);
        const VecX<double> difference = M * (column - slope_of(acceleration));
        return difference.cwiseAbs().maxCoeff() / std::max(1.0, as_torque.cwiseAbs().maxCoeff());
      };
      CHECK(residual(unit, none, none, d.dq.col(k), torque.dq.col(k)) < 1e-11);
      CHECK(residual(none, unit, none, d.dqd.col(k), torque.dqd.col(k)) < 1e-11);
      CHECK(residual(none, none, unit, d.dtau.col(k), unit) < 1e-11);
    }
    CHECK((M * (d.qdd - qdd)).cwiseAbs().maxCoeff() < 1e-11 * std::max(1.0, tau.cwiseAbs().maxCoeff()));
  }
}

TEST_CASE("LDL' solves positive definite equations, for dual numbers with the derivative of the solution") {
  Random random(23);
  for (int n = 1; n <= max_joints; ++n) {
    MatX<double> B(n, n), slope(n, n);
    for (int k = 0; k < n * n; ++k) {
      B(k) = random.normal();
      slope(k) = random.normal();
    }
    const MatX<double> A = B * B.transpose() + MatX<double>::Identity(n, n);
    slope = MatX<double>(slope + slope.transpose());
    const VecX<double> b = random_vector(n, random);
    MatX<Dual> LD(n, n);
    VecX<Dual> x(n);
    for (int k = 0; k < n * n; ++k) LD(k) = Dual(A(k), slope(k));
    for (int k = 0; k < n; ++k) x[k] = b[k];
    ldlt_in_place(LD);
    ldlt_solve_in_place(LD, x);
    VecX<double> value(n);
    for (int k = 0; k < n; ++k) value[k] = x[k].value;
    CHECK(relative_error(A * value, b) < 1e-12);
    CHECK((A * slope_of(x) + slope * value).cwiseAbs().maxCoeff() < 1e-11 * (1 + slope.norm()));  // d(A x) = 0
  }
}
