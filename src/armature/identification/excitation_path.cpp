#include "armature/identification/excitation_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/core/error.hpp"

namespace armature::identification {

namespace {

//  From rest at x0 to (x, v, a) after T:   x0 + c3 t³ + c4 t⁴ + c5 t⁵, with d = x - x0
//     c3 = (10 d - 4 v T + a T²/2)/T³,  c4 = (-15 d + 7 v T - a T²)/T⁴,  c5 = (6 d - 3 v T + a T²/2)/T⁵
PiecewisePolynomial from_rest(double x0, double x, double v, double a, double T) {
  const double d = x - x0, T2 = T * T, T3 = T2 * T;
  PiecewisePolynomial::Piece piece;
  piece.c = {x0,
             0,
             0,
             (10 * d - 4 * v * T + a * T2 / 2) / T3,
             (-15 * d + 7 * v * T - a * T2) / (T3 * T),
             (6 * d - 3 * v * T + a * T2 / 2) / (T3 * T2)};
  return PiecewisePolynomial({piece}, T);
}

/// The same backwards in time: from (x, v, a) to rest at x0.
PiecewisePolynomial to_rest(double x0, double x, double v, double a, double T) {
  const double d = x0 - x, T2 = T * T, T3 = T2 * T;
  PiecewisePolynomial::Piece piece;
  piece.c = {x,
             v,
             a / 2,
             (20 * d - 12 * v * T - 3 * a * T2) / (2 * T3),
             (-30 * d + 16 * v * T + 3 * a * T2) / (2 * T3 * T),
             (12 * d - 6 * v * T - a * T2) / (2 * T3 * T2)};
  return PiecewisePolynomial({piece}, T);
}

bool keeps(const Arm& arm, const PolynomialPath& path, const ExcitationLimits& limits) {
  constexpr int samples = 1000;
  constexpr double slack = 1 + 1e-9;  // the ends lie on the periodic motion, which may touch a limit
  JointMotion m;
  const bool torques = limits.torque.array().isFinite().any();
  for (int k = 0; k <= samples; ++k) {
    path.at(path.duration() * k / samples, m);
    if (((m.q - limits.upper).array() > 1e-9).any() || ((limits.lower - m.q).array() > 1e-9).any()) return false;
    if ((m.qd.cwiseAbs().array() > slack * limits.velocity.array()).any()) return false;
    if ((m.qdd.cwiseAbs().array() > slack * limits.acceleration.array()).any()) return false;
    if (torques && (motion_torque(arm, m.q, m.qd, m.qdd).cwiseAbs().array() > slack * limits.torque.array()).any())
      return false;
    if (limits.workspace) {
      const Vec3<double> p = tool_pose(arm, forward_kinematics<double>(arm, m.q)).p;
      if (((p - limits.workspace->upper).array() > 1e-9).any() || ((limits.workspace->lower - p).array() > 1e-9).any())
        return false;
    }
    if (limits.clearance &&
        clearance(*limits.clearance, forward_kinematics<double>(arm, m.q)).distance < limits.least_clearance - 1e-9)
      return false;
  }
  return true;
}

/// The shortest lead, at most a twentieth longer than need be, if any keeps the limits. Where each joint rests is free: half way at its
/// speed from where the series is, so that it need not swing back, or nearer.
std::optional<PolynomialPath> lead(const Arm& arm, const JointMotion& m, const ExcitationLimits& limits, bool in,
                                   double tick, double longest) {
  for (double shortest = 0.5; shortest <= longest; shortest *= 1.05) {
    const double T = tick * std::ceil(shortest / tick);
    for (const double part : {0.5, 0.25, 0.0}) {
      std::vector<PiecewisePolynomial> joints;
      for (Eigen::Index i = 0; i < m.q.size(); ++i) {
        const double rest = std::clamp(m.q[i] + (in ? -1 : 1) * part * m.qd[i] * T, limits.lower[i], limits.upper[i]);
        joints.push_back(in ? from_rest(rest, m.q[i], m.qd[i], m.qdd[i], T)
                            : to_rest(rest, m.q[i], m.qd[i], m.qdd[i], T));
      }
      PolynomialPath path(std::move(joints));
      if (keeps(arm, path, limits)) return path;
    }
  }
  return {};
}

}  // namespace

/// Where the period is entered is free too: where no lead keeps the limits at its beginning, further on.
ExcitationPath::Leads ExcitationPath::leads(const Arm& arm, const FourierPath& series, const ExcitationLimits& limits,
                                            double tick, double longest) {
  constexpr int entries = 16;
  for (int k = 0; k < entries; ++k) {
    const double phase = tick * std::round(k * series.duration() / entries / tick);
    JointMotion m;
    series.at(phase, m);
    std::optional<PolynomialPath> in = lead(arm, m, limits, true, tick, longest);
    if (!in) continue;
    std::optional<PolynomialPath> out = lead(arm, m, limits, false, tick, longest);
    if (out) return {phase, *std::move(in), *std::move(out)};
  }
  throw Error(
      fmt::format("no smooth way into the periodic motion and out of it within {:g} s keeps the limits", longest),
      "another seed moves elsewhere; or widen the limits");
}

ExcitationPath::ExcitationPath(const Arm& arm, const FourierCoefficients& motion, int periods,
                               const ExcitationLimits& limits, double tick, double longest_lead)
    : series_(motion.path()), periods_(periods), leads_(leads(arm, series_, limits, tick, longest_lead)) {
  if (periods < 1) throw Error(fmt::format("a motion of {} periods", periods), "1 or more");
}

void ExcitationPath::at(double t, JointMotion& motion) const noexcept {
  if (t < begin())
    leads_.in.at(t, motion);
  else if (t < end())
    series_.at(leads_.phase == 0 ? t - begin() : std::fmod(t - begin() + leads_.phase, series_.duration()), motion);
  else
    leads_.out.at(t - end(), motion);
}

}  // namespace armature::identification
