#include "armature/identification/internal/torque_band.hpp"

#include <cmath>

namespace armature::identification {

namespace {

constexpr double most_lost = 5e-3;              // of a joint's torque, RMS
constexpr double most_at_the_ends = 0.05;       // of the log
constexpr Eigen::Index rows_at_once = 1 << 15;  // a log of any length is worked off in pieces
constexpr int most_band_halvings = 10;          // steps of √2

/// What a lower cut-off takes from each joint's torque, in squares.
struct BandTrial {
  double cutoff;
  VecX<double> lost, all;
};

}  // namespace

double torque_band(const MotionSource& source, int joints, const Processing& processing) {
  const double rate = 1 / source.step, highest = processing.parallel_cutoff;
  std::vector<BandTrial> trials;
  for (int k = 1; k <= most_band_halvings; ++k)
    trials.push_back({highest * std::pow(2, -0.5 * k), VecX<double>::Zero(joints), VecX<double>::Zero(joints)});
  const std::vector<Section> before = butterworth(processing.parallel_order, highest, rate);
  RowMatrix torques(rows_at_once, joints);
  std::vector<bool> kept(static_cast<std::size_t>(rows_at_once));
  Eigen::Index filled = 0;
  double count = 0;
  const auto work_off = [&] {
    RowMatrix whole = torques.topRows(filled);
    filter_zero_phase(before, whole);
    for (BandTrial& trial : trials) {
      RowMatrix less = torques.topRows(filled);
      filter_zero_phase(butterworth(processing.parallel_order, trial.cutoff, rate), less);
      const auto end = static_cast<Eigen::Index>(std::llround(rate / trial.cutoff));
      for (Eigen::Index i = end; i < filled - end; ++i) {
        if (!kept[i]) continue;
        trial.lost += (less.row(i) - whole.row(i)).cwiseAbs2().transpose();
        trial.all += whole.row(i).cwiseAbs2().transpose();
      }
    }
    filled = 0;
  };
  source.for_each([&](const JointSample& s) {
    if (filled > 0 && (s.begins || filled == rows_at_once)) work_off();
    torques.row(filled) = Eigen::Map<const Eigen::RowVectorXd>(s.tau, joints);
    kept[filled++] = processing.keeps(s.time);
    count += processing.keeps(s.time);
  });
  if (filled > 0) work_off();
  double lowest = highest;
  for (const BandTrial& trial : trials) {
    const bool ends_cost_little = 2 / trial.cutoff <= most_at_the_ends * count * source.step;
    const bool seen = trial.all.minCoeff() > 0;
    if (!ends_cost_little || !seen || !((trial.lost.array() <= most_lost * most_lost * trial.all.array()).all())) break;
    lowest = trial.cutoff;
  }
  return lowest;
}

}  // namespace armature::identification
