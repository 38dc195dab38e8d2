// Kinematics and dynamics against numbers that were computed elsewhere, from the equations of three documents.
#include <nlohmann/json.hpp>

#include "armature/algorithms/analytical_jacobian.hpp"
#include "armature/algorithms/coriolis.hpp"
#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/lagrange.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/core/units.hpp"
#include "armature/model/dh.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"
#include "armature/testing/vectors.hpp"

using namespace armature::algorithms;
using namespace armature::testing;
using nlohmann::json;

namespace {

constexpr double tolerance = 1e-12;  // relative, as in docs/notation.md

Eigen::VectorXd vector_of(const json& numbers) {
  Eigen::VectorXd v(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) v[i] = numbers[i];
  return v;
}

Eigen::MatrixXd matrix_of(const json& rows) {
  Eigen::MatrixXd m(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i) m.row(i) = vector_of(rows[i]).transpose();
  return m;
}

struct State {
  VecX<double> q, qd, qdd;
};
State state_of(const json& v) { return {vector_of(v["q"]), vector_of(v["qd"]), vector_of(v["qdd"])}; }

/// Torque by every road, its parts, and the mass matrix.
void check_dynamics(const Arm& arm, const State& s, const json& tau, const json& M, const json& c, const json& g) {
  const Eigen::VectorXd expected = vector_of(tau);
  CHECK(relative_error(inverse_dynamics<double>(arm, s.q, s.qd, s.qdd), expected) < tolerance);
  CHECK(relative_error(lagrange_inverse_dynamics<double>(arm, s.q, s.qd, s.qdd), expected) < tolerance);
  CHECK(relative_error(torque_regressor<double>(arm, s.q, s.qd, s.qdd) * link_parameters(arm), expected) < tolerance);
  CHECK(relative_error(mass_matrix<double>(arm, s.q), matrix_of(M)) < tolerance);
  CHECK(relative_error(coriolis_torque<double>(arm, s.q, s.qd), vector_of(c)) < tolerance);
  CHECK(relative_error(coriolis_matrix<double>(arm, s.q, s.qd) * s.qd, vector_of(c)) < tolerance);
  CHECK(relative_error(gravity_torque<double>(arm, s.q), vector_of(g)) < tolerance);
}

Eigen::Matrix4d homogeneous(const Pose<double>& X) {
  Eigen::Matrix4d T = Eigen::Matrix4d::Identity();
  T.topLeftCorner<3, 3>() = X.R;
  T.topRightCorner<3, 1>() = X.p;
  return T;
}

Mat3<double> tensor(const json& rows) { return matrix_of(rows); }

bool absent(const json& file) {
  if (file.is_null()) MESSAGE("skipped: ../shared/vectors is not there");
  return file.is_null();
}

}  // namespace

TEST_CASE("RRR arm: torques, inertia, Coriolis, gravity and pose are the reference's") {
  const json file = reference_vectors("rrr.json");
  if (absent(file)) return;
  REQUIRE(file["vectors"].size() == 20);
  for (const json& v : file["vectors"]) {
    const json& geometry = v["geometry"];
    const double a[] = {0, geometry["a2"], geometry["a3"]}, d[] = {geometry["d1"], geometry["d2"], geometry["d3"]};
    std::vector<DhLink> links;
    for (std::size_t i = 0; i < 3; ++i) {
      const json& l =
          v["links"][i];  // about the frame's origin; products are +∫xy dm, so the tensor has their negative
      const double xy = l["Ixy_origin_plus_int_xy_dm"], xz = l["Ixz_origin_plus_int_xz_dm"],
                   yz = l["Iyz_origin_plus_int_yz_dm"];
      Inertia<double> I;
      I.m = l["m"];
      I.h = vector_of(l["com_in_frame_i"]) * I.m;
      I.I_Bo << l["Ixx_origin"], -xy, -xz, -xy, l["Iyy_origin"], -yz, -xz, -yz, l["Izz_origin"];
      links.push_back(
          {.name = "l" + std::to_string(i), .d = d[i], .a = a[i], .alpha = i == 0 ? pi / 2 : 0, .inertia = I});
    }
    ArmDescription description =
        arm_from_dh("rrr", links, DhConvention::standard, {0, 0, -v["g"].get<double>()}).description();
    for (std::size_t i = 0; i < 3; ++i) description.joints[i].drive.rotor_inertia = v["J_motor"][i];
    const Arm arm(description);
    const State s = state_of(v);
    check_dynamics(arm, s, v["tau_rigid"], v["M"], v["c_velocity_terms"], v["gravity"]);
    const VecX<double> with_rotors = inverse_dynamics<double>(arm, s.q, s.qd, s.qdd) + rotor_torque<double>(arm, s.qdd);
    CHECK(relative_error(with_rotors, vector_of(v["tau_with_motor_inertia_000"])) < tolerance);
    const Pose<double> X = tool_pose(arm, forward_kinematics<double>(arm, s.q));
    CHECK(relative_error(X.p, vector_of(v["fk_position"])) < tolerance);
    CHECK(relative_error(homogeneous(X), matrix_of(v["fk_T"])) < tolerance);
  }
}

TEST_CASE("RRR arm with the printed base parameters: the catalogue's rrr_printed is the reference's") {
  const json file = reference_vectors("rrr.json");
  if (absent(file)) return;
  const Arm arm = built_in_arm("rrr_printed");
  REQUIRE(file["tableV"]["vectors"].size() == 20);
  for (const json& v : file["tableV"]["vectors"]) {
    const State s = state_of(v);
    check_dynamics(arm, s, v["tau"], v["M"], v["c"], v["gravity"]);
    CHECK(relative_error(tool_pose(arm, forward_kinematics<double>(arm, s.q)).p, vector_of(v["fk"])) < tolerance);
  }
}

TEST_CASE("planar 3R arm: also the Coriolis matrix, entry by entry, and the Jacobian") {
  const json file = reference_vectors("planar3r.json");
  if (absent(file)) return;
  REQUIRE(file["vectors"].size() == 20);
  for (const json& v : file["vectors"]) {
    std::vector<DhLink> links;
    for (std::size_t i = 0; i < 3; ++i) {
      const double l = v["l"][i], lc = v["lc"][i], I = v["I_about_com"][i];
      links.push_back({.name = "l" + std::to_string(i),
                       .a = l,
                       .inertia = inertia_about_com<double>(v["m"][i], {lc - l, 0, 0},
                                                            Vec3<double>(I / 2, I / 2, I).asDiagonal())});
    }
    const Vec3<double> up = vector_of(v["e_g"]);
    const Arm arm = arm_from_dh("planar3r", links, DhConvention::standard, -up * v["g0"].get<double>());
    const State s = state_of(v);
    check_dynamics(arm, s, v["tau"], v["M"], v["C_qd"], v["g"]);
    CHECK(relative_error(coriolis_matrix<double>(arm, s.q, s.qd), matrix_of(v["C_christoffel"])) < tolerance);

    const LinkPoses<double> poses = forward_kinematics<double>(arm, s.q);
    const AnalyticalJacobian<double> tool = analytical_jacobian<double>(arm, poses, EulerConvention::rpy);
    const Eigen::Vector3d fk = vector_of(v["fk"]);  // x, y, angle
    CHECK(relative_error(tool.x.head<2>(), fk.head<2>()) < tolerance);
    CHECK(std::abs(std::remainder(tool.x[5] - fk[2], 2 * pi)) < tolerance * std::max(1.0, std::abs(fk[2])));
    Eigen::Matrix3d J;
    J << tool.J.topRows<2>(), tool.J.row(5);
    CHECK(relative_error(J, matrix_of(v["J"])) < tolerance);
  }
}

TEST_CASE("RPR arm: also the geometric and the analytical Jacobian of ZYZ angles") {
  const json file = reference_vectors("rpr.json");
  if (absent(file)) return;
  std::vector<json> vectors = file["vectors"];
  REQUIRE(vectors.size() == 20);
  for (const char* name : {"report_example_reported_code_inertia", "report_example_correct_inertia"})
    vectors.push_back(file["report_example"][name]);
  const Pose<double> X_4E{rotation_y(pi / 2), Vec3<double>::Zero()};  // the tool, whose axes link 3 is given in
  for (const json& v : vectors) {
    const auto a = vector_of(v["geometry_a1_a2_a3_a4"]);
    const auto inertia = [&](std::size_t i) {
      return inertia_about_com<double>(v["masses"][i], vector_of(v["com_link_frames"][i]),
                                       tensor(v["inertia_about_com_link_frames"][i]));
    };
    const std::vector<DhLink> links{
        {.name = "0", .type = JointType::fixed, .theta = pi / 2, .d = a[0], .alpha = pi / 2},
        {.name = "1", .a = a[1], .alpha = -pi / 2, .inertia = inertia(0)},
        {.name = "2", .type = JointType::prismatic, .d = a[2], .inertia = inertia(1)},
        {.name = "3", .a = a[3], .inertia = seen_from<double>(X_4E, inertia(2))}};
    ArmDescription description = arm_from_dh("rpr", links, DhConvention::standard, {0, 0, -9.806}).description();
    description.tool.rpy = {0, pi / 2, 0};
    const Arm arm(description);
    const State s = state_of(v);
    check_dynamics(arm, s, v["tau"], v["B"], v["C_qd"], v["g"]);

    const LinkPoses<double> poses = forward_kinematics<double>(arm, s.q);
    CHECK(relative_error(homogeneous(tool_pose(arm, poses)), matrix_of(v["H_E_0"])) < tolerance);
    CHECK(relative_error(tool_jacobian<double>(arm, poses), matrix_of(v["J_geometric"])) < tolerance);
    const AnalyticalJacobian<double> zyz = analytical_jacobian<double>(arm, poses, EulerConvention::zyz);
    CHECK_FALSE(zyz.singular);
    CHECK(relative_error(zyz.x.tail<3>(), vector_of(v["zyz_base_theta_pos"])) < tolerance);
    CHECK(relative_error(zyz.J, matrix_of(v["J_analytic_zyz"])) < tolerance);
  }
}
