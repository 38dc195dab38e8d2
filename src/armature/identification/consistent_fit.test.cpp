#include "armature/identification/consistent_fit.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "armature/core/random.hpp"
#include "armature/identification/physical_estimate.hpp"
#include "armature/identification/synthetic_log.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/samples.hpp"

using namespace armature;
using namespace armature::identification;

namespace {

using Ten = Eigen::Matrix<double, 10, 1>;

Eigen::Matrix4d random_body(Random& random) {
  Eigen::Matrix4d F;
  for (double& x : F.reshaped()) x = random.normal();
  return F * F.transpose() + 0.1 * Eigen::Matrix4d::Identity();
}

/// Two links, a rotor that is known about, a rotor that is not, two frictions that brake and an offset; equations that would rather
/// have bodies that cannot exist, and that say nothing about some directions.
ConsistentProblem random_problem(std::uint64_t seed, int rows = 18) {
  Random random(seed);
  ConsistentProblem problem;
  const int size = 25;
  problem.A.resize(rows, size);
  problem.z.resize(rows);
  for (double& x : problem.A.reshaped()) x = 10 * random.normal();
  for (double& x : problem.z) x = 10 * random.normal();
  for (int i = 0; i < 2; ++i) {
    problem.reference.push_back(random_body(random));
    problem.factor.push_back(1 + i);
  }
  problem.drawn = {{20, 0.3}};
  problem.bounds = Eigen::MatrixXd::Zero(4, size);
  problem.bounds(0, 21) = 1;
  problem.bounds(1, 22) = 1;
  problem.bounds(2, 23) = 1;
  problem.bounds(3, 22) = 0.5;
  problem.bounds(3, 23) = 0.5;
  problem.start = Eigen::VectorXd::Constant(size, 0.7);
  return problem;
}

/// tr(P_0⁻¹ P) - log det(P_0⁻¹ P) - 4, by the eigenvalues of P_0⁻¹ P.
double distance(const Eigen::Matrix4d& P, const Eigen::Matrix4d& P0) {
  const Eigen::Vector4d ratios =
      Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix4d>(P, P0, Eigen::EigenvaluesOnly).eigenvalues();
  double sum = 0;
  for (const double r : ratios) sum += r - std::log(r) - 1;
  return sum;
}

double objective_of(const ConsistentProblem& problem, double weight, const Eigen::VectorXd& p) {
  double f = 0.5 * (problem.A * p - problem.z).squaredNorm();
  for (std::size_t i = 0; i < problem.reference.size(); ++i)
    f += weight * problem.factor[i] *
         distance(pseudo_inertia(p.segment<10>(10 * static_cast<Eigen::Index>(i))), problem.reference[i]);
  for (const auto& d : problem.drawn) {
    const double r = p[d.at] / d.reference;
    f += weight * (r - std::log(r) - 1);
  }
  return f;
}

/// The Lagrange dual of the problem at multipliers y, in the problem's own coordinates: what no admissible point can fall below.
double dual_bound(const ConsistentProblem& problem, double weight, const ConsistentFit& fit) {
  const Eigen::VectorXd &y = fit.multipliers, m = problem.A.transpose() * y;
  double g = -y.dot(problem.z) - 0.5 * y.squaredNorm();
  for (std::size_t i = 0; i < problem.reference.size(); ++i) {
    Eigen::Matrix<double, 10, 10> pairing;  // tr(M P(e_k)) for the ten unit entries of a symmetric M
    std::vector<Eigen::Matrix4d> units;
    for (int a = 0; a < 4; ++a)
      for (int b = a; b < 4; ++b) {
        Eigen::Matrix4d E = Eigen::Matrix4d::Zero();
        E(a, b) = E(b, a) = 1;
        units.push_back(E);
      }
    for (int k = 0; k < 10; ++k)
      for (int e = 0; e < 10; ++e) pairing(k, e) = (units[e] * pseudo_inertia(Ten::Unit(k))).trace();
    const Ten t = pairing.fullPivLu().solve(m.segment<10>(10 * static_cast<Eigen::Index>(i)));
    Eigen::Matrix4d M = Eigen::Matrix4d::Zero();
    for (int e = 0; e < 10; ++e) M += t[e] * units[e];
    const double w = weight * problem.factor[i];
    const Eigen::Matrix4d L = problem.reference[i].llt().matrixL();
    const Eigen::Matrix4d inner = Eigen::Matrix4d::Identity() + L.transpose() * M * L / w;
    REQUIRE(Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(inner).eigenvalues()[0] > 0);
    g += w * std::log(inner.determinant());
  }
  for (const auto& d : problem.drawn) {
    REQUIRE(1 + m[d.at] * d.reference / weight > 0);
    g += weight * std::log(1 + m[d.at] * d.reference / weight);
  }
  // what neither belongs to a link nor is drawn: Aᵀy is a sum of bounds with multipliers that are not negative
  REQUIRE(fit.bound_multipliers.minCoeff() >= 0);
  const Eigen::VectorXd rest = m - problem.bounds.transpose() * fit.bound_multipliers;
  for (Eigen::Index k = 21; k < rest.size(); ++k) CHECK(std::abs(rest[k]) < 1e-9 * (1 + m.cwiseAbs().maxCoeff()));
  return g;
}

const std::vector<double> coarse_sweep{1e6, 1e4, 1e2, 1, 1e-2, 1e-3};

}  // namespace

TEST_CASE("the certificate of a consistent fit holds when it is computed again from the problem alone") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    const ConsistentProblem problem = random_problem(seed);
    const std::vector<ConsistentFit> fits = consistent_fits(problem, coarse_sweep);
    for (std::size_t k = 0; k < coarse_sweep.size(); ++k) {
      CAPTURE(coarse_sweep[k]);
      const double value = objective_of(problem, coarse_sweep[k], fits[k].p),
                   bound = dual_bound(problem, coarse_sweep[k], fits[k]);
      CHECK(value == doctest::Approx(fits[k].value).epsilon(1e-8));
      CHECK((problem.bounds * fits[k].p).minCoeff() > 0);
      CHECK(fits[k].converged());
      CHECK(value - bound <= 1e-6 * std::max(value, 1.0));
      CHECK(value - bound >= -1e-8 * std::max(value, 1.0));
    }
  }
}

TEST_CASE("less weight of the reference never fits the equations worse") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const ConsistentProblem problem = random_problem(seed, 40);
    double last = INFINITY;
    for (const ConsistentFit& fit : consistent_fits(problem, coarse_sweep)) {
      const double residual = (problem.A * fit.p - problem.z).squaredNorm();
      CHECK(residual <= last * (1 + 1e-9));
      last = residual;
    }
  }
}

//  Slow and obvious: steepest descent in coordinates in which the references are unit matrices, halving its step until the objective falls. The distance to
//  the reference keeps bodies inside; numbers that must not be negative are cut off at zero.
TEST_CASE("steepest descent finds nothing better than the consistent fit, and comes near it") {
  for (const double weight : {1000.0, 100.0}) {
    CAPTURE(weight);
    const ConsistentProblem problem = random_problem(3, 30);
    const ConsistentFit found = consistent_fits(problem, {weight}).front();
    const Eigen::Index size = problem.A.cols();
    Eigen::MatrixXd to_p = Eigen::MatrixXd::Identity(size, size);  // columns: what a unit of each coordinate is
    Eigen::VectorXd u = Eigen::VectorXd::Constant(size, 0.1);
    for (int i = 0; i < 2; ++i) {
      const Eigen::Matrix4d L = problem.reference[i].llt().matrixL();
      int k = 10 * i;
      for (int a = 0; a < 4; ++a)
        for (int b = a; b < 4; ++b, ++k) {
          Eigen::Matrix4d E = Eigen::Matrix4d::Zero();
          E(a, b) = E(b, a) = a == b ? 1 : std::sqrt(0.5);
          to_p.col(k).setZero();
          to_p.block<10, 1>(10 * i, k) = parameters_of_pseudo_inertia(L * E * L.transpose());
          u[k] = a == b ? 1 : 0;
        }
    }
    const auto value = [&](const Eigen::VectorXd& at) {
      const Eigen::VectorXd p = to_p * at;
      bool inside = p[20] > 0;
      for (int i = 0; i < 2; ++i)
        inside = inside && pseudo_inertia(p.segment<10>(10 * i)).llt().info() == Eigen::Success;
      return inside ? objective_of(problem, weight, p) : std::numeric_limits<double>::infinity();
    };
    double f = value(u), step = 1e-3;
    for (int round = 0; round < 20000; ++round) {
      Eigen::VectorXd slope(size), to;
      for (Eigen::Index k = 0; k < size; ++k) {
        const Eigen::VectorXd h = 1e-6 * Eigen::VectorXd::Unit(size, k);
        slope[k] = (value(u + h) - value(u - h)) / 2e-6;
      }
      double next = f;
      for (step *= 2; step > 1e-16; step /= 2) {
        to = u - step * slope;
        for (int k = 21; k < 24; ++k) to[k] = std::max(to[k], 0.0);
        if ((next = value(to)) < f) break;
      }
      if (!(next < f * (1 - 1e-10))) break;
      u = to;
      f = next;
    }
    CHECK(f >= found.lower_bound * (1 - 1e-9));
    CHECK(f <= 1.01 * found.value);
  }
}

TEST_CASE(
    "a log is fitted better and better as the reference counts less, down to bodies at the edge of what can exist") {
  const Arm arm = testing::built_in_arm("ur5e");
  const TorqueModel model(arm);
  const MotionBlock log = synthetic_log(arm, {.duration = 6, .encoder = 1e-5, .torque_noise = 0.2, .seed = 5});
  Evidence evidence(model);
  make_equations(model, {.cutoff = 30, .decimation = 20, .parallel_cutoff = 20, .standstill = 0.05}, log,
                 [&](const SampleEquations& s) { evidence.add(s); });
  evidence.finish();
  const Estimate e = least_squares(evidence);
  std::vector<Factor> joints;
  for (int j = 0; j < arm.dof(); ++j) joints.push_back(evidence.whole(j));
  double last = INFINITY;
  for (const PhysicalEstimate& physical : physical_estimates(model, joints, {.noise = e.noise}, coarse_sweep)) {
    CAPTURE(physical.gap);
    CAPTURE(last);
    double squares = 0;
    for (int j = 0; j < arm.dof(); ++j) squares += joints[j].residual_squares(physical.x) / (e.noise[j] * e.noise[j]);
    CHECK(physical.converged);
    CHECK(squares <= last * (1 + 1e-7));
    last = squares;
    for (int i = 0; i < arm.dof(); ++i)
      CHECK(judge_body(inertia_from_parameters<double>(InertiaParameters<double>(physical.links.segment<10>(10 * i))))
                .possible());
  }
}
