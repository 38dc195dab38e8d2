#include "armature/identification/motion_source.hpp"

#include <fmt/format.h>

#include <optional>

#include "armature/core/error.hpp"
#include "armature/identification/torque_delay.hpp"

namespace armature::identification {

MotionSource source_of(const MotionBlock& block) {
  const bool velocities = block.qd.rows() > 0;
  return {block.start + static_cast<double>(block.first) * block.step, block.step, velocities,
          [&block, velocities](const MotionSource::Sample& sample) {
            for (Eigen::Index k = 0; k < block.samples(); ++k)
              sample({.time = block.start + static_cast<double>(block.first + static_cast<std::size_t>(k)) * block.step,
                      .q = block.q.row(k).data(),
                      .qd = velocities ? block.qd.row(k).data() : nullptr,
                      .tau = block.tau.row(k).data(),
                      .begins = k == 0,
                      .run = block.run});
          }};
}

MotionBlock block_of(const MotionSource& source, int joints, const Processing& processing, std::size_t most,
                     RowMatrix* reference) {
  const auto n = static_cast<std::size_t>(joints);
  std::vector<double> q, qd, tau, wanted;
  MotionBlock block;
  block.start = source.start;
  block.step = source.step;
  bool broken = false;  // something was left out since the last row
  source.for_each([&](const JointSample& s) {
    broken = broken || s.begins || !processing.keeps(s.time);
    if (!processing.keeps(s.time) || tau.size() > most * n) return;
    if (tau.empty()) {
      block.start = s.time;
      block.run = s.run;
    }
    if (broken && !tau.empty())
      throw Error(fmt::format("a gap before {:.6g} s: one unbroken stretch of motion is needed here", s.time),
                  "choose one by --from and --to, or another estimator");
    broken = false;
    q.insert(q.end(), s.q, s.q + joints);
    tau.insert(tau.end(), s.tau, s.tau + joints);
    if (s.qd != nullptr) qd.insert(qd.end(), s.qd, s.qd + joints);
    if (reference != nullptr) wanted.insert(wanted.end(), s.reference, s.reference + joints);
  });
  const auto rows = static_cast<Eigen::Index>(tau.size() / n);
  block.q = Eigen::Map<RowMatrix>(q.data(), rows, joints);
  block.tau = Eigen::Map<RowMatrix>(tau.data(), rows, joints);
  if (!qd.empty()) block.qd = Eigen::Map<RowMatrix>(qd.data(), rows, joints);
  if (reference != nullptr) *reference = Eigen::Map<RowMatrix>(wanted.data(), rows, joints);
  return block;
}

void stream_equations(const MotionSource& source, const TorqueModel& model, const Processing& processing,
                      const EquationSink& sink) {
  std::optional<EquationStream> stream;
  int segment = -1;
  with_torque_delay(source, model.dof(), processing.torque_delay).for_each([&](const JointSample& s) {
    if (s.begins || !stream) {
      if (stream) stream->finish();
      stream.emplace(model, processing, s.time, source.step, source.velocities, sink);
      stream->label(s.run, ++segment);
    }
    stream->push(s.q, s.qd, s.tau);
  });
  if (stream) stream->finish();
}

}  // namespace armature::identification
