// Links that bend and twist: from the beam of a description to elastic joints along it.
#pragma once

#include <string>
#include <vector>

#include "armature/model/arm.hpp"

namespace armature::model {

/// A way in which a beam yields: it turns about `axis` at its elastic points.
struct BeamFlexibility {
  std::string name;   // "bend_y", "twist"
  Vec3<double> axis;  // in the frame in which the beam starts
  double rigidity;    // EI or GJ [N m²]
  double damping;     // over stiffness [s]
};

/// The beam of a flexible link, in the frame in which it starts: that of the joint, or of a fixed joint's parent.
struct Beam {
  Pose<double> X_SE;  // where it ends: the link's frame
  double length = 0;  // [m]
  Vec3<double> along = Vec3<double>::UnitX();
  double mass = 0, axial_inertia = 0;  // [kg] [kg m²]
  int segments = 0;
  std::vector<BeamFlexibility> ways;

  /// Of the piece between two shares of its length, in the frame in which the beam starts.
  [[nodiscard]] Inertia<double> inertia(double from, double to) const;
};
/// Of a joint with a flexible link; what makes no sense is a finding of findings().
Beam beam_of(const JointDescription& joint, DhConvention convention);

/// Stiffness at the far end of a clamped beam: 3 EI/l³ [N/m], or GJ/l [N m/rad].
double bending_stiffness(double rigidity, double length);
double torsional_stiffness(double rigidity, double length);

struct ElasticJoint {
  std::string name;
  double stiffness = 0, damping = 0;  // [N m/rad] [N m s/rad]
};

/// The same arm with a joint at every elastic point of its flexible links, and rigid pieces of the beam between them. The points
/// are those of Gauss and Legendre, each with its weight of the beam's compliance: deflection and slope of the far end under a
/// load there, and under the beam's weight, are then those of Euler and Bernoulli for two segments and more, for they are
/// integrals of polynomials along the beam.
struct ElasticArm {
  ArmDescription description;
  std::vector<ElasticJoint> elastic;  // the joints that were added, from base to tool
  std::vector<int>
      joint;  // of moving joint i: its number in the arm as described, or dof + its number among the elastic ones
};
bool has_flexible_links(const ArmDescription& description);
/// Throws ModelError where there are more joints than an arm can have.
ElasticArm with_elastic_joints(const ArmDescription& description);

}  // namespace armature::model
