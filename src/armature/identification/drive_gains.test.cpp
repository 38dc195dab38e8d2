#include "armature/identification/drive_gains.hpp"

#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/validate.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::identification;

namespace {

/// A log in which joint i reads its torque over gain[i], with noise.
MotionBlock read_in_other_units(const Arm& arm, const std::vector<double>& gain, std::uint64_t seed) {
  Random random(seed);
  const int n = arm.dof(), samples = 12000;
  MotionBlock log;
  log.step = 2e-3;
  log.q.resize(samples, n);
  log.tau.resize(samples, n);
  std::vector<double> phase;
  for (int j = 0; j < 3 * n; ++j) phase.push_back(random.uniform(0, 2 * pi));
  for (int k = 0; k < samples; ++k) {
    const double t = log.step * k;
    VecX<double> q(n), v(n), a(n);
    for (int j = 0; j < n; ++j) {
      q[j] = v[j] = a[j] = 0;
      for (int h = 0; h < 3; ++h) {
        const double w = 2 * pi * (0.11 * (h + 1) + 0.023 * j), size = 0.5 / (h + 1), angle = w * t + phase[3 * j + h];
        q[j] += size * std::sin(angle);
        v[j] += size * w * std::cos(angle);
        a[j] -= size * w * w * std::sin(angle);
      }
    }
    const VecX<double> rigid = inverse_dynamics<double>(arm, q, v, a),
                       tau = rigid + friction_torque(arm, v, rigid) + rotor_torque<double>(arm, a);
    for (int j = 0; j < n; ++j) {
      log.q(k, j) = q[j];
      log.tau(k, j) = tau[j] / gain[j] + 0.01 * random.normal();
    }
  }
  return log;
}

}  // namespace

TEST_CASE("a payload that is known tells what a unit of each column is worth, whatever the arm weighs") {
  const Arm without = armature::catalogue_arm("ur5e");
  ArmDescription d = without.description();
  MassProperties load;
  load.mass = 4;
  load.position = {0.03, -0.02, 0.08};
  load.tensor = 0.01 * Mat3<double>::Identity();
  d.payload = load;
  const Arm with(d);
  const std::vector<double> gain{11.2, 10.3, 13.5, 8.7, 9.1, 7.7};  // N m/A
  int inside = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const MotionBlock loaded = read_in_other_units(with, gain, seed),
                      empty = read_in_other_units(without, gain, 100 + seed);
    const MotionSource first = source_of(loaded), second = source_of(empty);
    const Processing p = default_processing({}, first, 6);
    const auto found = drive_gains(with, without, first, p, second, p);
    REQUIRE(found.size() == 6);
    for (std::size_t j = 0; j < 6; ++j) {
      CAPTURE(seed);
      CAPTURE(j);
      if (j > 0 && j < 5) REQUIRE(found[j].determined);  // the others hardly feel gravity
      if (!found[j].determined) continue;
      MESSAGE(j << ": " << found[j].gain << " +- " << found[j].half_width << " for " << gain[j]);
      CHECK(found[j].gain == doctest::Approx(gain[j]).epsilon(0.05));
      inside += std::abs(found[j].gain - gain[j]) <= found[j].half_width;
      ++all;
    }
  }
  MESSAGE(inside << " of " << all << " intervals hold the truth");
  CHECK(inside >= 0.8 * all);
}
