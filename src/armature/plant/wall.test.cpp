// A wall gives back what the tool put into it, less what its damper and its friction take.
#include "armature/plant/internal/wall_law.hpp"

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::plant;

namespace {

const Wall floor_wall{
    .point = {0, 0, 0.1}, .stiffness = 1e4, .damping = 30, .friction = 0.4, .tangential_stiffness = 5e3};

}  // namespace

TEST_CASE("the power on the tool is what leaves the wall's springs, less what is lost") {
  Random random(5);
  for (int k = 0; k < 200; ++k) {
    Wall wall = floor_wall;
    wall.normal = Vec3<double>(random.uniform(-1, 1), random.uniform(-1, 1), 1).normalized();
    const Vec3<double> p = wall.point - random.uniform(0, 0.01) * wall.normal;
    const Vec3<double> v(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    Vec3<double> bristle(random.uniform(-1e-3, 1e-3), random.uniform(-1e-3, 1e-3), 0), rate;
    bristle -= wall.normal * wall.normal.dot(bristle);
    Forces<double> f(1, 3);
    act<double>(wall, p, v, bristle.data(), rate.data(), f);
    const auto [depth, entry] = penetration<double>(wall, p, v);
    const double gained = wall.stiffness * depth * entry + wall.tangential_stiffness * bristle.dot(rate);
    const Vec3<double> force = f.tool.head<3>();
    CHECK(std::abs(force.dot(v) + gained + f.dissipated) < 1e-9 * (1 + std::abs(gained) + f.dissipated));
    CHECK(f.dissipated >= 0);
    CHECK(std::abs(wall.normal.dot(rate)) < 1e-12);  // bristles lie in the plane
  }
}

TEST_CASE("a tool that slides is held by the coefficient of friction times the force it presses with") {
  const Vec3<double> p(0, 0, 0.098), v(0.2, -0.1, 0);
  Vec3<double> bristle = Vec3<double>::Zero(), rate;
  Forces<double> last(1, 3);
  for (int k = 0; k < 20000; ++k) {
    Forces<double> f(1, 3);
    act<double>(floor_wall, p, v, bristle.data(), rate.data(), f);
    bristle += 1e-5 * rate;
    last = f;
  }
  const double normal = floor_wall.stiffness * 0.002;
  CHECK(last.tool[2] == doctest::Approx(normal));
  CHECK(last.tool.head<2>().norm() == doctest::Approx(floor_wall.friction * normal).epsilon(1e-6));
  CHECK(last.tool.head<2>().normalized().dot(-v.head<2>().normalized()) == doctest::Approx(1));
}

TEST_CASE("impossible walls are refused") {
  CHECK_NOTHROW(check(floor_wall));
  Wall wall = floor_wall;
  wall.normal = {0, 0, 2};
  CHECK_THROWS_AS(check(wall), core::ModelError);
  wall = floor_wall;
  wall.tangential_stiffness = 0;
  CHECK_THROWS_AS(check(wall), core::ModelError);
}
