// Friction, inertia and gravity of one joint from the log of an arm whose other joints are held [Kostic2004, IV.B].
#pragma once

#include <optional>

#include "armature/identification/friction_ekf.hpp"
#include "armature/identification/motion_source.hpp"
#include "armature/model/arm.hpp"
#include "armature/record/log.hpp"

namespace armature::identification {

struct JointFilter {
  int joint = 0;
  double tick = 0;           // [s]
  double reading = 0;        // noise of a position reading, found from the log [rad]
  JointDynamics described;   // inertia and gravity of the arm in this posture; its friction says nothing
  FrictionEkfResult filter;  // phase as described
  double fastest = 0;        // largest speed in the log [rad/s]
  ArmDescription arm;        // with the joint's friction
};

/// The joint is the one that is asked for, else the only one that moves. The filter starts from least squares with three sigmoids at a
/// fiftieth, a tenth and half of the usual speed; gravity's phase is that of the described arm. Throws Error where other joints
/// move too, where it slides, or where the log is too long.
JointFilter filter_joint(const Arm& arm, const MotionSource& source, const Processing& processing,
                         std::optional<int> joint);

/// Parameters with deviations, beside what the arm's description says of inertia and gravity.
LogTable joint_filter_table(const Arm& arm, const JointFilter& result);
/// How the estimates went over the last pass.
Log joint_filter_log(const Arm& arm, const JointFilter& result);

}  // namespace armature::identification
