// One body, many numbers: what doubles compute, dual, symbolic and packed numbers compute too.
#include <array>
#include <map>
#include <string>

#include "armature/algorithms/analytical_jacobian.hpp"
#include "armature/algorithms/coriolis.hpp"
#include "armature/algorithms/derivatives.hpp"
#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/forward_dynamics.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/lagrange.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/algorithms/operational_space.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/core/random.hpp"
#include "armature/scalar/expr.hpp"
#include "armature/scalar/pack.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

namespace {

template <Scalar S>
using Results = std::map<std::string, std::vector<S>>;

/// Everything that this room computes about a moving arm.
template <Scalar S>
Results<S> everything(const Arm& arm, const VecX<S>& q, const VecX<S>& qd, const VecX<S>& qdd) {
  Results<S> results;
  const auto add = [&](const std::string& name, const auto& matrix) {
    for (Eigen::Index k = 0; k < matrix.size(); ++k) results[name].push_back(matrix(k));
  };
  add("Lagrange", lagrange_inverse_dynamics<S>(arm, q, qd, qdd));
  add("Coriolis matrix", coriolis_matrix<S>(arm, q, qd));

  const LinkPoses<S> poses = forward_kinematics<S>(arm, q);
  for (const auto convention : {EulerConvention::zyz, EulerConvention::rpy}) {
    const std::string name = convention == EulerConvention::zyz ? "ZYZ" : "RPY";
    const auto here = analytical_jacobian<S>(arm, poses, convention);
    add(name + " pose", here.x);
    add(name + " Jacobian", here.J);
    add(name + " Jacobian's rate", analytical_jacobian_rate<S>(arm, poses, qd, convention).Jd);
    results[name + " distance"].push_back(here.distance);
  }

  const auto inverse = inverse_dynamics_derivatives<S>(arm, q, qd, qdd);
  add("dtau/dq", inverse.dq);
  add("dtau/dqd", inverse.dqd);
  add("dtau/dqdd", inverse.M);
  const auto forward = forward_dynamics_derivatives<S>(arm, q, qd, qdd);
  add("qdd", forward.qdd);
  add("dqdd/dq", forward.dq);
  add("dqdd/dqd", forward.dqd);
  add("dqdd/dtau", forward.dtau);

  add("regressor", torque_regressor<S>(arm, q, qd, qdd));
  const EnergyRegressor<S> energy = energy_regressor<S>(arm, q, qd);
  add("kinetic regressor", energy.kinetic);
  add("potential regressor", energy.potential);
  add("friction", smooth_friction<S>(arm, qd, qdd));
  add("friction regressor", smooth_friction_regressor<S>(qd, 0.1));
  add("rotors", rotor_torque<S>(arm, qdd));
  add("rotor regressor", rotor_regressor<S>(arm, qdd));

  const TaskRows rows = arm.dof() >= 3 ? TaskRows::position() : TaskRows{0};
  const auto task = operational_space<S>(arm, q, qd, rows);
  add("Lambda", task.Lambda);
  add("mu", task.mu);
  add("p", task.p);
  add("J_bar", task.J_bar);
  results["manipulability"].push_back(manipulability<S>(rows.of<S>(tool_jacobian<S>(arm, poses))));
  return results;
}

/// `read` takes a number of another kind to a double.
template <Scalar S>
void compare(const Results<S>& found, const Results<double>& expected, auto read) {
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, numbers] : expected) {
    CAPTURE(name);
    const std::vector<S>& others = found.at(name);
    REQUIRE(others.size() == numbers.size());
    double scale = 1, worst = 0;
    for (const double x : numbers) scale = std::max(scale, std::abs(x));
    for (std::size_t k = 0; k < numbers.size(); ++k) worst = std::max(worst, std::abs(read(others[k]) - numbers[k]));
    CHECK(worst < 1e-10 * scale);
  }
}

/// Samples whose tool is not near a singularity of the angles or of the task: there rounding is magnified.
std::vector<Sample> regular_samples() {
  std::vector<Sample> regular;
  for (const Sample& s : samples(1)) {
    const LinkPoses<double> poses = forward_kinematics<double>(s.arm, s.q);
    const TaskRows rows = s.arm.dof() >= 3 ? TaskRows::position() : TaskRows{0};
    if (s.arm.dof() <= 7 && analytical_jacobian<double>(s.arm, poses, EulerConvention::zyz).distance > 0.1 &&
        analytical_jacobian<double>(s.arm, poses, EulerConvention::rpy).distance > 0.1 &&
        manipulability<double>(rows.of<double>(tool_jacobian<double>(s.arm, poses))) > 1e-2)
      regular.push_back(s);
  }
  return regular;
}

}  // namespace

TEST_CASE("dual numbers have the values of doubles") {
  for (const auto& [arm, q, qd, qdd] : regular_samples()) {
    CAPTURE(arm.name());
    compare<Dual>(everything<Dual>(arm, with_slope(q, qd), with_slope(qd, qdd), with_slope(qdd, q)),
                  everything<double>(arm, q, qd, qdd), [](const Dual& x) { return x.value; });
  }
}

TEST_CASE("packed numbers have the values of doubles, every lane its own") {
  for (const auto& [arm, q, qd, qdd] : regular_samples()) {
    CAPTURE(arm.name());
    const int n = arm.dof();
    VecX<Pack> Q(n), Qd(n), Qdd(n);
    for (int lane = 0; lane < Pack::width; ++lane)
      for (int i = 0; i < n; ++i) {
        const double factor = 1 + 1e-3 * lane;
        Q[i].set(lane, q[i] * factor);
        Qd[i].set(lane, qd[i] * factor);
        Qdd[i].set(lane, qdd[i] * factor);
      }
    const Results<Pack> found = everything<Pack>(arm, Q, Qd, Qdd);
    for (const int lane : {0, 3, 7}) {
      const double factor = 1 + 1e-3 * lane;
      compare<Pack>(found, everything<double>(arm, q * factor, qd * factor, qdd * factor),
                    [lane](const Pack& x) { return x[lane]; });
    }
  }
}

// A compiler that may fuse products and sums does so differently for one number and for eight.
#ifndef __FMA__
TEST_CASE("what is computed of eight states at once is what is computed of each, bit for bit") {
  Random random(11);
  for (const Sample& sample : samples(1)) {
    const Arm& arm = sample.arm;
    CAPTURE(arm.name());
    const int n = arm.dof();
    std::array<VecX<double>, Pack::width> q, qd, in;
    VecX<Pack> Q(n), Qd(n), In(n);
    for (std::size_t lane = 0; lane < Pack::width; ++lane) {
      for (auto* x : {&q[lane], &qd[lane], &in[lane]}) *x = random_vector(n, random, 3);
      if (lane == 5) q[lane] *= 1e5;  // beyond the polynomials of the sines
      for (int i = 0; i < n; ++i) {
        Q[i].set(static_cast<int>(lane), q[lane][i]);
        Qd[i].set(static_cast<int>(lane), qd[lane][i]);
        In[i].set(static_cast<int>(lane), in[lane][i]);
      }
    }
    const VecX<Pack> tau = inverse_dynamics<Pack>(arm, Q, Qd, In), qdd = forward_dynamics<Pack>(arm, Q, Qd, In);
    const MatX<Pack> M = mass_matrix<Pack>(arm, Q);
    const LinkPoses<Pack> poses = forward_kinematics<Pack>(arm, Q);
    const Mat6X<Pack> J = tool_jacobian<Pack>(arm, poses);
    const Pose<Pack> tool = tool_pose<Pack>(arm, poses);
    for (std::size_t k = 0; k < Pack::width; ++k) {
      const auto lane_of = [lane = static_cast<int>(k)](const auto& matrix) {
        return matrix.unaryExpr([lane](const Pack& x) { return x[lane]; }).eval();
      };
      const LinkPoses<double> poses_k = forward_kinematics<double>(arm, q[k]);
      const Pose<double> tool_k = tool_pose<double>(arm, poses_k);
      CHECK(lane_of(tau) == inverse_dynamics<double>(arm, q[k], qd[k], in[k]));
      CHECK(lane_of(qdd) == forward_dynamics<double>(arm, q[k], qd[k], in[k]));
      CHECK(lane_of(M) == mass_matrix<double>(arm, q[k]));
      CHECK(lane_of(J) == tool_jacobian<double>(arm, poses_k));
      CHECK(lane_of(tool.R) == tool_k.R);
      CHECK(lane_of(tool.p) == tool_k.p);
    }
  }
}
#endif

TEST_CASE("symbols, evaluated, have the values of doubles") {
  for (const auto& [arm, q, qd, qdd] : regular_samples()) {
    CAPTURE(arm.name());
    ExprGraph graph;
    const ExprScope scope(graph);
    std::map<std::string, double, std::less<>> at;
    const auto symbols = [&](const std::string& letter, const VecX<double>& values) {
      VecX<Expr> x(values.size());
      for (int i = 0; i < values.size(); ++i) {
        const std::string name = letter + std::to_string(i + 1);
        x[i] = graph.symbol(name);
        at[name] = values[i];
      }
      return x;
    };
    const Results<Expr> traced = everything<Expr>(arm, symbols("q", q), symbols("v", qd), symbols("a", qdd));
    Results<double> evaluated;
    for (const auto& [name, expressions] : traced) evaluated[name] = graph.evaluate(expressions, at);
    compare<double>(evaluated, everything<double>(arm, q, qd, qdd), [](double x) { return x; });
  }
}

TEST_CASE("the samples of these laws are many") { CHECK(regular_samples().size() >= 10); }
