#include "armature/plant/wall.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/plant/internal/require.hpp"

namespace armature::plant {

void check(const Wall& w) {
  const std::string place = fmt::format("wall '{}'", w.name);
  require(std::abs(w.normal.norm() - 1) < 1e-9 && w.point.allFinite(), place, "its normal is not a unit vector",
          "normalize it");
  require(nonnegative({w.damping, w.friction, w.tangential_stiffness}) && w.stiffness > 0 &&
              (w.friction == 0 || w.tangential_stiffness > 0),
          place, "stiffness must be positive, damping and friction not negative; friction needs a tangential stiffness",
          "check the numbers");
}

void Wall::fields(Fields& f) {
  f.text("name", name, "how events name it");
  f.numbers("point", point, dimension::length, "a point of the plane", 3);
  f.numbers("normal", normal, dimension::none, "towards the free side; normalized", 3);
  f.number("stiffness", stiffness, {0, 1, -2, 0}, "force per depth", Range::not_negative);
  f.number("damping", damping, {0, 1, -1, 0}, "force per speed of entry", Range::not_negative);
  f.number("friction", friction, dimension::none, "coefficient along the plane", Range::not_negative);
  f.number("tangential_stiffness", tangential_stiffness, {0, 1, -2, 0}, "of the bristles that carry friction",
           Range::not_negative);
}

}  // namespace armature::plant
