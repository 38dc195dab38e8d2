// Pushes on the tool: the impulse of each profile.
#include "armature/plant/tool_wrench.hpp"

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::plant;

namespace {

ToolWrench push(ToolWrench::Profile profile) {
  ToolWrench w{.from = 0.5, .to = 2.5, .profile = profile, .frequency = 1.5};
  w.wrench << 1, -2, 3, 0.1, 0.2, -0.3;
  w.times = {0, 1, 1.5};
  w.table = {w.wrench, 3 * w.wrench, Vec6<double>::Zero()};
  return w;
}

/// The integral over the push, by the midpoint rule, as a multiple of the wrench.
double impulse(const ToolWrench& w) {
  constexpr int steps = 20000;
  Vec6<double> sum = Vec6<double>::Zero();
  for (int k = 0; k < steps; ++k) sum += w.at(w.from + (k + 0.5) * (w.to - w.from) / steps) * ((w.to - w.from) / steps);
  CHECK((sum - w.wrench * (sum[0] / w.wrench[0])).norm() < 1e-9);
  return sum[0] / w.wrench[0];
}

}  // namespace

TEST_CASE("each profile has the impulse of its shape") {
  using Profile = ToolWrench::Profile;
  CHECK(impulse(push(Profile::constant)) == doctest::Approx(2));
  CHECK(impulse(push(Profile::ramp)) == doctest::Approx(1));
  CHECK(impulse(push(Profile::half_sine)) == doctest::Approx(4 / core::pi));
  CHECK(std::abs(impulse(push(Profile::sine))) < 1e-9);               // three whole periods
  CHECK(impulse(push(Profile::table)) == doctest::Approx(2 + 0.75));  // a trapezium, a triangle, nothing
}

TEST_CASE("impossible pushes are refused") {
  CHECK_NOTHROW(check(push(ToolWrench::Profile::table)));
  ToolWrench w = push(ToolWrench::Profile::sine);
  w.frequency = 0;
  CHECK_THROWS_AS(check(w), core::ModelError);
  w = push(ToolWrench::Profile::constant);
  w.to = w.from;
  CHECK_THROWS_AS(check(w), core::ModelError);
}
