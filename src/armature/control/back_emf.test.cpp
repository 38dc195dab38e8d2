#include <map>
#include <string>

#include "armature/algorithms/motor_commands.hpp"
#include "armature/core/error.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/law_bench.hpp"
#include "armature/testing/law_by_kind.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::control;
using namespace armature::testing;

TEST_CASE("back-EMF compensation asks for the torque that makes up the voltage the turning motors induce") {
  const Arm arm = catalogue_arm("asea2");
  const MotorWindings w = motor_windings(arm, MotorFeed::voltage);
  AnyController law = law_by_kind(arm, "back_emf", std::map<std::string, double>{});
  Reference r = standing_at(arm, numbers({0.1, 0.2}));
  r.qd = numbers({0.7, -0.4});
  Measurement y{.q = r.q, .qd = VecX<double>::Zero(2)};
  VecX<double> tau(2);
  law.update(y, r, 1e-3, tau);
  const VecX<double> volts = w.resistance.cwiseProduct(w.current_per_torque * tau);
  CHECK((volts - w.emf_per_speed * r.qd).norm() < 1e-12 * volts.norm());
  CHECK(volts.norm() > 1);
  CHECK_THROWS_AS(law_by_kind(catalogue_arm("rrr"), "back_emf", std::map<std::string, double>{}), ModelError);
}
