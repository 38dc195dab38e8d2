// Lesson 5: an arm described in code, and what it must do by hand calculation.
//
// A planar arm of two rods that swing in the vertical x-z plane: a description is plain data; Arm checks it.
#include <armature/armature.hpp>
#include <cstdio>

using namespace armature;
using namespace armature::model;

/// A slender rod of 1 cm radius along its own x axis, from -length to 0 in the frame at its far end (standard DH).
MassProperties rod(double mass, double length) {
  MassProperties body{.mass = mass, .position = Vec3<double>(-length / 2, 0, 0)};
  body.tensor.diagonal() << mass * 1e-4 / 2, mass * length * length / 12, mass * length * length / 12;
  return body;
}

int main() try {
  const double m = 2, l = 0.5;  // [kg], [m]
  ArmDescription description{.name = "two_rods"};
  description.base.rpy[0] = pi / 2;  // the joints turn about the world's -y axis
  for (const char* name : {"shoulder", "elbow"}) {
    JointDescription joint{.name = name, .placement = DhRow{.a = l}};
    joint.limits = {.lower = -2, .upper = 2, .velocity = 3, .torque = 40};
    joint.friction = CoulombViscous{.coulomb = 0.4, .viscous = 0.1};
    joint.link = {.name = std::string(name) + "_rod", .mass = rod(m, l)};
    description.joints.push_back(joint);
  }
  const Arm arm(description);  // throws a ModelError with place, finding and hint where this is no arm

  const VecX<double> stretched = VecX<double>::Zero(2);
  const VecX<double> tau = inverse_dynamics<double>(arm, stretched, stretched, stretched);
  const double g = 9.80665;
  std::printf("held out stretched: %.3f and %.3f N m; by hand: %.3f and %.3f N m\n", tau[0], tau[1],
              m * g * l / 2 + m * g * 3 * l / 2, m * g * l / 2);
  std::printf("inertia at the elbow: %.4f kg m^2; a rod about its end: %.4f kg m^2\n",
              mass_matrix<double>(arm, stretched)(1, 1), m * l * l / 3);

  description.joints[1].link.mass->tensor(2, 2) *= 5;  // more about one axis than about the other two together
  try {
    const Arm impossible(description);
  } catch (const ModelError& error) {
    std::printf("%s\n", error.what());
  }
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
