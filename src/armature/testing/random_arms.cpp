#include "armature/testing/random_arms.hpp"

#include <string>

#include "armature/core/units.hpp"

namespace armature::testing {

namespace {

Vec3<double> normal_vector(Random& random, double size) {
  return Vec3<double>(random.normal(), random.normal(), random.normal()) * size;
}

/// A cloud of points has an inertia that a body can have.
MassProperties random_body(Random& random) {
  MassProperties body;
  const Vec3<double> centre = normal_vector(random, 0.2);
  Inertia<double> cloud;
  for (int i = 0; i < 6; ++i) {
    const double m = random.uniform(0.1, 1);
    const Vec3<double> p = centre + normal_vector(random, 0.1);
    cloud = cloud + Inertia<double>{m, p * m, point_mass_inertia<double>(m, p)};
  }
  body.mass = cloud.m;
  body.position = cloud.h / cloud.m;
  body.tensor = central_inertia(cloud);
  return body;
}

double random_angle(Random& random) {
  const double quarter[] = {0, pi / 2, -pi / 2, pi};
  return random.uniform() < 0.6 ? quarter[random.bits() % 4] : random.uniform(-pi, pi);
}

}  // namespace

Arm random_arm(int dof, Random& random) {
  ArmDescription arm;
  arm.name = "random" + std::to_string(dof);
  arm.convention = random.uniform() < 0.5 ? DhConvention::standard : DhConvention::modified;
  arm.gravity = normal_vector(random, 6);
  arm.base = {normal_vector(random, 0.3), normal_vector(random, 1)};
  arm.tool = {normal_vector(random, 0.1), normal_vector(random, 1)};
  for (int i = 0; i < dof; ++i) {
    JointDescription joint;
    joint.name = "j" + std::to_string(i + 1);
    joint.type = random.uniform() < 0.75 ? JointType::revolute : JointType::prismatic;
    if (random.uniform() < 0.7)
      joint.placement = DhRow{random_angle(random), random.normal() * 0.3, random.normal() * 0.3, random_angle(random)};
    else
      joint.placement =
          OriginAxis{{normal_vector(random, 0.3), normal_vector(random, 1)}, normal_vector(random, 1).normalized()};
    joint.link.name = "l" + std::to_string(i + 1);
    joint.link.mass = random_body(random);
    arm.joints.push_back(joint);
  }
  return Arm(arm);
}

VecX<double> random_vector(int dof, Random& random, double size) {
  VecX<double> v(dof);
  for (int i = 0; i < dof; ++i) v[i] = random.uniform(-size, size);
  return v;
}

}  // namespace armature::testing
