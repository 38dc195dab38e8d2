#include "armature/identification/excitation.hpp"

#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/excitation_path.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/testing/catalogue.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::identification;

namespace {

FourierCoefficients random_coefficients(int joints, int harmonics, std::uint64_t seed, double size) {
  Random random(seed);
  FourierCoefficients c{0.2, Eigen::VectorXd(joints), Eigen::MatrixXd(harmonics, joints),
                        Eigen::MatrixXd(harmonics, joints)};
  for (double& x : c.offset) x = random.normal();
  for (double& x : c.sine.reshaped()) x = size * random.normal();
  for (double& x : c.cosine.reshaped()) x = size * random.normal();
  return c;
}

}  // namespace

TEST_CASE("the gradient of every criterion is its difference quotient, penalties and friction columns included") {
  for (const char* name : {"rrr", "rpr", "panda"}) {
    ArmDescription described = catalogue_arm(name).description();
    Eigen::MatrixXd couplings = Eigen::MatrixXd::Identity(catalogue_arm(name).dof(), catalogue_arm(name).dof());
    couplings(2, 1) = 0.8;  // a motor of two joints that rubs
    described.couplings = couplings;
    described.joints[2].drive.gear_ratio = 30;
    described.joints[2].drive.rotor_viscous = 2e-3;
    const Arm arm(described);
    ExcitationTask task = excitation_task(arm, with_friction(arm, base_columns(arm)));
    task.limits.velocity.setConstant(1.0);
    task.limits.acceleration.setConstant(4.0);  // tight: penalties are active
    task.limits.lower.setConstant(-1.0);
    task.limits.upper.setConstant(1.0);
    task.limits.torque.setConstant(2.0);
    task.limits.workspace = ExcitationLimits::Box{{-0.2, -0.2, 0.0}, {0.2, 0.2, 0.5}};
    task.torque_scale = VecX<double>::LinSpaced(arm.dof(), 0.5, 2);
    task.parameter_scale = Eigen::VectorXd::LinSpaced(task.columns.count(), 0.5, 3);
    for (std::size_t k = 0; k < excitation_criteria().size(); ++k) {
      CAPTURE(name);
      CAPTURE(excitation_criteria()[k]);
      task.criterion = static_cast<ExcitationCriterion>(k);
      const FourierCoefficients c = random_coefficients(arm.dof(), 4, 5, 0.4);
      ExcitationObjective f(task, 0.2, 4, 64);
      f.sharpness = 3;
      f.penalty = 0.01;
      FourierCoefficients g, unused;
      f(c, g);
      Random random(9);
      const double h = 1e-6;
      for (int trial = 0; trial < 4; ++trial) {
        const FourierCoefficients d = random_coefficients(arm.dof(), 4, random.bits(), 1);
        FourierCoefficients up = c, down = c;
        up.offset += h * d.offset;
        up.sine += h * d.sine;
        up.cosine += h * d.cosine;
        down.offset -= h * d.offset;
        down.sine -= h * d.sine;
        down.cosine -= h * d.cosine;
        const double slope =
            g.offset.dot(d.offset) + g.sine.cwiseProduct(d.sine).sum() + g.cosine.cwiseProduct(d.cosine).sum();
        CHECK((f(up, unused) - f(down, unused)) / (2 * h) == doctest::Approx(slope).epsilon(2e-5).scale(1));
      }
    }
  }
}

TEST_CASE("the certain bound of a motion lies above every sample and hardly above the largest") {
  const Arm arm = catalogue_arm("rrr");
  const FourierCoefficients c = random_coefficients(3, 20, 3, 0.3);
  const LimitUse use = limit_use(arm, c, limits_of(arm));
  const FourierPath path = c.path();
  JointMotion m;
  VecX<double> v = VecX<double>::Zero(3), a = v, tau = v;
  for (int k = 0; k < 200000; ++k) {
    path.at(path.duration() * k / 200000, m);
    v = v.cwiseMax(m.qd.cwiseAbs());
    a = a.cwiseMax(m.qdd.cwiseAbs());
    tau = tau.cwiseMax(motion_torque(arm, m.q, m.qd, m.qdd).cwiseAbs());
  }
  for (int i = 0; i < 3; ++i) {
    CHECK(use.largest_velocity[i] >= v[i]);
    CHECK(use.largest_velocity[i] < 1.001 * v[i]);
    CHECK(use.largest_acceleration[i] >= a[i]);
    CHECK(use.largest_acceleration[i] < 1.001 * a[i]);
    CHECK(use.largest_torque[i] == doctest::Approx(tau[i]).epsilon(1e-6));
  }
}

TEST_CASE("a design keeps its limits at all times, beats random motions and does not depend on the threads") {
  const Arm arm = catalogue_arm("rrr");
  ExcitationTask task = excitation_task(arm, base_columns(arm));
  const ExcitationSettings settings{.base_frequency = 0.2, .harmonics = 4, .starts = 4, .rate = 200};
  task.threads = 1;
  const Excitation one = design_excitation(task, settings);
  task.threads = 3;
  const Excitation three = design_excitation(task, settings);
  CHECK(one.motion.sine == three.motion.sine);
  CHECK(one.criterion == three.criterion);
  CHECK(one.within_limits());
  double random_best = 1e9;
  for (std::uint64_t seed = 1; seed <= 50; ++seed)
    random_best = std::min(random_best, judge_excitation(task, random_coefficients(3, 4, seed, 0.5), 200).condition);
  CHECK(one.condition < 0.5 * random_best);
}

TEST_CASE("singular values are those of the stacked regressor") {
  const Arm arm = catalogue_arm("rpr");
  const ExcitationTask task = excitation_task(arm, base_columns(arm));
  const FourierCoefficients c = random_coefficients(3, 3, 4, 0.5);
  const Excitation e = judge_excitation(task, c, 20);
  const FourierPath path = c.path();
  JointMotion m;
  Eigen::MatrixXd phi(300, task.columns.count());
  for (int k = 0; k < 100; ++k) {
    path.at(k / 20.0, m);
    phi.middleRows(3 * k, 3) = torque_regressor<double>(arm, m.q, m.qd, m.qdd) * task.columns.columns;
  }
  const Eigen::VectorXd s = singular_values(phi) / 10;
  CHECK((s - e.singular_values).cwiseAbs().maxCoeff() < 1e-10 * s[0]);
}

TEST_CASE("parameters as text give the same torques as the built-in grouping, and mistakes are named") {
  const Arm arm = catalogue_arm("rrr");
  std::string text = "# as printed\n";
  for (const std::string& line : base_parameter_text(base_parameters(arm))) text += line + "\n";
  const ParameterColumns own = base_columns(arm), read = columns_from_text(arm, text, "p.txt");
  REQUIRE(read.names == own.names);
  VecX<double> q(3), v(3), a(3);
  q << 0.3, -1, 2, v << 1, 2, -3, a << 4, -5, 6;
  const Eigen::MatrixXd W = torque_regressor<double>(arm, q, v, a);
  CHECK((W * own.columns - W * read.columns).cwiseAbs().maxCoeff() < 1e-9);
  CHECK(read.without({"p4"}).count() == own.count() - 1);
  CHECK_THROWS_WITH_AS(columns_from_text(arm, "p1 = 2 Iyy2 + mcz4\n", "p.txt"),
                       doctest::Contains("p.txt:1:19: 'mcz4' is no inertial parameter of 'rrr'"), FormatError);
  CHECK_THROWS_WITH_AS(columns_from_text(arm, "p1 = Iyy2\n", "p.txt"), doctest::Contains("do not describe the torques"),
                       FormatError);
  CHECK_THROWS_AS(static_cast<void>(read.without({"p99"})), Error);
}

TEST_CASE("what a robot plays begins and ends at rest, never jumps and keeps the limits") {
  const Arm arm = catalogue_arm("rrr");
  ExcitationTask task = excitation_task(arm, base_columns(arm));
  task.limits.torque << 180, 90, 45;
  const Excitation e = design_excitation(task, {.base_frequency = 0.2, .harmonics = 3, .starts = 2, .rate = 200});
  const ExcitationPath path(arm, e.motion, 2, task.limits);
  JointMotion m, next;
  for (const double t : {0.0, path.duration()}) {
    path.at(t, m);
    CHECK(m.qd.cwiseAbs().maxCoeff() < 1e-9);
    CHECK(m.qdd.cwiseAbs().maxCoeff() < 1e-8);
  }
  for (const double t : {path.begin(), path.begin() + 5, path.end()}) {
    path.at(t - 1e-9, m);
    path.at(t + 1e-9, next);
    CHECK((m.q - next.q).cwiseAbs().maxCoeff() < 1e-7);
    CHECK((m.qd - next.qd).cwiseAbs().maxCoeff() < 1e-6);
    CHECK((m.qdd - next.qdd).cwiseAbs().maxCoeff() < 1e-4);
  }
  const double h = 1e-4;  // positions, velocities and accelerations belong together
  for (double t = 0.01; t < path.duration() - 0.01; t += 0.0501) {
    JointMotion before;
    path.at(t, m);
    path.at(t + h, next);
    path.at(t - h, before);
    CHECK(((next.q - before.q) / (2 * h) - m.qd).cwiseAbs().maxCoeff() < 1e-4);
    CHECK(((next.qd - before.qd) / (2 * h) - m.qdd).cwiseAbs().maxCoeff() < 2e-3);
    CHECK((m.qd.cwiseAbs() - task.limits.velocity).maxCoeff() <= 1e-6);
    CHECK((m.qdd.cwiseAbs() - task.limits.acceleration).maxCoeff() <= 1e-6);
    CHECK((motion_torque(arm, m.q, m.qd, m.qdd).cwiseAbs() - task.limits.torque).maxCoeff() <= 1e-6);
  }
}
