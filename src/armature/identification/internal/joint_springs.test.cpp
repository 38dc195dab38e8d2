#include "armature/identification/internal/joint_springs.hpp"

#include <cmath>
#include <cstdlib>

#include "armature/identification/estimate.hpp"
#include "armature/identification/identify.hpp"
#include "armature/identification/synthetic_log.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::identification;

namespace {

JointSpring periodic(double sine, double cosine) {
  JointSpring spring;
  spring.sine = sine;
  spring.cosine = cosine;
  return spring;
}

/// The arm without drives, with friction at every joint and these springs at some.
Arm sprung(const std::string& name, const std::vector<std::pair<int, JointSpring>>& springs) {
  ArmDescription d = testing::built_in_arm(name).description();
  d.couplings.reset();
  int i = 0;
  for (JointDescription& joint : d.joints) {
    if (joint.type == JointType::fixed) continue;
    joint.drive = {};
    joint.friction = CoulombViscous{2, 1.5};
    for (const auto& [at, spring] : springs)
      if (at == i) joint.spring = spring;
    ++i;
  }
  return Arm(d);
}

MotionBlock log_of(const Arm& arm, int seed) {
  return synthetic_log(arm, {.duration = 30,
                             .rate = 500,
                             .base_frequency = 0.2,
                             .speed = 2.5,
                             .encoder = 1e-5,
                             .torque_noise = 0.03,
                             .seed = static_cast<std::uint64_t>(seed),
                             .motion_seed = static_cast<std::uint64_t>(seed)});
}

const Processing filters{.cutoff = 40, .decimation = 10, .parallel_cutoff = 20, .standstill = 0.05};

}  // namespace

TEST_CASE("where a body's weight gives the same torque, no spring is told from it") {
  const Arm arm = sprung("ur5e", {});
  MotionBlock log = log_of(arm, 1);
  const auto turns_by = [&log](int joint, double range) {
    log.q.col(joint) *= range / (log.q.col(joint).maxCoeff() - log.q.col(joint).minCoeff());
  };
  for (int i = 0; i < 6; ++i) turns_by(i, 2);
  const std::vector<int> shown = joints_that_show_springs(arm, source_of(log), filters);
  CHECK(shown ==
        std::vector<int>{0, 2, 3, 4, 5});  // the shoulder lifts all that follows: sine and cosine of its own angle
  ArmDescription weightless = arm.description();
  weightless.gravity.setZero();
  CHECK(joints_that_show_springs(Arm(weightless), source_of(log), filters).size() == 6);
  const Arm known = sprung("ur5e", {{5, [] {
                                       JointSpring linear;
                                       linear.stiffness = 3;
                                       return linear;
                                     }()}});
  CHECK(joints_that_show_springs(known, source_of(log), filters) == std::vector<int>{0, 2, 3, 4});
  turns_by(4, 0.9);
  CHECK(joints_that_show_springs(arm, source_of(log), filters) == std::vector<int>{0, 2, 3, 5});
}

TEST_CASE("springs by sine and cosine come back together with the bodies, within their intervals") {
  const int seeds = std::getenv("ARMATURE_LONG_TESTS") ? 100 : 8;
  for (const std::string name : {"rrr", "panda"}) {
    CAPTURE(name);
    const Arm described = sprung(name, {});
    const int last = described.dof() - 1;
    const Arm truth = sprung(name, {{0, periodic(6, -4)}, {last, periodic(-0.8, 1.1)}});
    const TorqueModel model(described, {.rotors = false, .springs = {0, last}});
    const double expected[] = {6, -4, -0.8, 1.1};
    double inside = 0, all = 0;
    for (int seed = 300; seed < 300 + seeds; ++seed) {
      const MotionBlock log = log_of(truth, seed);
      Evidence evidence(model);
      stream_equations(source_of(log), model, filters, [&](const SampleEquations& s) { evidence.add(s); });
      evidence.finish();
      const Estimate e = least_squares(evidence);
      for (int k = 0; k < 4; ++k) {
        const int column = model.base().count() + k;
        REQUIRE(model.columns()[column].kind == ModelColumn::Kind::spring);
        REQUIRE(e.determined[column]);
        ++all;
        inside += std::abs(e.x[column] - expected[k]) < e.half_width(column);
      }
    }
    MESSAGE(name << ": " << inside << " of " << all << " amplitudes within their 95 % intervals");
    CHECK(inside >= 0.95 * all - 3 * std::sqrt(0.95 * 0.05 * all));
  }
}

TEST_CASE("a torque in sine and cosine is found where it is, written into the arm, and not found where it is not") {
  IdentifySettings settings;
  settings.processing = filters;
  settings.model.rotors = false;
  const Arm described = sprung("rrr", {});
  const Arm truth = sprung("rrr", {{2, periodic(3, -2)}});
  const MotionBlock log = log_of(truth, 5), plain = log_of(described, 5);
  const Identification found = identify(described, source_of(log), settings);
  CHECK(found.model->settings().springs == std::vector<int>{2});
  const JointSpring& spring = *Arm(found.arm).joint(2).spring;
  CHECK(std::abs(*spring.sine - 3) < 0.1);
  CHECK(std::abs(*spring.cosine + 2) < 0.1);
  // identified once more from the arm that was written: the spring is known, nothing is left of it
  const Identification again = identify(Arm(found.arm), source_of(log), settings);
  CHECK(again.model->settings().springs.empty());
  CHECK(identify(described, source_of(plain), settings).model->settings().springs.empty());
  settings.choose_springs = false;
  CHECK(identify(described, source_of(log), settings).held_out().total > 2 * found.held_out().total);
}
