// Readings of a force/torque sensor with the joints' positions, and the equations that they make.
#pragma once

#include <string>
#include <vector>

#include "armature/identification/wrench_model.hpp"

namespace armature::identification {

/// A stretch without a gap, or a table of postures in which the arm stood still.
struct WrenchLog {
  double start = 0, step = 0;  // [s]; step 0: each row is a posture
  RowMatrix q;                 // samples x joints
  RowMatrix wrench;            // samples x 6: fx fy fz [N] tx ty tz [N m], as read
  int run = 0;                 // stretches of one run share their offsets
};

/// Positions, velocities and accelerations behind a low-pass so far above `cutoff` [Hz] that it does not bend what counts for readings below it;
/// at rest in postures.
FilteredMotion motion_of(const WrenchLog& log, double cutoff);

/// What the logs say, in constant memory. An equation of a channel: quantities of the motion (wrench_model.hpp), its reading.
struct WrenchEvidence {
  Evidence evidence{wrench_channels, 0};
  std::size_t runs = 0;
  bool moving = false;    // the motion shows inertia and the sensor's place
  bool postures = false;  // rows are postures: no time, no drift
  double duration = 0;    // of the longest run [s]
};

/// `cutoff`: of the low-pass that readings and what predicts them go through alike [Hz]. Throws Error for logs without rows, and where a channel
/// is dead or stands at its largest reading; `channels` are their names in messages.
WrenchEvidence wrench_evidence(const Arm& arm, const std::vector<WrenchLog>& logs, double cutoff,
                               const std::vector<std::string>& channels);

}  // namespace armature::identification
