#include "armature/identification/consistent_fit.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "armature/algorithms/regressor.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

using Ten = Eigen::Matrix<double, 10, 1>;

constexpr double keeps_off = 0.95;     // of the way to the boundary that a step goes at most
constexpr double fit_settled = 1e-7;   // relative change of every body and bound by the last step
constexpr double bound_share = 1e-10;  // of the objective: what the complementarity of one bound is in the end
constexpr int most_at_the_end = 12;
constexpr double quick_share = 1e-3;  // of the objective: what complementarity adds to it as long as steps may be quick
constexpr double enough_gap = 5e-7;   // relative: half of what is asked for
constexpr int most_newton_steps = 200;  // for one weight

/// A symmetric 4 x 4 matrix as ten numbers with the same length, and back.
constexpr std::array<std::array<int, 2>, 10> entries{
    {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
Ten ten_of(const Eigen::Matrix4d& S) {
  Ten t;
  for (int k = 0; k < 10; ++k) {
    const auto [a, b] = entries[k];
    t[k] = (k < 4 ? 1 : std::sqrt(2.0)) * S(a, b);
  }
  return t;
}
Eigen::Matrix4d symmetric_of(const Ten& t) {
  Eigen::Matrix4d S;
  for (int k = 0; k < 10; ++k) {
    const auto [a, b] = entries[k];
    S(a, b) = S(b, a) = (k < 4 ? 1 : std::sqrt(0.5)) * t[k];
  }
  return S;
}

/// The problem in coordinates in which every reference is one: P = L_0 X L_0', p_j = p_0j x_j, other entries in units of their columns.
struct Scaled {
  Eigen::MatrixXd A, bounds;
  Eigen::VectorXd z;
  std::vector<double> factor;
  std::vector<Eigen::Index> drawn, others;  // entries of u
  std::vector<Eigen::Matrix<double, 10, 10>> to_parameters;
  Eigen::VectorXd unit;  // of the entries behind the links
  Eigen::VectorXd u;     // where it begins
  /// Coordinates v = Q'u of which A sees the first ones only: what the equations leave open is then open exactly, however small the weight.
  Eigen::MatrixXd Q, seen, bounds_Q;  // A Q without its columns of zeros; bounds Q
  Eigen::MatrixXd squares;            // A'A
  [[nodiscard]] Eigen::Index links() const { return static_cast<Eigen::Index>(factor.size()); }
};

Scaled scaled(const ConsistentProblem& problem) {
  Scaled s;
  const Eigen::Index size = problem.A.cols(), links = static_cast<Eigen::Index>(problem.reference.size()),
                     behind = 10 * links;
  s.A = problem.A;
  s.z = problem.z;
  s.factor = problem.factor;
  s.unit = Eigen::VectorXd::Ones(size - behind);
  for (Eigen::Index j = behind; j < size; ++j)
    if (const double length = s.A.col(j).norm(); length > 0) s.unit[j - behind] = 1 / length;
  for (const ConsistentProblem::Drawn& d : problem.drawn) {
    s.unit[d.at - behind] = d.reference;
    s.drawn.push_back(d.at);
  }
  for (Eigen::Index j = behind; j < size; ++j)
    if (std::find(s.drawn.begin(), s.drawn.end(), j) == s.drawn.end()) s.others.push_back(j);
  s.u.resize(size);
  for (Eigen::Index i = 0; i < links; ++i) {
    const Eigen::Matrix4d L = problem.reference[i].llt().matrixL();
    Eigen::Matrix<double, 10, 10> map;
    for (int k = 0; k < 10; ++k)
      map.col(k) = parameters_of_pseudo_inertia(L * symmetric_of(Ten::Unit(k)) * L.transpose());
    s.A.middleCols(10 * i, 10) = (s.A.middleCols(10 * i, 10) * map).eval();
    s.to_parameters.push_back(map);
    s.u.segment<10>(10 * i) = ten_of(Eigen::Matrix4d::Identity());
  }
  s.A.rightCols(size - behind) = (s.A.rightCols(size - behind) * s.unit.asDiagonal()).eval();
  s.bounds = problem.bounds;
  if (s.bounds.rows() > 0)
    s.bounds.rightCols(size - behind) = (s.bounds.rightCols(size - behind) * s.unit.asDiagonal()).eval();
  s.u.tail(size - behind) = problem.start.tail(size - behind).cwiseQuotient(s.unit);
  for (const Eigen::Index at : s.drawn) s.u[at] = 1;
  const RangeBasis shown = range_basis(s.A.transpose(), 1e-12);
  s.Q = shown.Q;
  s.seen = s.A * s.Q.leftCols(shown.rank);
  s.bounds_Q = s.bounds * s.Q;
  s.squares = s.A.transpose() * s.A;
  return s;
}

/// A point with its multipliers: X_i and S_i positive definite, s_k = c_k'u and λ_k above zero. Where they are complementary, X S = μ 1 and
/// s λ = μ, and stationary, the point is on the central path of μ.
struct PrimalDual {
  Eigen::VectorXd u;
  std::vector<Eigen::Matrix4d> S;  // of the links
  Eigen::VectorXd drawn, lambda;   // of the single numbers and of the bounds
};

/// What complementarity is aimed at.
struct Target {
  double weight;  // of the reference
  double links;   // μ of a link with factor 1 and of the numbers that are drawn, at least the weight
  double bounds;
  /// μ of a link with this factor. On the way it exceeds f w by what it does for all the others, so that a link which is held is held from the start.
  [[nodiscard]] double link(double factor) const { return factor * weight + links - weight; }
};

/// Whether every number is finite and every body and multiplier positive definite.
bool inside(const Scaled& s, const PrimalDual& at) {
  bool yes = at.u.allFinite() && at.lambda.allFinite() && at.drawn.allFinite();
  for (Eigen::Index i = 0; yes && i < s.links(); ++i)
    yes =
        symmetric_of(at.u.segment<10>(10 * i)).llt().info() == Eigen::Success && at.S[i].llt().info() == Eigen::Success;
  return yes && (s.bounds.rows() == 0 || ((s.bounds * at.u).minCoeff() > 0 && at.lambda.minCoeff() > 0));
}

/// The v that minimizes |A v_1 - a|² + |B v - b|², where v_1 are its first entries. The others are eliminated first, from B alone; both factorizations
/// choose their columns.
Eigen::VectorXd staged_least_squares(const Eigen::MatrixXd& A, const Eigen::VectorXd& a, const Eigen::MatrixXd& B,
                                     const Eigen::VectorXd& b) {
  const Eigen::Index seen = A.cols(), unseen = B.cols() - seen;
  Eigen::MatrixXd rest(B.rows(), seen + 1), stack;
  rest << B.leftCols(seen), b;
  const auto solution_from = [&](Eigen::Index eliminated) -> Eigen::VectorXd {
    stack.resize(A.rows() + B.rows() - eliminated, seen + 1);
    stack << A, a, rest.bottomRows(B.rows() - eliminated);
    return least_squares_solution(stack.leftCols(seen), stack.col(seen));
  };
  if (unseen == 0) return solution_from(0);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(B.rightCols(unseen));
  const Eigen::Index rank = qr.rank();
  rest.applyOnTheLeft(qr.householderQ().setLength(rank).adjoint());
  Eigen::VectorXd v(B.cols()), others = Eigen::VectorXd::Zero(unseen);
  v.head(seen) = solution_from(rank);
  others.head(rank) = qr.matrixQR()
                          .topLeftCorner(rank, rank)
                          .triangularView<Eigen::Upper>()
                          .solve(rest.col(seen).head(rank) - rest.topLeftCorner(rank, seen) * v.head(seen));
  v.tail(unseen) = qr.colsPermutation() * others;
  return v;
}

/// The largest step along which A + l B stays positive definite, with G'AG = 1.
double longest_inside(const Eigen::Matrix4d& B, const Eigen::Matrix4d& G) {
  const double least =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(G.transpose() * B * G, Eigen::EigenvaluesOnly).eigenvalues()[0];
  return least < 0 ? -1 / least : std::numeric_limits<double>::infinity();
}

/// What Newton's step is made of beside the equations: rows on the entries of the links, of the numbers that are drawn, and on the bounds.
struct NewtonRows {
  struct Body {
    Eigen::Matrix4d X, L, root, K;  // X = L L', S = K⁻ᵀ K⁻¹ as K'SK = 1; dX = root dY root'
    Eigen::Matrix<double, 10, 10> to_Y;
    Ten rhs;
  };
  std::vector<Body> bodies;
  Eigen::VectorXd drawn, drawn_rhs, bounds, bounds_rhs;  // factors of the rows
};

NewtonRows newton_rows(const Scaled& s, const Target& target, const PrimalDual& at, const Eigen::VectorXd& inside) {
  NewtonRows rows;
  for (Eigen::Index i = 0; i < s.links(); ++i) {
    NewtonRows::Body b;
    const Eigen::Matrix4d& S = at.S[i];
    b.X = symmetric_of(at.u.segment<10>(10 * i));
    b.L = b.X.llt().matrixL();
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> eigen(b.L.transpose() * S * b.L);
    const Eigen::Vector4d values = eigen.eigenvalues().cwiseMax(1e-300);
    b.root = b.L * eigen.eigenvectors() * values.array().pow(-0.25).matrix().asDiagonal();
    b.K = b.L * eigen.eigenvectors() * values.array().pow(-0.5).matrix().asDiagonal();
    const Eigen::Matrix4d back = b.root.inverse();
    const double f = s.factor[i];
    for (int k = 0; k < 10; ++k) b.to_Y.col(k) = ten_of(back * symmetric_of(Ten::Unit(k)) * back.transpose());
    b.rhs = -ten_of(b.root.transpose() *
                    (f * target.weight * Eigen::Matrix4d::Identity() - target.link(f) * b.X.inverse()) * b.root);
    rows.bodies.push_back(b);
  }
  rows.drawn.resize(static_cast<Eigen::Index>(s.drawn.size()));
  rows.drawn_rhs.resize(rows.drawn.size());
  for (Eigen::Index j = 0; j < rows.drawn.size(); ++j) {
    const double value = at.u[s.drawn[j]];
    rows.drawn[j] = std::sqrt(at.drawn[j] / value);
    rows.drawn_rhs[j] = (target.links / value - target.weight) / rows.drawn[j];
  }
  rows.bounds = at.lambda.cwiseQuotient(inside).cwiseSqrt();
  rows.bounds_rhs = target.bounds * inside.cwiseProduct(rows.bounds).cwiseInverse();
  return rows;
}

/// The step by orthogonal transformations of all rows: no squares of A are formed, and what the equations leave open is open exactly.
Eigen::VectorXd exact_direction(const Scaled& s, const NewtonRows& rows, const PrimalDual& at) {
  const Eigen::Index links = s.links(), drawn = rows.drawn.size(), bounds = rows.bounds.size(), seen = s.seen.cols();
  Eigen::MatrixXd M(10 * links + drawn + bounds, at.u.size());  // below the equations
  Eigen::VectorXd rhs(M.rows());
  for (Eigen::Index i = 0; i < links; ++i) {
    M.middleRows<10>(10 * i).noalias() = rows.bodies[i].to_Y * s.Q.middleRows<10>(10 * i);
    rhs.segment<10>(10 * i) = rows.bodies[i].rhs;
  }
  for (Eigen::Index j = 0; j < drawn; ++j) M.row(10 * links + j) = rows.drawn[j] * s.Q.row(s.drawn[j]);
  M.bottomRows(bounds) = rows.bounds.asDiagonal() * s.bounds_Q;
  rhs.segment(10 * links, drawn) = rows.drawn_rhs;
  rhs.tail(bounds) = rows.bounds_rhs;
  Eigen::VectorXd columns = M.colwise().squaredNorm().transpose();
  columns.head(seen) += s.seen.colwise().squaredNorm().transpose();
  columns = columns.cwiseSqrt().cwiseMax(1e-300).cwiseInverse();
  M = (M * columns.asDiagonal()).eval();
  return s.Q *
         columns.cwiseProduct(staged_least_squares(s.seen * columns.head(seen).asDiagonal(), s.z - s.A * at.u, M, rhs));
}

/// The same from normal equations, which is much less work; nothing where rounding would show in it.
std::optional<Eigen::VectorXd> quick_direction(const Scaled& s, const NewtonRows& rows, const PrimalDual& at) {
  constexpr double least_pivot = 1e-5;  // of unit columns: squares lose twice as many digits
  Eigen::MatrixXd H = s.squares;
  Eigen::VectorXd g = s.A.transpose() * (s.z - s.A * at.u);
  for (Eigen::Index i = 0; i < s.links(); ++i) {
    const NewtonRows::Body& b = rows.bodies[i];
    H.block<10, 10>(10 * i, 10 * i).noalias() += b.to_Y.transpose() * b.to_Y;
    g.segment<10>(10 * i).noalias() += b.to_Y.transpose() * b.rhs;
  }
  for (Eigen::Index j = 0; j < rows.drawn.size(); ++j) {
    const Eigen::Index k = s.drawn[j];
    H(k, k) += rows.drawn[j] * rows.drawn[j];
    g[k] += rows.drawn[j] * rows.drawn_rhs[j];
  }
  const Eigen::Index behind = at.u.size() - 10 * s.links();
  const Eigen::MatrixXd C = rows.bounds.asDiagonal() * s.bounds.rightCols(behind);
  H.bottomRightCorner(behind, behind).noalias() += C.transpose() * C;
  g.tail(behind).noalias() += C.transpose() * rows.bounds_rhs;
  const Eigen::VectorXd unit = H.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::LLT<Eigen::MatrixXd> llt(unit.asDiagonal() * H * unit.asDiagonal());
  if (llt.info() != Eigen::Success || llt.matrixLLT().diagonal().minCoeff() < least_pivot) return std::nullopt;
  return Eigen::VectorXd(unit.cwiseProduct(llt.solve(unit.cwiseProduct(g))));
}

//     A'(A u - z) + w 1 - S = 0,  X S = μ 1,  and likewise for numbers and bounds; with W S W = X [Nesterov1998] Newton's step solves
//     (A'A + W⁻¹ . W⁻¹) du = -A'(A u - z) - w 1 + μ X⁻¹,  dS = μ X⁻¹ - S - W⁻¹ dX W⁻¹
//     With W = G G' and dX = G dY G' that is a problem of least squares: |A du + A u - z|² + |dY + G'(w 1 - μ X⁻¹) G|².
//     Returns by how much bodies and bounds changed, relatively; 2 where the step had to be shortened.
double primal_dual_step(const Scaled& s, const Target& target, bool exactly, PrimalDual& at) {
  const Eigen::Index links = s.links(), bounds = s.bounds.rows();
  const auto drawn = static_cast<Eigen::Index>(s.drawn.size());
  const Eigen::VectorXd inside = s.bounds * at.u;
  const NewtonRows rows = newton_rows(s, target, at, inside);
  const std::optional<Eigen::VectorXd> quick = exactly ? std::nullopt : quick_direction(s, rows, at);
  const Eigen::VectorXd du = quick ? *quick : exact_direction(s, rows, at);

  double most = std::numeric_limits<double>::infinity(), change = 0;
  const auto scalar = [&](double value, double step) {
    if (step < 0) most = std::min(most, -value / step);
    change = std::max(change, std::abs(step / value));
  };
  std::vector<Eigen::Matrix4d> dS;
  for (Eigen::Index i = 0; i < links; ++i) {
    const NewtonRows::Body& b = rows.bodies[i];
    const Eigen::Matrix4d dX = symmetric_of(du.segment<10>(10 * i)), back = b.root.inverse(), inverse = b.L.inverse();
    const Eigen::Matrix4d W_inverse = back.transpose() * back;
    Eigen::Matrix4d d = target.link(s.factor[i]) * b.X.inverse() - at.S[i] - W_inverse * dX * W_inverse;
    d = (0.5 * (d + d.transpose())).eval();
    dS.push_back(d);
    most = std::min({most, longest_inside(dX, inverse.transpose()), longest_inside(d, b.K)});
    change = std::max({change, (inverse * dX * inverse.transpose()).norm(), (b.K.transpose() * d * b.K).norm()});
  }
  Eigen::VectorXd d_drawn(drawn), d_lambda(bounds);
  for (Eigen::Index j = 0; j < drawn; ++j) {
    const Eigen::Index k = s.drawn[j];
    d_drawn[j] = target.links / at.u[k] - at.drawn[j] - at.drawn[j] / at.u[k] * du[k];
    scalar(at.u[k], du[k]);
    scalar(at.drawn[j], d_drawn[j]);
  }
  const Eigen::VectorXd d_inside = s.bounds * du;
  for (Eigen::Index k = 0; k < bounds; ++k) {
    d_lambda[k] = target.bounds / inside[k] - at.lambda[k] - at.lambda[k] / inside[k] * d_inside[k];
    scalar(inside[k], d_inside[k]);
    scalar(at.lambda[k], d_lambda[k]);
  }
  const double l = std::min(1.0, keeps_off * most);
  at.u += l * du;
  at.drawn += l * d_drawn;
  at.lambda += l * d_lambda;
  for (std::size_t i = 0; i < dS.size(); ++i) at.S[i] += l * dS[i];
  return l < 1 ? 1 + 1 / l : change;
}

double objective(const Scaled& s, const Eigen::VectorXd& u, double weight) {
  double f = 0.5 * (s.A * u - s.z).squaredNorm();
  for (Eigen::Index i = 0; i < s.links(); ++i) {
    const Eigen::Matrix4d X = symmetric_of(u.segment<10>(10 * i));
    f += weight * s.factor[i] * (X.trace() - 2 * Eigen::Matrix4d(X.llt().matrixL()).diagonal().array().log().sum() - 4);
  }
  for (const Eigen::Index at : s.drawn) f += weight * (u[at] - std::log(u[at]) - 1);
  return f;
}

//     f(p) >= y'(A p - z) - ½ |y|² + the smallest values of the other terms, for any y:
//     g(y) = -y'z - ½ |y|² + sum_i w_i log det(1 + M_i/w_i) + sum_j w log(1 + m_j/w)
//     where M_i and m_j are the entries of Aᵀy that belong to X_i and x_j; of the other entries Aᵀy = Cᵀλ with λ >= 0.
double dual_value(const Scaled& s, const Eigen::VectorXd& y, double weight) {
  double g = -y.dot(s.z) - 0.5 * y.squaredNorm();
  const Eigen::VectorXd m = s.A.transpose() * y;
  for (Eigen::Index i = 0; i < s.links(); ++i) {
    const double w = weight * s.factor[i];
    const Eigen::Matrix4d G = Eigen::Matrix4d::Identity() + symmetric_of(m.segment<10>(10 * i)) / w;
    const Eigen::LLT<Eigen::Matrix4d> llt(G);
    if (llt.info() != Eigen::Success) return -std::numeric_limits<double>::infinity();
    g += 2 * w * Eigen::Matrix4d(llt.matrixL()).diagonal().array().log().sum();
  }
  for (const Eigen::Index at : s.drawn) {
    if (!(1 + m[at] / weight > 0)) return -std::numeric_limits<double>::infinity();
    g += weight * std::log1p(m[at] / weight);
  }
  return g;
}

/// The best lower bound that the point gives: y are its residuals, corrected by as little as makes Aᵀy what the bounds' multipliers say.
void certify(const Scaled& s, const PrimalDual& at, double weight, ConsistentFit& fit) {
  const auto others = static_cast<Eigen::Index>(s.others.size());
  Eigen::VectorXd y = s.A * at.u - s.z, lambda = at.lambda;
  Eigen::MatrixXd F(s.A.rows(), others), C(s.bounds.rows(), others);
  for (Eigen::Index k = 0; k < others; ++k) {
    F.col(k) = s.A.col(s.others[k]);
    C.col(k) = s.bounds.col(s.others[k]);
  }
  for (int round = 0; round < 2 && others > 0; ++round)  // these must hold to rounding
    y += pseudo_inverse(F.transpose()) * (C.transpose() * lambda - F.transpose() * y);
  // Towards y = 0, which is admissible and bounds by zero: where the residuals are rounding alone, nothing else may.
  for (double less = 0;; less = less == 0 ? 1e-14 : std::min(1.0, 4 * less)) {
    const double g = dual_value(s, (1 - less) * y, weight);
    if (g > fit.lower_bound) {
      fit.lower_bound = g;
      fit.multipliers = (1 - less) * y;
      fit.bound_multipliers = (1 - less) * lambda;
    }
    if (less == 1) break;
  }
}

}  // namespace

Eigen::Matrix4d pseudo_inertia(const Ten& p) {
  const Inertia<double> a = inertia_from_parameters<double>(p);
  Eigen::Matrix4d P;
  P.topLeftCorner<3, 3>() = 0.5 * a.I_Bo.trace() * Eigen::Matrix3d::Identity() - a.I_Bo;
  P.topRightCorner<3, 1>() = a.h;
  P.bottomLeftCorner<1, 3>() = a.h.transpose();
  P(3, 3) = a.m;
  return P;
}

Ten parameters_of_pseudo_inertia(const Eigen::Matrix4d& P) {
  const Eigen::Matrix3d S = P.topLeftCorner<3, 3>();
  return parameters(
      Inertia<double>{P(3, 3), P.col(3).head<3>(), Mat3<double>(S.trace() * Eigen::Matrix3d::Identity() - S)});
}

double ConsistentFit::relative_gap() const {
  const double gap = (value - lower_bound) / std::max(value, 1.0);
  return std::isfinite(gap) ? std::max(gap, 0.0) : std::numeric_limits<double>::infinity();
}

namespace {

/// A point on the way to a weight, near the central path of μ.
struct Waypoint {
  double mu, weight;
  PrimalDual at;
  /// Whether it stays well inside when the reference's pull falls to another weight: multipliers lose by what it falls.
  [[nodiscard]] bool serves(const Scaled& s, double smaller) const {
    const double loss = 2 * (weight - smaller);
    for (Eigen::Index i = 0; i < s.links(); ++i)
      if (symmetric_eigen(at.S[i]).values[0] < loss * s.factor[i]) return false;
    return at.drawn.size() == 0 || at.drawn.minCoeff() >= loss;
  }
  /// The point, its multipliers those of another weight.
  [[nodiscard]] PrimalDual with_weight(const Scaled& s, double other) const {
    PrimalDual moved = at;
    for (std::size_t i = 0; i < moved.S.size(); ++i)
      moved.S[i] -= (weight - other) * s.factor[i] * Eigen::Matrix4d::Identity();
    moved.drawn.array() -= weight - other;
    return moved;
  }
};

}  // namespace

//  A primal-dual interior-point method. With a large weight every link is its reference; on the way down the central path leads from there to the weight
//  that is asked for, and on to bounds whose complementarity is next to nothing. The way to the next weight begins where the last one's was still
//  far enough inside: bodies that the log wants a hundred times as heavy have multipliers a hundred times smaller than μ.
std::vector<ConsistentFit> consistent_fits(const ConsistentProblem& problem, const std::vector<double>& weights) {
  const Scaled s = scaled(problem);
  const double count = static_cast<double>(4 * s.links() + s.bounds.rows() + 1);
  double mu = std::max({0.5 * (s.A * s.u - s.z).squaredNorm() / count, weights.front(), 1.0});
  Waypoint start{mu, weights.front(), {s.u, {}, {}, {}}};
  for (const double f : s.factor) start.at.S.push_back(((f - 1) * weights.front() + mu) * Eigen::Matrix4d::Identity());
  start.at.drawn = Eigen::VectorXd::Constant(s.drawn.size(), mu);
  start.at.lambda = mu * (s.bounds * s.u).cwiseInverse();
  std::vector<Waypoint> way{start};
  std::vector<ConsistentFit> fits;
  for (const double weight : weights) {
    while (way.size() > 1 && !way.back().serves(s, weight)) way.pop_back();
    mu = way.back().mu;
    PrimalDual at = way.back().with_weight(s, weight);
    ConsistentFit fit;
    fit.lower_bound = -std::numeric_limits<double>::infinity();
    double floor = 0, change = 2;     // of the bounds; of the last step, relative
    int at_the_end = 0;               // steps since everything is as it has to be in the end
    std::vector<PrimalDual> earlier;  // on the path so near to its end that they would do
    for (; fit.steps < most_newton_steps; ++fit.steps) {
      if (mu > weight || floor == 0 || mu > floor) {
        const bool near = count * mu < 20 * enough_gap * objective(s, at.u, weight);
        const double faster = change < 0.5 ? (near ? 0.3 : 0.05) : change < 2 ? 0.3 : change < 3 ? 0.5 : 1;
        if (mu > weight) {
          if (faster < 1 && fit.steps > 0) way.push_back({mu, weight, at});
          mu = std::max(weight, faster * mu);
        } else {
          floor = bound_share * std::max(objective(s, at.u, weight), 1.0);
          mu = std::max(floor, faster * mu);
        }
      } else if (change < fit_settled || ++at_the_end > most_at_the_end) {  // else rounding: it falls no further
        break;
      }
      const PrimalDual before = at;
      const bool exactly = count * mu < quick_share * objective(s, at.u, weight);
      change = primal_dual_step(s, {weight, std::max(mu, weight), mu}, exactly, at);
      if (!inside(s, at)) {  // rounding has the last word: the certificate says how far this is
        at = before;
        break;
      }
      if (!(change < 1 && count * mu < enough_gap * objective(s, at.u, weight))) continue;
      earlier.push_back(at);
      if (mu > weight) {  // a weight so small that it no longer shows in the objective
        fit.value = objective(s, at.u, weight);
        certify(s, at, weight, fit);
        if (fit.relative_gap() < enough_gap) break;
      }
    }
    for (;; at = earlier.back(), earlier.pop_back()) {  // where rounding leaves no proof, the last point that has one
      fit.value = objective(s, at.u, weight);
      certify(s, at, weight, fit);
      if (fit.relative_gap() < enough_gap || earlier.empty()) break;
    }
    fit.p = at.u;
    for (Eigen::Index i = 0; i < s.links(); ++i)
      fit.p.segment<10>(10 * i) = s.to_parameters[i] * at.u.segment<10>(10 * i);
    fit.p.tail(s.unit.size()) = at.u.tail(s.unit.size()).cwiseProduct(s.unit);
    fits.push_back(std::move(fit));
  }
  return fits;
}

}  // namespace armature::identification
