#include "armature/simulation/describing_function.hpp"

#include "armature/testing/doctest.hpp"

#include <cmath>

#include "armature/algorithms/friction.hpp"
#include "armature/core/units.hpp"
#include "armature/simulation/integrator.hpp"

using namespace armature::simulation;

namespace {

/// First harmonic of f(phase) by the rectangle rule over one period, over the amplitude: the slow and obvious way.
template <class F>
std::complex<double> fourier(F f, double amplitude, int lines = 400000) {
  std::complex<double> sum = 0;
  for (int i = 0; i < lines; ++i) {
    const double p = 2 * pi * (i + 0.5) / lines;
    sum += f(p) * std::complex<double>(std::sin(p), std::cos(p));
  }
  return 2.0 * sum / (static_cast<double>(lines) * amplitude);
}

/// The plant's own torque of a spring that twists as A sin(wt): with the modes that the plant walks through.
std::complex<double> measured(const Spring& spring, double A, double w) {
  PlantDescription d;
  d.rotors = {{"a", 1}, {"b", 1}};
  d.springs = {spring};
  d.springs[0].driver = 0;
  d.springs[0].driven = 1;
  const Plant plant(d);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(plant.states());
  const Eigen::VectorXd none(0);
  Modes modes;
  std::vector<double> guards(static_cast<std::size_t>(plant.guard_count()));
  const auto torque = [&](double p) {
    x[0] = A * std::sin(p);
    x[2] = A * w * std::cos(p);
    if (modes.empty()) modes = plant.modes_at(0, x, none.data());
    for (int round = 0; round < 2; ++round) {
      plant.guards(0, x.data(), none.data(), modes, guards.data());
      for (int k = 0; k < plant.guard_count(); ++k)
        if (guards[k] < 0) {
          plant.cross(k, 0, x.data(), none.data(), modes);
          break;
        }
    }
    return plant.spring_torque(0, x.data(), modes);
  };
  for (int i = 0; i < 1000; ++i) torque(2 * pi * i / 1000);  // once round, so that the modes belong to the swing
  return fourier(torque, A, 40000);
}

}  // namespace

TEST_CASE("the describing function of play is that of a dead zone where nothing damps") {
  const Spring spring{.stiffness = 3, .backlash = 0.1};
  for (const double A : {0.1001, 0.12, 0.3, 1.0, 20.0}) {
    const double r = 0.1 / A, N = 3 * (1 - 2 / pi * (std::asin(r) + r * std::sqrt(1 - r * r)));
    CHECK(describing_function(spring, A, 7).real() == doctest::Approx(N).epsilon(1e-12));
    CHECK(std::abs(describing_function(spring, A, 7).imag()) < 1e-12);
  }
  CHECK(describing_function(spring, 0.09, 7) == 0.0);
}

TEST_CASE(
    "a spring's describing function is the first harmonic of the plant's own torque, play, damper and hardening") {
  for (const double backlash : {0.0, 0.05})
    for (const double hardening : {0.0, 40.0})
      for (const double damping : {0.0, 0.02, 0.5})
        for (const double A : {0.06, 0.15, 1.0}) {
          CAPTURE(backlash);
          CAPTURE(hardening);
          CAPTURE(damping);
          CAPTURE(A);
          const Spring s{.stiffness = 2, .hardening = hardening, .damping = damping, .backlash = backlash};
          const std::complex<double> N = describing_function(s, A, 10), truth = measured(s, A, 10);
          CHECK(std::abs(N - truth) < 2e-4 * std::abs(truth));
        }
  // without play in closed form: c + 3/4 h A² + j w d
  const Spring cubic{.stiffness = 2, .hardening = 5, .damping = 0.3};
  CHECK(std::abs(describing_function(cubic, 0.7, 4) - std::complex<double>(2 + 0.75 * 5 * 0.49, 1.2)) < 1e-12);
}

TEST_CASE("dry friction is worth 4 T/(pi V) of viscous friction, and other laws their first harmonic") {
  for (const double V : {1e-3, 0.2, 50.0})
    CHECK(describing_function(CoulombViscous{0.4, 0.03}, V) ==
          doctest::Approx(4 * 0.4 / (pi * V) + 0.03).epsilon(1e-9));
  const std::vector<Friction> laws{
      Stribeck{.coulomb = 1, .stiction = 1.6, .stribeck_velocity = 0.05, .viscous = 0.2},
      AsymmetricFriction{.coulomb_positive = 1, .coulomb_negative = 2, .viscous_negative = 3},
      ThreeSigmoid{.f = {1, 0.5, -0.3}, .w = {60, 10, 2}, .viscous = 0.1}};
  for (const Friction& law : laws)
    for (const double V : {0.02, 0.3, 4.0}) {
      CAPTURE(law.index());
      CAPTURE(V);
      const double truth = fourier([&](double p) { return friction_torque(law, V * std::sin(p)); }, V).real();
      CHECK(describing_function(law, V) == doctest::Approx(truth).epsilon(1e-4));
    }
}

TEST_CASE("dry friction in a loop that would grow: swings below 4 T/(pi b) die, those above grow") {
  // J a = -c x + b v - T sign(v): an unstable limit cycle whose speed is 4 T/(pi b)
  PlantDescription d;
  d.rotors = {{"wheel", 2}};
  d.springs = {{.name = "spring", .driver = ground, .driven = 0, .stiffness = 50}};
  d.friction = {{0, CoulombViscous{0.3, 0}}};
  d.motors = {{.name = "motor", .drives = {{0, 1.0}}}};
  const double b = 0.7;
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(Plant(d).states());
  const std::vector<LimitCycle> cycles = limit_cycles(d, x, {[&](const LinearPlant& p) {
                                                        Eigen::MatrixXd A = p.A;
                                                        A.col(1) += b * p.B.col(0);
                                                        return A;
                                                      }});
  REQUIRE(cycles.size() == 1);
  CHECK_FALSE(cycles[0].stable);
  CHECK(cycles[0].frequency == doctest::Approx(std::sqrt(50.0 / 2) / (2 * pi)).epsilon(1e-6));
  CHECK(cycles[0].swings.at(0).amplitude == doctest::Approx(4 * 0.3 / (pi * b)).epsilon(1e-6));
  // and so it is in simulation
  for (const double share : {0.9, 1.1}) {
    const Plant plant(d);
    Integrator run(plant, {});
    Eigen::VectorXd start = x;
    start[1] = share * cycles[0].swings[0].amplitude;
    run.start(0, start, Eigen::VectorXd::Zero(1));
    run.set_input([&](double, const double* y, double* u, double*) { u[0] = b * y[1]; });
    std::vector<LogEvent> events;
    run.advance(30, events);
    double top = 0;
    for (int i = 1; i <= 400; ++i) {
      run.advance(30 + 0.005 * i, events);
      top = std::max(top, std::abs(run.state()[1]));
    }
    CHECK((top > start[1]) == (share > 1));
  }
}
