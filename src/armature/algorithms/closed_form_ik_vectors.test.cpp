// Closed-form inverse kinematics against reference solutions that were computed elsewhere.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "armature/algorithms/closed_form_ik.hpp"
#include "armature/core/units.hpp"
#include "armature/model/dh.hpp"
#include "armature/spatial/rotation.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/ik_arms.hpp"
#include "armature/testing/vectors.hpp"

using namespace armature::algorithms;
using namespace armature::testing;
using nlohmann::json;

namespace {

DhLink dh_link(double theta, double d, double a, double alpha, JointType type = JointType::revolute) {
  static int made = 0;
  const bool moves = type != JointType::fixed;
  return {"j" + std::to_string(++made),
          type,
          theta,
          d,
          a,
          alpha,
          moves ? Inertia<double>{1, {0, 0, 0}, Mat3<double>::Identity()} : Inertia<double>{}};
}

VecX<double> numbers_of(const json& numbers) {
  VecX<double> v(static_cast<Eigen::Index>(numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) v[i] = numbers[i];
  return v;
}

/// The solutions are the expected ones, no more and no less; and where they lead is the target to 1e-12.
void check_solutions(const Arm& arm, const Pose<double>& target, const json& expected) {
  const IkSolutions solutions = closed_form_ik(arm, target);
  CHECK(solutions.reach == IkReach::solved);
  CHECK(solutions.size() == static_cast<int>(expected.size()));
  for (const json& numbers : expected) {
    const VecX<double> q = numbers_of(numbers);
    double nearest = 10;
    for (const IkSolution& s : solutions) nearest = std::min(nearest, joint_distance(arm, s.q, q));
    CHECK(nearest < 1e-12 * std::max(1.0, q.cwiseAbs().maxCoeff()));
  }
  for (const IkSolution& s : solutions) {
    CHECK(s.error.position < 1e-12);
    CHECK(s.error.angle < 1e-12);
  }
}

}  // namespace

TEST_CASE("RRR: the reference vectors' four branches") {
  const json file = reference_vectors("rrr.json");
  if (file.is_null()) {
    MESSAGE("skipped: ../shared/vectors/rrr.json is absent");
    return;
  }
  const auto rrr = [](const json& g) {
    return arm_from_dh(
        "rrr", {dh_link(0, g["d1"], 0, pi / 2), dh_link(0, g["d2"], g["a2"], 0), dh_link(0, g["d3"], g["a3"], 0)});
  };
  for (const json& v : file["vectors"])
    check_solutions(rrr(v["geometry"]), {Mat3<double>::Identity(), numbers_of(v["fk_position"])}, v["ik_all_branches"]);
  const Arm arm = ik_arm("rrr");  // [Kostic2004, Table II]
  for (const json& v : file["tableV"]["vectors"])
    check_solutions(arm, {Mat3<double>::Identity(), numbers_of(v["fk"])}, v["ik_all_branches"]);
}

TEST_CASE("planar 3R: the reference vectors' two branches, and Task 11 with its gain bound") {
  const json file = reference_vectors("planar3r.json");
  if (file.is_null()) {
    MESSAGE("skipped: ../shared/vectors/planar3r.json is absent");
    return;
  }
  const auto planar = [](const json& l) {
    return arm_from_dh("planar3r", {dh_link(0, 0, l[0], 0), dh_link(0, 0, l[1], 0), dh_link(0, 0, l[2], 0)});
  };
  const auto target = [](const json& x) { return Pose<double>{rotation_z(x[2]), Vec3<double>(x[0], x[1], 0)}; };
  for (const json& v : file["vectors"]) check_solutions(planar(v["l"]), target(v["fk"]), v["ik_both"]);

  const json& task = file["task11"];
  const Arm arm = planar(task["l"]);
  check_solutions(arm, target(task["x_d"]), task["solutions_rad"]);
  for (const json& solution : task["solutions_rad"])
    if (solution[1] < 0)  // the one next to the first guess
      CHECK(transposed_jacobian_gain_bound(arm, numbers_of(solution), {.task = IkTask::planar}) ==
            doctest::Approx(task["jacobian_transpose_gain_limit_at_solution"].get<double>()).epsilon(1e-12));
}

TEST_CASE("RPR: the reference vectors' four branches") {
  const json file = reference_vectors("rpr.json");
  if (file.is_null()) {
    MESSAGE("skipped: ../shared/vectors/rpr.json is absent");
    return;
  }
  for (const json& v : file["vectors"]) {
    const json& a = v["geometry_a1_a2_a3_a4"];
    const Arm arm =
        arm_from_dh("rpr", {dh_link(pi / 2, a[0], 0, pi / 2, JointType::fixed), dh_link(0, 0, a[1], -pi / 2),
                            dh_link(0, a[2], 0, 0, JointType::prismatic), dh_link(0, 0, a[3], 0)});
    const json& H = v["H_E_0"];
    check_solutions(arm, {Mat3<double>::Identity(), Vec3<double>(H[0][3], H[1][3], H[2][3])}, v["ik_all_branches"]);
  }
}
