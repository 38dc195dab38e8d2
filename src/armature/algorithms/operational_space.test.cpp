#include "armature/algorithms/operational_space.hpp"

#include "armature/algorithms/energy.hpp"
#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/units.hpp"
#include "armature/model/dh.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

namespace {

const TaskRows tasks[] = {TaskRows::full(), TaskRows::position(), TaskRows::orientation(), {0, 1, 5}, {2}};

double largest(const auto& m) { return m.cwiseAbs().maxCoeff(); }

/// Of a symmetric positive definite matrix, but at least 10: one rounding is not the only one.
template <class Matrix>
double condition(const Matrix& m) {
  const Eigen::VectorXd s = singular_values(m);
  return std::max(10.0, s.maxCoeff() / s.minCoeff());
}

/// Three parallel joints, link lengths 0.5, 0.4 and 0.3 m.
Arm planar() {
  const Inertia<double> I = inertia_about_com<double>(1, {-0.1, 0, 0}, Mat3<double>::Identity() * 0.01);
  return arm_from_dh("planar", {{.name = "1", .a = 0.5, .inertia = I},
                                {.name = "2", .a = 0.4, .inertia = I},
                                {.name = "3", .a = 0.3, .inertia = I}});
}

}  // namespace

TEST_CASE("a force at the tool accelerates it as the operational-space equation says") {
  Random random(31);
  int regular = 0;
  for (const auto& [arm, q, qd, qdd] : samples())
    for (const TaskRows& rows : tasks) {
      const auto here = operational_space<double>(arm, q, qd, rows);
      CAPTURE(arm.name());
      if (here.singular) continue;
      ++regular;
      const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
      const TaskJacobian<double> J = rows.of<double>(tool_jacobian<double>(arm, poses));
      const TaskJacobian<double> Jd = rows.of<double>(tool_jacobian_rate<double>(arm, poses, qd));
      TaskVector<double> F(rows.count);
      for (int i = 0; i < rows.count; ++i) F[i] = random.normal() * 10;
      const VecX<double> tau = J.transpose() * F;
      const TaskVector<double> xdd = J * forward_dynamics<double>(arm, q, qd, tau) + Jd * qd;
      const TaskVector<double> inertial = here.Lambda * xdd;
      const double scale = std::max({1.0, largest(inertial), largest(here.mu), largest(here.p)});
      const TaskSquare<double> identity = TaskSquare<double>::Identity(rows.count, rows.count);
      // an inverse is as good as the condition of what is inverted allows
      const double bound = 1e-14 * condition(here.Lambda) * condition(mass_matrix<double>(arm, q));
      CHECK(largest(TaskSquare<double>(J * here.J_bar - identity)) < bound);
      CHECK(largest(TaskVector<double>(inertial + here.mu + here.p - F)) < bound * scale);
    }
  CHECK(regular > 200);
}

TEST_CASE("the dynamically consistent inverse lets torques through that do not move the tool") {
  Random random(32);
  for (const auto& [arm, q, qd, qdd] : samples()) {
    const TaskRows rows = TaskRows::position();
    const auto here = operational_space<double>(arm, q, qd, rows);
    if (here.singular) continue;
    const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
    const TaskJacobian<double> J = rows.of<double>(tool_jacobian<double>(arm, poses));
    const VecX<double> any = random_vector(arm.dof(), random, 10);
    const VecX<double> within = any - J.transpose() * (here.J_bar.transpose() * any);
    const VecX<double> rest = VecX<double>::Zero(arm.dof());
    const TaskVector<double> moved =
        J * (forward_dynamics<double>(arm, q, rest, within) - forward_dynamics<double>(arm, q, rest, rest));
    const TaskVector<double> unfiltered =
        J * (forward_dynamics<double>(arm, q, rest, any) - forward_dynamics<double>(arm, q, rest, rest));
    CHECK(largest(moved) < 1e-9 * std::max(1.0, largest(unfiltered)));
  }
}

TEST_CASE("six independent joints: the tool's kinetic energy is the arm's") {
  for (const auto& [arm, q, qd, qdd] : samples(8)) {
    if (arm.dof() != 6) continue;
    const auto here = operational_space<double>(arm, q, qd);
    if (here.singular) continue;
    const Vec6<double> xd = tool_jacobian<double>(arm, forward_kinematics<double>(arm, q)) * qd;
    CHECK(0.5 * xd.dot(here.Lambda * xd) == doctest::Approx(energy<double>(arm, q, qd).kinetic).epsilon(1e-8));
  }
}

TEST_CASE("a task with more directions than joints is reported, and its inverse is the pseudo-inverse") {
  for (const auto& [arm, q, qd, qdd] : samples()) {
    const auto here = operational_space<double>(arm, q, qd);
    CHECK(here.rank <= std::min(6, arm.dof()));
    CHECK(here.singular == (here.rank < 6));
    CHECK(here.Lambda.allFinite());
    if (!here.singular) continue;
    const Mat6X<double> J = tool_jacobian<double>(arm, forward_kinematics<double>(arm, q));
    const MatX<double> M = mass_matrix<double>(arm, q);
    const Mat6<double> A = J * inverse(M) * J.transpose();
    // the four laws of Moore and Penrose
    const Mat6<double> Lambda = here.Lambda, AL = A * Lambda;
    CHECK(largest(Mat6<double>(AL * A - A)) < 1e-8 * largest(A));
    CHECK(largest(Mat6<double>(Lambda * AL - Lambda)) < 1e-8 * largest(Lambda));
    CHECK(largest(Mat6<double>(AL - AL.transpose())) < 1e-8);
    CHECK(AL.trace() == doctest::Approx(here.rank).epsilon(1e-8));
  }
}

TEST_CASE(
    "a stretched arm has lost a direction; damping keeps the inverse small and close to the exact one elsewhere") {
  const Arm arm = planar();
  const TaskRows rows{0, 1};
  VecX<double> q(3), qd = VecX<double>::Zero(3);
  q << 0.3, 0, 0;
  const auto stretched = operational_space<double>(arm, q, qd, rows);
  CHECK(stretched.singular);
  CHECK(stretched.rank == 1);
  const Eigen::Vector2d along(std::cos(0.3), std::sin(0.3));  // the lost direction carries no inertia
  CHECK((stretched.Lambda * along).norm() < 1e-9 * largest(stretched.Lambda));
  const auto damped = operational_space<double>(arm, q, qd, rows, {.damping = 1e-3});
  CHECK(damped.singular);
  CHECK(largest(TaskSquare<double>(damped.Lambda - stretched.Lambda)) < 1e-5 * largest(stretched.Lambda));
  q << 0.3, 1e-3, -2e-3;  // nearly lost: undamped inertia is huge, damped it is bounded by 1/(2 d a_max)
  const auto close = operational_space<double>(arm, q, qd, rows);
  const auto close_damped = operational_space<double>(arm, q, qd, rows, {.damping = 1e-3});
  CHECK_FALSE(close.singular);
  CHECK(close.Lambda.norm() > 100 * close_damped.Lambda.norm());
}

TEST_CASE("manipulability is the root of the determinant, and its gradient what differences show") {
  for (const auto& [arm, q, qd, qdd] : samples())
    for (const TaskRows& rows : tasks) {
      const auto at = [&, &arm = arm](const VecX<double>& x) {
        return rows.of<double>(tool_jacobian<double>(arm, forward_kinematics<double>(arm, x)));
      };
      const TaskJacobian<double> J = at(q);
      const TaskSquare<double> gram = J * J.transpose();
      const auto here = manipulability_gradient(arm, q, rows);
      CHECK(here.value == manipulability<double>(J));
      const double orthogonal = J.rowwise().norm().prod();
      CHECK(std::abs(here.value * here.value - gram.determinant()) <= 1e-12 * orthogonal * orthogonal);
      if (rows.count > arm.dof()) CHECK((here.value == 0 && here.singular));
      if (here.singular) {
        CHECK(here.gradient.isZero(0));
        continue;
      }
      const double h = 1e-5;
      const double slope = (manipulability<double>(at(q + h * qd)) - manipulability<double>(at(q - h * qd))) / (2 * h);
      const double bound = 1e-6 * std::max(orthogonal, std::abs(slope)) * std::max(1.0, orthogonal / here.value);
      CHECK(std::abs(here.gradient.dot(qd) - slope) < bound);
    }
}

TEST_CASE("a planar arm with its orientation: manipulability l1 l2 |sin q2|, as computed by hand") {
  const Arm arm = planar();
  const TaskRows rows{0, 1, 5};
  Random random(33);
  for (int i = 0; i < 100; ++i) {
    const VecX<double> q = random_vector(3, random, pi);
    const auto here = manipulability_gradient(arm, q, rows);
    CHECK(here.value == doctest::Approx(0.5 * 0.4 * std::abs(std::sin(q[1]))).epsilon(1e-12));
    const double slope = 0.5 * 0.4 * std::cos(q[1]) * (std::sin(q[1]) < 0 ? -1 : 1);
    CHECK((here.gradient - VecX<double>(VecX<double>::Unit(3, 1) * slope)).norm() < 1e-12);
  }
  VecX<double> stretched(3);
  stretched << 0.4, 0, 1.0;
  CHECK(manipulability_gradient(arm, stretched, rows).singular);
}
