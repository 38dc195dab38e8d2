#include "armature/codegen/derive/internal/reduced_arm.hpp"

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/codegen/derive/internal/reduced_derivatives.hpp"
#include "armature/codegen/derive/internal/reduced_inverse_dynamics.hpp"
#include "armature/codegen/derive/internal/reduced_mass_matrix.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::codegen;
using armature::testing::relative_error;

namespace {

Choices random_choices(int dof, Random& random) {
  Choices choices(static_cast<std::size_t>(dof));
  const auto coin = [&] { return random.bits() % 2 == 0; };
  for (BodyChoice& c : choices)
    c = {coin(), coin(), coin(), coin(), coin(), static_cast<BodyChoice::Turn>(random.bits() % 5)};
  return choices;
}

}  // namespace

TEST_CASE("a reduced arm needs the same torques, whatever is chosen") {
  Random random(7);
  for (const auto& [arm, q, qd, qdd] : testing::samples(10)) {
    const VecX<double> expected = inverse_dynamics<double>(arm, q, qd, qdd);
    for (int trial = 0; trial < 5; ++trial) {
      const Choices choices = random_choices(arm.dof(), random);
      const ReducedArm reduced = reduce(arm, choices);
      CAPTURE(arm.dof());
      const ArmMotion<double> motion = reduced_motion<double>(reduced, choices, q, qd, qdd);
      CHECK(relative_error(reduced_inverse_dynamics<double>(reduced, choices, q, motion), expected) < 1e-12);
      const RegroupedArm regrouped = regroup(arm, choices);
      CHECK(relative_error(inverse_dynamics<double>(regrouped.arm, q + regrouped.offset, qd, qdd), expected) < 1e-12);
      CHECK(relative_error(reduced_mass_matrix<double>(reduced, choices, q), mass_matrix<double>(arm, q)) < 1e-12);
    }
  }
}

TEST_CASE("a reduced arm's torques change in the same way with the state, whatever is chosen") {
  Random random(8);
  for (const auto& [arm, q, qd, qdd] : testing::samples(10)) {
    const auto expected = inverse_dynamics_derivatives<double>(arm, q, qd, qdd);
    for (int trial = 0; trial < 5; ++trial) {
      const Choices choices = random_choices(arm.dof(), random);
      const ReducedArm reduced = reduce(arm, choices);
      const auto d =
          reduced_derivatives<double>(reduced, choices, q, qd, reduced_motion<double>(reduced, choices, q, qd, qdd));
      CAPTURE(arm.dof());
      CHECK(relative_error(d.M, expected.M) < 1e-12);
      CHECK(relative_error(d.dqd, expected.dqd) < 1e-12);
      CHECK(relative_error(d.dq, expected.dq) < 1e-12);
    }
  }
}
