#include "armature/numerics/matrix_functions.hpp"

#include <algorithm>
#include <complex>
#include <vector>

#include "armature/core/random.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::numerics;
using armature::core::Random;

namespace {

Eigen::MatrixXd random_matrix(Eigen::Index n, Random& random) {
  return Eigen::MatrixXd::NullaryExpr(n, n, [&] { return random.normal(); });
}

/// Sorted, so that two lists can be compared.
std::vector<std::complex<double>> sorted_eigenvalues(const Eigen::MatrixXd& A) {
  const Eigen::VectorXcd values = eigenvalues(A);
  std::vector<std::complex<double>> list(values.begin(), values.end());
  std::sort(list.begin(), list.end(),
            [](const auto& a, const auto& b) { return std::pair(a.real(), a.imag()) < std::pair(b.real(), b.imag()); });
  return list;
}

}  // namespace

TEST_CASE("the exponential of a rotation's rate is the rotation, that of a diagonal matrix its numbers' exponentials") {
  Eigen::Matrix2d rate, turned;
  rate << 0, -2.5, 2.5, 0;
  turned << std::cos(2.5), -std::sin(2.5), std::sin(2.5), std::cos(2.5);
  CHECK((exponential(rate) - turned).norm() < 1e-14);
  const Eigen::Vector3d numbers(-30, 0.1, 4);
  const Eigen::MatrixXd diagonal = exponential(numbers.asDiagonal());
  for (int i = 0; i < 3; ++i) CHECK(diagonal(i, i) == doctest::Approx(std::exp(numbers[i])).epsilon(1e-12));
}

TEST_CASE("exponentials of two times follow each other: exp((s + t) A) = exp(s A) exp(t A)") {
  Random random(1);
  for (Eigen::Index n = 1; n <= 8; ++n) {
    const Eigen::MatrixXd A = random_matrix(n, random), whole = exponential(3 * A);
    CHECK((exponential(A) * exponential(2 * A) - whole).norm() < 1e-12 * whole.norm());
  }
}

TEST_CASE("balancing a badly scaled matrix keeps its eigenvalues and makes rows as large as columns") {
  Random random(2);
  for (Eigen::Index n = 2; n <= 8; ++n) {
    CAPTURE(n);
    const Eigen::MatrixXd A = random_matrix(n, random);
    Eigen::VectorXd scale(n);
    for (double& s : scale) s = std::exp2(std::round(random.uniform(-20, 20)));  // without rounding
    const Eigen::MatrixXd spoilt = scale.asDiagonal() * A * scale.cwiseInverse().asDiagonal();
    const Eigen::MatrixXd balanced = balanced_for_eigenvalues(spoilt);
    const auto expected = sorted_eigenvalues(A), found = sorted_eigenvalues(balanced);
    for (std::size_t k = 0; k < found.size(); ++k) CHECK(std::abs(found[k] - expected[k]) < 1e-12 * A.norm());
    for (Eigen::Index i = 0; i < n; ++i) {
      CHECK(balanced(i, i) == A(i, i));
      const double row = balanced.row(i).cwiseAbs().sum() - std::abs(A(i, i)),
                   column = balanced.col(i).cwiseAbs().sum() - std::abs(A(i, i));
      CHECK(std::max(row, column) < 4 * std::min(row, column));
    }
  }
  const Eigen::MatrixXd triangular = (Eigen::Matrix2d() << 1, 5, 0, 2).finished();  // no column to be as large as
  CHECK(balanced_for_eigenvalues(triangular) == triangular);
}
