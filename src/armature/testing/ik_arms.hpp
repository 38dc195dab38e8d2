// Arms with closed-form inverse kinematics, of every family, in every notation.
#pragma once

#include <string_view>
#include <vector>

#include "armature/testing/random_arms.hpp"

namespace armature::testing {

struct IkArm {
  Arm arm;
  std::string_view family;  // as IkFamily::name() says
  int branches;
};

/// Geometries as published ([Kostic2004, Table II], [Tum2019] with links of 1/3 m, [Verona2023, Table 1], the PUMA of
/// [Corke1996], UR arms as in [Hawkins2013]), and for each family one, named _offset, with every offset it may have.
std::vector<IkArm> ik_arms();
/// The one of that name.
Arm ik_arm(std::string_view name);

/// An arm of the same family as told, in the way of a URDF, by someone with other frames in mind: the base stands
/// elsewhere, zero is another posture, link frames are turned and slid along their axes, some axes point the other way,
/// and six-axis arms carry another tool.
Arm retold(const Arm& arm, Random& random);

/// A frame anywhere within a metre.
Pose<double> random_pose(Random& random);

/// Largest difference between two joint positions [rad | m], whole turns aside.
double joint_distance(const Arm& arm, const VecX<double>& a, const VecX<double>& b);

}  // namespace armature::testing
