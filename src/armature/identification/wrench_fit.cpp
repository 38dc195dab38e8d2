#include "armature/identification/wrench_fit.hpp"

#include <Eigen/LU>
#include <cmath>

#include "armature/numerics/decompositions.hpp"
#include "armature/numerics/fit.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::identification {

namespace {

constexpr double usual_distance = 0.1;  // [m] standard deviation of where a sensor sits, before a log is seen
constexpr int rounds = 6;               // of weights and fit
constexpr double dependent = 1e-7;      // a pivot below this share of the largest: some unknown shows in no reading
constexpr double nudge = 1e-4;          // of the steps for slopes, which are polynomials of low degree

/// Two directions across v.
Eigen::Matrix<double, 3, 2> directions_across(const Vec3<double>& v) {
  const Mat3<double> R = rotation_from_z_to(v.normalized());
  return R.leftCols<2>();
}

std::size_t runs_in(const Factor& f) {
  return static_cast<std::size_t>(f.reduced().cols() - 1 - wrench_motion_columns) / 2;
}

/// Of the residuals, those of the pull last, by the steps.
Eigen::MatrixXd weighted_slopes(const WrenchFit& fit, const std::vector<RowMatrix>& reduced, Eigen::Index count) {
  const int size = fit.problem.size();
  const Eigen::MatrixXd S = fit.problem.slopes();
  const Eigen::Index columns = reduced.front().cols() - 1;
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(count, size);
  Eigen::Index at = 0;
  for (int c = 0; c < wrench_channels; ++c) {
    const RowMatrix& R = reduced[c];
    J.middleRows(at, R.rows()) = R.leftCols(columns) * S.middleRows(columns * c, columns) / fit.noise[c];
    at += R.rows();
  }
  for (int k = 0; k < size && at < count; ++k) {
    const Eigen::VectorXd step = nudge * Eigen::VectorXd::Unit(size, k);
    J.col(k).tail(count - at) =
        (fit.problem.pull(fit.problem.at(step)) - fit.problem.pull(fit.problem.at(-step))) / (2 * nudge);
  }
  return J;
}

/// What each run adds, then u = a - g: a body that hardly turns shows in these alone.
Eigen::MatrixXd at_rest(std::size_t runs, const Vec3<double>& gravity, bool drift) {
  const int zeros = static_cast<int>(runs) * (drift ? 2 : 1);
  Eigen::MatrixXd L = Eigen::MatrixXd::Zero(wrench_columns(runs), zeros + 3);
  for (int z = 0; z < zeros; ++z) L(wrench_motion_columns + (drift ? z : 2 * z), z) = 1;
  for (int k = 0; k < 3; ++k) {
    L(k, zeros + k) = 1;
    for (int world = 0; world < 3; ++world) L(3 + 3 * world + k, zeros + k) = -gravity[world];
  }
  return L;
}

/// The equations with the quantities replaced by fewer: [R z] -> [R L z].
Eigen::VectorXd solved_in(const Factor& f, const Eigen::MatrixXd& L) {
  const RowMatrix R = f.reduced();
  return least_squares_solution(R.leftCols(R.cols() - 1) * L, R.col(R.cols() - 1));
}

}  // namespace

WrenchProblem::WrenchProblem(WrenchParameters start, const WrenchUnknowns& unknowns,
                             std::optional<InertiaParameters<double>> tool)
    : start_(std::move(start)), unknowns_(unknowns), tool_(std::move(tool)), usual_position_(start_.p) {
  if (tool_) unknowns_.tool = unknowns_.inertia = false;
  const WrenchUnknowns& u = unknowns_;
  size_ = 4 * u.tool + 6 * u.inertia + 3 * u.position + 3 * u.mounting + 2 * u.gravity + 6 * u.gains + 36 * u.matrix +
          static_cast<int>(start_.runs.size()) * (u.drift ? 12 : 6);
  take_tool(start_);
}

void WrenchProblem::take_tool(WrenchParameters& x) const {
  if (!tool_) return;
  const Inertia<double> body = seen_from<double>(Pose<double>{Mat3<double>::Identity(), Vec3<double>(-x.p)},
                                                 inertia_from_parameters<double>(*tool_));
  x.m = body.m;
  x.h = body.h;
  x.I = body.I_Bo;
}

WrenchParameters WrenchProblem::at(const Eigen::VectorXd& step) const {
  WrenchParameters x = start_;
  Eigen::Index k = 0;
  const auto next = [&](Eigen::Index count) {
    k += count;
    return step.segment(k - count, count);
  };
  if (unknowns_.tool) {
    x.m += next(1)[0];
    x.h += next(3);
  }
  if (unknowns_.inertia) {
    const Eigen::VectorXd d = next(6);
    Mat3<double> I;
    I << d[0], d[1], d[3], d[1], d[2], d[4], d[3], d[4], d[5];
    x.I += I;
  }
  if (unknowns_.position) x.p += next(3);
  if (unknowns_.mounting) x.R_TS = x.R_TS * exp_map(Vec3<double>(next(3)));
  if (unknowns_.gravity) {
    const Vec3<double> g = x.gravity + x.gravity.norm() * directions_across(x.gravity) * next(2);
    x.gravity = g * (x.gravity.norm() / g.norm());
  }
  if (unknowns_.gains) x.gain.diagonal() += next(6);
  if (unknowns_.matrix) x.gain += Eigen::Map<const Eigen::Matrix<double, 6, 6>>(Eigen::VectorXd(next(36)).data());
  for (WrenchParameters::Zero& zero : x.runs) {
    zero.offset += next(6);
    if (unknowns_.drift) zero.drift += next(6);
  }
  take_tool(x);
  return x;
}

Eigen::MatrixXd WrenchProblem::slopes() const {
  Eigen::MatrixXd all(wrench_channels * wrench_columns(start_.runs.size()), size_);
  for (int k = 0; k < size_; ++k) {
    const Eigen::VectorXd step = nudge * Eigen::VectorXd::Unit(size_, k);
    const Eigen::MatrixXd slope =
        (wrench_coefficients(at(step)) - wrench_coefficients(at(-step))).transpose() / (2 * nudge);
    all.col(k) = Eigen::Map<const Eigen::VectorXd>(slope.data(), slope.size());
  }
  return all;
}

Eigen::VectorXd WrenchProblem::pull(const WrenchParameters& x) const {
  return unknowns_.position ? Eigen::VectorXd((x.p - usual_position_) / usual_distance) : Eigen::VectorXd();
}

WrenchFit fit_wrench(const std::vector<Factor>& channels, WrenchProblem problem,
                     const std::optional<Vec6<double>>& given) {
  std::vector<RowMatrix> reduced;
  Eigen::Index count = problem.pull(problem.start()).size();
  for (const Factor& f : channels) {
    reduced.push_back(f.reduced());
    count += reduced.back().rows();
  }
  WrenchFit found{std::move(problem), given ? *given : wrench_spread(channels), 0, true, {}};
  const Eigen::Index columns = reduced.front().cols() - 1;
  const auto residual = [&](const Eigen::VectorXd& step, Eigen::VectorXd& r) {
    const WrenchParameters x = found.problem.at(step);
    const Eigen::MatrixXd X = wrench_coefficients(x);
    r.resize(count);
    Eigen::Index at = 0;
    for (int c = 0; c < wrench_channels; ++c) {
      const RowMatrix& R = reduced[c];
      r.segment(at, R.rows()) = (R.leftCols(columns) * X.row(c).transpose() - R.col(columns)) / found.noise[c];
      at += R.rows();
    }
    r.tail(count - at) = found.problem.pull(x);
  };
  const int size = found.problem.size();
  for (int round = 0; round < (given ? 1 : rounds); ++round) {
    const FitResult step = fit(residual, count, Eigen::VectorXd::Zero(size), Eigen::VectorXd::Ones(size));
    found.problem.restart(step.x);
    if (given) break;
    const Eigen::MatrixXd X = wrench_coefficients(found.x());
    for (int c = 0; c < wrench_channels; ++c) {
      const Factor& f = channels[c];
      const double freedom = f.rows() - static_cast<double>(size) / wrench_channels;
      found.noise[c] = std::sqrt(std::max(f.residual_squares(X.row(c).transpose()) / std::max(freedom, 1.0),
                                          1e-300 + 1e-24 * f.squares() / std::max(f.rows(), 1.0)));
    }
  }
  Eigen::VectorXd r;
  residual(Eigen::VectorXd::Zero(size), r);
  found.cost = r.squaredNorm();
  const Eigen::MatrixXd J = weighted_slopes(found, reduced, count);
  Eigen::MatrixXd scaled = J;
  for (int k = 0; k < size; ++k)
    if (const double length = J.col(k).norm(); length > 0) scaled.col(k) /= length;
  found.determined = static_cast<int>(pivot_columns(scaled, dependent).size()) == size;
  found.information = J.transpose() * J;
  return found;
}

std::vector<WrenchParameters> wrench_starts(const std::vector<Factor>& channels, const Vec3<double>& gravity,
                                            bool drift) {
  const std::size_t runs = runs_in(channels.front());
  const Eigen::MatrixXd L = at_rest(runs, gravity, drift);
  Eigen::Matrix<double, 6, 3> M;
  WrenchParameters x;
  x.gravity = gravity;
  x.runs.resize(runs);
  for (int c = 0; c < wrench_channels; ++c) {
    const Eigen::VectorXd k = solved_in(channels[c], L);
    M.row(c) = k.tail<3>().transpose();
    for (std::size_t r = 0; r < runs; ++r) {
      x.runs[r].offset[c] = k[static_cast<Eigen::Index>(drift ? 2 * r : r)];
      if (drift) x.runs[r].drift[c] = k[2 * r + 1];
    }
  }
  const SingularValues s = singular_value_decomposition(M.topRows<3>());
  const double handed = determinant(s.U) * determinant(s.V) < 0 ? -1 : 1;
  std::vector<WrenchParameters> starts;
  for (const double sign : {handed, -handed}) {
    const Vec3<double> diagonal(1, 1, sign * handed);
    const Mat3<double> proper = sign * Mat3<double>(s.U * diagonal.asDiagonal() * s.V.transpose());
    x.R_TS = proper.transpose();
    x.m = sign * s.values.dot(diagonal) / 3;
    const Mat3<double> H = proper.transpose() * M.bottomRows<3>();
    x.h = Vec3<double>(H(2, 1) - H(1, 2), H(0, 2) - H(2, 0), H(1, 0) - H(0, 1)) / 2;
    starts.push_back(x);
  }
  return starts;
}

double direction_spread(const std::vector<Factor>& channels, const Vec3<double>& gravity) {
  const Factor& f = channels.front();
  const RowMatrix R = f.reduced();
  const Eigen::MatrixXd triangle = triangle_of(R.leftCols(R.cols() - 1) * at_rest(runs_in(f), gravity, false));
  return singular_values(triangle.bottomRightCorner<3, 3>())[2] / (gravity.norm() * std::sqrt(f.rows()));
}

Vec6<double> wrench_spread(const std::vector<Factor>& channels) {
  const std::size_t runs = runs_in(channels.front());
  Eigen::MatrixXd means = Eigen::MatrixXd::Zero(wrench_columns(runs), static_cast<Eigen::Index>(runs));
  for (std::size_t r = 0; r < runs; ++r)
    means(static_cast<Eigen::Index>(wrench_motion_columns + 2 * r), static_cast<Eigen::Index>(r)) = 1;
  Vec6<double> spread;
  for (int c = 0; c < wrench_channels; ++c) {
    const Factor& f = channels[c];
    const double squares = f.residual_squares(means * solved_in(f, means));
    spread[c] = std::sqrt(std::max(squares / std::max(f.rows(), 1.0), 1e-300));
  }
  return spread;
}

}  // namespace armature::identification
