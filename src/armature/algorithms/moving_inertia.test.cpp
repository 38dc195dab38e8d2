// Eight arms at once that carry something else each are eight arms.
#include "armature/algorithms/moving_inertia.hpp"

#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/random.hpp"
#include "armature/scalar/pack.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::algorithms;
using namespace armature::testing;
using armature::core::Random;
using armature::scalar::Pack;

TEST_CASE("forward dynamics and energy of eight arms with other bodies and rotors are those of each") {
  Random random(11);
  for (int trial = 0; trial < 20; ++trial) {
    const int n = 1 + trial % 7;
    const Arm arm = random_arm(n, random);
    std::vector<Pack> numbers(static_cast<std::size_t>(11 * n));
    VecX<Pack> q(n), qd(n), tau(n), qdd;
    std::vector<Arm> arms;
    std::vector<VecX<double>> rotors;
    for (int lane = 0; lane < Pack::width; ++lane) {
      std::vector<armature::model::Body> bodies = arm.bodies();
      rotors.emplace_back(n);
      for (int i = 0; i < n; ++i) {
        const double factor = random.uniform(0.5, 2);  // a possible body stays one
        armature::spatial::InertiaParameters<double> p =
            armature::spatial::parameters(bodies[static_cast<std::size_t>(i)].inertia) * factor;
        bodies[static_cast<std::size_t>(i)].inertia = armature::spatial::inertia_from_parameters<double>(p);
        for (int k = 0; k < 10; ++k) numbers[static_cast<std::size_t>(10 * i + k)].set(lane, p[k]);
        rotors.back()[i] = random.uniform(0, 0.5);
        numbers[static_cast<std::size_t>(10 * n + i)].set(lane, rotors.back()[i]);
        for (VecX<Pack>* x : {&q, &qd, &tau}) (*x)[i].set(lane, random.uniform(-2, 2));
      }
      arms.push_back(arm.with_bodies(bodies));
    }
    const MovingInertia<Pack> inertia = moving_inertia<Pack>(numbers.data(), n);
    forward_dynamics<Pack>(arm, inertia, q, qd, tau, qdd);
    const Energy<Pack> stored = energy<Pack>(arm, inertia, q, qd);
    for (int lane = 0; lane < Pack::width; ++lane) {
      const auto one = [&](const VecX<Pack>& x) {
        VecX<double> own(n);
        for (int i = 0; i < n; ++i) own[i] = x[i][lane];
        return own;
      };
      const Arm& own = arms[static_cast<std::size_t>(lane)];
      const VecX<double>& J = rotors[static_cast<std::size_t>(lane)];
      // (M + J) qdd = tau - bias, and without rotors M a = tau - bias
      const MatX<double> M = mass_matrix<double>(own, one(q));
      const VecX<double> left = M * one(qdd) + J.cwiseProduct(one(qdd));
      const VecX<double> right = M * forward_dynamics<double>(own, one(q), one(qd), one(tau));
      CHECK((left - right).norm() <= 1e-9 * (1 + right.norm()));
      const Energy<double> truth = energy<double>(own, one(q), one(qd));
      const double turning = 0.5 * J.dot(one(qd).cwiseProduct(one(qd)));
      CHECK(stored.kinetic[lane] == doctest::Approx(truth.kinetic + turning).epsilon(1e-10));
      CHECK(std::abs(stored.potential[lane] - truth.potential) <= 1e-10 * (1 + std::abs(truth.potential)));
    }
  }
}
