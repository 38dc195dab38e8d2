#include "armature/algorithms/base_parameters.hpp"

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

namespace {

Eigen::MatrixXd chosen(const Regressor<double>& W, const std::vector<int>& columns) {
  Eigen::MatrixXd base(W.rows(), columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) base.col(k) = W.col(columns[k]);
  return base;
}

/// How many parameters the energy of motions from a common start shows: it knows nothing of torques or columns kept.
Eigen::Index parameters_seen_by_energy(const Arm& arm) {
  Random random(61);
  const int n = arm.dof(), rows = 40 * n + 20;
  Eigen::MatrixXd E(rows, 10 * n);
  RegressorRow<double> start;
  for (int k = -1; k < rows; ++k) {
    const EnergyRegressor<double> here =
        energy_regressor<double>(arm, random_vector(n, random, pi), random_vector(n, random, 3));
    const RegressorRow<double> total = here.kinetic + here.potential;
    if (k < 0)
      start = total;
    else
      E.row(k) = total - start;
  }
  for (Eigen::Index c = 0; c < E.cols(); ++c)
    if (E.col(c).norm() > 1e-9) E.col(c).normalize();
  const Eigen::VectorXd s = singular_values(E);
  return (s.array() > 1e-8 * s[0]).count();
}

}  // namespace

TEST_CASE("base parameters give the torques of states that they have never seen") {
  for (const auto& [arm, q, qd, qdd] : samples(1)) {
    CAPTURE(arm.name());
    const BaseParameters base = base_parameters(arm);
    const Eigen::MatrixXd W = chosen(torque_regressor<double>(arm, q, qd, qdd), base.columns.kept);
    const VecX<double> tau = W * base_parameter_values(arm, base);
    CHECK(relative_error(tau, inverse_dynamics<double>(arm, q, qd, qdd)) < 1e-10);
    CHECK(base.columns.largest_dropped < 1e-3 * base.columns.smallest_kept);  // the tolerance lies in a gap
    CHECK(base.columns.kept.size() + base.columns.dependent.size() + base.columns.zero.size() ==
          static_cast<std::size_t>(10 * arm.dof()));
  }
}

TEST_CASE("the energy shows as many parameters as the torques") {
  for (const auto& [arm, q, qd, qdd] : samples(1)) {
    CAPTURE(arm.name());
    CHECK(base_parameters(arm).count() == parameters_seen_by_energy(arm));
  }
}

TEST_CASE("arms of the literature have as many base parameters as it says") {
  const auto count = [](const char* name) { return base_parameters(built_in_arm(name)).count(); };
  CHECK(count("rrr") == 15);  // [Kostic2004, (A4)]
  CHECK(count("rrr_generic") == 15);
  CHECK(count("puma560") == 36);  // [Gautier1990], [KhalilDombre2002]
  CHECK(count("planar3r") == 9);  // Izz, mcx, mcy of every link: gravity lies in the plane
}

TEST_CASE("a chain of skew revolute joints has 7 n - 4 base parameters, two less with a vertical first axis") {
  Random random(62);
  for (int n = 1; n <= max_joints; ++n)
    for (const bool vertical : {false, true}) {
      ArmDescription description = random_arm(n, random).description();
      description.convention = DhConvention::modified;
      for (JointDescription& joint : description.joints) {
        joint.type = JointType::revolute;
        joint.placement = DhRow{0, random.normal(), random.normal(), random.uniform(0.3, 1.2)};
      }
      description.joints[0].placement = DhRow{};
      description.base = {};
      description.gravity = vertical ? Vec3<double>(0, 0, -9.81) : Vec3<double>(3, 4, -8);
      CHECK(base_parameters(Arm(description)).count() == 7 * n - (vertical ? 6 : 4));  // [Gautier1990]
    }
}

TEST_CASE("an arm that hangs by 3.1416 in place of pi has the base parameters of one that hangs straight") {
  Random random(64);
  for (const double turn : {180 * deg, 3.1416, 3.14159}) {
    ArmDescription description = random_arm(2, random).description();
    description.convention = DhConvention::modified;
    description.gravity = {0, 0, -9.81};
    description.base = {};
    for (JointDescription& joint : description.joints) joint.type = JointType::revolute;
    description.joints[0].placement = DhRow{0, 0, 0, turn};
    description.joints[1].placement = DhRow{0, 0.005, 0, 90 * deg};  // beside the first axis by 5 mm
    CAPTURE(turn);
    CHECK(base_parameters(Arm(description)).count() == 8);  // Izz1, and seven of the second link
  }
}

TEST_CASE(
    "rotors in line with their joints add one parameter each but for the first, whose rotor is part of its link") {
  ArmDescription description = built_in_arm("rrr_generic").description();
  for (JointDescription& joint : description.joints) {
    joint.drive.gear_ratio = 50;
    joint.drive.rotor_inertia = 1e-4;
  }
  const Arm arm(description);
  const BaseParameters base = base_parameters(arm, {.rotors = true});
  CHECK(base.count() == 16);  // [Kostic2002, (13)]
  Random random(63);
  for (int i = 0; i < 20; ++i) {
    const VecX<double> q = random_vector(3, random, 3), qd = random_vector(3, random, 2),
                       qdd = random_vector(3, random, 5);
    Eigen::MatrixXd W(3, 33);
    W << torque_regressor<double>(arm, q, qd, qdd), rotor_regressor<double>(arm, qdd);
    Eigen::VectorXd tau = Eigen::VectorXd::Zero(3);
    const Eigen::VectorXd p = base_parameter_values(arm, base);
    for (int k = 0; k < base.count(); ++k) tau += W.col(base.columns.kept[k]) * p[k];
    const VecX<double> expected = inverse_dynamics<double>(arm, q, qd, qdd) + rotor_torque<double>(arm, qdd);
    CHECK(relative_error(tau, expected) < 1e-10);
  }
}

TEST_CASE("the groups of the RRR arm span those of its paper, and are written out") {
  const Arm arm = built_in_arm("rrr");
  const BaseParameters base = base_parameters(arm);
  const double a2 = 0.2, a3 = 0.415, d2 = 0.169, d3 = 0.09;
  // [Kostic2004, (A4)], Iyz3 in p8; products of inertia printed there with the other sign
  const auto printed = [&](const Eigen::VectorXd& p) {
    const auto m = [&](int link) { return p[10 * (link - 1)]; };
    const auto mx = [&](int link) { return p[10 * (link - 1) + 1]; };
    const auto my = [&](int link) { return p[10 * (link - 1) + 2]; };
    const auto mz = [&](int link) { return p[10 * (link - 1) + 3]; };
    const auto Ixx = [&](int link) { return p[10 * (link - 1) + 4]; };
    const auto Pxy = [&](int link) { return -p[10 * (link - 1) + 5]; };
    const auto Iyy = [&](int link) { return p[10 * (link - 1) + 6]; };
    const auto Pxz = [&](int link) { return -p[10 * (link - 1) + 7]; };
    const auto Pyz = [&](int link) { return -p[10 * (link - 1) + 8]; };
    const auto Izz = [&](int link) { return p[10 * (link - 1) + 9]; };
    Eigen::VectorXd k(15);
    k << a2 * a2 * m(3) + a2 * (a2 * m(2) + 2 * mx(2)) - Ixx(2) + Iyy(2),  // p1
        -2 * (a2 * my(2) + Pxy(2)), a3 * m(3) + mx(3), my(3),              // p2 to p4
        a3 * (a3 * m(3) + 2 * mx(3)) - Ixx(3) + Iyy(3), 2 * (a3 * my(3) + Pxy(3)),
        2 * d2 * mz(2) + d2 * d2 * m(2) + 2 * (d2 + d3) * mz(3) + (d2 + d3) * (d2 + d3) * m(3) + Iyy(1) + Ixx(2) +
            Ixx(3),
        -(d2 + d3) * my(3) - Pyz(3), -a3 * (mz(3) + (d2 + d3) * m(3)) - (d2 + d3) * mx(3) - Pxz(3),  // p8, p9
        -d2 * my(2) - Pyz(2), -a2 * (mz(3) + (d2 + d3) * m(3) + d2 * m(2) + mz(2)) - d2 * mx(2) - Pxz(2),
        (a2 * a2 + a3 * a3) * m(3) + 2 * a3 * mx(3) + a2 * (a2 * m(2) + 2 * mx(2)) + Izz(2) + Izz(3),
        a3 * (a3 * m(3) + 2 * mx(3)) + Izz(3), mx(2) + a2 * m(2) + a2 * m(3), my(2);
    return k;
  };
  Eigen::MatrixXd P(15, 30);
  for (int c = 0; c < 30; ++c) P.col(c) = printed(Eigen::VectorXd::Unit(30, c));
  // P = T * grouping with T invertible
  const Eigen::MatrixXd T = least_squares_solution(base.grouping().transpose(), P.transpose()).transpose();
  CHECK((T * base.grouping() - P).cwiseAbs().maxCoeff() < 1e-10);
  CHECK(singular_values(T).minCoeff() > 0.1);

  const std::vector<std::string> text = base_parameter_text(base);
  REQUIRE(text.size() == 15);  // d2² = 0.028561, (d2 + d3)² = 0.067081
  CHECK(text[0] == "p1 = Iyy1 + 0.028561 m2 + 0.338 mcz2 + Ixx2 + 0.067081 m3 + 0.518 mcz3 + Ixx3");  // their p7
}

TEST_CASE("a tolerance among the pivots is refused with the gap it missed") {
  Eigen::MatrixXd A(4, 3);
  A << 1, 1, 1, 0, 1e-3, 2e-3, 0, 0, 1e-3, 0, 0, 0;
  const std::vector<int> order{0, 1, 2};
  CHECK(independent_columns(A, order, 1e-6).kept.size() == 3);
  CHECK(independent_columns(A, order, 1e-1).kept.size() == 1);
  CHECK_THROWS_AS(independent_columns(A, order, 9e-4), Error);
}

TEST_CASE("columns that depend on others are written by them, vanishing ones are set apart") {
  Random random(64);
  Eigen::MatrixXd A(30, 6);
  for (int k = 0; k < 30; ++k) A.row(k) << random.normal(), random.normal(), 0, random.normal(), 0, 0;
  A.col(2) = 2 * A.col(0) - 0.25 * A.col(3);
  A.col(5) = A.col(1);
  const std::vector<int> order{5, 4, 3, 2, 1, 0};
  const ColumnGroups groups = independent_columns(A, order, 1e-9);
  CHECK(groups.kept == std::vector<int>{2, 3, 5});
  CHECK(groups.dependent == std::vector<int>{0, 1});
  CHECK(groups.zero == std::vector<int>{4});
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(3, 6);
  expected(0, 0) = 0.5;
  expected(1, 0) = 0.125;  // column 0 = ½ column 2 + ⅛ column 3
  expected(2, 1) = expected(0, 2) = expected(1, 3) = expected(2, 5) = 1;
  CHECK(groups.coefficient == expected);
}
