#include "armature/identification/wrench_calibration.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/estimate.hpp"
#include "armature/identification/payload.hpp"
#include "armature/identification/statistics.hpp"
#include "armature/identification/wrench_diagnosis.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::identification {

namespace {

constexpr double fewest_samples = 8;
constexpr double widest_mounting = 10 * deg;  // half an interval: beyond it gravity does not show the sensor's axes
constexpr double narrow =
    0.1;  // share of gravity by which it leaves a plane: as little as may be what makes a fit doubtful
constexpr double by_chance = 1e-3;  // a difference as large as this comes by chance so rarely
constexpr int folds = 5;
constexpr double widest_gain = 0.2;

std::vector<Factor> whole_channels(const Evidence& e) {
  std::vector<Factor> all;
  for (int c = 0; c < wrench_channels; ++c) all.push_back(e.whole(c));
  return all;
}

[[noreturn]] void not_shown(const WrenchEvidence& log) {
  throw Error(
      "the log does not show how the sensor is mounted",
      fmt::format("gravity has to come from all sides of the tool: {} in which the wrist turns about two axes, by a "
                  "right angle and more",
                  log.postures ? "at least eight postures, better twenty," : "a log with postures or motions"));
}

/// The better of the fits from both signs of the readings. `doubtful`: another place is as good, or some unknown shows in no reading.
struct BestFit {
  WrenchFit fit;
  bool doubtful = false;
};
BestFit best_fit(const std::vector<Factor>& channels, const std::vector<WrenchProblem>& starts) {
  BestFit best{fit_wrench(channels, starts.front())};
  for (std::size_t k = 1; k < starts.size(); ++k) {
    const WrenchFit other = fit_wrench(channels, starts[k], best.fit.noise);
    const double gain = fit_wrench(channels, best.fit.problem, best.fit.noise).cost - other.cost;
    const bool elsewhere = (other.x().R_TS - best.fit.x().R_TS).norm() > 1e-3;  // one place reached twice is no doubt
    if (elsewhere && std::abs(gain) < -2 * std::log(by_chance)) best.doubtful = true;
    if (gain > 0) best.fit = fit_wrench(channels, other.problem);
  }
  best.doubtful = best.doubtful || !best.fit.determined;
  return best;
}

struct Spread {
  Eigen::MatrixXd covariance;  // of the steps
  double freedom = 0;
};

/// Postures are independent of each other; residuals of a motion are not, and parts of it are left out one after the other.
Spread spread_of(const WrenchFit& fit, const WrenchEvidence& log) {
  const Eigen::Index size = fit.problem.size();
  const Eigen::VectorXd scale = fit.information.diagonal().cwiseSqrt().cwiseInverse();
  Spread s;
  if (log.postures) {
    const Eigen::MatrixXd M = scale.asDiagonal() * fit.information * scale.asDiagonal();
    s.covariance = scale.asDiagonal() * inverse(M) * scale.asDiagonal();
    // each channel's noise is known from its own rows alone
    s.freedom = log.evidence.samples() - static_cast<double>(size) / wrench_channels;
    return s;
  }
  const Eigen::MatrixXd S = fit.problem.slopes(), X = wrench_coefficients(fit.x());
  const Eigen::Index columns = X.cols();
  LinearPart always{fit.information, Eigen::VectorXd::Zero(size)};  // less the log's: the pull
  std::vector<LinearPart> parts;
  Eigen::MatrixXd G;
  Eigen::VectorXd g;
  for (int p = 0; p < log.evidence.parts(); ++p) {
    LinearPart part{Eigen::MatrixXd::Zero(size, size), Eigen::VectorXd::Zero(size)};
    for (int c = 0; c < wrench_channels; ++c) {
      log.evidence.part(p, c).normal_equations(G, g);
      const Eigen::MatrixXd Sc = S.middleRows(columns * c, columns) * scale.asDiagonal() / fit.noise[c];
      part.M += Sc.transpose() * G * Sc;
      part.m += Sc.transpose() * (g - G * X.row(c).transpose()) / fit.noise[c];
    }
    parts.push_back(std::move(part));
  }
  always.M = scale.asDiagonal() * fit.information * scale.asDiagonal();
  for (const LinearPart& part : parts) {
    always.M -= part.M;
    always.m -= part.m;
  }
  s.covariance = scale.asDiagonal() * correlated_covariance(std::move(parts), always, s.freedom) * scale.asDiagonal();
  return s;
}

/// Mass, first moment and inertia about T's origin, whatever sign the readings have.
InertiaParameters<double> body_of(const WrenchParameters& x) {
  const double sign = x.m < 0 ? -1 : 1;
  const Inertia<double> about_sensor{sign * x.m, sign * x.h, sign * x.I};
  return parameters(seen_from<double>(Pose<double>{Mat3<double>::Identity(), x.p}, about_sensor));
}

/// What is told, group by group. Half widths come later.
struct Told {
  std::vector<WrenchQuantity> tool, mounting, zeros, gains, drift, gravity;
  template <class F>
  void each(F f) {
    for (auto* group : {&tool, &mounting, &zeros, &gains, &drift, &gravity})
      for (WrenchQuantity& q : *group) f(q);
  }
};

Told told(const WrenchParameters& x, const WrenchCalibration& about, const WrenchUnknowns& u) {
  constexpr const char* axes = "xyz";
  Told t;
  const Vec3<double> centre = x.R_TS.transpose() * x.h / x.m;
  if (u.tool) {
    t.tool.push_back({"mass", "kg", std::abs(x.m)});
    for (int k = 0; k < 3; ++k) t.tool.push_back({fmt::format("centre {} in the sensor", axes[k]), "m", centre[k]});
    const Inertia<double> body = inertia_from_parameters<double>(body_of(x));
    for (int k = 0; k < 3; ++k)
      t.tool.push_back({fmt::format("centre {} in the tool's frame", axes[k]), "m", body.h[k] / body.m});
    const InertiaParameters<double> central =
        parameters(Inertia<double>{body.m, Vec3<double>(body.h), central_inertia(body)});
    for (int k = 4; k < 10 && u.inertia; ++k) t.tool.push_back({payload_names[k], "kg m^2", central[k]});
  }
  if (u.mounting) {
    const Vec3<double> rpy = rpy_from_rotation(x.R_TS).angles;
    for (int k = 0; k < 3; ++k) t.mounting.push_back({fmt::format("r{}", axes[k]), "rad", rpy[k]});
  }
  for (int k = 0; k < 3 && u.position; ++k) t.mounting.push_back({std::string(1, axes[k]), "m", x.p[k]});
  for (std::size_t r = 0; r < x.runs.size(); ++r)
    for (int c = 0; c < wrench_channels; ++c) {
      const std::string name =
          x.runs.size() > 1 ? fmt::format("{} in run {}", about.channels[c], r + 1) : about.channels[c];
      t.zeros.push_back({name, c < 3 ? "N" : "N m", x.runs[r].offset[c]});
      if (u.drift)
        t.drift.push_back(
            {name, about.postures ? (c < 3 ? "N/row" : "N m/row") : (c < 3 ? "N/s" : "N m/s"), x.runs[r].drift[c]});
    }
  for (int c = 0; c < wrench_channels && u.gains; ++c)
    t.gains.push_back({about.channels[c], "", std::abs(x.gain(c, c))});
  for (int c = 0; c < wrench_channels && u.matrix; ++c)
    for (int k = 0; k < wrench_channels; ++k)
      t.gains.push_back(
          {fmt::format("{} by {}", about.channels[c], WrenchCalibration().channels[k]), "", x.gain(c, k)});
  for (int k = 0; k < 3 && u.gravity; ++k)
    t.gravity.push_back({fmt::format("gravity {}", axes[k]), "m/s^2", x.gravity[k]});
  return t;
}

/// d(quantity)/d(step) by differences, and from it the half widths.
void tell(WrenchCalibration& found, const WrenchFit& fit, const WrenchUnknowns& u, const Spread& spread,
          Eigen::MatrixXd& body_covariance) {
  constexpr double step = 1e-5;
  Told here = told(fit.x(), found, u);
  const int size = fit.problem.size();
  std::vector<Eigen::VectorXd> slopes;
  here.each([&](WrenchQuantity&) { slopes.emplace_back(Eigen::VectorXd::Zero(size)); });
  Eigen::MatrixXd body(10, size);
  for (int k = 0; k < size; ++k) {
    const Eigen::VectorXd d = step * Eigen::VectorXd::Unit(size, k);
    const WrenchParameters above = fit.problem.at(d), below = fit.problem.at(-d);
    Told up = told(above, found, u), down = told(below, found, u);
    body.col(k) = (body_of(above) - body_of(below)) / (2 * step);
    std::size_t i = 0;
    up.each([&](const WrenchQuantity& q) { slopes[i++][k] = q.value; });
    i = 0;
    down.each([&](const WrenchQuantity& q) {
      double change = slopes[i][k] - q.value;
      if (q.unit == "rad") change = std::remainder(change, 2 * pi);
      slopes[i++][k] = change / (2 * step);
    });
  }
  const double factor = student_quantile(0.975, spread.freedom);
  std::size_t i = 0;
  here.each([&](WrenchQuantity& q) {
    q.half_width = factor * std::sqrt(std::max(0.0, slopes[i].dot(spread.covariance * slopes[i])));
    ++i;
  });
  body_covariance = body * spread.covariance * body.transpose();
  found.tool = here.tool;
  found.mounting = here.mounting;
  found.zeros = here.zeros;
  found.gains = here.gains;
  found.drift = here.drift;
  found.gravity = here.gravity;
}

/// Mass and first moment, and the inertia where it was found, as equations of the body in units of their errors.
InertiaParameters<double> possible_body(const WrenchParameters& x, const Eigen::MatrixXd& covariance, bool inertia) {
  const Eigen::Index known = inertia ? 10 : 4;
  const InertiaParameters<double> p = body_of(x);
  if (inertia && judge_body(inertia_from_parameters<double>(p)).possible()) return p;
  const Eigen::VectorXd deviation = covariance.diagonal().head(known).cwiseSqrt().cwiseMax(1e-9);
  const Eigen::MatrixXd correlation = deviation.cwiseInverse().asDiagonal() * covariance.topLeftCorner(known, known) *
                                          deviation.cwiseInverse().asDiagonal() +
                                      1e-9 * Eigen::MatrixXd::Identity(known, known);
  const Eigen::MatrixXd root = inverse(cholesky(correlation)) * deviation.cwiseInverse().asDiagonal();
  RowMatrix rows = RowMatrix::Zero(known, 11);
  rows.leftCols(known) = root;
  rows.col(10) = root * p.head(known);
  return nearest_body(p[0], {rows});
}

/// Each fifth of the parts as the rest predicts it.
Vec6<double> held_out_error(const WrenchFit& fit, const WrenchEvidence& log) {
  Vec6<double> squares = Vec6<double>::Zero(), rows = squares;
  for (int fold = 0; fold < folds; ++fold) {
    std::vector<Factor> rest(wrench_channels, Factor(log.evidence.columns())), held = rest;
    for (int p = 0; p < log.evidence.parts(); ++p)
      for (int c = 0; c < wrench_channels; ++c) (p % folds == fold ? held : rest)[c].add(log.evidence.part(p, c));
    if (held.front().rows() == 0) continue;
    const Eigen::MatrixXd X = wrench_coefficients(fit_wrench(rest, fit.problem, fit.noise).x());
    for (int c = 0; c < wrench_channels; ++c) {
      squares[c] += held[c].residual_squares(X.row(c).transpose());
      rows[c] += held[c].rows();
    }
  }
  return squares.cwiseQuotient(rows).cwiseSqrt();
}

Vec3<double> given_position(const WrenchSettings& s) {
  if (s.position.empty()) return Vec3<double>::Zero();
  if (s.position.size() != 3) throw Error("the sensor's position is not three lengths", "for example [0, 0, 0.03]");
  return {s.position[0], s.position[1], s.position[2]};
}

/// Where fits begin: tool and mounting as gravity shows them; with a known tool, what it lacks is gain.
std::vector<WrenchProblem> problems(const std::vector<Factor>& channels, const Arm& arm, const WrenchSettings& s,
                                    const WrenchUnknowns& u) {
  std::vector<WrenchProblem> all;
  for (WrenchParameters x : wrench_starts(channels, arm.gravity(), u.drift)) {
    x.p = given_position(s);
    if (u.tool) {
      all.emplace_back(x, u);
      continue;
    }
    const InertiaParameters<double> tool = parameters(inertia_of(*arm.description().payload));
    const double sign = x.m < 0 ? -1 : 1;
    x.gain.diagonal() << Vec3<double>::Constant(x.m / tool[0]), Vec3<double>::Constant(sign);
    if (u.matrix) {
      Eigen::Matrix<double, 6, 6> turn = Eigen::Matrix<double, 6, 6>::Zero();
      turn.topLeftCorner<3, 3>() = turn.bottomRightCorner<3, 3>() = x.R_TS.transpose();
      x.gain = (x.gain * turn).eval();
      x.R_TS.setIdentity();
    }
    all.emplace_back(x, u, tool);
  }
  return all;
}

WrenchUnknowns unknowns_of(const WrenchEvidence& log, const Arm& arm, const WrenchSettings& s) {
  const bool known = s.gains || s.matrix;
  if (known && !arm.description().payload)
    throw Error("gains need a tool that is known", "describe it as the arm's payload: mass, centre of mass, inertia");
  if (s.gains && s.matrix)
    throw Error("gains and the matrix are asked for", "one of them: the matrix has the gains in it");
  if (known && s.find_gravity)
    throw Error("gains and the direction of gravity are asked for", "one of them: find the direction first");
  WrenchUnknowns u;
  u.tool = !known;
  u.inertia = u.tool && log.moving;
  u.position = u.tool && log.moving && s.position.empty();
  u.mounting = !s.matrix;
  u.drift = !log.postures;
  u.gravity = s.find_gravity;
  u.gains = s.gains;
  u.matrix = s.matrix;
  return u;
}

/// Offsets that change from row to row in the order of the postures are found, where chance would not make them.
void look_for_drift(const std::vector<Factor>& channels, const WrenchEvidence& log, const Arm& arm,
                    const WrenchSettings& s, WrenchUnknowns& u, WrenchFit& fit) {
  if (!log.postures) return;
  WrenchUnknowns drifting = u;
  drifting.drift = true;
  const std::vector<WrenchProblem> starts = problems(channels, arm, s, drifting);
  const WrenchFit other = fit_wrench(channels, starts.front());
  if (!other.determined || log.evidence.samples() < 2 * fewest_samples) return;
  const double gain = fit_wrench(channels, fit.problem, other.noise).cost - other.cost;
  if (chi_square_tail(gain, wrench_channels) > by_chance) return;
  u = drifting;
  fit = other;
}

/// Whether gravity in another direction explains the readings markedly better than as described.
void look_for_tilt(const std::vector<Factor>& channels, const WrenchFit& fit, WrenchUnknowns u,
                   WrenchCalibration& found) {
  constexpr double markedly = 0.9;  // of the misfit
  if (u.gravity || !u.tool) return;
  u.gravity = true;
  const WrenchFit tilted = fit_wrench(channels, WrenchProblem(fit.x(), u), fit.noise);
  const double before = misfit(channels, fit.x()).worst(), after = misfit(channels, tilted.x()).worst();
  if (!tilted.determined || after > markedly * before) return;
  const double tilt =
      std::atan2(fit.x().gravity.cross(tilted.x().gravity).norm(), fit.x().gravity.dot(tilted.x().gravity));
  found.remarks.push_back(
      fmt::format("With gravity tilted by {:.2g} deg in the base the residual falls from {:.2g} to {:.2g} %: does the "
                  "base stand level? --find-gravity takes the direction from the log.",
                  tilt / deg, 100 * before, 100 * after));
}

void refuse_vague(const WrenchCalibration& found, const WrenchEvidence& log) {
  for (const WrenchQuantity& q : found.mounting)
    if (q.unit == "rad" && !(q.half_width < widest_mounting)) not_shown(log);
  for (const WrenchQuantity& q : found.gains)
    if (!(q.half_width < widest_gain))
      throw Error(
          fmt::format("the gain of {} is known to ±{:.0f} % only", q.name, 100 * q.half_width),
          "one tool that stands still shows three of six directions: a log with fast turns shows the matrix, and "
          "gains of channels (--gains) need a centre of mass that is far from the sensor");
}

}  // namespace

double WrenchCalibration::error() const {
  const double force = spread.head<3>().norm(), moment = spread.tail<3>().norm();
  return std::max(held_out.head<3>().norm() / force, held_out.tail<3>().norm() / moment);
}

WrenchCalibration calibrate_wrench(const Arm& arm, const std::vector<WrenchLog>& logs, const WrenchSettings& s,
                                   const std::array<std::string, 6>& names) {
  if (!(arm.gravity().norm() > 0))
    throw Error("the arm has no gravity", "state `gravity`: a tool's weight is what shows");
  const WrenchEvidence log = wrench_evidence(arm, logs, s.cutoff, {names.begin(), names.end()});
  if (log.evidence.samples() < fewest_samples)
    throw Error(fmt::format("{:.0f} {} are too few", log.evidence.samples(), log.postures ? "postures" : "equations"),
                log.postures ? "at least eight are needed, better twenty" : "record for longer");
  const std::vector<Factor> channels = whole_channels(log.evidence);
  WrenchUnknowns u = unknowns_of(log, arm, s), plain = u;
  plain.tool = plain.mounting = true;
  plain.gains = plain.matrix = false;
  const BestFit best = best_fit(channels, problems(channels, arm, s, plain));
  if (best.doubtful && direction_spread(channels, arm.gravity()) < narrow) not_shown(log);
  refuse_misfit(channels, best.fit, plain, names);
  if (best.doubtful) not_shown(log);
  WrenchFit fit = best.fit;
  if (!u.tool)
    fit = fit_wrench(channels,
                     problems(channels, arm, s, u).front());  // any sign of a gain fits: the first has the right one
  look_for_drift(channels, log, arm, s, u, fit);
  if (u.tool) refuse_units(fit.x(), arm.description().payload ? inertia_of(*arm.description().payload).m : 0);
  WrenchCalibration found;
  found.x = fit.x();
  found.channels = names;
  found.load = u.tool ? fit.x().m < 0 : fit.x().gain.diagonal().head<3>().sum() < 0;
  found.moving = log.moving;
  found.postures = log.postures;
  found.known_tool = !u.tool;
  found.half_run = log.duration / 2;
  found.noise = fit.noise;
  found.spread = wrench_spread(channels);
  const Spread spread = spread_of(fit, log);
  Eigen::MatrixXd body_covariance;
  tell(found, fit, u, spread, body_covariance);
  refuse_vague(found, log);
  found.body = u.tool ? possible_body(fit.x(), body_covariance, u.inertia) : body_of(fit.x());
  found.held_out = held_out_error(fit, log);
  look_for_tilt(channels, fit, u, found);
  return found;
}

void WrenchSettings::fields(Fields& f) {
  f.frequency("cutoff", cutoff, "of the low-pass on the readings of a sensor that was logged in motion",
              Range::positive);
  f.numbers("position", position, dimension::length, "of the sensor's origin in the tool's frame, where it is known");
  f.flag("find_gravity", find_gravity, "of a sensor: find the direction of gravity in the base too");
  f.flag("gains", gains, "of a sensor: also fit a gain per channel, the arm's payload being what it carries");
  f.flag("matrix", matrix, "of a sensor: also fit the matrix of gains from wrench to channels, likewise");
}

}  // namespace armature::identification
