#include "armature/identification/gravity_direction.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <cstdlib>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/estimate.hpp"
#include "armature/identification/synthetic_log.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::identification;

namespace {

/// An arm of the catalogue with friction of the law that the columns have.
Arm rubbing(const char* name) {
  ArmDescription d = testing::built_in_arm(name).description();
  for (JointDescription& joint : d.joints) joint.friction = CoulombViscous{1, 0.5};
  return Arm(d);
}

Arm tilted(const Arm& arm, double about_x, double about_y) {
  ArmDescription d = arm.description();
  const Eigen::AngleAxisd x(about_x, Eigen::Vector3d::UnitX()), y(about_y, Eigen::Vector3d::UnitY());
  d.gravity = (x * y).toRotationMatrix() * arm.gravity();
  return Arm(d);
}

double angle_between(const Vec3<double>& a, const Vec3<double>& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

}  // namespace

TEST_CASE("the direction of gravity comes back within its interval, from an arm that was described upright") {
  const Processing processing{.cutoff = 20, .decimation = 5, .parallel_cutoff = 10, .standstill = 0.05, .edge = 0.3};
  for (const char* name : {"rrr", "ur5e"})
    for (const double tilt : {0.0, 3 * deg, 40 * deg}) {
      CAPTURE(std::string(name));
      CAPTURE(tilt);
      const Arm arm = rubbing(name), truth = tilted(arm, tilt, -0.6 * tilt);
      const MotionBlock log = synthetic_log(truth, {.duration = 20, .encoder = 1e-5, .torque_noise = 0.01});
      const FoundGravity found = find_gravity(arm, source_of(log), processing, {});
      CHECK(found.gravity.norm() == doctest::Approx(arm.gravity().norm()).epsilon(1e-12));
      CHECK(found.tilt == doctest::Approx(angle_between(arm.gravity(), found.gravity)).epsilon(1e-9));
      CHECK(angle_between(found.gravity, truth.gravity()) < 2 * std::hypot(found.half_width[0], found.half_width[1]));
      CHECK(std::max(found.half_width[0], found.half_width[1]) < 1 * deg);
      CHECK(found.error < 1.05 * found.error_before);
      if (tilt > 1 * deg) CHECK(found.error < 0.8 * found.error_before);
    }
}

TEST_CASE("the intervals of the direction of gravity hold it as often as they say") {
  const Processing processing{.cutoff = 20, .decimation = 5, .parallel_cutoff = 10, .standstill = 0.05, .edge = 0.3};
  const int seeds = std::getenv("ARMATURE_LONG_TESTS") ? 100 : 8;
  int inside = 0, within_half = 0, all = 0;
  for (const char* name : {"ur5e", "panda"})
    for (int seed = 400; seed < 400 + seeds; ++seed) {
      const Arm arm = rubbing(name), truth = tilted(arm, 5 * deg, -3 * deg);
      const MotionBlock log = synthetic_log(truth, {.duration = 20,
                                                    .encoder = 1e-5,
                                                    .torque_noise = 0.02,
                                                    .seed = static_cast<std::uint64_t>(seed),
                                                    .motion_seed = static_cast<std::uint64_t>(seed)});
      const FoundGravity found = find_gravity(arm, source_of(log), processing, {});
      // of a normal error along two axes 95 % lie within 2.448 and half within 1.177 standard deviations of the wider one, or more
      const double deviation = std::max(found.half_width[0], found.half_width[1]) / 1.96;
      const double error = angle_between(found.gravity, truth.gravity());
      inside += error < 2.448 * deviation;
      within_half += error < 1.177 * deviation;
      ++all;
    }
  MESSAGE(inside << " of " << all << " directions within their 95 % regions, " << within_half
                 << " within those of one half");
  CHECK(inside >= 0.95 * all - 3 * std::sqrt(0.95 * 0.05 * all));
  CHECK(within_half < all);  // so wide that nothing could be outside, they would say nothing
}

TEST_CASE("a motion in one plane does not show where gravity points") {
  const Arm arm = testing::built_in_arm("planar3r");
  const MotionBlock log = synthetic_log(arm, {.duration = 10, .encoder = 1e-5, .torque_noise = 0.01});
  CHECK_THROWS_WITH_AS(find_gravity(arm, source_of(log), {.cutoff = 20, .decimation = 5, .standstill = 0.05}, {}),
                       doctest::Contains("does not show the direction of gravity"), Error);
}
