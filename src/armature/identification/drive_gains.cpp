#include "armature/identification/drive_gains.hpp"

#include <cmath>
#include <utility>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/core/error.hpp"
#include "armature/identification/estimate.hpp"

namespace armature::identification {

std::vector<DriveGain> drive_gains(const Arm& with, const Arm& without, const MotionSource& loaded,
                                   const Processing& loaded_processing, const MotionSource& empty,
                                   const Processing& empty_processing) {
  constexpr double known_enough = 0.2;  // half an interval, as a share: beyond it the payload does not show
  const int n = without.dof();
  const TorqueModel bare(without);
  TorqueModelSettings settings = bare.settings();
  settings.known = [&](const JointMotion& m, VecX<double>& tau) {
    tau = inverse_dynamics<double>(with, m.q, m.qd, m.qdd) - inverse_dynamics<double>(without, m.q, m.qd, m.qdd);
  };
  // the rotors are estimated, so that what is known is the torque of the payload, and of the springs of the joints
  const TorqueModel carrying(without, settings);
  const int columns = bare.size() + 1;
  std::vector<Evidence> evidence(static_cast<std::size_t>(n), Evidence(1, columns));
  std::vector<double> squares(static_cast<std::size_t>(n), 0), rows(static_cast<std::size_t>(n), 0);
  Eigen::VectorXd row(columns);
  const auto take = [&](const SampleEquations& s, bool carries) {
    for (int j = 0; j < n; ++j) {
      const auto i = static_cast<std::size_t>(j);
      if (!s.counts[i]) continue;
      row.head(bare.size()) = s.rows.row(j).transpose();
      row[bare.size()] = s.known[j];  // without the payload: the springs of the joints
      evidence[i].add(0, row.data(), s.torque[j] + s.known[j]);
      evidence[i].end_sample();
      if (carries) {
        squares[i] += s.known[j] * s.known[j];
        ++rows[i];
      }
    }
  };
  for (Evidence& e : evidence) e.begin_run(0);
  stream_equations(loaded, carrying, loaded_processing, [&](const SampleEquations& s) { take(s, true); });
  for (Evidence& e : evidence) e.begin_run(1);
  stream_equations(empty, bare, empty_processing, [&](const SampleEquations& s) { take(s, false); });
  std::vector<DriveGain> gains;
  for (int j = 0; j < n; ++j) {
    const auto i = static_cast<std::size_t>(j);
    evidence[i].finish();
    if (evidence[i].parts() == 0 || !(rows[i] > 0))
      throw Error("no equation is left after processing", "does anything move faster than the standstill threshold?");
    const Estimate e = least_squares(evidence[i], {.tolerance = 1e-6});
    const int last = columns - 1;
    DriveGain gain;
    gain.load = std::sqrt(squares[i] / rows[i]);
    if (e.determined[last] && std::abs(e.x[last]) > 0) {
      gain.gain = 1 / e.x[last];
      gain.half_width = e.half_width(last) * gain.gain * gain.gain;
      gain.determined = std::isfinite(gain.half_width) && gain.half_width < known_enough * std::abs(gain.gain);
    }
    gains.push_back(gain);
  }
  return gains;
}

}  // namespace armature::identification
