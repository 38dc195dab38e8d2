#include "armature/compute/batch.hpp"

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/compute/compute_choice.hpp"
#include "armature/core/error.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature;
using namespace armature::compute;

namespace {

/// `count` times `width` numbers.
std::vector<double> batch_numbers(std::size_t count, int width, Random& random) {
  std::vector<double> numbers;
  for (std::size_t k = 0; k < count; ++k)
    for (const double x : testing::random_vector(width, random, 2)) numbers.push_back(x);
  return numbers;
}

StridedInput rows_of(const std::vector<double>& numbers, int width) {
  return {numbers.data(), false, width * static_cast<std::ptrdiff_t>(sizeof(double)), sizeof(double)};
}

VecX<double> row(const std::vector<double>& numbers, std::size_t k, int width) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.data() + k * static_cast<std::size_t>(width), width);
}

}  // namespace

// A compiler that may fuse products and sums does so differently for one state and for eight.
#ifdef __FMA__
constexpr double apart = 1e-10;
#else
constexpr double apart = 0;
#endif

TEST_CASE("many states are computed as the algorithm computes each, bit for bit, on any number of threads") {
  Random random(1);
  for (const int n : {1, 3, 7, 16}) {
    CAPTURE(n);
    const Arm arm = testing::random_arm(n, random);
    const std::size_t count = 1503;  // the last ones do not make eight
    const auto q = batch_numbers(count, n, random), v = batch_numbers(count, n, random),
               a = batch_numbers(count, n, random);
    const Batch batch(arm, quantity_called("inverse_dynamics"), {});
    std::vector<double> tau(q.size());
    for (const int threads : {1, 3}) {
      std::fill(tau.begin(), tau.end(), 0.0);
      const StridedInput inputs[] = {rows_of(q, n), rows_of(v, n), rows_of(a, n)};
      batch.compute(count, inputs, {tau.data(), false, n * static_cast<std::ptrdiff_t>(sizeof(double))}, threads);
      for (std::size_t k = 0; k < count; k += 101) {
        const VecX<double> alone = inverse_dynamics<double>(arm, row(q, k, n), row(v, k, n), row(a, k, n));
        CHECK((row(tau, k, n) - alone).norm() <= apart * alone.norm());
      }
    }
  }
}

TEST_CASE("every quantity of many states is that of each alone, bit for bit") {
  Random random(4);
  for (const Quantity& quantity : quantities()) {
    CAPTURE(quantity.name);
    for (const int n : {1, 2, 6}) {
      const Arm arm = testing::random_arm(n, random);
      const std::size_t count = 19;
      std::vector<std::vector<double>> numbers;
      std::vector<StridedInput> inputs;
      for (std::size_t k = 0; k < quantity.inputs.size(); ++k) numbers.push_back(batch_numbers(count, n, random));
      for (const auto& each : numbers) inputs.push_back(rows_of(each, n));
      const Batch batch(arm, quantity, {});
      std::vector<double> many(count * batch.width()), one(batch.width());
      batch.compute(count, inputs, {many.data(), false, static_cast<std::ptrdiff_t>(batch.width() * sizeof(double))},
                    1);
      for (std::size_t s = 0; s < count; ++s) {
        std::vector<const double*> state;
        for (const auto& each : numbers) state.push_back(each.data() + s * static_cast<std::size_t>(n));
        batch.compute(state, one.data());
        double scale = 0;
        for (const double x : one) scale = std::max(scale, std::abs(x));
        for (std::size_t i = 0; i < one.size(); ++i)
          CHECK(std::abs(many[s * one.size() + i] - one[i]) <= apart * scale);
      }
    }
  }
}

TEST_CASE("results may lie where the inputs are, and a state without a result is named also then") {
  Random random(5);
  const int n = 3;
  const Arm arm = testing::random_arm(n, random);
  const Batch batch(arm, quantity_called("gravity"), {});
  std::vector<double> q = batch_numbers(64, n, random), expected(q.size());
  const auto row_step = n * static_cast<std::ptrdiff_t>(sizeof(double));
  const StridedInput apart_from_it[] = {rows_of(q, n)};
  batch.compute(64, apart_from_it, {expected.data(), false, row_step}, 1);
  const StridedInput in_place[] = {rows_of(q, n)};
  batch.compute(64, in_place, {q.data(), false, row_step}, 1);
  CHECK(q == expected);

  const Batch dynamics(arm, quantity_called("inverse-dynamics"), {});
  std::vector<double> a = batch_numbers(64, n, random), v = batch_numbers(64, n, random);
  for (int i = 0; i < n; ++i) v[static_cast<std::size_t>(21 * n + i)] = 1e300;  // squares that are not finite
  const StridedInput inputs[] = {rows_of(q, n), rows_of(v, n), rows_of(a, n)};
  try {
    dynamics.compute(64, inputs, {a.data(), false, row_step}, 1);
    FAIL("it was accepted");
  } catch (const Error& error) {
    CHECK(error.place().file == "state 21");
  }
}

TEST_CASE("columns, broadcasts and floats are read as they lie") {
  Random random(2);
  const int n = 4;
  const Arm arm = testing::random_arm(n, random);
  const std::vector<double> q = batch_numbers(1, n, random);
  std::vector<float> single(q.begin(), q.end());
  const Batch batch(arm, quantity_called("mass-matrix"), {});
  const auto width = static_cast<std::ptrdiff_t>(batch.width());
  std::vector<double> M(static_cast<std::size_t>(5 * width)), one(static_cast<std::size_t>(width));
  // all states the same (a step of zero), results column by column
  const StridedInput same[] = {{single.data(), true, 0, sizeof(float)}};
  batch.compute(5, same, {M.data(), false, sizeof(double), 5 * static_cast<std::ptrdiff_t>(sizeof(double))}, 2);
  VecX<double> rounded(n);
  for (int i = 0; i < n; ++i) rounded[i] = single[i];
  const MatX<double> expected = mass_matrix<double>(arm, rounded);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int s = 0; s < 5; ++s) CHECK(M[5 * (i * n + j) + s] == expected(i, j));
}

TEST_CASE("of several states that are none the first is named, whoever meets it") {
  Random random(3);
  const int n = 3;
  const Arm arm = testing::random_arm(n, random);
  std::vector<double> q = batch_numbers(4000, n, random), g(q.size());
  for (const std::size_t bad : {3999U, 700U, 701U, 2000U})
    q[bad * static_cast<std::size_t>(n)] = std::numeric_limits<double>::quiet_NaN();
  const Batch batch(arm, quantity_called("gravity"), {});
  const StridedInput inputs[] = {rows_of(q, n)};
  for (int round = 0; round < 20; ++round) try {
      batch.compute(4000, inputs, {g.data(), false, n * static_cast<std::ptrdiff_t>(sizeof(double))}, 4);
      FAIL("it was accepted");
    } catch (const Error& error) {
      CHECK(error.place().file == "state 700");
    }
}
