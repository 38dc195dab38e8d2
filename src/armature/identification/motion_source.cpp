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

MotionBlock block_of(const MotionSource& source, int joints, double from, double to, std::size_t most,
                     RowMatrix* reference) {
  const auto n = static_cast<std::size_t>(joints);
  std::vector<double> q, tau, wanted;
  double time = source.start;
  MotionBlock block;
  block.start = time, block.step = source.step;
  source.for_each([&](const double* qk, const double*, const double* tk, const double* rk) {
    if (time >= from && time <= to && tau.size() <= most * n) {
      if (tau.empty()) block.start = time;
      q.insert(q.end(), qk, qk + joints), tau.insert(tau.end(), tk, tk + joints);
      if (reference != nullptr) wanted.insert(wanted.end(), rk, rk + joints);
    }
    time += source.step;
  });
  const auto rows = static_cast<Eigen::Index>(tau.size() / n);
  block.q = Eigen::Map<RowMatrix>(q.data(), rows, joints), block.tau = Eigen::Map<RowMatrix>(tau.data(), rows, joints);
  if (reference != nullptr) *reference = Eigen::Map<RowMatrix>(wanted.data(), rows, joints);
  return block;
}

void stream_equations(const MotionSource& source, const TorqueModel& model, const Processing& processing,
                      const EquationSink& sink) {
  EquationStream stream(model, processing, source.start, source.step, source.velocities, sink);
  with_torque_delay(source, model.dof(), processing.torque_delay)
      .for_each([&](const double* q, const double* qd, const double* tau, const double*) { stream.push(q, qd, tau); });
  stream.finish();
}

}  // namespace armature
