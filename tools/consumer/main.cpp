// A program of somebody else, built against the installed package.
#include <armature/core/units.hpp>
#include <armature/scalar/dual.hpp>
#include <cmath>
#include <cstdio>

int main() {
  const double right_angle = armature::parse_quantity("90 deg", armature::dimension::angle);
  std::printf("%.17g\n", right_angle);
  return std::abs(std::sin(right_angle) - 1.0) < 1e-15 ? 0 : 1;
}
