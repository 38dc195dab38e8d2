#include "armature/identification/friction_fit.hpp"

#include <cmath>

#include "armature/core/error.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

/// Sigmoids of the same slope cannot be told apart: each slope stays within this factor of where it starts.
const double slope_range = std::log(2.2);

/// What of a shape is searched: logarithms, and for slopes theta with slope = start exp(range tanh(theta)).
Eigen::VectorXd search_start(const FrictionShape& s) {
  std::vector<double> theta;
  if (s.width > 0) theta.push_back(std::log(s.width));
  if (s.law == FrictionShape::Law::stribeck) theta.push_back(std::log(s.stribeck_velocity));
  if (s.law == FrictionShape::Law::sigmoids)
    for (const double slope : s.slopes)
      if (slope > 0) theta.push_back(0);
  return Eigen::Map<Eigen::VectorXd>(theta.data(), static_cast<Eigen::Index>(theta.size()));
}

FrictionShape shape_at(FrictionShape s, const Eigen::VectorXd& theta) {
  Eigen::Index k = 0;
  if (s.width > 0) s.width = std::exp(theta[k++]);
  if (s.law == FrictionShape::Law::stribeck) s.stribeck_velocity = std::exp(theta[k++]);
  if (s.law == FrictionShape::Law::sigmoids)
    for (double& slope : s.slopes)
      if (slope > 0) slope *= std::exp(slope_range * std::tanh(theta[k++]));
  return s;
}

Eigen::MatrixXd columns_at(const FrictionShape& s, const Eigen::VectorXd& speed) {
  const auto count = static_cast<Eigen::Index>(friction_parameter_names(s).size());
  RowMatrix F(speed.size(), count);
  for (Eigen::Index r = 0; r < speed.size(); ++r) friction_row(s, speed[r], F.row(r).data());
  return F;
}

double steady(const LuGre& l, double v) {
  const double r = v / l.stribeck_velocity;
  return l.coulomb + (l.stiction - l.coulomb) * std::exp(-r * r);
}

}  // namespace

//     r(theta) = (1 - Q Q')(y - F(theta) f),  Q spans the other columns and the offset, f = F(theta)⁺ y there
FrictionFit fit_friction(const FrictionShape& start, const Eigen::VectorXd& speed, const Eigen::VectorXd& torque,
                         const Eigen::MatrixXd& others) {
  const Eigen::Index N = speed.size();
  if (torque.size() != N || (others.size() > 0 && others.rows() != N))
    throw Error("speeds, torques and columns differ in length", "one row an equation");
  Eigen::MatrixXd rest(N, others.cols() + 1);
  rest << others, Eigen::VectorXd::Ones(N);
  const std::vector<int> kept = pivot_columns(rest, 1e-10);
  Eigen::MatrixXd Q(N, kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k) {  // Gram–Schmidt, twice
    Eigen::VectorXd column = rest.col(kept[k]);
    for (int pass = 0; pass < 2; ++pass) column -= Q.leftCols(k) * (Q.leftCols(k).transpose() * column);
    Q.col(k) = column.normalized();
  }
  const auto projected = [&](const Eigen::MatrixXd& X) -> Eigen::MatrixXd { return X - Q * (Q.transpose() * X); };
  const Eigen::VectorXd y = projected(torque);
  const auto residual = [&](const Eigen::VectorXd& theta, Eigen::VectorXd& r) {
    const Eigen::MatrixXd F = projected(columns_at(shape_at(start, theta), speed));
    r = y - F * least_squares_solution(F, y);
  };
  FrictionFit result;
  const Eigen::VectorXd theta0 = search_start(start);
  Eigen::VectorXd theta = theta0;
  if (theta0.size() > 0) {
    const FitResult f = fit(residual, N, theta0, Eigen::VectorXd::Ones(theta0.size()));
    theta = f.x;
    result.converged = f.converged;
    result.shape_deviation = f.covariance.diagonal().cwiseMax(0).cwiseSqrt();
  } else {
    result.converged = true;
  }
  result.shape = shape_at(start, theta);
  const Eigen::MatrixXd F = columns_at(result.shape, speed), Fp = projected(F);
  const Eigen::VectorXd f = least_squares_solution(Fp, y);
  result.values.assign(f.data(), f.data() + f.size());
  result.rms = std::sqrt((y - Fp * f).squaredNorm() / static_cast<double>(N));
  if (others.cols() == 0) result.offset = (torque - F * f).mean();
  return result;
}

//     z+ = z_s + (z - z_s) exp(-a h),  a = sigma0 |v| / g(v),  z_s = g(v) sgn(v) / sigma0;   tau = sigma0 z + sigma1 zd + sigma2 v
Eigen::VectorXd lugre_torque(const LuGre& l, const Eigen::VectorXd& speed, double step) {
  Eigen::VectorXd tau(speed.size());
  double z = 0;
  for (Eigen::Index k = 0; k < speed.size(); ++k) {
    const double v = speed[k], g = steady(l, v), a = l.sigma0 * std::abs(v) / g;
    const double zd = v - a * z;
    tau[k] = l.sigma0 * z + l.sigma1 * zd + l.sigma2 * v;
    z = a * step > 1e-8 ? (v > 0 ? 1 : -1) * g / l.sigma0 + (z - (v > 0 ? 1 : -1) * g / l.sigma0) * std::exp(-a * step)
                        : z + zd * step;
  }
  return tau;
}

namespace {

/// The law of steady sliding, from the samples above the sliding speed.
FrictionFit fit_sliding(const Eigen::VectorXd& speed, const Eigen::VectorXd& torque, double sliding_speed) {
  std::vector<double> v, tau;
  for (Eigen::Index k = 0; k < speed.size(); ++k)
    if (std::abs(speed[k]) > sliding_speed) {
      v.push_back(speed[k]);
      tau.push_back(torque[k]);
    }
  if (v.size() < 20 || v.size() + 20 > static_cast<std::size_t>(speed.size()))
    throw Error("the motion does not both slide and turn round within presliding",
                "LuGre's law needs samples above and below the sliding speed");
  const auto sliding = static_cast<Eigen::Index>(v.size());
  const Eigen::VectorXd vs = Eigen::Map<Eigen::VectorXd>(v.data(), sliding),
                        ts = Eigen::Map<Eigen::VectorXd>(tau.data(), sliding);
  FrictionFit steady_law;
  steady_law.rms = INFINITY;
  for (const double share : {0.03, 0.1, 0.3}) {  // of the largest speed
    FrictionShape shape{FrictionShape::Law::stribeck};
    shape.stribeck_velocity = share * vs.cwiseAbs().maxCoeff();
    const FrictionFit f = fit_friction(shape, vs, ts, Eigen::MatrixXd(sliding, 0));
    if (f.rms < steady_law.rms) steady_law = f;
  }
  return steady_law;
}

/// The torque that bristles hold at the largest displacement that does not slide gives a first stiffness.
double first_stiffness(const Eigen::VectorXd& speed, const Eigen::VectorXd& torque, double step, double coulomb) {
  double x = 0;
  for (Eigen::Index k = 1; k < speed.size(); ++k) {
    x += speed[k] * step;
    if (std::abs(torque[k] - torque[0]) > 0.5 * coulomb)
      return std::abs(torque[k] - torque[0]) / std::max(std::abs(x), 1e-12);
  }
  return 1e3 * coulomb;
}

}  // namespace

LuGreFit fit_lugre(const Eigen::VectorXd& speed, const Eigen::VectorXd& torque, double step, double sliding_speed) {
  const FrictionFit steady_law = fit_sliding(speed, torque, sliding_speed);
  const double fastest = speed.cwiseAbs().maxCoeff();
  const double coulomb = std::max(steady_law.values[0], 1e-6),
               stiction = std::max(steady_law.values[0] + steady_law.values[1], 1.01 * coulomb);
  const double stiffness = first_stiffness(speed, torque, step, coulomb);
  Eigen::VectorXd start(6);
  start << std::log(stiffness), std::log(std::sqrt(stiffness) * 0.1), std::max(steady_law.values[2], 0.0), coulomb,
      stiction - coulomb, std::log(steady_law.shape.stribeck_velocity);
  const auto law_at = [](const Eigen::VectorXd& t) {  // bristles and the Stribeck speed as logarithms
    const double c = std::max(t[3], 1e-9);
    return LuGre{std::exp(t[0]), std::exp(t[1]), t[2], c, c + std::abs(t[4]), std::exp(t[5])};
  };
  Eigen::VectorXd scale(6);
  scale << 1, 1, coulomb / fastest, coulomb, coulomb, 1;
  // Where bristles still bend above the sliding speed the steady law is a wrong one: others are tried beside it.
  std::vector<Eigen::VectorXd> starts{start};
  for (const double share : {0.03, 0.1, 0.3}) {  // of the largest speed
    starts.push_back(start);
    starts.back()[4] = 0.5 * coulomb;
    starts.back()[5] = std::log(share * fastest);
  }
  // From each first the bristles alone, from several stiffnesses, the steady law as it is; then everything together.
  FitResult best;
  best.rms = INFINITY;
  for (Eigen::VectorXd from : starts) {
    FitResult bristles;
    bristles.rms = INFINITY;
    for (const double factor : {0.1, 1.0, 10.0}) {
      const FitResult f = fit(
          [&](const Eigen::VectorXd& t, Eigen::VectorXd& r) {
            Eigen::VectorXd all = from;
            all.head(2) = t;
            r = torque - lugre_torque(law_at(all), speed, step);
          },
          speed.size(), Eigen::Vector2d(start[0] + std::log(factor), start[1]), Eigen::VectorXd::Ones(2));
      if (f.rms < bristles.rms) bristles = f;
    }
    if (!(bristles.rms < INFINITY)) continue;
    from.head(2) = bristles.x;
    const FitResult f =
        fit([&](const Eigen::VectorXd& t, Eigen::VectorXd& r) { r = torque - lugre_torque(law_at(t), speed, step); },
            speed.size(), from, scale);
    if (f.rms < best.rms) best = f;
  }
  LuGreFit result;
  result.law = law_at(best.x);
  result.deviation = best.covariance.diagonal().cwiseMax(0).cwiseSqrt();
  result.deviation[2] /= std::max(std::abs(result.law.sigma2), 1e-12);
  result.deviation[3] /= result.law.coulomb;
  result.deviation[4] =
      std::hypot(std::sqrt(std::max(best.covariance(3, 3), 0.0)), result.deviation[4]) / result.law.stiction;
  result.law.sigma2 = std::max(result.law.sigma2, 0.0);
  result.rms = best.rms;
  result.converged = best.converged;
  return result;
}

}  // namespace armature::identification
