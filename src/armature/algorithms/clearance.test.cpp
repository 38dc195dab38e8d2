#include "armature/algorithms/clearance.hpp"

#include <cmath>

#include "armature/core/units.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

namespace {

Vec3<double> random_point(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

/// Distance of two segments by trying: slow and obvious.
double distance_by_grid(const Capsule& one, const Capsule& two) {
  constexpr int steps = 400;
  double least = 1e9;
  for (int i = 0; i <= steps; ++i) {
    const Vec3<double> p = one.a + (one.b - one.a) * i / steps;
    const Vec3<double> d = two.b - two.a;  // the nearest point of the other is known in closed form
    const double t = d.squaredNorm() > 0 ? std::clamp(d.dot(p - two.a) / d.squaredNorm(), 0.0, 1.0) : 0;
    least = std::min(least, (p - two.a - t * d).norm());
  }
  return least - one.radius - two.radius;
}

ClearanceModel capsules_on(const Arm& arm, Random& random) {
  ClearanceModel model;
  for (int body = -1; body < arm.dof(); ++body)
    model.capsules.push_back({body, random_point(random, 0.3), random_point(random, 0.3), random.uniform(0.01, 0.05)});
  for (int i = 0; i <= arm.dof(); ++i)
    for (int j = i + 2; j <= arm.dof(); ++j) model.pairs.emplace_back(i, j);
  return model;
}

}  // namespace

TEST_CASE("the distance of two capsules is that of the nearest points of their axes") {
  Random random(4);
  const LinkPoses<double> none;
  for (int k = 0; k < 200; ++k) {
    ClearanceModel model;
    model.capsules = {{-1, random_point(random, 1), random_point(random, 1), random.uniform(0, 0.1)},
                      {-1, random_point(random, 1), random_point(random, 1), random.uniform(0, 0.1)}};
    if (k % 5 == 0) model.capsules[0].b = model.capsules[0].a;  // a ball
    if (k % 7 == 0) model.capsules[1].b = model.capsules[1].a;
    if (k % 3 == 0) model.capsules[1].b = model.capsules[1].a + model.capsules[0].b - model.capsules[0].a;  // parallel
    const double ours = pair_clearance(model, none, 0, 1).distance;
    const double theirs = distance_by_grid(model.capsules[0], model.capsules[1]);
    CHECK(ours <= theirs + 1e-12);
    CHECK(ours >= theirs - 1e-4);  // the grid's step
  }
}

TEST_CASE("the slope of the distance is what a small motion changes") {
  Random random(11);
  for (int k = 0; k < 12; ++k) {
    const Arm arm = random_arm(3 + k % 4, random);
    ClearanceModel model = capsules_on(arm, random);
    model.floor = -3;
    model.above = {arm.dof()};
    const VecX<double> q = random_vector(arm.dof(), random, 2);
    const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
    const auto check_slope = [&](const Clearance& c, const auto& distance_at) {
      const VecX<double> slope = clearance_slope(arm, model, poses, c);
      constexpr double h = 1e-6;
      for (int i = 0; i < arm.dof(); ++i) {
        VecX<double> up = q, down = q;
        up[i] += h;
        down[i] -= h;
        CHECK(slope[i] == doctest::Approx((distance_at(up) - distance_at(down)) / (2 * h)).epsilon(1e-4));
      }
    };
    for (const auto& [first, second] : model.pairs)
      check_slope(pair_clearance(model, poses, first, second), [&, a = first, b = second](const VecX<double>& at) {
        return pair_clearance(model, forward_kinematics<double>(arm, at), a, b).distance;
      });
    check_slope(floor_clearance(model, poses, arm.dof()), [&](const VecX<double>& at) {
      return floor_clearance(model, forward_kinematics<double>(arm, at), arm.dof()).distance;
    });
  }
}

TEST_CASE("an enclosing capsule holds every point and is tight about a rod") {
  Random random(2);
  for (int k = 0; k < 50; ++k) {
    std::vector<Vec3<double>> points;
    const Vec3<double> size = random_point(random, 1);
    for (int i = 0; i < 60; ++i) points.push_back(size.cwiseProduct(random_point(random, 1)));
    const Capsule capsule = enclosing_capsule(points);
    for (const Vec3<double>& p : points) {
      const Capsule point{-1, p, p, 0};
      CHECK(distance_by_grid(point, capsule) <= 1e-9);
    }
  }
  std::vector<Vec3<double>> rod;  // the rims of a cylinder of radius 0.1 from z = 0 to 1
  for (int i = 0; i < 64; ++i)
    for (const double z : {0.0, 1.0}) rod.emplace_back(0.1 * std::cos(i * pi / 32), 0.1 * std::sin(i * pi / 32), z);
  const Capsule capsule = enclosing_capsule(rod);
  CHECK(capsule.radius == doctest::Approx(0.1).epsilon(1e-3));
  CHECK((capsule.b - capsule.a).norm() == doctest::Approx(1).epsilon(1e-3));
}

TEST_CASE("neighbours are not watched, nor what the capsules say nothing about") {
  Random random(5);
  const Arm arm = random_arm(5, random);
  ClearanceModel model = capsules_on(arm, random);
  model.capsules[0].radius = model.capsules[2].radius = 50;  // as large as a house
  const auto left = watch(arm, model, std::nullopt);
  CHECK(std::find(left.begin(), left.end(), std::pair{0, 2}) != left.end());
  for (const auto& [first, second] : model.pairs)
    CHECK(std::abs(model.capsules[first].body - model.capsules[second].body) > 1);
  CHECK(!model.floor);
}

TEST_CASE("shapes are as far apart as their nearest points, and overlap where one point is in both") {
  Random random(8);
  const LinkPoses<double> none;
  for (int k = 0; k < 100; ++k) {
    // two boxes along the axes: the distance is known
    const Vec3<double> size_one = random_point(random, 1).cwiseAbs(), size_two = random_point(random, 1).cwiseAbs();
    const Vec3<double> at = random_point(random, 2);
    ClearanceModel model;
    model.capsules.resize(2);
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3<double> unit((corner & 1) - 0.5, (corner >> 1 & 1) - 0.5, (corner >> 2) - 0.5);
      model.capsules[0].points.push_back(size_one.cwiseProduct(unit));
      model.capsules[1].points.push_back(at + size_two.cwiseProduct(unit));
    }
    const Vec3<double> gap = (at.cwiseAbs() - (size_one + size_two) / 2).cwiseMax(0);
    const Clearance pair{0, 0, 1, {}, {}};
    CHECK(shape_distance(model, none, pair) == doctest::Approx(gap.norm()).epsilon(1e-6));
    model.capsules[0].rounding = 0.1;
    model.capsules[1].rounding = 0.2;
    CHECK(shape_distance(model, none, pair) == doctest::Approx(std::max(0.0, gap.norm() - 0.3)).epsilon(1e-6));
    model.floor = -2;
    CHECK(shape_distance(model, none, {0, 1, -1, {}, {}}) ==
          doctest::Approx(std::max(0.0, at[2] - size_two[2] / 2 - 0.2 + 2)));
    for (Capsule& capsule : model.capsules) {  // a capsule around a shape is never farther away than the shape
      const Capsule around = enclosing_capsule(capsule.points);
      capsule.a = around.a;
      capsule.b = around.b;
      capsule.radius = around.radius;
      capsule.rounding = 0;
    }
    CHECK(pair_clearance(model, none, 0, 1).distance <= gap.norm() + 1e-9);
  }
}
