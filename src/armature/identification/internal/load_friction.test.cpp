#include "armature/identification/internal/load_friction.hpp"

#include <cmath>
#include <cstdlib>
#include <string>

#include "armature/core/error.hpp"
#include "armature/identification/estimate.hpp"
#include "armature/identification/identify.hpp"
#include "armature/identification/synthetic_log.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::identification;

namespace {

/// The arm with friction that grows with the load by these shares, from joint to joint in turn.
Arm with_load_friction(const std::string& name, const std::vector<double>& coefficients, double offset) {
  ArmDescription d = testing::built_in_arm(name).description();
  double size = 2;
  std::size_t i = 0;
  for (JointDescription& joint : d.joints) {
    if (joint.type == JointType::fixed) continue;
    joint.friction = LoadDependent{size, 0.7 * size, coefficients[i++ % coefficients.size()], offset * size};
    joint.drive = {};
    size *= 0.75;
  }
  d.couplings.reset();
  return Arm(d);
}

SyntheticSettings motion_of(int seed, double noise) {
  return {.duration = 30,
          .rate = 500,
          .base_frequency = 0.2,
          .speed = 2.5,
          .encoder = 1e-5,
          .torque_noise = noise,
          .seed = static_cast<std::uint64_t>(seed),
          .motion_seed = static_cast<std::uint64_t>(seed)};
}

const Processing processing{.cutoff = 40, .decimation = 10, .parallel_cutoff = 20, .standstill = 0.05};

}  // namespace

TEST_CASE("friction by load comes back together with the bodies, all within their intervals") {
  const int seeds = std::getenv("ARMATURE_LONG_TESTS") ? 100 : 8;
  for (const std::string name : {"rrr", "ur5e"}) {
    CAPTURE(name);
    const Arm arm = with_load_friction(name, {0.05, 0.12, 0.2}, 0.3);
    TorqueModelSettings columns{.rotors = false, .friction = {FrictionShape{FrictionShape::Law::load_dependent}}};
    double inside = 0, all = 0, inside_load = 0, all_load = 0, narrowest = 1;
    for (int seed = 200; seed < 200 + seeds; ++seed) {
      const MotionBlock log = synthetic_log(arm, motion_of(seed, 0.03));
      columns.linearized_at = settled_load(arm, source_of(log), processing, columns);
      const TorqueModel model(arm, columns);
      const Eigen::VectorXd truth = model.described();
      Evidence evidence(model);
      stream_equations(source_of(log), model, processing, [&](const SampleEquations& s) { evidence.add(s); });
      evidence.finish();
      const Estimate e = least_squares(evidence);
      for (int k = 0; k < model.size(); ++k) {
        if (!e.determined[k]) continue;
        const bool in = std::abs(e.x[k] - truth[k]) < e.half_width(k);
        ++all;
        inside += in;
        if (!model.columns()[k].name.starts_with("load_coefficient")) continue;
        ++all_load;
        inside_load += in;
        narrowest = std::min(narrowest, e.half_width(k));
      }
    }
    MESSAGE(name << ": " << inside << " of " << all << " parameters within their 95 % intervals, of " << all_load
                 << " load coefficients " << inside_load << "; the narrowest is known to ±" << narrowest);
    CHECK(narrowest < 0.02);
    CHECK(all_load >= 2 * seeds);
    CHECK(inside / all > 0.92);
    CHECK(inside_load >= 0.95 * all_load - 3 * std::sqrt(0.95 * 0.05 * all_load));
  }
}

TEST_CASE("a law that depends on the load is chosen where the joint's friction does, and not where it does not") {
  IdentifySettings settings;
  settings.processing = processing;
  settings.model.rotors = false;
  const Arm loaded = with_load_friction("rrr", {0.15}, 0);
  ArmDescription d = loaded.description();
  for (JointDescription& joint : d.joints) joint.friction = CoulombViscous{2, 1};
  const Arm plain(d);
  for (const Arm* arm : {&loaded, &plain}) {
    const MotionBlock log = synthetic_log(*arm, motion_of(31, 0.03));
    const Identification found = identify(*arm, source_of(log), settings);
    int chosen = 0;
    for (int i = 0; i < arm->dof(); ++i) chosen += found.model->friction(i).law == FrictionShape::Law::load_dependent;
    CAPTURE(chosen);
    if (arm == &plain) {
      CHECK(chosen == 0);
      continue;
    }
    CHECK(chosen >= 2);  // the first joint turns about a vertical axis and carries little
    const Arm identified(found.arm);
    const MotionBlock fresh = synthetic_log(*arm, motion_of(32, 0));
    CHECK(validate(identified, source_of(fresh), processing).relative < 0.01);
  }
}

TEST_CASE("estimators that simulate or sum up energies refuse friction that depends on the load") {
  const Arm arm = with_load_friction("rrr", {0.1}, 0);
  const MotionBlock log = synthetic_log(arm, motion_of(1, 0.01));
  IdentifySettings settings;
  settings.choose_friction = false;
  settings.model.friction = {FrictionShape{FrictionShape::Law::load_dependent}};
  for (const Estimator estimator : {Estimator::energy, Estimator::output_error, Estimator::direct_inverse}) {
    settings.estimator = estimator;
    CHECK_THROWS_WITH_AS(identify(arm, source_of(log), settings), doctest::Contains("depends on the load"), Error);
  }
}
