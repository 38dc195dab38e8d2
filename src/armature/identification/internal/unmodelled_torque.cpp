#include "armature/identification/internal/unmodelled_torque.hpp"

#include <algorithm>

#include "armature/identification/friction_shapes.hpp"
#include "armature/identification/internal/gathered.hpp"
#include "armature/identification/statistics.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

/// Weighted sums over equations y = X x + Z u, of X the determined columns.
struct Sums {
  Eigen::MatrixXd xx, xz, zz;
  Eigen::VectorXd xy, zy;
};

Sums sums_of(const Evidence& evidence, int part, const std::vector<int>& kept, Eigen::Index unmodelled,
             const VecX<double>& noise) {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(evidence.columns(), evidence.columns()), G;
  Eigen::VectorXd right = Eigen::VectorXd::Zero(evidence.columns()), g;
  for (int j = 0; j < evidence.dof(); ++j) {
    evidence.part(part, j).normal_equations(G, g);
    all += G / (noise[j] * noise[j]);
    right += g / (noise[j] * noise[j]);
  }
  return {all(kept, kept), all(kept, Eigen::lastN(unmodelled)), all(Eigen::lastN(unmodelled), Eigen::lastN(unmodelled)),
          right(kept), right.tail(unmodelled)};
}

}  // namespace

//  With M = 1 - X (X'X)⁻¹ X' and the alias matrix L = (X'X)⁻¹ X'Z, least squares gives x + L u, and its residuals the scores
//     h = Z'M y = H u + noise,    H = Z'M Z.
//  Of joint j: E |h_j|² = sum_k |H_jk|² s_k² + c_j, where c_j is the scatter of the scores, part by part, once X and Z are both fitted. That
//  is solved for the variances s_j² >= 0; the parameters' covariance gains L diag(s²) L'. A joint at which c_j alone would give |h_j|², as chi-square
//  with (tr H_jj)² / tr H_jj² degrees of freedom, in one of twenty logs has s_j = 0.
UnmodelledTorque unmodelled_torque(const TorqueModel& model, const MotionSource& source, const Processing& processing,
                                   const Estimate& estimate, bool weighted) {
  constexpr int parts = 16;  // at most, and no fewer than half: long, as residuals are correlated over much of a motion
  constexpr double rare = 0.05;  // a joint's residuals, if they were noise
  const int n = model.dof(), m = n * unmodelled_functions;
  TorqueModelSettings settings = model.settings();
  settings.unmodelled_at = typical_speeds(model.arm(), source, processing);
  const TorqueModel wider(model.arm(), settings);
  const Evidence evidence = gathered(wider, source, processing, Evidence(n, wider.size(), parts));

  std::vector<int> kept;
  for (int k = 0; k < model.size(); ++k)
    if (estimate.determined[k]) kept.push_back(k);
  const VecX<double> noise = weighted ? estimate.noise : VecX<double>(VecX<double>::Ones(n));
  std::vector<Sums> by_part;
  for (int p = 0; p < evidence.parts(); ++p) by_part.push_back(sums_of(evidence, p, kept, m, noise));
  Sums all = by_part.front();
  for (std::size_t p = 1; p < by_part.size(); ++p) {
    all.xx += by_part[p].xx;
    all.xz += by_part[p].xz;
    all.zz += by_part[p].zz;
    all.xy += by_part[p].xy;
    all.zy += by_part[p].zy;
  }
  const Eigen::VectorXd unit = all.xx.diagonal().cwiseSqrt().cwiseInverse();  // columns of unit length
  const Eigen::MatrixXd alias =
      unit.asDiagonal() * solved(unit.asDiagonal() * all.xx * unit.asDiagonal(), unit.asDiagonal() * all.xz);
  const Eigen::MatrixXd H = all.zz - all.xz.transpose() * alias;
  const Eigen::VectorXd h = all.zy - alias.transpose() * all.xy;
  const Eigen::VectorXd u = least_squares_solution(H, h);
  const Eigen::VectorXd x = estimate.x(kept) - alias * u;
  Eigen::VectorXd scatter = Eigen::VectorXd::Zero(m);
  for (const Sums& p : by_part) {
    const Eigen::VectorXd x_score = p.xy - p.xx * x - p.xz * u, z_score = p.zy - p.xz.transpose() * x - p.zz * u;
    scatter += (z_score - alias.transpose() * x_score).cwiseAbs2();
  }
  const double count = evidence.parts();
  scatter *= count / (count - 1);

  const auto of = [](int j) { return Eigen::seqN(j * unmodelled_functions, unmodelled_functions); };
  VecX<double> beyond(n);
  MatX<double> gain(n, n);
  for (int j = 0; j < n; ++j) {
    const double freedom = std::pow(H(of(j), of(j)).trace(), 2) / H(of(j), of(j)).squaredNorm();
    const double square = h(of(j)).squaredNorm(), by_chance = std::max(scatter(of(j)).sum(), 1e-300);
    const bool shown = chi_square_tail(freedom * square / by_chance, freedom) < rare;
    beyond[j] = shown ? square - by_chance : 0;
    for (int k = 0; k < n; ++k) gain(j, k) = H(of(j), of(k)).squaredNorm();
  }
  VecX<double> variance = VecX<double>::Zero(n);
  for (int sweep = 0; sweep < 100;
       ++sweep)  // Gauss-Seidel under s² >= 0; a joint's functions show in its own residuals above all
    for (int j = 0; j < n; ++j)
      variance[j] =
          beyond[j] > 0 ? std::max(0.0, variance[j] + (beyond[j] - gain.row(j).dot(variance)) / gain(j, j)) : 0;

  UnmodelledTorque found{variance.cwiseSqrt(), Eigen::MatrixXd::Zero(model.size(), model.size())};
  Eigen::VectorXd of_functions(m);
  for (int j = 0; j < n; ++j) of_functions(of(j)).setConstant(variance[j]);
  found.covariance(kept, kept) = alias * of_functions.asDiagonal() * alias.transpose();
  return found;
}

}  // namespace armature::identification
