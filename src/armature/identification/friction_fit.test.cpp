#include "armature/identification/friction_fit.hpp"

#include <cmath>

#include "armature/algorithms/friction.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::identification;

TEST_CASE("the Stribeck speed comes out of the torques, beside columns of something else") {
  Random random(1);
  const Stribeck truth{2, 3, 0.15, 1.2, 2};
  const int N = 2000;
  Eigen::VectorXd v(N), tau(N);
  Eigen::MatrixXd others(N, 2);
  for (int k = 0; k < N; ++k) {
    v[k] = 1.2 * std::sin(0.02 * k) + 0.3 * std::sin(0.0531 * k);
    others(k, 0) = std::cos(0.013 * k);
    others(k, 1) = std::sin(0.0071 * k);
    tau[k] =
        friction_torque(Friction(truth), v[k]) + 3 * others(k, 0) - 2 * others(k, 1) + 0.5 + 0.01 * random.normal();
  }
  FrictionShape start{FrictionShape::Law::stribeck};
  start.stribeck_velocity = 0.5;
  const FrictionFit f = fit_friction(start, v, tau, others);
  CHECK(f.converged);
  CHECK(f.shape.stribeck_velocity == doctest::Approx(0.15).epsilon(0.03));
  CHECK(f.values[0] == doctest::Approx(2).epsilon(0.01));
  CHECK(f.values[1] == doctest::Approx(1).epsilon(0.03));
  CHECK(f.values[2] == doctest::Approx(1.2).epsilon(0.01));
  CHECK(f.rms < 0.0105);
}

TEST_CASE("three sigmoids are told apart by their curve") {
  // Several sigmoids can draw nearly the same curve: the curve is the result, not its coefficients.
  const ThreeSigmoid truth{{3, -1, 2}, {60, 8, 1}, 0.4};
  const int N = 3000;
  Eigen::VectorXd v(N), tau(N);
  Random random(2);
  for (int k = 0; k < N; ++k) {
    v[k] = 2 * std::sin(0.01 * k) * std::sin(0.0017 * k);
    tau[k] = friction_torque(Friction(truth), v[k]) + 0.01 * random.normal();
  }
  FrictionShape start{FrictionShape::Law::sigmoids, 0, 0.1, {30, 4, 0.5}};
  const FrictionFit f = fit_friction(start, v, tau, Eigen::MatrixXd(N, 0));
  const Friction law = friction_law(f.shape, f.values.data(), 0);
  for (double speed = -2; speed <= 2; speed += 0.05)
    CHECK(std::abs(friction_torque(law, speed) + f.offset - friction_torque(Friction(truth), speed)) < 0.02 * 4);
}

TEST_CASE("LuGre's bristles come out of a motion that slides and turns round") {
  const LuGre truth{2e4, 80, 1.5, 4, 6, 0.05};
  const double step = 1e-4;
  const int N = 20000;
  Eigen::VectorXd v(N);
  for (int k = 0; k < N; ++k) {
    const double t = k * step;
    v[k] = t < 1 ? 2e-3 * std::sin(2 * 3.14159 * 3 * t)
                 : 0.4 * std::sin(2 * 3.14159 * 1.0 * (t - 1)) * std::abs(std::sin(2 * 3.14159 * 2 * (t - 1)));
  }
  Eigen::VectorXd tau = lugre_torque(truth, v, step);
  Random random(3);
  for (double& x : tau) x += 0.02 * random.normal();
  const LuGreFit f = fit_lugre(v, tau, step, 5e-3);
  CHECK(f.converged);
  CHECK(f.rms < 0.0205);
  CHECK(f.rms > 0.0195);
  CHECK(f.law.sigma0 == doctest::Approx(truth.sigma0).epsilon(0.02));
  CHECK(f.law.sigma1 == doctest::Approx(truth.sigma1).epsilon(0.1));
  CHECK(f.law.sigma2 == doctest::Approx(truth.sigma2).epsilon(0.02));
  CHECK(f.law.coulomb == doctest::Approx(truth.coulomb).epsilon(0.02));
  CHECK(f.law.stiction == doctest::Approx(truth.stiction).epsilon(0.02));
  CHECK(f.law.stribeck_velocity == doctest::Approx(truth.stribeck_velocity).epsilon(0.05));
  CHECK_THROWS_WITH_AS(fit_lugre(Eigen::VectorXd::Constant(100, 1.0), Eigen::VectorXd::Constant(100, 1.0), step, 0.1),
                       doctest::Contains("does not both slide and turn round"), Error);
}

TEST_CASE("LuGre's law is found where bristles still bend above the sliding speed") {
  const LuGre truth{2000, 1, 0.6, 2, 3, 0.1};
  const double step = 1e-3;
  Eigen::VectorXd v(20000);
  for (int k = 0; k < 20000; ++k) {
    const double t = k * step;
    v[k] = t < 12 ? 0.5 * std::sin(2 * 3.14159 * 0.3 * t) + 0.3 * std::sin(2 * 3.14159 * 0.7 * t)
                  : 0.003 * (t - 11) * std::cos(2 * 3.14159 * (t - 12));
  }
  Eigen::VectorXd tau = lugre_torque(truth, v, step);
  Random random(5);
  for (double& x : tau) x += 0.02 * random.normal();
  for (const double sliding : {0.01, 0.02, 0.05, 0.1}) {
    const LuGreFit f = fit_lugre(v, tau, step, sliding);
    CHECK(f.converged);
    CHECK(f.rms < 0.0205);
    CHECK(f.law.sigma0 == doctest::Approx(truth.sigma0).epsilon(0.02));
    CHECK(f.law.sigma2 == doctest::Approx(truth.sigma2).epsilon(0.02));
    CHECK(f.law.coulomb == doctest::Approx(truth.coulomb).epsilon(0.02));
    CHECK(f.law.stiction == doctest::Approx(truth.stiction).epsilon(0.02));
    CHECK(f.law.stribeck_velocity == doctest::Approx(truth.stribeck_velocity).epsilon(0.05));
  }
}

TEST_CASE("the law of an arm file gives what the columns give, the constant torque included") {
  using Law = FrictionShape::Law;
  const std::vector<FrictionShape> shapes{{Law::none, 0, 0, {}},
                                          {Law::coulomb_viscous, 0, 0, {}},
                                          {Law::coulomb_viscous, 0.02, 0, {}},
                                          {Law::stribeck, 0, 0.3, {}},
                                          {Law::sigmoids, 0, 0, {30, 4, 0.5}}};
  for (const FrictionShape& shape : shapes) {
    const std::size_t count = friction_parameter_names(shape).size();
    std::vector<double> x(count), row(count);
    for (std::size_t k = 0; k < count; ++k) x[k] = 1.5 - 0.4 * static_cast<double>(k);
    for (const double v : {-2.0, -0.05, 0.05, 0.7}) {
      friction_row(shape, v, row.data());
      double expected = 0.8345;
      for (std::size_t k = 0; k < count; ++k) expected += row[k] * x[k];
      CHECK(friction_torque(friction_law(shape, x.data(), 0.8345), v) == doctest::Approx(expected).epsilon(1e-12));
    }
  }
}
