#include "armature/identification/wrench_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"

namespace armature::identification {

namespace {

constexpr double motion_cutoff =
    4;  // times that of the readings: of the positions, so that they are not bent where readings count
constexpr double kept_rate = 4;    // equations in a period of the cut-off
constexpr double seen_twice = 30;  // acceleration over that of noise alone: then noise bends estimates by a thousandth
constexpr int level_run = 4;       // rows at one and the same extreme reading that are no chance ...
constexpr double same_posture = 0.01;  // [rad | m] of a joint
constexpr double level_share = 0.002;  // ... and the share of all rows that they have to make up

Processing motion_processing(const WrenchLog& log, double cutoff) {
  Processing p;
  p.cutoff = std::min(motion_cutoff * cutoff, 0.4 / log.step);
  return p;
}

/// Accelerations that the noise of the positions alone would show: what the filter takes away, in random order, through the same filter.
double acceleration_of_noise(const WrenchLog& log, double cutoff, const FilteredMotion& motion) {
  Random random(1);
  WrenchLog noise = log;
  noise.q = log.q - motion.q;
  for (Eigen::Index k = noise.q.rows() - 1; k > 0; --k)
    noise.q.row(k).swap(noise.q.row(static_cast<Eigen::Index>(random.uniform(0, 1) * static_cast<double>(k + 1))));
  return motion_of(noise, cutoff).qdd.squaredNorm();
}

/// Rows in which a channel stands at one and the same reading: in a log several times in a row, in a table in postures that differ.
double rows_at(double reading, const WrenchLog& log, int channel) {
  double count = 0;
  Eigen::Index length = 0, last = -1;
  for (Eigen::Index k = 0; k < log.wrench.rows(); ++k) {
    const bool here = log.wrench(k, channel) == reading;
    if (log.step == 0) {
      if (!here || (last >= 0 && (log.q.row(k) - log.q.row(last)).cwiseAbs().maxCoeff() < same_posture)) continue;
      last = k;
      ++count;
      continue;
    }
    length = here ? length + 1 : 0;
    if (length >= level_run) count += length == level_run ? level_run : 1;
  }
  return count;
}

/// A channel that never changes is not connected; one that stands still at its largest or smallest reading again and again is at its end.
void refuse_faults(const std::vector<WrenchLog>& logs, const std::vector<std::string>& channels) {
  for (int c = 0; c < wrench_channels; ++c) {
    double low = 1e300, high = -1e300, rows = 0;
    for (const WrenchLog& log : logs) {
      low = std::min(low, log.wrench.col(c).minCoeff());
      high = std::max(high, log.wrench.col(c).maxCoeff());
      rows += static_cast<double>(log.wrench.rows());
    }
    const std::string& name = channels[c];
    if (low == high)
      throw Error(fmt::format("channel '{}' reads {:.6g} in every row", name, low),
                  "its wire or its column is dead: mend it, or name another column (--map)");
    for (const double end : {low, high}) {
      double at_end = 0;
      for (const WrenchLog& log : logs) at_end += rows_at(end, log, c);
      if (at_end >= level_run && at_end > level_share * rows)
        throw Error(fmt::format("channel '{}' stands at its {} reading, {:.6g}, in {:.0f} of {:.0f} rows", name,
                                end == high ? "largest" : "smallest", end, at_end, rows),
                    "it is saturated: the true load is beyond; a lighter tool, a larger range, or cut these parts out");
    }
  }
}

void add_postures(const Arm& arm, const WrenchLog& log, std::size_t runs, Evidence& evidence) {
  Eigen::VectorXd row = Eigen::VectorXd::Zero(wrench_columns(runs));
  const VecX<double> still = VecX<double>::Zero(arm.dof());
  evidence.begin_run(log.run);
  for (Eigen::Index k = 0; k < log.q.rows(); ++k) {
    row.head(wrench_motion_columns) = wrench_motion(arm, {log.q.row(k).transpose(), still, still});
    row[wrench_motion_columns + 2 * log.run] = 1;
    row[wrench_motion_columns + 2 * log.run + 1] = static_cast<double>(k) - static_cast<double>(log.q.rows() - 1) / 2;
    for (int c = 0; c < wrench_channels; ++c) evidence.add(c, row.data(), log.wrench(k, c));
    evidence.end_sample();
  }
}

struct MotionSize {
  double signal = 0, noise = 0;  // squares of the accelerations
};

void add_motion(const Arm& arm, const WrenchLog& log, double cutoff, double middle, std::size_t runs,
                Evidence& evidence, MotionSize& size) {
  const double rate = 1 / log.step, low = std::min(cutoff, motion_processing(log, cutoff).cutoff / motion_cutoff);
  const FilteredMotion motion = motion_of(log, cutoff);
  size.signal += motion.qdd.squaredNorm();
  size.noise += acceleration_of_noise(log, cutoff, motion);
  RowMatrix rows(log.q.rows(), wrench_motion_columns + wrench_channels);
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    const JointMotion m{motion.q.row(k).transpose(), motion.qd.row(k).transpose(), motion.qdd.row(k).transpose()};
    rows.row(k).head(wrench_motion_columns) = wrench_motion(arm, m).transpose();
    rows.row(k).tail(wrench_channels) = log.wrench.row(k);
  }
  filter_zero_phase(butterworth(Processing().order, low, rate), rows);
  const auto every = std::max<Eigen::Index>(1, std::llround(rate / (kept_rate * low))), edge = 2 * every;
  Eigen::VectorXd row = Eigen::VectorXd::Zero(wrench_columns(runs));
  evidence.begin_run(log.run);
  for (Eigen::Index k = edge; k < rows.rows() - edge; k += every) {
    row.head(wrench_motion_columns) = rows.row(k).head(wrench_motion_columns).transpose();
    row[wrench_motion_columns + 2 * log.run] = 1;
    row[wrench_motion_columns + 2 * log.run + 1] = log.start + static_cast<double>(k) * log.step - middle;
    for (int c = 0; c < wrench_channels; ++c) evidence.add(c, row.data(), rows(k, wrench_motion_columns + c));
    evidence.end_sample();
  }
}

}  // namespace

FilteredMotion motion_of(const WrenchLog& log, double cutoff) {
  if (log.step == 0)
    return {log.q, RowMatrix::Zero(log.q.rows(), log.q.cols()), RowMatrix::Zero(log.q.rows(), log.q.cols())};
  MotionBlock block;
  block.step = log.step;
  block.q = log.q;
  return filtered_motion(block, motion_processing(log, cutoff));
}

WrenchEvidence wrench_evidence(const Arm& arm, const std::vector<WrenchLog>& logs, double cutoff,
                               const std::vector<std::string>& channels) {
  WrenchEvidence made;
  std::vector<double> from, to;  // of each run [s]
  made.postures = true;
  for (const WrenchLog& log : logs) {
    const auto run = static_cast<std::size_t>(log.run);
    made.runs = std::max(made.runs, run + 1);
    from.resize(made.runs, 1e300);
    to.resize(made.runs, -1e300);
    from[run] = std::min(from[run], log.start);
    to[run] = std::max(to[run], log.start + log.step * static_cast<double>(log.q.rows()));
    made.postures = made.postures && log.step == 0;
  }
  refuse_faults(logs, channels);
  made.evidence = Evidence(wrench_channels, wrench_columns(made.runs));
  MotionSize size;
  for (const WrenchLog& log : logs) {
    const auto run = static_cast<std::size_t>(log.run);
    if (log.step == 0)
      add_postures(arm, log, made.runs, made.evidence);
    else
      add_motion(arm, log, cutoff, (from[run] + to[run]) / 2, made.runs, made.evidence, size);
    made.duration = std::max(made.duration, to[run] - from[run]);
  }
  made.evidence.finish();
  made.moving = size.signal > seen_twice * seen_twice * size.noise;
  return made;
}

}  // namespace armature::identification
