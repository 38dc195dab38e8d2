// Walls that the tool touches.
#pragma once

#include <string>

#include "armature/core/fields.hpp"
#include "armature/scalar/matrix.hpp"

namespace armature::plant {

/// A plane that pushes back at the tool's origin: force = stiffness * depth + damping * speed of entry along the normal,
/// never pulling; along the plane a Dahl element with the limit friction * normal force.
struct Wall {
  std::string name = "wall";
  Vec3<double> point = Vec3<double>::Zero();    // on the plane [m]
  Vec3<double> normal = Vec3<double>::UnitZ();  // towards the free side; a plant needs a unit vector
  double stiffness = 0;                         // [N/m]
  double damping = 0;                           // [N s/m]
  double friction = 0;                          // coefficient [-]
  double tangential_stiffness = 0;              // [N/m]; needed for friction

  void fields(Fields& f);
};

/// Throws ModelError where its normal is no direction or a number is impossible.
void check(const Wall& wall);

}  // namespace armature::plant
