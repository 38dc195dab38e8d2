#include "armature/testing/doctest.hpp"
#include "armature/testing/law_bench.hpp"
#include "armature/testing/law_by_kind.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::control;
using namespace armature::testing;

TEST_CASE("sliding mode keeps errors below layer / lambda with masses that are 30 % wrong") {
  const Arm arm = built_in_arm("rrr");
  AnyController law =
      law_by_kind(scaled_masses(arm, 0.7), "sliding_mode", {{"lambda", 10}, {"reach", 100}, {"layer", 0.1}});
  MovingArm plant(arm, numbers({0.2, 0.3, -0.4}));
  const Reference r = standing_at(arm, numbers({0.5, 0.1, -0.2}));
  for (int k = 0; k < 2000; ++k) plant.step(1e-3, feedback(law, r));
  CHECK((r.q - plant.q).cwiseAbs().maxCoeff() < 0.1 / 10);
}
