// Our numbers against those of other libraries, which share no code with us.
#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/oracles/oracle.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature;
using namespace armature::rooms;
using namespace armature::testing;

namespace {

constexpr double tolerance = 1e-9;

void compare(const Arm& arm, Oracle& oracle, Random& random) {
  CAPTURE(arm.name());
  CAPTURE(oracle.name());
  const int n = arm.dof();
  const VecX<double> q = random_vector(n, random, 3), qd = random_vector(n, random, 2),
                     qdd = random_vector(n, random, 5);

  const LinkPoses<double> ours = forward_kinematics<double>(arm, q);
  LinkPoses<double> theirs;
  oracle.forward_kinematics(q, theirs);
  REQUIRE(theirs.dof == n);
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    CHECK(relative_error(ours.X_WB[i].R, theirs.X_WB[i].R) < tolerance);
    CHECK(relative_error(ours.X_WB[i].p, theirs.X_WB[i].p) < tolerance);
  }
  const Pose<double> tool = tool_pose(arm, ours), their_tool = oracle.tool_pose(q);
  CHECK(relative_error(tool.R, their_tool.R) < tolerance);
  CHECK(relative_error(tool.p, their_tool.p) < tolerance);

  Mat6X<double> J;
  oracle.tool_jacobian(q, J);
  CHECK(relative_error(tool_jacobian(arm, ours), J) < tolerance);

  VecX<double> tau;
  oracle.inverse_dynamics(q, qd, qdd, tau);
  CHECK(relative_error(inverse_dynamics<double>(arm, q, qd, qdd), tau) < tolerance);

  MatX<double> M;
  oracle.mass_matrix(q, M);
  CHECK(relative_error(mass_matrix<double>(arm, q), M) < tolerance);

  VecX<double> their_qdd;  // compared by the torque that the difference would need
  oracle.forward_dynamics(q, qd, tau, their_qdd);
  const VecX<double> difference = M * (forward_dynamics<double>(arm, q, qd, tau) - their_qdd);
  CHECK(difference.cwiseAbs().maxCoeff() < tolerance * std::max(1.0, tau.cwiseAbs().maxCoeff()));
}

}  // namespace

TEST_CASE("random arms of 1 to 16 joints move as other libraries say") {
  Random random(2);
  for (int dof = 1; dof <= max_joints; ++dof)
    for (int k = 0; k < 6; ++k) {
      const Arm arm = random_arm(dof, random);
      for (const auto& oracle : oracles(arm))
        for (int state = 0; state < 5; ++state) compare(arm, *oracle, random);
    }
}

TEST_CASE("the arms of the catalogue move as other libraries say") {
  Random random(3);
  for (const std::string& name : catalogue_names()) {
    const Arm arm = catalogue_arm(name);
    if (!has_oracles(arm)) {
      CHECK_FALSE(arm.unphysical().empty());
      MESSAGE(name, ": a body without mass, which no other library takes");
      continue;
    }
    for (const auto& oracle : oracles(arm))
      for (int state = 0; state < 20; ++state) compare(arm, *oracle, random);
  }
}
