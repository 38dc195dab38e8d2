#include "armature/identification/internal/torque_band.hpp"

#include <cmath>

#include "armature/core/random.hpp"
#include "armature/identification/validate.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::identification;

namespace {

constexpr double band_test_step = 0.005;  // [s]

/// 40 s of one joint's torque: slow swings, and noise of so much of it.
MotionBlock torques_with_noise(double noise) {
  MotionBlock log;
  log.step = band_test_step;
  constexpr Eigen::Index rows = 8000;
  log.q = RowMatrix::Zero(rows, 1);
  log.tau.resize(rows, 1);
  Random random(5);
  for (Eigen::Index k = 0; k < rows; ++k) {
    const double t = static_cast<double>(k) * log.step;
    log.q(k, 0) = std::sin(2 * t);
    log.tau(k, 0) = std::sin(2 * t) + 0.5 * std::cos(5 * t) + noise * random.normal();
  }
  return log;
}

}  // namespace

TEST_CASE("torques that were filtered before they were recorded bring the filters down to their band") {
  for (const double recorded : {1.0, 2.0, 4.0}) {
    CAPTURE(recorded);
    MotionBlock log = torques_with_noise(0.3);
    filter_zero_phase(butterworth(8, recorded, 1 / band_test_step), log.tau);
    const Processing processing = default_processing({}, source_of(log), 1);
    CHECK(processing.parallel_cutoff < 3 * recorded);
    CHECK(processing.parallel_cutoff > 0.7 * recorded);
    CHECK(processing.cutoff == doctest::Approx(2.5 * processing.parallel_cutoff));
    CHECK(processing.decimation == default_processing({}, band_test_step).decimation);
    RowMatrix kept = log.tau;  // what the filter leaves is the torque, to half a percent
    filter_zero_phase(butterworth(4, processing.parallel_cutoff, 1 / band_test_step), kept);
    const Eigen::Index end = 600, inner = log.tau.rows() - 2 * end;
    CHECK((kept - log.tau).middleRows(end, inner).norm() < 0.006 * log.tau.middleRows(end, inner).norm());
  }
}

TEST_CASE("torques with noise in every frequency are filtered as ever, and so are those whose filter is given") {
  const MotionBlock noisy = torques_with_noise(0.1), clean = torques_with_noise(0);
  const Processing usual = default_processing({}, band_test_step);
  CHECK(default_processing({}, source_of(noisy), 1).parallel_cutoff == usual.parallel_cutoff);
  CHECK(default_processing({.cutoff = 30}, source_of(clean), 1).parallel_cutoff == usual.parallel_cutoff);
  CHECK(default_processing({.parallel_cutoff = 9}, source_of(clean), 1).parallel_cutoff == 9);
}
