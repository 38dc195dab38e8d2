#include "armature/identification/gravity_direction.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/estimate.hpp"

namespace armature::identification {

namespace {

constexpr int most_rounds = 30;
constexpr double longest_step = 0.3;  // [rad]
constexpr double settled = 1e-5;      // [rad]
constexpr double nudge =
    0.02;  // [rad] off the described direction: along the first axis some first moments would not show
constexpr double widest = 10 * deg;  // of an interval, to either side
constexpr double dependent = 1e-4;  // a pivot below this share of its column: a turn of gravity looks like other bodies

Arm with_gravity(const Arm& arm, const Vec3<double>& gravity) {
  ArmDescription d = arm.description();
  d.gravity = gravity;
  return Arm(std::move(d));
}

/// Two directions across `down`.
std::array<Vec3<double>, 2> across(const Vec3<double>& down) {
  const Vec3<double> first = (std::abs(down[0]) < 0.9 ? Vec3<double>::UnitX() : Vec3<double>::UnitY());
  const Vec3<double> e = (first - first.dot(down) * down).normalized();
  return {e, down.cross(e)};
}

/// What a turn of gravity changes the torques by, through the filters that the log goes through: one number per sample and joint.
std::vector<double> slope_of_torque(const TorqueModel& model, const Eigen::VectorXd& x, const Vec3<double>& turn,
                                    const MotionSource& source, const Processing& processing) {
  const Arm turned = with_gravity(model.arm(), turn);  // torques are linear in gravity
  const int links = parameters_per_link * turned.dof();
  const BaseParameters& base = model.base();
  TorqueModelSettings settings;
  settings.nothing_estimated = true;
  settings.known = [&](const JointMotion& m, VecX<double>& tau) {
    const VecX<double> still = VecX<double>::Zero(turned.dof());
    const Regressor<double> W = torque_regressor<double>(turned, m.q, still, still);
    for (int k = 0; k < base.count(); ++k)
      if (base.columns.kept[k] < links) tau += W.col(base.columns.kept[k]) * x[k];
  };
  const TorqueModel known(model.arm(), settings);
  std::vector<double> all;
  stream_equations(source, known, processing,
                   [&](const SampleEquations& s) { all.insert(all.end(), s.known.begin(), s.known.end()); });
  return all;
}

Evidence gathered(const TorqueModel& model, const MotionSource& source, const Processing& processing,
                  const std::vector<std::vector<double>>& more) {
  const int n = model.dof(), columns = model.size() + static_cast<int>(more.size());
  Evidence evidence(n, columns);
  Eigen::VectorXd row(columns);
  std::size_t at = 0;
  stream_equations(source, model, processing, [&](const SampleEquations& s) {
    evidence.begin_run(s.run);
    for (int j = 0; j < n; ++j, ++at) {
      if (!s.counts[j]) continue;
      row.head(model.size()) = s.rows.row(j).transpose();
      for (std::size_t k = 0; k < more.size(); ++k) row[model.size() + static_cast<int>(k)] = more[k][at];
      evidence.add(j, row.data(), s.torque[j]);
    }
    evidence.end_sample();
  });
  evidence.finish();
  return evidence;
}

[[noreturn]] void not_shown() {
  throw Error("the motion does not show the direction of gravity",
              "a turn of it looks like other bodies here: joints about differently directed axes must move and carry "
              "weight; give the direction (`gravity` in the arm file)");
}

}  // namespace

//  tau(g + dg, x) = W(g) x + (dW/dg dg) x, dg = G (e1 d1 + e2 d2) across g: x, d1 and d2 by least squares with two more columns, the x in
//  them from the round before; then g is turned and the columns are made anew (Gauss and Newton).
FoundGravity find_gravity(const Arm& arm, const MotionSource& source, const Processing& processing,
                          const TorqueModelSettings& columns) {
  const double strength = arm.gravity().norm();
  if (!(strength > 0)) throw Error("the arm has no gravity whose direction could be found", "state `gravity`");
  const Vec3<double> described = arm.gravity() / strength;
  FoundGravity found;
  const TorqueModel as_described(arm, columns);
  const Evidence before = gathered(as_described, source, processing, {});
  found.error_before = training_error(before, least_squares(before).x).total;
  Vec3<double> down = (described + nudge * (across(described)[0] + across(described)[1])).normalized();
  for (int round = 0; round < most_rounds; ++round) {
    const TorqueModel model(with_gravity(arm, strength * down), columns);
    const Evidence plain = gathered(model, source, processing, {});
    const Eigen::VectorXd x = least_squares(plain).x;
    const std::array<Vec3<double>, 2> e = across(down);
    std::vector<std::vector<double>> slopes;
    for (const Vec3<double>& direction : e)
      slopes.push_back(slope_of_torque(model, x, strength * direction, source, processing));
    const Evidence evidence = gathered(model, source, processing, slopes);
    const Estimate turned = least_squares(evidence, {.tolerance = dependent});
    const int last = model.size() + 1;
    if (!turned.determined[last - 1] || !turned.determined[last]) not_shown();
    Eigen::Vector2d step(turned.x[last - 1], turned.x[last]);
    found.half_width = {turned.half_width(last - 1), turned.half_width(last)};
    found.gravity = strength * down;
    found.error = training_error(plain, x).total;
    if (step.norm() < std::max(settled, 0.01 * std::min(found.half_width[0], found.half_width[1]))) break;
    if (round + 1 == most_rounds) not_shown();
    if (step.norm() > longest_step) step *= longest_step / step.norm();
    down = (down + step[0] * e[0] + step[1] * e[1]).normalized();
  }
  for (const double width : found.half_width)
    if (!(width < widest)) not_shown();
  found.tilt = std::atan2(described.cross(found.gravity / strength).norm(), described.dot(found.gravity / strength));
  return found;
}

}  // namespace armature::identification
