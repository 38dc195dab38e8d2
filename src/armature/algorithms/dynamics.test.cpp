// Laws that tie the dynamics together, on random arms of 1 to 16 joints.
#include "armature/algorithms/energy.hpp"
#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/scalar/dual.hpp"
#include "armature/scalar/pack.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

TEST_CASE("power into the joints is the rate of change of energy") {
  for (const auto& [arm, q, qd, qdd] : samples()) {
    const Energy<Dual> E = energy<Dual>(arm, with_slope(q, qd), with_slope(qd, qdd));  // d/dt along the motion
    const double power = qd.dot(inverse_dynamics<double>(arm, q, qd, qdd));
    CHECK(E.kinetic.slope + E.potential.slope == doctest::Approx(power).epsilon(1e-10));
  }
}

TEST_CASE("columns of the mass matrix are torques of unit accelerations, and it is symmetric and positive definite") {
  for (const auto& [arm, q, qd, qdd] : samples()) {
    const int n = arm.dof();
    const MatX<double> M = mass_matrix<double>(arm, q);
    const VecX<double> rest = VecX<double>::Zero(n);
    const VecX<double> g = inverse_dynamics<double>(arm, q, rest, rest);
    for (int i = 0; i < n; ++i) {
      const VecX<double> unit = VecX<double>::Unit(n, i);
      CHECK(relative_error(M.col(i), inverse_dynamics<double>(arm, q, rest, unit) - g) < 1e-11);
    }
    CHECK(M == MatX<double>(M.transpose()));
    CHECK(eigenvalues(M).real().minCoeff() > 0);
    CHECK(0.5 * qd.dot(M * qd) == doctest::Approx(energy<double>(arm, q, qd).kinetic).epsilon(1e-11));
  }
}

TEST_CASE("torque is inertia, Coriolis and gravity together") {
  for (const auto& [arm, q, qd, qdd] : samples()) {
    const VecX<double> parts =
        mass_matrix<double>(arm, q) * qdd + coriolis_torque<double>(arm, q, qd) + gravity_torque<double>(arm, q);
    CHECK(relative_error(parts, inverse_dynamics<double>(arm, q, qd, qdd)) < 1e-11);
  }
}

TEST_CASE("forward dynamics undoes inverse dynamics, with wrenches on every body too") {
  Random random(5);
  for (const auto& [arm, q, qd, qdd] : samples()) {
    std::vector<BodyWrench<double>> wrenches;
    const auto vector = [&] { return Vec3<double>(random.normal(), random.normal(), random.normal()); };
    for (int i = 0; i < arm.dof(); ++i) wrenches.push_back({i, vector(), vector()});
    VecX<double> tau, back;
    inverse_dynamics<double>(arm, q, qd, qdd, wrenches, tau);
    forward_dynamics<double>(arm, q, qd, tau, wrenches, back);
    const VecX<double> residual = mass_matrix<double>(arm, q) * (back - qdd);
    CHECK(residual.cwiseAbs().maxCoeff() < 1e-11 * std::max(1.0, tau.cwiseAbs().maxCoeff()));
  }
}

TEST_CASE("a wrench at the tool costs the torque that virtual work says") {
  Random random(6);
  for (const auto& [arm, q, qd, qdd] : samples()) {
    const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
    Vec6<double> w;
    for (int i = 0; i < 6; ++i) w[i] = random.normal();
    const BodyWrench<double> wrench =
        wrench_on_body<double>(poses, arm.dof() - 1, tool_pose(arm, poses).p, w.head<3>(), w.tail<3>());
    VecX<double> tau;
    inverse_dynamics<double>(arm, q, qd, qdd, std::span(&wrench, 1), tau);
    const VecX<double> work = tool_jacobian(arm, poses).transpose() * w;
    CHECK(relative_error(tau + work, inverse_dynamics<double>(arm, q, qd, qdd)) < 1e-11);
  }
}

TEST_CASE("the Jacobian is the derivative of the tool's pose, and its rate the derivative of the Jacobian") {
  for (const auto& [arm, q, qd, qdd] : samples()) {
    const LinkPoses<Dual> moving = forward_kinematics<Dual>(arm, with_slope(q, qd));
    const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
    const Pose<Dual> X = tool_pose(arm, moving);
    const Vec6<double> twist = tool_jacobian(arm, poses) * qd;
    Mat3<double> R, Rd;
    for (int k = 0; k < 9; ++k) {
      R(k) = X.R(k).value;
      Rd(k) = X.R(k).slope;
    }
    const Mat3<double> W = Rd * R.transpose();
    for (int k = 0; k < 3; ++k) CHECK(twist[k] == doctest::Approx(X.p[k].slope).epsilon(1e-11));
    CHECK((twist.tail<3>() - Vec3<double>(W(2, 1), W(0, 2), W(1, 0))).norm() < 1e-11 * (1 + twist.norm()));

    const Mat6X<Dual> J = tool_jacobian(arm, moving);
    const Mat6X<double> rate = tool_jacobian_rate<double>(arm, poses, qd);
    for (int k = 0; k < J.size(); ++k) CHECK(std::abs(J(k).slope - rate(k)) < 1e-11 * (1 + rate.norm()));
  }
}

TEST_CASE("eight packed states give what eight calls give") {
  Random random(8);
  for (int dof = 1; dof <= max_joints; ++dof) {
    const Arm arm = random_arm(dof, random);
    VecX<Pack> q(dof), qd(dof), qdd(dof);
    std::array<std::array<VecX<double>, 3>, Pack::width> states;
    for (int lane = 0; lane < Pack::width; ++lane) {
      auto& s = states[lane];
      for (auto& x : s) x = random_vector(dof, random, 2);
      for (int i = 0; i < dof; ++i) {
        q[i].set(lane, s[0][i]);
        qd[i].set(lane, s[1][i]);
        qdd[i].set(lane, s[2][i]);
      }
    }
    const VecX<Pack> tau = inverse_dynamics<Pack>(arm, q, qd, qdd);
    for (int lane = 0; lane < Pack::width; ++lane) {
      const auto& s = states[lane];
      const VecX<double> one = inverse_dynamics<double>(arm, s[0], s[1], s[2]);
      for (int i = 0; i < dof; ++i) CHECK(std::abs(tau[i][lane] - one[i]) < 1e-12 * (1 + one.cwiseAbs().maxCoeff()));
    }
  }
}
