#include "armature/identification/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/identification/statistics.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

/// Columns that the rows determine, by pivoted QR on columns of unit length.
std::vector<int> determined_columns(const Eigen::MatrixXd& R, double tolerance, Eigen::VectorXd& length) {
  length = R.colwise().norm().transpose();
  const double longest = length.size() > 0 ? length.maxCoeff() : 0;
  std::vector<int> candidates;
  for (int c = 0; c < R.cols(); ++c)
    if (length[c] > 1e-12 * longest) candidates.push_back(c);
  Eigen::MatrixXd scaled(R.rows(), candidates.size());
  for (std::size_t k = 0; k < candidates.size(); ++k) scaled.col(k) = R.col(candidates[k]) / length[candidates[k]];
  std::vector<int> kept;
  for (const int k : pivot_columns(scaled, tolerance)) kept.push_back(candidates[k]);
  return kept;
}

Eigen::MatrixXd columns_of(const Eigen::MatrixXd& A, const std::vector<int>& kept) {
  Eigen::MatrixXd B(A.rows(), kept.size());
  for (std::size_t k = 0; k < kept.size(); ++k) B.col(k) = A.col(kept[k]);
  return B;
}

/// All joints' equations, each divided by its noise, and the prior, as one triangle [R z; 0 rest].
Eigen::MatrixXd weighted_triangle(const std::vector<RowMatrix>& reduced, const VecX<double>& noise,
                                  const std::optional<Prior>& prior, Eigen::Index width) {
  Eigen::Index rows = prior ? prior->rows.rows() : 0;
  for (const RowMatrix& R : reduced) rows += R.rows();
  Eigen::MatrixXd stack(rows, width);
  Eigen::Index at = 0;
  for (std::size_t j = 0; j < reduced.size(); ++j) {
    stack.middleRows(at, reduced[j].rows()) = reduced[j] / noise[j];
    at += reduced[j].rows();
  }
  if (prior) {
    stack.bottomLeftCorner(prior->rows.rows(), width - 1) = prior->rows;
    stack.bottomRightCorner(prior->values.size(), 1) = prior->values;
  }
  return triangle_of(std::move(stack));
}

/// The solution in the determined columns.
Eigen::VectorXd solve(const Eigen::MatrixXd& triangle, const std::vector<int>& kept, const Eigen::VectorXd& length) {
  const Eigen::Index c = triangle.cols() - 1;
  Eigen::MatrixXd A = columns_of(triangle.leftCols(c), kept);
  for (std::size_t k = 0; k < kept.size(); ++k) A.col(k) /= length[kept[k]];
  const Eigen::VectorXd scaled = least_squares_solution(A, triangle.col(c));
  Eigen::VectorXd x = Eigen::VectorXd::Zero(c);
  for (std::size_t k = 0; k < kept.size(); ++k) x[kept[k]] = scaled[k] / length[kept[k]];
  return x;
}

struct Solution {
  Eigen::VectorXd x, length;
  std::vector<int> kept;
  VecX<double> noise;
  Eigen::MatrixXd triangle;
  int iterations = 0;
};

//     sigma_j² = |residuals of joint j|² / (rows of j - its share of the parameters), the share as that of its rows
Solution solve_weighted(const std::vector<Factor>& joints, const LeastSquaresSettings& settings) {
  Solution s;
  const auto n = static_cast<Eigen::Index>(joints.size());
  std::vector<RowMatrix> reduced;
  double rows = 0;
  for (const Factor& f : joints) {
    reduced.push_back(f.reduced());
    rows += f.rows();
  }
  const Eigen::Index width = reduced.front().cols();
  if (rows + (settings.prior ? static_cast<double>(settings.prior->rows.rows()) : 0) < static_cast<double>(width - 1))
    throw Error(fmt::format("{} equations for {} parameters", rows, width - 1),
                "record for longer, move faster, or decimate less");
  s.noise = VecX<double>::Ones(n);
  for (s.iterations = 1; s.iterations <= 50; ++s.iterations) {
    s.triangle = weighted_triangle(reduced, s.noise, settings.prior, width);
    s.kept = determined_columns(s.triangle.leftCols(width - 1), settings.tolerance, s.length);
    s.x = solve(s.triangle, s.kept, s.length);
    VecX<double> next(n);
    double squares = 0;
    for (Eigen::Index j = 0; j < n; ++j) {
      const Factor& f = joints[j];
      const double share = static_cast<double>(s.kept.size()) * (rows > 0 ? f.rows() / rows : 0);
      const double sum = f.residual_squares(s.x);
      squares += sum;
      next[j] = std::sqrt(
          std::max(sum / std::max(f.rows() - share, 1.0), 1e-300 + 1e-24 * f.squares() / std::max(f.rows(), 1.0)));
      if (!(next[j] > 0)) next[j] = 1;
    }
    if (!settings.weighted) {
      if (s.iterations == 1 && settings.prior) {  // the prior counts in units of the noise
        s.noise.setConstant(
            std::sqrt(std::max(squares / std::max(rows - static_cast<double>(s.kept.size()), 1.0), 1e-300)));
        continue;
      }
      s.noise = next;
      break;
    }
    const double change = ((next - s.noise).array() / next.array()).abs().maxCoeff();
    s.noise = next;
    if (change < 1e-6) break;
  }
  return s;
}

std::vector<Factor> whole_joints(const Evidence& evidence) {
  std::vector<Factor> joints;
  for (int j = 0; j < evidence.dof(); ++j) joints.push_back(evidence.whole(j));
  return joints;
}

LinearPart part_sums(const Evidence& evidence, int part, const VecX<double>& weight, const std::vector<int>& kept,
                     const Eigen::VectorXd& length) {
  const auto c = static_cast<Eigen::Index>(kept.size());
  LinearPart sums{Eigen::MatrixXd::Zero(c, c), Eigen::VectorXd::Zero(c)};
  Eigen::MatrixXd G;
  Eigen::VectorXd g;
  for (int j = 0; j < evidence.dof(); ++j) {
    evidence.part(part, j).normal_equations(G, g);
    const double w = 1 / (weight[j] * weight[j]);
    for (Eigen::Index a = 0; a < c; ++a) {
      const int ka = kept[a];
      sums.m[a] += w * g[ka] / length[ka];
      for (Eigen::Index b = 0; b < c; ++b) {
        const int kb = kept[b];
        sums.M(a, b) += w * G(ka, kb) / (length[ka] * length[kb]);
      }
    }
  }
  return sums;
}

}  // namespace

double sum_deviation(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0, spread = 0;
  for (const double x : values) mean += x / count;
  for (const double x : values) spread += (x - mean) * (x - mean);
  return count > 1 ? std::sqrt(spread / (count - 1) * count) : 0;
}

double Estimate::half_width(int k) const { return student_quantile(0.975, freedom) * deviation(k); }

//     x_(p) = (M - M_p)⁻¹ (m - m_p),   V = (P-1)/P sum_p (x_(p) - mean)(x_(p) - mean)'
Eigen::MatrixXd leave_one_out_covariance(const std::vector<LinearPart>& parts, const LinearPart& always,
                                         double& freedom) {
  const Eigen::Index c = parts.front().m.size();
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(c, c);
  Eigen::VectorXd m = Eigen::VectorXd::Zero(c);
  if (always.m.size() > 0) {
    M = always.M;
    m = always.m;
  }
  for (const LinearPart& p : parts) {
    M += p.M;
    m += p.m;
  }
  Eigen::MatrixXd without(c, parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) without.col(p) = solved(M - parts[p].M, m - parts[p].m);
  const auto count = static_cast<double>(parts.size());
  const Eigen::MatrixXd spread = without.colwise() - without.rowwise().mean().eval();
  freedom = count - 1;
  return (count - 1) / count * spread * spread.transpose();
}

Eigen::MatrixXd correlated_covariance(std::vector<LinearPart> parts, const LinearPart& always, double& freedom) {
  constexpr std::size_t fewest = 8;
  constexpr double levelled = 1.2;
  struct Length {
    Eigen::MatrixXd covariance;
    double freedom, typical;  // of the deviations, over those of the shortest parts: their median
  };
  std::vector<Length> lengths;
  while (true) {
    Length length;
    length.covariance = leave_one_out_covariance(parts, always, length.freedom);
    std::vector<double> growth;
    for (Eigen::Index k = 0; k < length.covariance.rows(); ++k) {
      const double shortest = (lengths.empty() ? length : lengths.front()).covariance(k, k);
      if (shortest > 0) growth.push_back(std::sqrt(length.covariance(k, k) / shortest));
    }
    std::nth_element(growth.begin(), growth.begin() + static_cast<std::ptrdiff_t>(growth.size() / 2), growth.end());
    length.typical = growth.empty() ? 1 : growth[growth.size() / 2];
    lengths.push_back(std::move(length));
    if (parts.size() / 2 < fewest) break;
    std::size_t joined = 0;
    for (std::size_t p = 0; p < parts.size(); p += 2, ++joined) {
      LinearPart both = std::move(parts[p]);
      if (p + 1 < parts.size()) {
        both.M += parts[p + 1].M;
        both.m += parts[p + 1].m;
      }
      parts[joined] = std::move(both);
    }
    parts.resize(joined);
  }
  std::size_t chosen = lengths.size() - 1;
  double largest = 0;
  for (std::size_t k = lengths.size(); k-- > 0;) {
    largest = std::max(largest, lengths[k].typical);
    if (largest <= levelled * lengths[k].typical) chosen = k;
  }
  freedom = lengths[chosen].freedom;
  return lengths[chosen].covariance;
}

Estimate least_squares(const Evidence& evidence, const LeastSquaresSettings& settings) {
  const Solution s = solve_weighted(whole_joints(evidence), settings);
  Estimate e;
  e.x = s.x;
  e.noise = s.noise;
  e.iterations = s.iterations;
  const int columns = evidence.columns();
  e.determined.assign(columns, false);
  for (const int k : s.kept) e.determined[k] = true;

  Eigen::MatrixXd A = columns_of(s.triangle.leftCols(columns), s.kept);
  e.condition_unscaled = condition_number(A);
  for (std::size_t k = 0; k < s.kept.size(); ++k) A.col(k) /= s.length[s.kept[k]];
  e.condition = condition_number(A);

  const VecX<double> weight =
      settings.weighted || settings.prior ? s.noise : VecX<double>(VecX<double>::Ones(evidence.dof()));
  std::vector<LinearPart> parts;
  for (int p = 0; p < evidence.parts(); ++p) parts.push_back(part_sums(evidence, p, weight, s.kept, s.length));
  LinearPart always;
  if (settings.prior) {
    Eigen::MatrixXd P = columns_of(settings.prior->rows, s.kept);
    for (std::size_t k = 0; k < s.kept.size(); ++k) P.col(k) /= s.length[s.kept[k]];
    always = {P.transpose() * P, P.transpose() * settings.prior->values};
  }
  if (parts.size() < 3)
    throw Error(fmt::format("a log of {:.0f} samples after processing", evidence.samples()),
                "uncertainties need at least twelve; decimate less");
  const Eigen::MatrixXd V = correlated_covariance(std::move(parts), always, e.freedom);
  e.covariance = Eigen::MatrixXd::Zero(columns, columns);
  for (std::size_t a = 0; a < s.kept.size(); ++a)
    for (std::size_t b = 0; b < s.kept.size(); ++b)
      e.covariance(s.kept[a], s.kept[b]) =
          V(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) / (s.length[s.kept[a]] * s.length[s.kept[b]]);
  return e;
}

CrossValidation training_error(const Evidence& evidence, const Eigen::VectorXd& x) {
  CrossValidation v;
  v.rms.resize(evidence.dof());
  v.relative.resize(evidence.dof());
  double squares = 0, of_torque = 0;
  for (int j = 0; j < evidence.dof(); ++j) {
    const Factor f = evidence.whole(j);
    const double r = f.residual_squares(x);
    squares += r;
    of_torque += f.squares();
    v.rms[j] = std::sqrt(r / std::max(f.rows(), 1.0));
    v.relative[j] = std::sqrt(r / std::max(f.squares(), 1e-300));
  }
  v.total = std::sqrt(squares / std::max(of_torque, 1e-300));
  return v;
}

Folds folds_of(const Evidence& evidence, int count) {
  const int parts = evidence.parts(), n = evidence.dof();
  Folds folds;
  std::vector<int> begin;  // the first part of each fold, and the end
  for (int p = 0; p < parts; ++p)
    if (p == 0 || evidence.run(p) != evidence.run(p - 1)) begin.push_back(p);
  folds.runs = begin.size() > 1;
  if (!folds.runs) {
    begin.clear();
    count = std::min(count, parts);
    for (int fold = 0; fold < count; ++fold) begin.push_back(parts * fold / count);
  }
  count = static_cast<int>(begin.size());
  begin.push_back(parts);
  const std::vector<Factor> none(static_cast<std::size_t>(n), Factor(evidence.columns()));
  folds.held.assign(count, none);
  folds.rest = folds.still = folds.held;
  for (int fold = 0; fold < count; ++fold)
    for (int j = 0; j < n; ++j) {
      Factor& held = folds.held[fold][j];
      const auto f = static_cast<std::size_t>(fold);
      for (int p = begin[f]; p < begin[f + 1]; ++p) {
        held.add(evidence.part(p, j));
        folds.still[f][j].add(evidence.still(p, j));
      }
      held.compress();
      for (int other = 0; other < count; ++other)
        if (other != fold) folds.rest[other][j].add(held);
    }
  return folds;
}

CrossValidation cross_validate(const Folds& folds,
                               const std::function<Eigen::VectorXd(const std::vector<Factor>& rest)>& estimate,
                               JudgedRows judged) {
  const auto n = static_cast<Eigen::Index>(folds.held.empty() ? 0 : folds.held.front().size());
  CrossValidation v;
  v.rms = VecX<double>::Zero(n);
  v.relative = VecX<double>::Zero(n);
  VecX<double> rows = VecX<double>::Zero(n), squares = VecX<double>::Zero(n);
  for (std::size_t fold = 0; fold < folds.held.size(); ++fold) {
    const Eigen::VectorXd x = estimate(folds.rest[fold]);
    double error = 0;
    const auto count = [&](Eigen::Index j, const Factor& f) {
      const double r = f.residual_squares(x);
      v.rms[j] += r;
      rows[j] += f.rows();
      squares[j] += f.squares();
      error += r;
    };
    for (Eigen::Index j = 0; j < n; ++j) {
      count(j, folds.held[fold][j]);
      if (judged == JudgedRows::all) count(j, folds.still[fold][j]);
    }
    v.folds.push_back(error);
  }
  v.total = std::sqrt(v.rms.sum() / std::max(squares.sum(), 1e-300));
  for (Eigen::Index j = 0; j < n; ++j) {
    v.relative[j] = std::sqrt(v.rms[j] / std::max(squares[j], 1e-300));
    v.rms[j] = std::sqrt(v.rms[j] / std::max(rows[j], 1.0));
  }
  for (double& fold : v.folds) fold /= std::max(squares.sum(), 1e-300);
  v.deviation = v.total > 0 ? sum_deviation(v.folds) / (2 * v.total) : 0;
  return v;
}

CrossValidation cross_validate(const Evidence& evidence, const LeastSquaresSettings& settings, int folds) {
  return cross_validate(folds_of(evidence, folds),
                        [&](const std::vector<Factor>& rest) { return solve_weighted(rest, settings).x; });
}

}  // namespace armature::identification
