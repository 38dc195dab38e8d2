#include "armature/identification/internal/by_simulation.hpp"

#include <cmath>
#include <cstdlib>

#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/identification/motion_source.hpp"
#include "armature/identification/payload.hpp"
#include "armature/identification/periods.hpp"
#include "armature/identification/statistics.hpp"
#include "armature/identification/synthetic_log.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::identification;

namespace {

Arm frictionless(const char* name) {
  ArmDescription d = testing::built_in_arm(name).description();
  for (JointDescription& joint : d.joints) {
    joint.friction = NoFriction{};
    joint.drive = {};
  }
  d.couplings.reset();
  return Arm(d);
}

}  // namespace

TEST_CASE("accelerations from columns are those of the recursion") {
  const Arm arm = frictionless("rrr");
  const TorqueModel model(arm, {.rotors = false, .friction = {FrictionShape{FrictionShape::Law::none}}});
  Random random(1);
  for (int trial = 0; trial < 10; ++trial) {
    JointMotion m;
    m.q = testing::random_vector(3, random, 2);
    m.qd = testing::random_vector(3, random, 2);
    const VecX<double> tau = testing::random_vector(3, random, 10);
    CHECK(testing::relative_error(model_acceleration(model, model.described(), m, tau),
                                  forward_dynamics<double>(arm, m.q, m.qd, tau)) < 1e-9);
  }
}

TEST_CASE("a short log with rough encoders: simulation finds what differences cannot") {
  const Arm arm = frictionless("rpr");
  const TorqueModel model(arm,
                          {.rotors = false, .offsets = false, .friction = {FrictionShape{FrictionShape::Law::none}}});
  const MotionBlock log = synthetic_log(
      arm, {.duration = 1.2, .rate = 250, .harmonics = 3, .base_frequency = 0.8, .speed = 3, .encoder = 2e-3});
  Evidence evidence(model);
  make_equations(model, {.cutoff = 40}, log, [&](const SampleEquations& s) { evidence.add(s); });
  evidence.finish();
  const Estimate differences = least_squares(evidence);
  const Eigen::VectorXd truth = model.described();
  const OutputErrorResult simulated =
      output_error(model, log, 1.3 * truth, {.segment = 0.4});  // an arm heavier than it is
  const double before = (differences.x - truth).norm(), after = (simulated.x - truth).norm();
  CHECK(after < 0.5 * before);
  CHECK(simulated.rms < simulated.rms_before);
  CHECK(simulated.rms < 1.15 * 2e-3 / std::sqrt(12.0));  // what is left is the rounding of the encoder
}

TEST_CASE("intervals of a very short log hold the truth, with noise on positions and torques") {
  const Arm arm = frictionless("rpr");
  const TorqueModel model(arm,
                          {.rotors = false, .offsets = false, .friction = {FrictionShape{FrictionShape::Law::none}}});
  const Eigen::VectorXd truth = model.described();
  const int seeds = std::getenv("ARMATURE_LONG_TESTS") != nullptr ? 20 : 3;
  double inside = 0, all = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    MotionBlock log = synthetic_log(arm, {.duration = 1.2,
                                          .rate = 250,
                                          .harmonics = 4,
                                          .base_frequency = 0.3,
                                          .speed = 3,
                                          .encoder = 1e-4,
                                          .seed = number,
                                          .motion_seed = number});
    Random random(100 + number);
    for (double& t : log.tau.reshaped()) t += 0.5 * random.normal();
    const OutputErrorResult r = output_error(model, log, 1.05 * truth, {.tolerance = 1e-6});
    for (int k = 0; k < model.size(); ++k, ++all)
      inside += std::abs(r.x[k] - truth[k]) <= student_quantile(0.975, r.freedom) * std::sqrt(r.covariance(k, k));
  }
  MESSAGE(inside << " of " << all << " intervals hold the truth");
  CHECK(inside >= 0.9 * all);
}

TEST_CASE("direct and inverse models together: columns without noise, no bias") {
  const Arm arm = frictionless("rpr");
  const TorqueModel model(arm,
                          {.rotors = false, .offsets = false, .friction = {FrictionShape{FrictionShape::Law::none}}});
  const MotionBlock clean =
      synthetic_log(arm, {.duration = 4, .rate = 200, .harmonics = 3, .base_frequency = 0.5, .speed = 3});
  // A loop so stiff that the motion follows the reference whatever the parameters are, within what they change: here, exactly.
  const FilteredMotion reference = filtered_motion(clean, {});
  const Eigen::VectorXd truth = model.described();
  double inside = 0, all = 0, squares = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    RowMatrix tau = clean.tau;
    for (double& t : tau.reshaped()) t += 0.5 * random.normal();
    const DirectInverseResult r =
        direct_inverse(model, tau, clean.step, [&](const Eigen::VectorXd&) { return reference; },
                       Eigen::VectorXd::Zero(model.size()), {});
    REQUIRE(r.converged);
    for (int k = 0; k < model.size(); ++k) {
      if (!r.estimate.determined[k]) continue;
      const double off = r.estimate.x[k] - truth[k];
      inside += std::abs(off) <= r.estimate.half_width(k);
      ++all;
      squares += std::pow(off / r.estimate.deviation(k), 2);
    }
  }
  MESSAGE(inside << " of " << all << " intervals hold the truth; mean square of error over deviation "
                 << squares / all);
  CHECK(inside >= 0.92 * all);
  CHECK(inside <= 0.98 * all);
  CHECK(squares / all < 1.5);
}

TEST_CASE("averaged periods: noise from the repetitions alone, and less of it") {
  const Arm arm = testing::built_in_arm("rrr");
  const MotionBlock log =
      synthetic_log(arm, {.duration = 60, .rate = 200, .position_noise = 1e-4, .torque_noise = 0.1});
  const MotionBlock clean = synthetic_log(arm, {.duration = 60, .rate = 200});
  const PeriodAverage a = average_periods(log, 10, 0);
  CHECK(a.periods == 6);
  const Eigen::RowVectorXd size =
      (clean.tau.colwise().squaredNorm() / static_cast<double>(clean.samples())).cwiseSqrt();
  for (int j = 0; j < 3; ++j) {
    CHECK(a.torque_noise[j] == doctest::Approx(0.1 * size[j]).epsilon(0.05));
    CHECK(a.position_noise[j] == doctest::Approx(1e-4).epsilon(0.05));
    const double left = (a.mean.tau.col(j) - clean.tau.col(j).head(2000)).norm() / std::sqrt(2000.0);
    CHECK(left == doctest::Approx(0.1 * size[j] / std::sqrt(6.0)).epsilon(0.1));
  }
  CHECK_THROWS_WITH_AS(average_periods(log, 9.999, 0), doctest::Contains("whole number of samples"), Error);
  CHECK_THROWS_WITH_AS(average_periods(log, 40, 0), doctest::Contains("1 whole periods"), Error);
}

TEST_CASE("a payload is the difference between two logs") {
  ArmDescription d = testing::built_in_arm("ur5e").description();
  for (JointDescription& joint : d.joints) joint.friction = CoulombViscous{1, 0.5};
  d.payload.reset();
  const Arm without(d);
  MassProperties load;
  load.mass = 3.2;
  load.position = {0.02, -0.03, 0.08};
  load.tensor = Mat3<double>(Eigen::Vector3d(0.02, 0.03, 0.015).asDiagonal());
  d.payload = load;
  const Arm with(d);
  const MotionBlock log = synthetic_log(with, {.duration = 20, .rate = 250, .encoder = 1e-5, .torque_noise = 0.02});
  const PayloadEstimate p = identify_payload(
      without, source_of(log), {.cutoff = 25, .decimation = 10, .parallel_cutoff = 10, .standstill = 0.05});
  const InertiaParameters<double> truth = parameters(inertia_of(load));
  for (int k = 0; k < 10; ++k) {
    CAPTURE(k);
    CHECK(std::abs(p.estimate.x[k] - truth[k]) < 4 * p.estimate.deviation(k));
  }
  CHECK(p.estimate.x[0] == doctest::Approx(3.2).epsilon(0.02));
  CHECK(p.body[0] == doctest::Approx(3.2).epsilon(0.02));
  CHECK(p.verdict.possible());
  CHECK(p.explained > 0.8);
}

TEST_CASE("the law of the loop is found in the log, and its simulation is the motion of the log") {
  const Arm arm = frictionless("rpr");
  const TorqueModel model(arm,
                          {.rotors = false, .offsets = false, .friction = {FrictionShape{FrictionShape::Law::none}}});
  const double step = 1e-3;
  const MotionBlock wanted =
      synthetic_log(arm, {.duration = 4, .rate = 1 / step, .harmonics = 3, .base_frequency = 0.5, .speed = 2});
  const int n = arm.dof();
  const Eigen::VectorXd inertia = mass_matrix<double>(arm, VecX<double>(wanted.q.row(0).transpose())).diagonal();
  const LoopLaw law{900 * inertia,
                    42 * inertia,
                    10 * inertia,
                    Eigen::VectorXd::Constant(n, 0.5),
                    Eigen::VectorXd::Constant(n, 1),
                    Eigen::VectorXd::Ones(n)};
  const Eigen::VectorXd truth = model.described(), begin = wanted.q.row(0).transpose();
  const FilteredMotion moved = simulate_loop(model, truth, law, wanted.q, begin, step);
  MotionBlock log = wanted;
  log.q = moved.q;
  RowMatrix rows(n, model.size());
  JointMotion m;
  for (Eigen::Index k = 0; k < log.samples(); ++k) {
    m.q = moved.q.row(k).transpose();
    m.qd = moved.qd.row(k).transpose();
    m.qdd = moved.qdd.row(k).transpose();
    model.rows(m, rows);
    log.tau.row(k) = (rows * truth).transpose();
  }
  const LoopLaw found = find_loop_law(arm, log, wanted.q, {.cutoff = 100, .edge = 0.05});
  for (int j = 0; j < n; ++j) {
    CHECK(found.kp[j] == doctest::Approx(law.kp[j]).epsilon(0.02));
    CHECK(found.kd[j] == doctest::Approx(law.kd[j]).epsilon(0.02));
    CHECK(found.share[j] == doctest::Approx(0.5).epsilon(0.02));
    CHECK(found.explained[j] > 0.999);
  }
  LoopLaw wild = law;
  wild.kp *= -1;
  wild.kd *= -1;
  CHECK_THROWS_WITH_AS(simulate_loop(model, truth, wild, wanted.q, begin, step), doctest::Contains("runs away"), Error);
}
