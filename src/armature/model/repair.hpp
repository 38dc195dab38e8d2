// Inertia that no body has, replaced by the nearest that one has.
#pragma once

#include "armature/model/description.hpp"

namespace armature::model {

/// The inertia tensor about the centre of mass that is nearest to `tensor` by the Frobenius norm among those of bodies with this
/// mass that are nowhere thinner than `thickness`, the root mean square distance of the mass from any plane through its
/// centre [m].
Mat3<double> nearest_tensor(double mass, const Mat3<double>& tensor, double thickness = 1e-3);

struct BodyRepair {
  std::string link;
  std::optional<MassProperties> before;
  MassProperties after;
  bool stand_in = false;  // it had no mass: a small ball stands in until somebody weighs it
};

/// Gives every moving body of the arm an inertia that can exist: a link with mass keeps mass and centre and gets the nearest
/// tensor; a body without mass becomes a ball of 20 mm radius with a hundredth of the lightest other body's mass (of 1 kg where
/// there is none). Possible ones stay as they are. Returns what was changed; the arm then needs no `unphysical`.
std::vector<BodyRepair> repair_bodies(ArmDescription& arm);

}  // namespace armature::model
