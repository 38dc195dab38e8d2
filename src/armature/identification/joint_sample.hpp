// One instant of a motion, seen from the joints: the one type in which samples travel from a file to the equations.
#pragma once

#include "armature/rooms.hpp"

namespace armature::identification {

struct JointSample {
  double time = 0;                    // [s]
  const double* q = nullptr;          // [rad | m], one value per joint
  const double* qd = nullptr;         // [rad/s | m/s]; null where velocities were not measured
  const double* tau = nullptr;        // [N m | N]
  const double* reference = nullptr;  // positions that were asked for; null where they are not known
  bool begins =
      false;  // the first of a segment: nothing before it belongs to the same stretch of motion, so filters start anew
  int run = 0;  // the run (a log, or a part of one after a restart of its clock) it belongs to, from 0
};

}  // namespace armature::identification
