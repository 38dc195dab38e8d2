// Where samples come from: a file, a simulation, memory. Told again as often as it is asked.
#pragma once

#include <functional>

#include "armature/identification/equations.hpp"
#include "armature/identification/joint_sample.hpp"

namespace armature::identification {

struct MotionSource {
  double start = 0, step = 0;  // [s]; within a segment samples are a step apart
  bool velocities = false;
  /// Calls `sample` for each sample in order. The first, and the first after each gap, `begins` a segment; times increase throughout.
  using Sample = std::function<void(const JointSample&)>;
  std::function<void(const Sample&)> for_each;
  bool reference = false;
};

/// A block in memory; it must outlive the source.
MotionSource source_of(const MotionBlock& block);

/// The rows in the time that the processing keeps, in memory, at most `most` and one more, which tells that there were too many;
/// `reference` gets the reference positions. Throws Error where a gap lies between them.
MotionBlock block_of(const MotionSource& source, int joints, const Processing& processing, std::size_t most,
                     RowMatrix* reference = nullptr);

/// All equations of the source, in constant memory; filters start anew with each segment.
void stream_equations(const MotionSource& source, const TorqueModel& model, const Processing& processing,
                      const EquationSink& sink);

}  // namespace armature::identification
