#include "armature/identification/estimators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

constexpr double least_own_noise = 1e-3;  // of maximum likelihood: share of a joint's variance that no other joint has

constexpr int part_count = 48;

/// Which part of the log an equation belongs to.
int part_of(const Equations& e, Eigen::Index row) { return static_cast<int>(row * part_count / e.rows()); }

Eigen::VectorXd column_lengths(const RowMatrix& A) {
  Eigen::VectorXd length = A.colwise().norm().transpose();
  for (double& l : length)
    if (!(l > 0)) l = 1;
  return length;
}

VecX<double> joint_noise(const Equations& e, const Eigen::VectorXd& residual) {
  VecX<double> sum = VecX<double>::Zero(e.dof), count = sum;
  for (Eigen::Index r = 0; r < e.rows(); ++r) {
    const int j = e.joint[r];
    sum[j] += residual[r] * residual[r];
    ++count[j];
  }
  const double share = static_cast<double>(e.columns()) / static_cast<double>(e.rows());
  for (int j = 0; j < e.dof; ++j) sum[j] = count[j] > 0 ? std::sqrt(sum[j] / std::max(count[j] * (1 - share), 1.0)) : 1;
  return sum;
}

/// The solution of sum Z'WA x = sum Z'Wy and its covariance, from sums over parts; W is a weight an equation.
Estimate solve_parts(const Equations& e, const RowMatrix& Z, const Eigen::VectorXd& weight) {
  const Eigen::Index c = e.columns();
  const Eigen::VectorXd la = column_lengths(e.A), lz = column_lengths(Z);
  std::vector<LinearPart> parts;
  for (Eigen::Index first = 0; first < e.rows();) {
    Eigen::Index last = first;
    while (last < e.rows() && part_of(e, last) == part_of(e, first)) ++last;
    const Eigen::Index rows = last - first;
    const Eigen::MatrixXd ZW = lz.cwiseInverse().asDiagonal() * Z.middleRows(first, rows).transpose() *
                               weight.segment(first, rows).asDiagonal();
    parts.push_back({ZW * e.A.middleRows(first, rows) * la.cwiseInverse().asDiagonal(), ZW * e.y.segment(first, rows)});
    first = last;
  }
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(c, c);
  Eigen::VectorXd m = Eigen::VectorXd::Zero(c);
  for (const LinearPart& p : parts) {
    M += p.M;
    m += p.m;
  }
  const auto rank = static_cast<Eigen::Index>(pivot_columns(M, 1e-13).size());
  if (rank < c)
    throw Error(fmt::format("the equations determine {} of {} parameters", rank, c),
                "use weighted least squares, which says which, or a model with fewer parameters");
  Estimate s;
  s.x = la.cwiseInverse().asDiagonal() * solved(M, m);
  s.covariance =
      la.cwiseInverse().asDiagonal() * leave_one_out_covariance(parts, {}, s.freedom) * la.cwiseInverse().asDiagonal();
  s.determined.assign(static_cast<std::size_t>(c), true);
  s.condition = std::sqrt(condition_number(M));
  s.noise = joint_noise(e, e.y - e.A * s.x);
  return s;
}

Eigen::VectorXd weights_of_joints(const Equations& e, const VecX<double>& noise) {
  Eigen::VectorXd w(e.rows());
  for (Eigen::Index r = 0; r < e.rows(); ++r) {
    const double sigma = noise[e.joint[r]];
    w[r] = 1 / (sigma * sigma);
  }
  return w;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void check(const Equations& e) {
  if (e.rows() < e.columns() + part_count)
    throw Error(fmt::format("{} equations for {} parameters", e.rows(), e.columns()),
                "record for longer, or decimate less");
}

}  // namespace

Evidence evidence_of(const Equations& e) {
  Evidence evidence(e.dof, static_cast<int>(e.columns()));
  for (Eigen::Index r = 0; r < e.rows(); ++r) {
    evidence.add(e.joint[r], e.A.row(r).data(), e.y[r]);
    if (r + 1 == e.rows() || e.time[r + 1] != e.time[r]) evidence.end_sample();
  }
  evidence.finish();
  return evidence;
}

//     weight min(1, k/|r|) (Huber), (1 - (r/k)²)² within k (bisquare), r in robust standard deviations of its joint
Estimate robust_least_squares(const Equations& e, const RobustSettings& settings, std::vector<double>* weights) {
  check(e);
  const bool huber = settings.loss == RobustSettings::Loss::huber;
  const double k = settings.threshold > 0 ? settings.threshold : huber ? 1.345 : 4.685;
  Estimate s = solve_parts(e, e.A, weights_of_joints(e, joint_noise(e, e.y)));
  Eigen::VectorXd robust = Eigen::VectorXd::Ones(e.rows());
  VecX<double> noise(e.dof);
  for (int i = 0; i < settings.iterations; ++i) {
    const Eigen::VectorXd residual = e.y - e.A * s.x;
    std::vector<std::vector<double>> sizes(static_cast<std::size_t>(e.dof));
    for (Eigen::Index r = 0; r < e.rows(); ++r) sizes[e.joint[r]].push_back(std::abs(residual[r]));
    for (int j = 0; j < e.dof; ++j) noise[j] = std::max(1.4826 * median(sizes[j]), 1e-300);  // of a normal distribution
    for (Eigen::Index r = 0; r < e.rows(); ++r) {
      const double size = std::abs(residual[r]) / noise[e.joint[r]];
      const double inside = 1 - (size / k) * (size / k);
      robust[r] = huber ? std::min(1.0, k / std::max(size, 1e-300)) : (inside > 0 ? inside * inside : 0);
    }
    const Eigen::VectorXd before = s.x;
    s = solve_parts(e, e.A, weights_of_joints(e, noise).cwiseProduct(robust));
    s.iterations = i + 1;
    if ((s.x - before).cwiseAbs().maxCoeff() <= 1e-9 * (1e-12 + s.x.cwiseAbs().maxCoeff())) break;
  }
  s.noise = noise;
  if (weights) weights->assign(robust.data(), robust.data() + robust.size());
  return s;
}

//     exact columns are eliminated by QR; the rest of [A y], scaled to equal errors, is cut off at its smallest singular vector
Estimate total_least_squares(const Equations& e, const Eigen::VectorXd& error, const VecX<double>& noise) {
  check(e);
  const Eigen::VectorXd weight = weights_of_joints(e, noise);
  Estimate s = solve_parts(e, e.A, weight);
  std::vector<int> order;
  int exact = 0;
  for (int c = 0; c < e.columns(); ++c)
    if (error[c] <= 0) {
      order.push_back(c);
      ++exact;
    }
  for (int c = 0; c < e.columns(); ++c)
    if (error[c] > 0) order.push_back(c);
  const Eigen::Index n = e.columns();
  Eigen::MatrixXd B(e.rows(), n + 1);
  for (Eigen::Index k = 0; k < n; ++k) {
    const int c = order[k];
    B.col(k) = weight.cwiseSqrt().cwiseProduct(e.A.col(c)) / (error[c] > 0 ? error[c] : 1);
  }
  B.col(n) = weight.cwiseSqrt().cwiseProduct(e.y);
  const Eigen::MatrixXd R = triangle_of(std::move(B));
  const Eigen::Index noisy = n + 1 - exact;
  const Eigen::VectorXd v = last_singular_vector(R.bottomRightCorner(noisy, noisy));
  if (std::abs(v[noisy - 1]) < 1e-12)
    throw Error("total least squares has no solution here", "use weighted least squares");
  Eigen::VectorXd scaled(n);
  scaled.tail(noisy - 1) = -v.head(noisy - 1) / v[noisy - 1];
  if (exact > 0)
    scaled.head(exact) = solved(R.topLeftCorner(exact, exact),
                                R.block(0, n, exact, 1) - R.block(0, exact, exact, noisy - 1) * scaled.tail(noisy - 1));
  for (Eigen::Index k = 0; k < n; ++k) {
    const int c = order[k];
    s.x[c] = scaled[k] / (error[c] > 0 ? error[c] : 1);
  }
  s.noise = joint_noise(e, e.y - e.A * s.x);
  return s;
}

//     equations of one sample, multiplied by the inverse Cholesky factor of the covariance of the joints that are there
Estimate maximum_likelihood(const Equations& e, Eigen::MatrixXd* covariance, int iterations) {
  check(e);
  Estimate s = solve_parts(e, e.A, weights_of_joints(e, joint_noise(e, e.y)));
  Eigen::MatrixXd S;
  Equations white = e;
  for (int i = 0; i < iterations; ++i) {
    const Eigen::VectorXd residual = e.y - e.A * s.x;
    S = Eigen::MatrixXd::Zero(e.dof, e.dof);
    Eigen::MatrixXd pairs = S;
    const auto each_sample = [&](auto&& call) {
      for (Eigen::Index first = 0; first < e.rows();) {
        Eigen::Index last = first;
        while (last < e.rows() && e.time[last] == e.time[first]) ++last;
        call(first, last - first);
        first = last;
      }
    };
    each_sample([&](Eigen::Index first, Eigen::Index count) {
      for (Eigen::Index a = first; a < first + count; ++a)
        for (Eigen::Index b = first; b < first + count; ++b) {
          const int ja = e.joint[a], jb = e.joint[b];
          S(ja, jb) += residual[a] * residual[b];
          pairs(ja, jb) += 1;
        }
    });
    for (int a = 0; a < e.dof; ++a)
      for (int b = 0; b < e.dof; ++b) S(a, b) = pairs(a, b) > 0 ? S(a, b) / pairs(a, b) : (a == b ? 1.0 : 0.0);
    // Noise that joints share altogether would give their difference infinite weight, and joints that stand still leave pairs
    // out: of each joint's noise a small part counts as its own.
    const Eigen::VectorXd size = S.diagonal().cwiseMax(1e-300).cwiseSqrt();
    const RealEigen eigen = symmetric_eigen(size.cwiseInverse().asDiagonal() * S * size.cwiseInverse().asDiagonal());
    S = size.asDiagonal() * eigen.vectors * eigen.values.cwiseMax(least_own_noise).asDiagonal() *
        eigen.vectors.transpose() * size.asDiagonal();
    each_sample([&](Eigen::Index first, Eigen::Index count) {
      Eigen::MatrixXd own(count, count);
      for (Eigen::Index a = 0; a < count; ++a)
        for (Eigen::Index b = 0; b < count; ++b) own(a, b) = S(e.joint[first + a], e.joint[first + b]);
      const Eigen::MatrixXd L = cholesky(own);
      white.A.middleRows(first, count) = solved(L, e.A.middleRows(first, count));
      white.y.segment(first, count) = solved(L, e.y.segment(first, count));
    });
    const Eigen::VectorXd before = s.x;
    s = solve_parts(white, white.A, Eigen::VectorXd::Ones(e.rows()));
    s.iterations = i + 1;
    if ((s.x - before).cwiseAbs().maxCoeff() <= 1e-9 * s.x.cwiseAbs().maxCoeff()) break;
  }
  s.noise = joint_noise(e, e.y - e.A * s.x);
  if (covariance) *covariance = S;
  return s;
}

Estimate instrumental_variables(const Equations& e, const RowMatrix& instruments) {
  check(e);
  if (instruments.rows() != e.A.rows() || instruments.cols() != e.A.cols())
    throw Error("the instruments do not match the equations", "they are the same columns at the same samples");
  Estimate s = solve_parts(e, instruments, Eigen::VectorXd::Ones(e.rows()));
  for (int i = 0; i < 5; ++i) s = solve_parts(e, instruments, weights_of_joints(e, s.noise));
  return s;
}

RecursiveLeastSquares::RecursiveLeastSquares(Eigen::VectorXd x, const Eigen::VectorXd& deviation, double forgetting)
    : x_(std::move(x)), gain_(x_.size()), P_(deviation.cwiseAbs2().asDiagonal()), forgetting_(forgetting) {
  if (!(forgetting > 0 && forgetting <= 1))
    throw Error(fmt::format("a forgetting factor of {}", forgetting), "above 0, at most 1 (nothing is forgotten)");
}

//     k = P a / (f s² + a'P a),   x += k (y - a'x),   P = (P - k a'P)/f
void RecursiveLeastSquares::update(const Eigen::Ref<const Eigen::VectorXd>& row, double y, double noise) noexcept {
  gain_.noalias() = P_ * row;
  const double scale = 1 / (forgetting_ * noise * noise + row.dot(gain_));
  x_ += gain_ * (scale * (y - row.dot(x_)));
  const Eigen::Index n = x_.size();
  for (Eigen::Index b = 0; b < n; ++b)
    for (Eigen::Index a = 0; a <= b; ++a) P_(a, b) = P_(b, a) = (P_(a, b) - gain_[a] * gain_[b] * scale) / forgetting_;
}

}  // namespace armature::identification
