#include "armature/simulation/reduction.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/simulation/linearize.hpp"

namespace armature::simulation {

namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double resting = 1e-7;  // a rate below this share of the fastest counts as no decay

/// Columns that span the range of a projector of rank `rank`.
MatrixXd range_of(const MatrixXd& P, Index rank) { return range_basis(P, 0).Q.leftCols(rank); }

/// The sign of a matrix without eigenvalues on the imaginary axis, by Newton [Roberts1980].
MatrixXd sign_of(MatrixXd Z) {
  for (int round = 0; round < 100; ++round) {
    const MatrixXd inverse_of_Z = inverse(Z);
    const double scale = std::sqrt(inverse_of_Z.norm() / Z.norm());
    const MatrixXd next = (scale * Z + inverse_of_Z / scale) / 2;
    const bool done = (next - Z).norm() < 1e-13 * next.norm();
    Z = next;
    if (done) break;
  }
  return Z;
}

/// A model in two parts that do not act on each other.
struct Split {
  StateSpace lasting, decaying;  // D stays with the second
};
Split split(const StateSpace& s) {
  const Index n = s.A.rows();
  const Eigen::VectorXcd values = eigenvalues(s.A);
  const double fastest = values.cwiseAbs().maxCoeff();
  Index lasting = 0;
  double slowest_decay = fastest;
  for (const Complex& value : values)
    if (value.real() > -resting * fastest)
      ++lasting;
    else
      slowest_decay = std::min(slowest_decay, -value.real());
  if (lasting == 0) return {{}, s};
  const MatrixXd identity = MatrixXd::Identity(n, n);
  const double between = std::sqrt(resting * fastest * slowest_decay);
  const MatrixXd sign = sign_of(s.A + between * identity);
  MatrixXd T(n, n);
  T << range_of(identity + sign, lasting), range_of(identity - sign, n - lasting);
  const MatrixXd A = solved(T, s.A * T), B = solved(T, s.B), C = s.C * T;
  const Index k = lasting, r = n - lasting;
  return {{A.topLeftCorner(k, k), B.topRows(k), C.leftCols(k), MatrixXd::Zero(s.D.rows(), s.D.cols())},
          {A.bottomRightCorner(r, r), B.bottomRows(r), C.rightCols(r), s.D}};
}

StateSpace side_by_side(const StateSpace& a, const StateSpace& b) {
  const Index n = a.A.rows(), m = b.A.rows();
  if (n == 0) return b;
  StateSpace both{MatrixXd::Zero(n + m, n + m), MatrixXd(n + m, b.B.cols()), MatrixXd(b.C.rows(), n + m), a.D + b.D};
  both.A.topLeftCorner(n, n) = a.A;
  both.A.bottomRightCorner(m, m) = b.A;
  both.B << a.B, b.B;
  both.C << a.C, b.C;
  return both;
}

/// L with L Lᵀ = X of a positive semi-definite X.
MatrixXd root_of(const MatrixXd& X) {
  const RealEigen eigen = symmetric_eigen((X + X.transpose()) / 2);
  return eigen.vectors * eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal();
}

//  P, Q: Gramians;  U S Vᵀ = Lqᵀ Lp;  T = Lp V S^-½,  T⁻¹ = S^-½ Uᵀ Lqᵀ   [Moore1981], [Laub1987]
//  The static part of what is left out stays: x2' = 0  [LiuAnderson1989]; the bound 2 (s_{r+1} + ...) holds as well.
StateSpace balanced(const StateSpace& s, Index order, VectorXd& hankel, double& bound) {
  const MatrixXd Lp = root_of(lyapunov(s.A, s.B * s.B.transpose())),
                 Lq = root_of(lyapunov(s.A.transpose(), s.C.transpose() * s.C));
  const SingularValues svd = singular_value_decomposition(Lq.transpose() * Lp);
  hankel = svd.values;
  Index shown = 0;
  while (shown < hankel.size() && hankel[shown] > 1e-12 * hankel[0]) ++shown;
  const Index r = std::min(order, shown);
  bound = 2 * hankel.tail(hankel.size() - r).sum();
  const VectorXd scale = hankel.head(shown).cwiseSqrt().cwiseInverse();
  const MatrixXd T = Lp * svd.V.leftCols(shown) * scale.asDiagonal(),
                 inverse_of_T = scale.asDiagonal() * svd.U.leftCols(shown).transpose() * Lq.transpose();
  const MatrixXd A = inverse_of_T * s.A * T, B = inverse_of_T * s.B, C = s.C * T;
  const Index rest = shown - r;
  if (rest == 0) return {A, B, C, s.D};
  const MatrixXd toA = solved(A.bottomRightCorner(rest, rest), A.bottomLeftCorner(rest, r)),
                 toB = solved(A.bottomRightCorner(rest, rest), B.bottomRows(rest));
  return {A.topLeftCorner(r, r) - A.topRightCorner(r, rest) * toA, B.topRows(r) - A.topRightCorner(r, rest) * toB,
          C.leftCols(r) - C.rightCols(rest) * toA, s.D - C.rightCols(rest) * toB};
}

//  C (s - A)⁻¹ B = sum of R_i/(s - λ_i), R_i = (C v_i)(w_iᵀ B); a mode left out keeps -R_i/λ_i, and its error is at most
//  |R_i|/|Re λ_i| + |R_i|/|λ_i|.
StateSpace modal(const StateSpace& s, Index order, double& bound) {
  const ComplexEigen eigen = complex_eigen(s.A);
  const MatrixXcd left = complex_solved(eigen.vectors, s.B.cast<Complex>()),
                  right = s.C.cast<Complex>() * eigen.vectors;
  struct One {
    Index at;
    Index size;    // 2: with its conjugate
    double worth;  // largest answer
    double lost;   // error where it is left out
  };
  std::vector<One> modes;
  for (Index i = 0; i < eigen.values.size(); ++i) {
    const Complex value = eigen.values[i];
    if (value.imag() < 0) continue;
    const Index size = value.imag() > 0 ? 2 : 1;
    const double residue = static_cast<double>(size) * right.col(i).norm() * left.row(i).norm();
    modes.push_back({i, size, residue / -value.real(), residue / -value.real() + residue / std::abs(value)});
  }
  std::stable_sort(modes.begin(), modes.end(), [](const One& a, const One& b) { return a.worth > b.worth; });
  StateSpace kept{MatrixXd::Zero(order, order), MatrixXd::Zero(order, s.B.cols()), MatrixXd::Zero(s.C.rows(), order),
                  s.D};
  Index used = 0;
  for (const One& mode : modes) {
    const Complex value = eigen.values[mode.at];
    if (used + mode.size > order) {
      const MatrixXcd residue = right.col(mode.at) * left.row(mode.at) / value;
      kept.D -= static_cast<double>(mode.size) * residue.real();
      bound += mode.lost;
      continue;
    }
    if (mode.size == 1) {
      kept.A(used, used) = value.real();
      kept.B.row(used) = left.row(mode.at).real();
      kept.C.col(used) = right.col(mode.at).real();
    } else {
      kept.A.block(used, used, 2, 2) << value.real(), value.imag(), -value.imag(), value.real();
      kept.B.row(used) = 2 * left.row(mode.at).real();
      kept.B.row(used + 1) = -2 * left.row(mode.at).imag();
      kept.C.col(used) = right.col(mode.at).real();
      kept.C.col(used + 1) = right.col(mode.at).imag();
    }
    used += mode.size;
  }
  if (used == 0 && order > 0)
    throw Error("no mode is kept: each of them swings, and takes two states", "one state more, or the method balanced");
  return {kept.A.topLeftCorner(used, used), kept.B.topRows(used), kept.C.leftCols(used), kept.D};
}

}  // namespace

std::vector<Complex> frequency_response(const StateSpace& s, Index in, Index out,
                                        const std::vector<double>& frequencies) {
  std::vector<Complex> response = frequency_response(LinearPlant{s.A, {}, {}}, s.B.col(in), s.C.row(out), frequencies);
  for (Complex& answer : response) answer += s.D(out, in);
  return response;
}

//  A = U T Uᴴ with triangular T:  T Y + Y Tᴴ = -Uᴴ Q U, column by column from the last, X = U Y Uᴴ.
MatrixXd lyapunov(const MatrixXd& A, const MatrixXd& Q) {
  const Index n = A.rows();
  const Eigen::ComplexSchur<MatrixXd> schur(A);
  const MatrixXcd &T = schur.matrixT(), &U = schur.matrixU();
  MatrixXcd Y = -(U.adjoint() * Q.cast<Complex>() * U);
  for (Index j = n - 1; j >= 0; --j) {
    for (Index k = j + 1; k < n; ++k) Y.col(j) -= Y.col(k) * std::conj(T(j, k));
    MatrixXcd shifted = T;
    shifted.diagonal().array() += std::conj(T(j, j));
    Y.col(j) = shifted.triangularView<Eigen::Upper>().solve(Y.col(j)).eval();
  }
  return (U * Y * U.adjoint()).real();
}

ReducedModel reduced(const StateSpace& system, int order, Reduction method) {
  const Split parts = split(system);
  const Index lasting = parts.lasting.A.rows(), decaying = parts.decaying.A.rows();
  if (order < lasting || order < 1)
    throw Error(fmt::format("a model of order {}", order),
                fmt::format("at least {}: so many states do not decay, and are kept", std::max<Index>(1, lasting)));
  ReducedModel model;
  model.decaying = static_cast<int>(decaying);
  const Index rest = std::min<Index>(order - lasting, decaying);
  double bound = 0;
  StateSpace smaller = parts.decaying;
  if (decaying > 0) {
    StateSpace by_gramians = balanced(parts.decaying, rest, model.hankel, bound);
    if (method == Reduction::balanced)
      smaller = std::move(by_gramians);
    else {
      bound = 0;
      smaller = modal(parts.decaying, rest, bound);
    }
  }
  model.bound = bound;
  model.system = side_by_side(parts.lasting, smaller);
  return model;
}

}  // namespace armature::simulation
