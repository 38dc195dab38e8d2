#include <cmath>

#include "armature/algorithms/coriolis.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/adaptive.hpp"
#include "armature/control/iterative_learning.hpp"
#include "armature/control/joint_pd.hpp"
#include "armature/control/term_sum.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/law_bench.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::control;
using namespace armature::testing;

TEST_CASE("the Slotine-Li regressor times the parameters is M a + C v + g with the C of the Christoffel symbols") {
  for (const Sample& s : samples(1)) {
    CAPTURE(s.arm.name());
    if (!s.arm.unphysical().empty()) continue;
    Random random(2);
    const int n = s.arm.dof();
    const VecX<double> v = random_vector(n, random), a = random_vector(n, random);
    Regressor<double> spare, Y;
    slotine_li_regressor(s.arm, without_gravity(s.arm), s.q, s.qd, v, a, spare, Y);
    const VecX<double> expected = mass_matrix<double>(s.arm, s.q) * a + coriolis_matrix<double>(s.arm, s.q, s.qd) * v +
                                  gravity_torque<double>(s.arm, s.q);
    CHECK(relative_error(VecX<double>(Y * link_parameters(s.arm)), expected) < 1e-10);
  }
}

namespace {

/// A sum of sines in every joint, and its derivatives.
Reference wave(const Arm& arm, double t) {
  const int n = arm.dof();
  Reference r{VecX<double>(n), VecX<double>(n), VecX<double>(n)};
  for (int i = 0; i < n; ++i) {
    const double a = 1.1 + 0.4 * i, b = 2.3 - 0.3 * i, A = arm.body(i).revolute ? 0.5 : 0.1, B = A / 2;
    r.q[i] = A * std::sin(a * t) + B * std::sin(b * t);
    r.qd[i] = A * a * std::cos(a * t) + B * b * std::cos(b * t);
    r.qdd[i] = -A * a * a * std::sin(a * t) - B * b * b * std::sin(b * t);
  }
  return r;
}

/// The arm with viscous friction in every joint.
Arm greased(const Arm& arm, double viscous) {
  ArmDescription d = arm.description();
  for (JointDescription& joint : d.joints)
    if (joint.type != JointType::fixed) joint.friction = CoulombViscous{0, viscous};
  return Arm(std::move(d));
}

}  // namespace

TEST_CASE("adaptive control, continuous: V never rises and the tracking error converges, masses 50 % wrong") {
  for (const std::string name : {"rrr_generic", "rpr", "planar3r"})
    for (const double factor : {0.5, 1.5}) {
      CAPTURE(name);
      CAPTURE(factor);
      const Arm true_arm = greased(built_in_arm(name), 0.3);
      const Arm believed = greased(scaled_masses(built_in_arm(name), factor), 0);
      const int n = true_arm.dof();
      const VecX<double> kd = true_arm.name() == "rpr" ? numbers({5, 5, 0.3}) : VecX<double>::Constant(n, 10);
      const VecX<double> lambda = VecX<double>::Constant(n, 5);
      Adaptive law(believed, {.kd = kd,
                              .lambda = lambda,
                              .adaptation = name == "rrr_generic" ? 5.0 : 0.3,
                              .friction = true,
                              .friction_width = 0.1,
                              .bound = 100});
      Eigen::VectorXd truth = Eigen::VectorXd::Zero(law.parameters().size());
      const Eigen::VectorXd base = base_parameter_values(true_arm, law.base());
      truth.head(base.size()) = base;
      for (int i = 0; i < n; ++i) truth[base.size() + 3 * i + 1] = 0.3;

      // State (q, qd, p) by classical Runge-Kutta; the tool of the trade is in moving_arm, but here p moves too.
      MovingArm plant(true_arm, VecX<double>::Constant(n, 0.1), true);
      Eigen::VectorXd p = law.parameters();
      struct State {
        VecX<double> q, qd;
        Eigen::VectorXd p;
      };
      const auto rate = [&](double t, const State& x) {
        State d{x.qd, {}, p};
        VecX<double> tau;
        law.evaluate({x.q, x.qd}, wave(true_arm, t), x.p, tau, d.p);
        plant.q = x.q;
        plant.qd = x.qd;
        d.qd = plant.acceleration(tau);
        return d;
      };
      const auto V = [&](double t, const State& x) {
        const Reference r = wave(true_arm, t);
        const VecX<double> s = r.qd + lambda.cwiseProduct(r.q - x.q) - x.qd;
        return 0.5 * s.dot(mass_matrix<double>(true_arm, x.q) * s) +
               0.5 * (x.p - truth).cwiseAbs2().cwiseQuotient(law.rates()).sum();
      };
      const auto moved = [](const State& x, double h, const State& d) {
        return State{x.q + h * d.q, x.qd + h * d.qd, x.p + h * d.p};
      };
      State x{wave(true_arm, 0).q.array() + 0.1, wave(true_arm, 0).qd, p};
      const double h = true_arm.name() == "rpr" ? 5e-4 : 1e-3, end = 20;
      double last = V(0, x), first_error = 0, last_error = 0;
      int risen = 0;
      for (int k = 0; k * h < end; ++k) {
        const double t = k * h;
        const State d1 = rate(t, x), d2 = rate(t + h / 2, moved(x, h / 2, d1)),
                    d3 = rate(t + h / 2, moved(x, h / 2, d2)), d4 = rate(t + h, moved(x, h, d3));
        x.q += h / 6 * (d1.q + 2 * d2.q + 2 * d3.q + d4.q);
        x.qd += h / 6 * (d1.qd + 2 * d2.qd + 2 * d3.qd + d4.qd);
        x.p += h / 6 * (d1.p + 2 * d2.p + 2 * d3.p + d4.p);
        const double now = V(t + h, x);
        REQUIRE(std::isfinite(now));
        if (now > last + 1e-9 * std::max(1.0, last)) ++risen;
        last = now;
        const double error = (wave(true_arm, t + h).q - x.q).cwiseAbs().maxCoeff();
        if (t < 2) first_error = std::max(first_error, error);
        if (t > end - 2) last_error = std::max(last_error, error);
      }
      CHECK(risen == 0);
      CHECK(last_error < first_error / 10);
    }
}

TEST_CASE("adaptive control, sampled: parameters stay within their bounds, and below the dead zone nothing moves") {
  const Arm true_arm = built_in_arm("rpr"), believed = scaled_masses(true_arm, 1.5);
  Adaptive law(believed, {.kd = numbers({5, 5, 0.3}),
                          .lambda = VecX<double>::Constant(3, 5),
                          .adaptation = 20,
                          .friction = true,
                          .bound = 0.2});
  MovingArm plant(true_arm, numbers({0.1, 0.1, 0.1}));
  VecX<double> tau;
  for (int k = 0; k < 5000; ++k) {
    tick(law, plant, wave(true_arm, plant.t), 1e-3, tau);
    CHECK((law.parameters().array() <= law.upper().array()).all());
    CHECK((law.parameters().array() >= law.lower().array()).all());
  }
  Adaptive calm(
      believed,
      {.kd = numbers({5, 5, 0.3}), .lambda = VecX<double>::Constant(3, 5), .friction = true, .dead_zone = 100});
  const Eigen::VectorXd before = calm.parameters();
  for (int k = 0; k < 100; ++k) tick(calm, plant, wave(true_arm, plant.t), 1e-3, tau);
  CHECK(calm.parameters() == before);
}

TEST_CASE("iterative learning: the same motion again and again, with an error that falls at least hundredfold") {
  const Arm arm = built_in_arm("rrr");
  const int ticks = 1500;
  const VecX<double> kp = numbers({150, 150, 40}), kd = numbers({15, 15, 4});
  TermSum law(3,
              terms(Term{"pd", AnyController(JointPd{kp, kd})},
                    Term{"learned", AnyController(IterativeLearning(
                                        arm, {.ticks = ticks, .kp = 0.8 * kp, .kd = 0.8 * kd, .smoothing = 3}))}),
              0);
  const auto motion = [](double t) {
    const double s = t / 1.5, x = s * s * s * (10 - 15 * s + 6 * s * s), v = 30 * s * s * (1 - s) * (1 - s) / 1.5,
                 a = 60 * s * (1 - s) * (1 - 2 * s) / (1.5 * 1.5);
    const VecX<double> way = numbers({1, 0.8, -1});
    return Reference{numbers({0, 0.2, -0.4}) + x * way, v * way, a * way};
  };
  std::vector<double> errors;
  for (int trial = 0; trial < 25; ++trial) {
    MovingArm plant(arm, motion(0).q);
    law.reset({plant.q, plant.qd});
    VecX<double> tau;
    double square = 0;
    for (int k = 0; k < ticks; ++k) {
      const Reference r = motion(k * 1e-3);
      square += (r.q - plant.q).squaredNorm();
      tick(law, plant, r, 1e-3, tau);
    }
    errors.push_back(std::sqrt(square / ticks));
  }
  MESSAGE("RMS error of trials 1, 5, 25: " << errors[0] << ", " << errors[4] << ", " << errors[24] << " rad");
  CHECK(errors[24] < errors[0] / 100);
  // A trial that was cut short teaches nothing.
  IterativeLearning single(arm, {.ticks = 10, .kp = kp});
  VecX<double> tau;
  for (int k = 0; k < 5; ++k) single.update({numbers({0, 0, 0}), numbers({0, 0, 0})}, motion(1), 1e-3, tau);
  single.reset({});
  CHECK(single.trials() == 0);
  for (int k = 0; k < 10; ++k) single.update({numbers({0, 0, 0}), numbers({0, 0, 0})}, motion(1), 1e-3, tau);
  single.reset({});
  CHECK(single.trials() == 1);
}
