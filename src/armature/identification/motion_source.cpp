#include "armature/identification/motion_source.hpp"

#include "armature/identification/torque_delay.hpp"

namespace armature {

MotionSource source_of(const MotionBlock& block) {
  const bool velocities = block.qd.rows() > 0;
  return {block.start + static_cast<double>(block.first) * block.step, block.step, velocities,
          [&block, velocities](const MotionSource::Sample& sample) {
            for (Eigen::Index k = 0; k < block.samples(); ++k)
              sample(block.q.row(k).data(), velocities ? block.qd.row(k).data() : nullptr, block.tau.row(k).data(),
                     nullptr);
          }};
}

void stream_equations(const MotionSource& source, const TorqueModel& model, const Processing& processing,
                      const EquationSink& sink) {
  EquationStream stream(model, processing, source.start, source.step, source.velocities, sink);
  with_torque_delay(source, model.dof(), processing.torque_delay)
      .for_each([&](const double* q, const double* qd, const double* tau, const double*) { stream.push(q, qd, tau); });
  stream.finish();
}

}  // namespace armature
