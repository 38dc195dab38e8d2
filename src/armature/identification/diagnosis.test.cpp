#include "armature/identification/diagnosis.hpp"

#include <cmath>
#include <functional>
#include <string>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/identify.hpp"
#include "armature/identification/synthetic_log.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::identification;

namespace {

MotionBlock good_log(const Arm& arm, double duration = 10) {
  return synthetic_log(arm, {.duration = duration, .rate = 250, .encoder = 1e-5, .torque_noise = 0.01, .seed = 2});
}

/// What identify says of a log: finding and hint; empty where it takes it.
std::string complaint(const Arm& arm, const MotionBlock& log, Estimator estimator = Estimator::weighted) {
  IdentifySettings settings;
  settings.processing.standstill = 0.05;
  settings.estimator = estimator;
  settings.choose_friction = false;
  settings.model.friction = {FrictionShape{FrictionShape::Law::coulomb_viscous, 0.01}};
  try {
    (void)identify(arm, source_of(log), settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

double size_of(const Eigen::Ref<const Eigen::VectorXd>& x) {
  return std::sqrt(x.squaredNorm() / static_cast<double>(x.size()));
}

struct Spoiled {
  const char* named;  // what the complaint must say
  std::function<void(MotionBlock&)> spoil;
};

const std::vector<Estimator> all_kinds{Estimator::ordinary,    Estimator::weighted,   Estimator::robust,
                                       Estimator::total,       Estimator::likelihood, Estimator::recursive,
                                       Estimator::output_error};

}  // namespace

TEST_CASE("a sound log is taken") {
  for (const char* name : {"rrr", "ur5e"}) {
    const Arm arm = testing::built_in_arm(name);
    CHECK(complaint(arm, good_log(arm)) == "");
  }
}

TEST_CASE("the time between two windows is no jump of the positions") {
  const Arm arm = testing::built_in_arm("rrr");
  const MotionBlock log = good_log(arm);
  Processing processing = default_processing({.standstill = 0.05}, log.step);
  TorqueModelSettings model;
  model.friction = {FrictionShape{FrictionShape::Law::coulomb_viscous, 0.01}};
  for (const std::vector<TimeWindow>& windows :
       {std::vector<TimeWindow>{{1, 3}, {5, 8}}, {{0, 2}, {2.5, 4}, {6, 9}}, {{3, 4}}}) {
    processing.windows = windows;
    CHECK(!diagnose(arm, source_of(log), processing, model));
  }
}

TEST_CASE("a spoiled log is refused, and its fault is named") {
  const Arm arm = testing::built_in_arm("rrr");
  const std::vector<Spoiled> table{
      {"columns tau2 and tau3 seem exchanged", [](MotionBlock& log) { log.tau.col(1).swap(log.tau.col(2)); }},
      {"columns tau1 and tau2 seem exchanged", [](MotionBlock& log) { log.tau.col(0).swap(log.tau.col(1)); }},
      {"columns q1 and q2 seem exchanged", [](MotionBlock& log) { log.q.col(0).swap(log.q.col(1)); }},
      {"in another order",
       [](MotionBlock& log) {
         const RowMatrix tau = log.tau;
         for (int j = 0; j < 3; ++j) log.tau.col(j) = tau.col((j + 1) % 3);
       }},
      {"joints 1 and 3 seem exchanged",  // which of three is their reverse order
       [](MotionBlock& log) {
         log.q = log.q.rowwise().reverse().eval();
         log.tau = log.tau.rowwise().reverse().eval();
       }},
      {"tau1 seems to have the wrong sign", [](MotionBlock& log) { log.tau.col(0) *= -1; }},
      {"tau2 seems to have the wrong sign", [](MotionBlock& log) { log.tau.col(1) *= -1; }},
      {"tau3 seems to have the wrong sign", [](MotionBlock& log) { log.tau.col(2) *= -1; }},
      {"q3 seems to have the wrong sign", [](MotionBlock& log) { log.q.col(2) *= -1; }},
      {"all torques seem to have the wrong sign", [](MotionBlock& log) { log.tau *= -1; }},
      {"tau2 seems to be in another unit", [](MotionBlock& log) { log.tau.col(1) *= 0.1; }},
      {"tau2 seems to be in another unit", [](MotionBlock& log) { log.tau.col(1) *= 1000; }},
      {"the gear ratio or torque constant of joint 2", [](MotionBlock& log) { log.tau.col(1) /= 4; }},
      {"q2 seems to be in degrees", [](MotionBlock& log) { log.q.col(1) /= deg; }},
      {"the torques seem to come later",
       [](MotionBlock& log) {
         const RowMatrix tau = log.tau;
         for (Eigen::Index k = 0; k < log.samples(); ++k) log.tau.row(k) = tau.row(std::max<Eigen::Index>(0, k - 25));
       }},
      {"tau1 seems to come later",
       [](MotionBlock& log) {
         const Eigen::VectorXd tau = log.tau.col(0);
         for (Eigen::Index k = 0; k < log.samples(); ++k) log.tau(k, 0) = tau[std::max<Eigen::Index>(0, k - 25)];
       }},
      {"the encoder of joint 2 seems to have an offset", [](MotionBlock& log) { log.q.col(1).array() += 90 * deg; }},
      {"the encoder of joint 2 seems to be stuck",
       [](MotionBlock& log) {
         for (Eigen::Index k = log.samples() / 2; k < log.samples(); ++k) log.q(k, 1) = log.q(k - 1, 1);
       }},
      {"tau2 is constant for a while",
       [](MotionBlock& log) {
         for (Eigen::Index k = log.samples() / 2; k < log.samples(); ++k) log.tau(k, 1) = 0;
       }},
      {"tau2 seems to be saturated",
       [](MotionBlock& log) {
         Random random(5);
         const double limit = 0.4 * log.tau.col(1).cwiseAbs().maxCoeff();
         for (double& x : log.tau.col(1)) x = std::clamp(x, -limit, limit) + 1e-3 * random.normal();
       }},
      {"q2 jumps", [](MotionBlock& log) { log.q(1200, 1) += 0.3; }},
      {"tau1 has nothing to do with the motion",
       [](MotionBlock& log) {
         Random random(9);
         const double size = size_of(log.tau.col(0));
         for (double& x : log.tau.col(0)) x = size * random.normal();
       }},
  };
  for (const Spoiled& s : table) {
    CAPTURE(std::string(s.named));
    MotionBlock log = good_log(arm);
    s.spoil(log);
    const std::string said = complaint(arm, log);
    CAPTURE(said);
    CHECK(said.find(s.named) != std::string::npos);
  }
}

TEST_CASE("an arm that is mounted on a wall and described as standing is named by its gravity") {
  const Arm arm = testing::built_in_arm("rrr");
  ArmDescription on_a_wall = arm.description();
  on_a_wall.gravity = {9.80665, 0, 0};
  const std::string said = complaint(arm, good_log(Arm(on_a_wall)));
  CAPTURE(said);
  CHECK(said.find("gravity seems to point another way") != std::string::npos);
}

TEST_CASE("no estimator makes an arm of noise, nor of a joint whose torque has the wrong sign") {
  const Arm arm = testing::built_in_arm("rrr");
  const MotionBlock sound = good_log(arm, 3);  // short: output errors are simulated
  MotionBlock noise = sound, flipped = sound;
  Random random(4);
  for (double& x : noise.tau.reshaped()) x = 20 * random.normal();
  flipped.tau.col(1) *= -1;
  for (const Estimator kind : all_kinds) {
    CAPTURE(static_cast<int>(kind));
    CHECK(complaint(arm, sound, kind) == "");
    CHECK(complaint(arm, noise, kind) != "");
    CHECK(complaint(arm, flipped, kind) != "");
  }
}
