// Friction that grows with the load, estimated together with what makes the load.
#pragma once

#include "armature/identification/motion_source.hpp"

namespace armature::identification {

/// Whether a joint's law depends on its load.
bool depends_on_load(const TorqueModelSettings& columns);

/// The parameters of `columns` about which its laws that depend on the load are to be linearized (TorqueModelSettings::linearized_at): where least
/// squares with the linearized columns ends, by Gauss and Newton from an estimate in which friction does not depend on the load. Empty
/// where no law does. Loads are those of the estimate, never measured torques: their noise is the noise of the equations.
Eigen::VectorXd settled_load(const Arm& arm, const MotionSource& source, const Processing& processing,
                             const TorqueModelSettings& columns);

}  // namespace armature::identification
