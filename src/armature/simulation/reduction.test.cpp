#include "armature/simulation/reduction.hpp"

#include "armature/testing/doctest.hpp"

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"

using namespace armature::simulation;

namespace {

/// A chain of inertias on springs, the last one tied to the ground: torque on the first, speed of the first.
StateSpace chain(int n, double ground_stiffness, Random& random) {
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n), K = M, D = M;
  for (int i = 0; i < n; ++i) {
    M(i, i) = random.uniform(0.5, 2);
    D(i, i) = random.uniform(0.05, 0.3);
    if (i + 1 == n) continue;
    const double c = random.uniform(50, 5000);
    K(i, i) += c;
    K(i + 1, i + 1) += c;
    K(i, i + 1) -= c;
    K(i + 1, i) -= c;
  }
  K(n - 1, n - 1) += ground_stiffness;
  D += 1e-4 * K;
  StateSpace s{Eigen::MatrixXd::Zero(2 * n, 2 * n), Eigen::MatrixXd::Zero(2 * n, 1), Eigen::MatrixXd::Zero(2, 2 * n),
               Eigen::MatrixXd::Zero(2, 1)};
  const Eigen::MatrixXd W = inverse(M);
  s.A.topRightCorner(n, n).setIdentity();
  s.A.bottomLeftCorner(n, n) = -W * K;
  s.A.bottomRightCorner(n, n) = -W * D;
  s.B.bottomRows(n) = W.col(0);
  s.C(0, n) = 1;
  s.C(1, n - 1) = 1;  // speed of the first, angle of the last
  return s;
}

const std::vector<double>& lines() {
  static const std::vector<double> all = [] {
    std::vector<double> f;
    for (int i = 0; i <= 500; ++i) f.push_back(1e-3 * std::pow(1e6, i / 500.0));
    return f;
  }();
  return all;
}

/// Largest singular value of the difference of two models with one input, over the lines and where their modes ring.
double largest_error(const StateSpace& a, const StateSpace& b) {
  std::vector<double> f = lines();
  for (const StateSpace* model : {&a, &b})
    for (const std::complex<double>& value :
         model->A.size() > 0 ? eigenvalues(model->A) : Eigen::VectorXcd())
      for (const double share : {0.999, 1.0, 1.001})
        if (value.imag() > 0) f.push_back(share * std::abs(value) / (2 * pi));
  std::vector<double> squares(f.size(), 0);
  for (Eigen::Index out = 0; out < a.C.rows(); ++out) {
    const auto of_a = frequency_response(a, 0, out, f), of_b = frequency_response(b, 0, out, f);
    for (std::size_t i = 0; i < f.size(); ++i) squares[i] += std::norm(of_a[i] - of_b[i]);
  }
  return std::sqrt(*std::max_element(squares.begin(), squares.end()));
}

}  // namespace

TEST_CASE("Lyapunov's equation is solved, and its solution is the integral that it stands for") {
  Random random(3);
  const StateSpace s = chain(4, 100, random);
  const Eigen::MatrixXd Q = s.B * s.B.transpose(), X = lyapunov(s.A, Q);
  CHECK((s.A * X + X * s.A.transpose() + Q).norm() < 1e-10 * (s.A * X).norm());
  CHECK((X - X.transpose()).norm() < 1e-12 * X.norm());
  // x' = -a x + b u: b²/(2 a)
  CHECK(lyapunov(Eigen::MatrixXd::Constant(1, 1, -3), Eigen::MatrixXd::Constant(1, 1, 4))(0, 0) ==
        doctest::Approx(4.0 / 6));
}

TEST_CASE("no frequency response of a reduced model is off by more than its bound, by either method") {
  Random random(11);
  for (int trial = 0; trial < 3; ++trial)
    for (const double tied : {0.0, 300.0}) {
      const StateSpace s = chain(5, tied, random);
      double before = 1e300;
      for (int order = 1 + (tied == 0); order <= 10; ++order)
        for (const Reduction method : {Reduction::balanced, Reduction::modal}) {
          CAPTURE(trial);
          CAPTURE(tied);
          CAPTURE(order);
          if (method == Reduction::modal && order == 1) {  // every mode of the chain swings
            CHECK_THROWS_AS(reduced(s, order, method), Error);
            continue;
          }
          const ReducedModel model = reduced(s, order, method);
          CHECK(model.system.A.rows() <= order);
          const double error = largest_error(s, model.system);
          CHECK(error <= model.bound * (1 + 1e-6) + 1e-6 * model.hankel[0]);
          if (method == Reduction::balanced) {
            CHECK(model.bound <= before * (1 + 1e-9));
            before = model.bound;
            // and none can be better than the first singular value left out
            const Eigen::Index kept = model.system.A.rows() - (10 - model.decaying);
            if (kept < model.hankel.size()) CHECK(error >= 0.95 * model.hankel[kept] - 1e-6 * model.hankel[0]);
          }
        }
    }
}

TEST_CASE("what stands still is answered as before, and what never decays is kept") {
  Random random(5);
  for (const Reduction method : {Reduction::balanced, Reduction::modal}) {
    const StateSpace tied = chain(5, 300, random);
    const auto still = [](const StateSpace& s) { return Eigen::MatrixXd(s.D - s.C * inverse(s.A) * s.B); };
    CHECK((still(tied) - still(reduced(tied, 4, method).system)).norm() < 1e-9 * still(tied).norm());
    const StateSpace loose = chain(5, 0, random);
    const ReducedModel model = reduced(loose, 4, method);
    CHECK(model.decaying == 9);
    CHECK(eigenvalues(model.system.A).cwiseAbs().minCoeff() < 1e-6);
    // at a low frequency the integrator is all there is
    const double f = 1e-6;
    CHECK(std::abs(frequency_response(model.system, 0, 1, {f})[0] / frequency_response(loose, 0, 1, {f})[0] - 1.0) <
          1e-6);
    CHECK_THROWS_WITH_AS(reduced(loose, 0, method), doctest::Contains("a model of order 0"), Error);
  }
}

TEST_CASE("Hankel singular values do not depend on the coordinates; those of b/(s + a) are b/(2 a)") {
  const auto one = [](double x) { return Eigen::MatrixXd::Constant(1, 1, x); };
  CHECK(reduced({one(-4), one(6), one(1), one(0)}, 1, Reduction::balanced).hankel[0] == doctest::Approx(6.0 / 8));
  Random random(7);
  const StateSpace s = chain(4, 200, random);
  Eigen::MatrixXd T(8, 8);
  for (double& x : T.reshaped()) x = random.uniform(-1, 1);
  const StateSpace other{inverse(T) * s.A * T, inverse(T) * s.B, s.C * T, s.D};
  const Eigen::VectorXd a = reduced(s, 4, Reduction::balanced).hankel,
                        b = reduced(other, 4, Reduction::balanced).hankel;
  CHECK((a - b).cwiseAbs().maxCoeff() < 1e-7 * a[0]);
}

TEST_CASE("modal reduction keeps its modes to the digit, and a model of full order is the model") {
  Random random(9);
  const StateSpace s = chain(4, 200, random);
  const ReducedModel model = reduced(s, 4, Reduction::modal);
  const Eigen::VectorXcd all = eigenvalues(s.A);
  for (const std::complex<double>& value : eigenvalues(model.system.A))
    CHECK((all.array() - value).abs().minCoeff() < 1e-8 * std::abs(value));
  for (const Reduction method : {Reduction::balanced, Reduction::modal})
    CHECK(largest_error(s, reduced(s, 8, method).system) < 1e-7 * model.hankel[0]);
}

TEST_CASE("a model that would keep no mode at all is refused") {
  StateSpace swing{Eigen::MatrixXd(2, 2), Eigen::MatrixXd(2, 1), Eigen::MatrixXd(1, 2), Eigen::MatrixXd::Zero(1, 1)};
  swing.A << 0, 1, -100, -1;
  swing.B << 0, 1;
  swing.C << 1, 0;
  CHECK_THROWS_AS(reduced(swing, 1, Reduction::modal), Error);
  CHECK(reduced(swing, 1, Reduction::balanced).system.A.rows() == 1);
  CHECK(reduced(swing, 2, Reduction::modal).system.A.rows() == 2);
}
