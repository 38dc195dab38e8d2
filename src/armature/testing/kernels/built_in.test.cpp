#include "armature/algorithms/coriolis.hpp"
#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature;
using namespace armature::rooms;
using namespace armature::testing;

TEST_CASE("every built-in arm has its generated functions where they are handed in, and not otherwise") {
  CHECK(arms_without_kernels({}) == catalogue_names());
  CHECK(arms_without_kernels(built_in_kernels()) == std::vector<std::string>{});
}

TEST_CASE("the functions of a built-in arm compute what the recursion computes") {
  Random random(5);
  for (const std::string& name : catalogue_names()) {
    CAPTURE(name);
    const Arm arm = catalogue_arm(name, built_in_kernels());
    const Arm recursion = arm.with_kernels(nullptr);
    for (int i = 0; i < 20; ++i) {
      const VecX<double> q = random_vector(arm.dof(), random, 3), qd = random_vector(arm.dof(), random, 2),
                         qdd = random_vector(arm.dof(), random, 5);
      const VecX<double> tau = inverse_dynamics<double>(recursion, q, qd, qdd);
      CHECK(relative_error(inverse_dynamics<double>(arm, q, qd, qdd), tau) < 1e-12);
      CHECK(relative_error(gravity_torque<double>(arm, q), gravity_torque<double>(recursion, q)) < 1e-12);
      CHECK(relative_error(mass_matrix<double>(arm, q), mass_matrix<double>(recursion, q)) < 1e-12);
      CHECK(relative_error(coriolis_torque<double>(arm, q, qd), coriolis_torque<double>(recursion, q, qd)) < 1e-12);
      if (arm.unphysical().empty())  // else no acceleration belongs to a torque everywhere
        CHECK(relative_error(forward_dynamics<double>(arm, q, qd, tau), qdd) < 1e-8);
    }
  }
}
