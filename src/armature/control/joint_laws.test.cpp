#include <algorithm>

#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/compensation.hpp"
#include "armature/control/computed_torque.hpp"
#include "armature/control/damping.hpp"
#include "armature/control/feed_forward.hpp"
#include "armature/control/joint_pd.hpp"
#include "armature/control/joint_pid.hpp"
#include "armature/control/term_sum.hpp"
#include "armature/core/error.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/law_bench.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::control;
using namespace armature::testing;

namespace {

Reference at(const VecX<double>& q) { return {q, VecX<double>::Zero(q.size()), VecX<double>::Zero(q.size())}; }

}  // namespace

TEST_CASE("computed torque puts the poles where the gains say, -10 and -20 for 200 and 30 [Verona2023]") {
  const Arm rpr = built_in_arm("rpr");
  const VecX<double> q = numbers({2.1, -0.2, 1});
  ComputedTorque law(rpr, {.kp = VecX<double>::Constant(3, 200), .kd = VecX<double>::Constant(3, 30)});
  const auto poles = closed_loop_poles(MovingArm(rpr, q), feedback(law, at(q)));
  for (std::size_t k = 0; k < 6; ++k) CHECK(std::abs(poles[k] - std::complex<double>(k < 3 ? -20 : -10)) < 1e-4);
}

TEST_CASE("computed torque obeys its error equation on every arm, also far from the reference and at speed") {
  for (const testing::Sample& s : testing::samples(1)) {
    CAPTURE(s.arm.name());
    const int n = s.arm.dof();
    Random random(5);
    const VecX<double> kp = testing::random_vector(n, random).cwiseAbs() * 50,
                       kd = testing::random_vector(n, random).cwiseAbs() * 10;
    Reference r{testing::random_vector(n, random), testing::random_vector(n, random),
                testing::random_vector(n, random)};
    ComputedTorque law(s.arm, {.kp = kp, .kd = kd, .terms = {.friction = true}});
    VecX<double> tau(n);
    law.update({s.q, s.qd}, r, 1e-3, tau);
    MovingArm plant(s.arm, s.q, false);
    plant.qd = s.qd;
    const VecX<double> load = tau - law.parts()[3].value;
    const VecX<double> qdd = plant.acceleration(tau - smooth_friction<double>(s.arm, s.qd, load));
    const VecX<double> expected = r.qdd + kd.cwiseProduct(r.qd - s.qd) + kp.cwiseProduct(r.q - s.q);
    CHECK(relative_error(mass_matrix<double>(s.arm, s.q) * (qdd - expected), VecX<double>(load * 0)) <
          1e-9 * std::max(1.0, tau.cwiseAbs().maxCoeff()));
    VecX<double> sum = VecX<double>::Zero(n);
    for (const Part& p : law.parts())
      if (p.is_torque()) sum += p.value;
    CHECK(relative_error(sum, tau) < 1e-12);
  }
}

TEST_CASE("PD with gravity reaches the target; without it the error is g/kp [Verona2023, (55)]") {
  const Arm rpr = built_in_arm("rpr");
  const VecX<double> target = numbers({2.1, -0.2, 1});
  for (const bool compensate : {true, false}) {
    CAPTURE(compensate);
    TermSum law(3,
                terms(Term{"pd", AnyController(JointPd{VecX<double>::Constant(3, 150), VecX<double>::Constant(3, 50)})},
                      Term{"gravity", AnyController(GravityCompensation(rpr)), compensate}));
    MovingArm plant(rpr, target * 0.99);
    for (int k = 0; k < 60000; ++k) plant.step(5e-5, feedback(law, at(target)));
    const VecX<double> error = target - plant.q;
    if (compensate)
      CHECK(error.cwiseAbs().maxCoeff() < 1e-5);
    else
      CHECK(relative_error(VecX<double>(150 * error), gravity_torque<double>(rpr, plant.q)) < 1e-3);
    if (!compensate) {  // computed independently of this library
      const VecX<double> printed = numbers({-0.01759, -0.01909, -0.00065});
      CHECK((error - printed).cwiseAbs().maxCoeff() < 0.01 * 0.02);
    }
  }
}

TEST_CASE("gravity at the reference is constant") {
  const Arm rrr = built_in_arm("rrr");
  GravityCompensation law(rrr, {.at_reference = true});
  VecX<double> a(3), b(3);
  const Reference r = at(numbers({0.1, 0.4, -0.7}));
  law.update({numbers({1, 2, 3}), numbers({0, 0, 0})}, r, 1e-3, a);
  law.update({numbers({-1, 0.2, 2}), numbers({0, 0, 0})}, r, 1e-3, b);
  CHECK(a == b);
  CHECK(relative_error(a, gravity_torque<double>(rrr, r.q)) < 1e-14);
}

TEST_CASE("feed-forward is the inverse dynamics of the reference with friction; its terms add up and go one by one") {
  for (const testing::Sample& s : testing::samples(1)) {
    CAPTURE(s.arm.name());
    Reference r{s.q, s.qd, s.qdd};
    FeedForward law(s.arm, {.friction = true});
    VecX<double> tau;
    law.update({}, r, 1e-3, tau);
    const VecX<double> rigid = inverse_dynamics<double>(s.arm, s.q, s.qd, s.qdd);
    CHECK(relative_error(tau, VecX<double>(rigid + smooth_friction<double>(s.arm, s.qd, rigid))) < 1e-9);
    for (std::size_t k = 0; k < 4; ++k) {
      FeedForward one(s.arm);
      for (std::size_t other = 0; other < 4; ++other)
        if (other != k) CHECK(one.switch_term(law.parts()[other].name, false));
      VecX<double> part;
      one.update({}, r, 1e-3, part);
      if (k < 3) CHECK(relative_error(part, law.parts()[k].value) < 1e-12);
    }
    CHECK_FALSE(law.switch_term("magic", true));
  }
}

TEST_CASE("friction compensation with the true law makes a rubbing arm move like one that does not rub") {
  Random random(6);
  for (const char* name : {"rrr", "panda", "puma560"}) {
    const Arm arm = built_in_arm(name);
    CAPTURE(arm.name());
    const int n = arm.dof();
    FrictionCompensation law(arm, {.speed = FrictionCompensationSettings::Speed::measured});
    MovingArm rubbing(arm, random_vector(n, random), true), smooth(arm, rubbing.q);
    rubbing.qd = smooth.qd = random_vector(n, random);
    VecX<double> extra, none = VecX<double>::Zero(n);
    law.update({rubbing.q, rubbing.qd}, {}, 1e-3, extra);
    const VecX<double> tau = random_vector(n, random, 5);
    CHECK(extra.cwiseAbs().minCoeff() > 0);
    CHECK(relative_error(rubbing.acceleration(tau + extra), smooth.acceleration(tau)) < 1e-9);
    Reference r{rubbing.q, rubbing.qd, none};  // and at the reference's speed
    FrictionCompensation ahead(arm, {.share = 0.5});
    VecX<double> half;
    ahead.update({rubbing.q, none}, r, 1e-3, half);
    CHECK(relative_error(VecX<double>(2 * half), extra) < 1e-12);
  }
}

TEST_CASE("PID leaves no error under a constant load, and its integral does not wind up") {
  const Arm rrr = built_in_arm("rrr");
  const VecX<double> target = numbers({0.3, 0.5, -0.4});
  JointPid law(rrr, {.kp = numbers({100, 100, 30}), .ki = numbers({150, 150, 60}), .kd = numbers({20, 20, 4})});
  MovingArm plant(rrr, target);
  VecX<double> tau(3);
  for (int k = 0; k < 8000; ++k) {
    law.update({plant.q, plant.qd}, at(target), 1e-3, tau);
    plant.step(1e-3, tau);
  }
  CHECK((plant.q - target).cwiseAbs().maxCoeff() < 1e-4);
  CHECK(relative_error(law.integral(), gravity_torque<double>(rrr, plant.q)) < 1e-2);

  // A joint that is held back for ever: the command sits at the limit, the integral settles where  ki e = (excess)/T.
  const double limit = 5, e = 1, T = 0.2;
  JointPid held(rrr, {.kp = numbers({20, 20, 20}),
                      .ki = numbers({10, 10, 10}),
                      .kd = numbers({0, 0, 0}),
                      .limit = VecX<double>::Constant(3, limit),
                      .tracking_time = T});
  for (int k = 0; k < 20000; ++k) held.update({target, numbers({0, 0, 0})}, at(target.array() + e), 1e-3, tau);
  CHECK(tau == VecX<double>::Constant(3, limit));
  CHECK(held.status().has(Condition::saturated));
  CHECK(held.integral()[0] == doctest::Approx(limit - 20 * e + 10 * e * T).epsilon(1e-6));
  // and it leaves the limit as soon as the error changes its sign
  held.update({target, numbers({0, 0, 0})}, at(target.array() - 0.01), 1e-3, tau);
  CHECK(tau.maxCoeff() < 0);
}

TEST_CASE("designed damping gives every mode the ratio that was asked for") {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + trial % 6;
    MatX<double> A(n, n), B(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        A(i, j) = random.uniform(-1, 1);
        B(i, j) = random.uniform(-1, 1);
      }
    const MatX<double> M = A * A.transpose() + 0.05 * MatX<double>::Identity(n, n);
    MatX<double> K = 100 * (B * B.transpose() + 0.05 * MatX<double>::Identity(n, n));
    const double zeta = random.uniform(0.1, 0.95);
    const auto ratio_error = [&](const MatX<double>& stiffness, DampingDesign design) {
      const MatX<double> D = damping_matrix(M, stiffness, zeta, design);
      Eigen::MatrixXd state = Eigen::MatrixXd::Zero(2 * n, 2 * n);
      state.topRightCorner(n, n).setIdentity();
      state.bottomLeftCorner(n, n) = -inverse(M) * stiffness;
      state.bottomRightCorner(n, n) = -inverse(M) * D;
      double worst = 0;
      for (const std::complex<double> p : eigenvalues(state))
        worst = std::max(worst, std::abs(-p.real() / std::abs(p) / zeta - 1));
      return worst;
    };
    CHECK(ratio_error(K, DampingDesign::double_diagonal) < 1e-6);
    CHECK(ratio_error(100 * MatX<double>::Identity(n, n), DampingDesign::square_roots) < 1e-6);
    // A task with as many coordinates: the same damper.
    TaskVector<double> k(n);
    for (int i = 0; i < n; ++i) k[i] = random.uniform(1, 100);
    const TaskJacobian<double> J = B;
    const MatX<double> at_joints = damping_matrix(M, B.transpose() * k.asDiagonal() * B, zeta);
    const MatX<double> through_task = B.transpose() * MatX<double>(task_damping(J, M, k, zeta)) * B;
    CHECK((through_task - at_joints).cwiseAbs().maxCoeff() < 1e-6 * at_joints.cwiseAbs().maxCoeff());
    CHECK((square_root(K) * square_root(K) - K).cwiseAbs().maxCoeff() < 1e-10 * K.cwiseAbs().maxCoeff());
  }
}

TEST_CASE("joint PD with designed damping: poles of the arm have the asked ratio, constant and following design") {
  const Arm arm = built_in_arm("planar3r");
  const VecX<double> q = numbers({-0.5, 0.9, 0.4});
  for (const double zeta : {0.2, 0.5, 0.9})
    for (const bool constant : {true, false}) {
      DesignedPdSettings settings{.kp = numbers({200, 100, 20}), .zeta = zeta};
      if (constant) settings.design_position = q;
      TermSum law(3, terms(Term{"pd", AnyController(DesignedPd(arm, settings))},
                           Term{"gravity", AnyController(GravityCompensation(arm))}));
      for (const auto p : closed_loop_poles(MovingArm(arm, q), feedback(law, at(q))))
        CHECK(-p.real() / std::abs(p) == doctest::Approx(zeta).epsilon(1e-4));
    }
}

TEST_CASE("terms are switched by name without a bump") {
  const Arm rrr = built_in_arm("rrr");
  const VecX<double> q = numbers({0.2, 0.3, 0.4}), zero = numbers({0, 0, 0});
  TermSum law(3,
              terms(Term{"gravity", AnyController(GravityCompensation(rrr))},
                    Term{"ahead", AnyController(FeedForward(rrr, {.friction = true})), false}),
              0.05);
  law.reset({q, zero});
  const VecX<double> g = gravity_torque<double>(rrr, q);
  VecX<double> tau, last;
  law.update({q, zero}, at(q), 1e-3, tau);
  CHECK(relative_error(tau, g) < 1e-14);
  CHECK(law.switch_term("gravity", false));
  CHECK_FALSE(law.switch_term("graviti", false));
  for (int k = 1; k <= 60; ++k) {
    last = tau;
    law.update({q, zero}, at(q), 1e-3, tau);
    CHECK((tau - last).cwiseAbs().maxCoeff() <= g.cwiseAbs().maxCoeff() * 1e-3 / 0.05 * (1 + 1e-9));
  }
  CHECK(tau == zero);
  CHECK(law.switch_term("ahead", true));
  CHECK(law.switch_term("ahead.gravity", false));
  for (int k = 0; k < 60; ++k) law.update({q, zero}, at(q), 1e-3, tau);
  CHECK(tau.cwiseAbs().maxCoeff() < 1e-12);  // the arm stands: without gravity nothing is left
  CHECK(law.parts().size() == 2);
  CHECK_THROWS_WITH_AS(TermSum(3, terms(Term{"a", AnyController(GravityCompensation(rrr))},
                                        Term{"a", AnyController(GravityCompensation(rrr))})),
                       "two terms are called 'a'\n  hint: give every term a name of its own", Error);
}

TEST_CASE("settings that do not fit the arm are refused in a sentence") {
  const Arm rrr = built_in_arm("rrr");
  CHECK_THROWS_WITH_AS(ComputedTorque(rrr, {.kp = numbers({1, 2})}),
                       "kp has 2 numbers, arm 'rrr' has 3 joints\n  hint: give one number per joint", Error);
  CHECK_THROWS_WITH_AS(ComputedTorque(rrr, {.kp = numbers({1, 2, -3})}),
                       "kp has a negative number, -3\n  hint: a negative gain feeds the error; give zero or more",
                       Error);
}

TEST_CASE("a status reads as a sentence") {
  CHECK(to_string(Status()) == "ok");
  CHECK(to_string(Condition::singular | Condition::holding) == "singular, holding");
}
