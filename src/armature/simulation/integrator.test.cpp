// What integrators promise: their order, events found wherever they are, the same end by every method.
#include "armature/simulation/integrator.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "armature/core/random.hpp"
#include "armature/simulation/linearize.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/law_bench.hpp"
#include "armature/testing/random_arms.hpp"
#include "armature/testing/samples.hpp"
#include "armature/testing/source_folder.hpp"

using namespace armature::simulation;
using namespace armature::testing;

namespace {

/// The printed drive of vandeven1986: tachometer, motor, drive, load.
PlantDescription vandeven(double Tf = 0, double S = 0) {
  PlantDescription d;
  d.rotors = {{"tacho", 3.4e-5}, {"motor", 4.1e-5}, {"gear", 1.96e-4}, {"load", 3.72e-4}};
  d.springs = {{.name = "1", .driver = 0, .driven = 1, .stiffness = 789, .damping = 0.0012},
               {.name = "2", .driver = 1, .driven = 2, .stiffness = 1225, .damping = 0.068},
               {.name = "3", .driver = 2, .driven = 3, .stiffness = 1.44, .damping = 0.0016, .backlash = S}};
  d.friction = {{0, CoulombViscous{0, 7.6e-5}},
                {1, CoulombViscous{Tf, 1.2e-5}},
                {2, CoulombViscous{0, 0.0007}},
                {3, CoulombViscous{0, 0}}};
  d.motors = {{.name = "m",
               .drives = {{1, 1.0}},
               .command = Motor::Command::voltage,
               .torque_constant = 0.088,
               .back_emf = 0.088,
               .resistance = 1.6,
               .inductance = 8.7e-5}};
  return d;
}

}  // namespace

TEST_CASE("each fixed-step method has the order of its name") {
  Random random(1);
  PlantDescription d;
  d.arm = random_arm(3, random);
  const Plant plant(d);
  const Eigen::VectorXd x0 = plant.state_at(random_vector(3, random), random_vector(3, random)), none(0);
  const auto end = [&](Method method, double step, double tolerance = 1e-12) {
    Integrator run(plant, {.method = method, .step = step, .relative = tolerance, .absolute = tolerance});
    std::vector<LogEvent> events;
    run.start(0, x0, none);
    run.advance(0.2, events);
    return Eigen::VectorXd(run.state().head(6));
  };
  const Eigen::VectorXd truth = end(Method::rk4, 1e-5);
  const std::pair<Method, double> methods[] = {
      {Method::euler, 1}, {Method::semi_implicit_euler, 1}, {Method::heun, 2}, {Method::rk4, 4}};
  for (const auto& [method, order] : methods) {
    const double h = order == 1 ? 1e-4 : 2e-3;
    const double ratio = (end(method, h) - truth).norm() / (end(method, h / 2) - truth).norm();
    CAPTURE(to_string(method));
    CHECK(std::log2(ratio) == doctest::Approx(order).epsilon(0.1));
  }
  CHECK((end(Method::dormand_prince, 1) - truth).norm() < 1e-9);
  CHECK((end(Method::automatic, 1) - truth).norm() < 1e-9);
  CHECK((end(Method::cvode, 1, 1e-11) - truth).norm() < 1e-7);
}

TEST_CASE("a conservative arm keeps its energy for ten seconds with the adaptive integrator at its default tolerance") {
  Random random(2);
  for (int dof = 2; dof <= 4; ++dof) {
    PlantDescription d;
    ArmDescription description = random_arm(dof, random).description();
    for (JointDescription& joint : description.joints) joint.type = JointType::revolute;  // nothing falls for ever
    d.arm = Arm(description);
    const Plant plant(d);
    Eigen::VectorXd x = plant.state_at(random_vector(dof, random), random_vector(dof, random)), none(0);
    Integrator run(plant, {.method = Method::dormand_prince});
    run.start(0, x, none);
    std::vector<LogEvent> events;
    const double before = plant.stored_energy(x.data(), run.modes());
    double kinetic = 0, drift = 0;
    for (int i = 1; i <= 100; ++i) {
      run.advance(0.1 * i, events);
      Eigen::VectorXd still = run.state();
      still.segment(dof, dof).setZero();
      const double stored = plant.stored_energy(run.state().data(), run.modes());
      kinetic = std::max(kinetic, stored - plant.stored_energy(still.data(), run.modes()));
      drift = std::max(drift, std::abs(stored - before));
    }
    CAPTURE(kinetic);
    CHECK(drift < 1e-9 * kinetic);
  }
}

TEST_CASE("a stop that is met and left within one step is met, whatever the depth") {
  PlantDescription d;
  d.rotors = {{"wheel", 1.0}};
  d.springs = {end_stops("wheel", 0, -10, 0, 1e4, 0)};
  d.motors = {{.name = "motor", .drives = {{0, 1.0}}}};
  const Plant plant(d);
  for (const double depth :
       {-1e-6, 1e-8, 1e-5, 1e-2}) {  // thrown up by 1 rad/s against 1 N m: the highest point is after 1 s
    CAPTURE(depth);
    Integrator run(plant, {.method = Method::dormand_prince});
    Eigen::VectorXd x = Eigen::VectorXd::Zero(plant.states());
    x[0] = depth - 0.5;
    x[1] = 1;
    run.start(0, x, numbers({-1}));
    std::vector<LogEvent> events;
    run.advance(2, events);
    REQUIRE(events.size() == (depth > 0 ? 2 : 0));
    if (depth <= 0) continue;
    const double t = events[0].time;
    CHECK(t < 1);
    CHECK(std::abs(x[0] + t - t * t / 2) < 1e-9);  // there it is at the stop, by the parabola
  }
}

TEST_CASE("a plant that proves stiff is handed to the implicit integrator, and to the same end") {
  const Plant plant(vandeven(0.025, 0.02));
  const VecX<double> none(0);
  const auto run_with = [&](Method method, long& evaluations) {
    Integrator run(plant, {.method = method, .relative = 1e-8, .absolute = 1e-10});
    std::vector<LogEvent> events;
    run.start(0, plant.state_at(none, none), numbers({3.0}));
    for (int k = 1; k <= 100; ++k) run.advance(0.01 * k, events);
    evaluations = run.evaluations();
    return Eigen::VectorXd(run.state());
  };
  long chosen = 0, only_explicit = 0, only_implicit = 0;
  const Eigen::VectorXd a = run_with(Method::automatic, chosen), b = run_with(Method::dormand_prince, only_explicit),
                        c = run_with(Method::cvode, only_implicit);
  CHECK((a - c).head(8).norm() < 1e-5 * c.head(8).norm());
  CHECK((a - b).head(8).norm() < 1e-5 * c.head(8).norm());
  CHECK(chosen < only_explicit / 2);
  CHECK(chosen < 2 * only_implicit);
}

TEST_CASE("the drive of vandeven1986 has the published eigenvalues, frequency response and step response") {
  const std::filesystem::path file = std::filesystem::path(source_folder) / "../shared/vectors/ven1986.json";
  if (!std::filesystem::exists(file)) {
    MESSAGE("skipped: " << file.string() << " is not there");
    return;
  }
  const auto data = nlohmann::json::parse(std::ifstream(file));
  const Plant plant(vandeven());
  const VecX<double> none(0);
  Eigen::VectorXd x = plant.state_at(none, none);
  const Eigen::VectorXd u = numbers({1.0});
  const LinearPlant linear = linearize(plant, 0, x, u, plant.modes_at(0, x, u.data()));

  std::vector<Mode> modes = modes_of(linear);
  for (const auto& pair : data["eigenvalues"]) {
    const std::complex<double> value(pair[0], pair[1]);
    if (value.imag() < 0 || std::abs(value) < 1e-6) continue;  // zero: the angle of the whole drive
    double nearest = 1e9;
    for (const Mode& mode : modes) nearest = std::min(nearest, std::abs(mode.eigenvalue - value) / std::abs(value));
    CAPTURE(value.real());
    CHECK(nearest < 1e-9);
  }
  CHECK(std::abs(modes.front().eigenvalue) < 1e-6);

  Eigen::VectorXd C = Eigen::VectorXd::Zero(linear.A.rows());
  C[4] = 0.029;  // tachometer
  for (const auto& line : data["frf"]) {
    const std::complex<double> expected(line["re"], line["im"]);
    const std::complex<double> ours = frequency_response(linear, linear.B.col(0), C, {line["f_Hz"].get<double>()})[0];
    CHECK(std::abs(ours - expected) < 1e-9 * std::abs(expected));
  }
  const std::vector<Peak> found = peaks(linear, linear.B.col(0), C, 5, 3000);
  REQUIRE(found.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {  // the file's peaks were searched on a grid: ours is near, and not lower
    CHECK(found[i].frequency == doctest::Approx(data["frf_peaks_Hz_dB"][i][0].get<double>()).epsilon(1e-5));
    CHECK(found[i].decibel >= data["frf_peaks_Hz_dB"][i][1].get<double>() - 1e-9);
  }

  Integrator run(plant, {});
  std::vector<LogEvent> events;
  run.start(0, x, u);
  for (const auto& sample : data["step_1V"]) {
    run.advance(sample["t"], events);
    CHECK(0.029 * run.state()[4] == doctest::Approx(sample["U_t"].get<double>()).epsilon(1e-6));
  }
}

TEST_CASE("a run split at a checkpoint and started again from what was saved is the whole run, bit for bit") {
  const Plant plant(vandeven(0.025, 0.05));
  const VecX<double> none(0);
  std::vector<LogEvent> events;
  Integrator whole(plant, {}), first(plant, {}), second(plant, {});
  whole.start(0, plant.state_at(none, none), numbers({3.0}));
  whole.advance(0.05, events);
  whole.start(whole.time(), whole.state(), whole.input(), whole.modes());  // declared: starts anew here
  whole.advance(0.1, events);
  first.start(0, plant.state_at(none, none), numbers({3.0}));
  first.advance(0.05, events);
  second.start(first.time(), first.state(), first.input(), first.modes());
  second.advance(0.1, events);
  CHECK(whole.state() == second.state());
}
