#include "armature/identification/drive_chain.hpp"

#include <cmath>
#include <cstdlib>

#include "armature/algorithms/drive.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/drive_sentences.hpp"
#include "armature/identification/frf.hpp"
#include "armature/simulation/linearize.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::identification;

namespace {

/// [Vandeven1986, 4.1] with all its printed values, at the motor's shaft. The play is ours, and so is the load's dry friction: it
/// keeps the teeth in touch while the machine turns one way.
ArmDescription printed_drive() {
  ArmDescription arm;
  arm.name = "drive";
  arm.gravity.setZero();
  JointDescription joint;
  joint.name = "motor";
  joint.placement = DhRow{};
  joint.link.name = "load";
  MassProperties load;
  load.mass = 0.5;
  load.tensor = Vec3<double>::Constant(372e-6).asDiagonal();
  joint.link.mass = load;
  joint.friction = CoulombViscous{.coulomb = 0.1};
  Drive& d = joint.drive;
  d.gear_ratio = 1;
  d.torque_constant = 0.088;
  d.resistance = 1.6;
  d.inductance = 87e-6;
  d.tachometer_inertia = 34e-6;
  d.tachometer_stiffness = 789;
  d.tachometer_damping = 1200e-6;
  d.tachometer_viscous = 76e-6;
  d.rotor_inertia = 41e-6;
  d.rotor_viscous = 12e-6;
  d.rotor_coulomb = 0.025;
  d.coupling_stiffness = 1225;
  d.coupling_damping = 68000e-6;
  d.gear_inertia = 196e-6;
  d.gear_viscous = 700e-6;
  d.stiffness = 1.44;
  d.damping = 1600e-6;
  d.backlash = 0.05;
  arm.joints = {joint};
  return arm;
}

const ComposeOptions voltage{.command = Motor::Command::voltage, .exact_stick = true, .torque_limits = false};

DriveModel chain_model(const ArmDescription& arm) { return DriveModel(Arm(arm), 0, VecX<double>::Zero(1), voltage); }

constexpr double chain_tick = 2e-4;
constexpr int chain_period = 2500;  // samples
const std::vector<std::string> outputs{"q1", "v_motor_tachometer"};

Eigen::MatrixXd chain_record(const DriveModel& model, const Eigen::VectorXd& command) {
  return drive_motion(model, model.described(),
                      {"", chain_tick, 0, command, outputs, Eigen::MatrixXd(command.size(), 2)});
}

/// An encoder of 20000 steps per turn and a tachometer, both with noise.
Eigen::MatrixXd sensed_chain(Eigen::MatrixXd y, std::uint64_t seed) {
  Random random(seed);
  const double step = 2 * pi / 20000;
  for (Eigen::Index i = 0; i < y.rows(); ++i) {
    y(i, 0) = step * std::nearbyint((y(i, 0) + 0.5 * step * random.normal()) / step);
    y(i, 1) += 0.05 * random.normal();
  }
  return y;
}

/// Turning one way with sines up to 2 kHz on top, periodic; the response of the last eight periods.
DriveFrf response(const DriveModel& truth, std::uint64_t seed) {
  Random random(7);
  Eigen::VectorXd one = Eigen::VectorXd::Constant(chain_period, 6.0);
  for (int line = 1; line <= 1000; ++line) {
    const double phase = random.uniform(0, 2 * pi), w = 2 * pi * line / chain_period;
    for (int i = 0; i < chain_period; ++i) one[i] += 0.05 * std::cos(w * i + phase);
  }
  const Eigen::VectorXd command = one.replicate(10, 1);
  const Eigen::MatrixXd y = sensed_chain(chain_record(truth, command), seed);
  Log log;
  log.add("u", "V");
  log.add("v", "rad/s");
  for (Eigen::Index i = 2 * chain_period; i < y.rows(); ++i) {  // in the first two the start dies out
    log.time.push_back(chain_tick * static_cast<double>(i));
    log.channels[0].values.push_back(command[i]);
    log.channels[1].values.push_back(y(i, 1));
  }
  const FrequencyResponse frf =
      estimate_frf(log, {.input = "u", .output = "v", .segment = chain_period * chain_tick, .periodic = true}).direct;
  const std::vector<double> deviation = relative_deviation(frf);
  DriveFrf lines;
  lines.name = "frf.csv";
  lines.output = outputs[1];
  lines.tick = chain_tick;
  for (std::size_t k = 1; k <= 1000; ++k) {
    lines.frequency.push_back(frf.frequency[k]);
    lines.response.push_back(frf.response[k]);
    lines.coherence.push_back(frf.coherence[k]);
    lines.deviation.push_back(deviation[k]);
  }
  return lines;
}

DriveMotion to_and_fro(const DriveModel& truth, std::uint64_t seed) {
  const int beat = std::getenv("ARMATURE_LONG_TESTS") != nullptr ? 100 : 50;  // samples
  Eigen::VectorXd u(25 * beat);
  u << Eigen::VectorXd::Constant(6 * beat, 4.0), Eigen::VectorXd::Zero(4 * beat),
      Eigen::VectorXd::Constant(6 * beat, -3.6), Eigen::VectorXd::Zero(3 * beat),
      Eigen::VectorXd::Constant(4 * beat, 3.2), Eigen::VectorXd::Zero(2 * beat);
  return {"step.csv", chain_tick, 0, u, outputs, sensed_chain(chain_record(truth, u), seed)};
}

std::vector<double> resonances(const DriveModel& model, const Eigen::VectorXd& values) {
  const Plant plant = model.linear_plant(values);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(plant.states());
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
  const LinearPlant linear = linearize(plant, 0, x, u, plant.modes_at(0, x, u.data()));
  Eigen::VectorXd C = Eigen::VectorXd::Zero(linear.A.rows());
  C[model.state_of(outputs[1])] = 1;
  std::vector<double> found;
  for (const Peak& peak : peaks(linear, linear.B.col(0), C, 5, 3000)) found.push_back(peak.frequency);
  return found;
}

}  // namespace

TEST_CASE("a drive changes its shape and keeps what it weighs and how it rubs") {
  const Drive whole = printed_drive().joints[0].drive;
  CHECK(shape_of(whole).inertias() == 4);
  for (const ChainShape shape : {ChainShape{false, false}, {false, true}, {true, false}}) {
    const Drive shorter = reshaped(whole, shape, 0);
    CHECK(shape_of(shorter) == shape);
    CHECK(shaft_inertia(shorter) == doctest::Approx(271e-6));
    CHECK(shaft_friction(shorter).viscous == doctest::Approx(788e-6));
    const Drive again = reshaped(shorter, {true, true}, 500);
    CHECK(shape_of(again).inertias() == 4);
    CHECK(shaft_inertia(again) == doctest::Approx(271e-6));
  }
}

TEST_CASE(
    "from logs of the drive of vandeven1986, all printed values off by a factor of two, its modes and numbers come "
    "back") {
  const DriveModel truth = chain_model(printed_drive());
  ArmDescription wrong = printed_drive();
  Drive& d = wrong.joints[0].drive;
  *d.tachometer_inertia *= 1.5;
  *d.tachometer_stiffness /= 1.5;
  *d.tachometer_damping *= 2;
  *d.rotor_inertia *= 2;
  *d.rotor_coulomb *= 2;
  *d.coupling_stiffness *= 2;
  *d.coupling_damping /= 2;
  *d.gear_inertia /= 1.5;
  *d.stiffness *= 2;
  *d.damping /= 2;
  *d.backlash *= 2;
  wrong.joints[0].link.mass->tensor *= 2;
  wrong.joints[0].friction = CoulombViscous{.coulomb = 0.06};
  const DriveModel start = chain_model(wrong);
  const std::vector<DriveFrf> frf{response(truth, 1)};
  const ChainChoice chain = choose_chain(Arm(wrong), 0, VecX<double>::Zero(1), voltage, frf, {}, std::nullopt);
  for (const ChainTrial& t : chain.trials) MESSAGE(to_string(t.shape), " ", t.rms, " ", t.criterion);
  CHECK(chain.trials[chain.chosen].shape.inertias() == 4);
  CHECK((chain.arm == wrong));
  const DriveFit fit = fit_drive(start, frf, {to_and_fro(truth, 2)}, {.also_from = chain.values});
  for (const std::string& s : sentences(start, fit)) MESSAGE(s);
  CHECK(fit.converged);
  CHECK(fit.play_crossed);
  const std::vector<double> found = resonances(start, fit.values());
  REQUIRE(found.size() == 3);
  CHECK(found[0] == doctest::Approx(15.46).epsilon(0.005));
  CHECK(found[1] == doctest::Approx(628.4).epsilon(0.005));
  CHECK(found[2] == doctest::Approx(1221.9).epsilon(0.005));
  int inside = 0, intervals = 0;
  for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
    const DriveEstimate& e = fit.parameters[k];
    const double value = truth.parameters()[k].value;
    if (!e.free) continue;
    const bool bearing = e.parameter.name.ends_with("_viscous");  // of the bearings only the sum shows
    MESSAGE(e.parameter.name, " ", e.value, " for ", value, ", spread ", e.spread);
    if (!bearing) CHECK_MESSAGE(e.determined, e.parameter.name);
    if (!e.determined) continue;
    inside += e.low() <= value && value <= e.high();
    ++intervals;
    CHECK_MESSAGE(std::abs(std::log(e.value / value)) < 4 * e.spread, e.parameter.name);
  }
  CHECK(intervals >= 12);
  CHECK(inside >= intervals - 2);  // three of thirteen outside happen in 2 % of the cases
}

TEST_CASE("a longer chain than the responses show is named as such") {
  ArmDescription two = printed_drive();
  two.joints[0].drive = reshaped(two.joints[0].drive, {false, false}, 0);
  const DriveModel truth = chain_model(two);
  const std::vector<DriveFrf> frf{response(truth, 5)};
  const ChainChoice free = choose_chain(Arm(two), 0, VecX<double>::Zero(1), voltage, frf, {}, std::nullopt);
  CHECK(free.chosen == 0);
  CHECK(free.trials.size() == 3);
  CHECK((free.arm == two));
  const ChainChoice asked = choose_chain(Arm(two), 0, VecX<double>::Zero(1), voltage, frf, {}, 3);
  CHECK(asked.trials[asked.chosen].shape.inertias() == 3);
  CHECK(sentences(asked).front().find("A chain of 3 inertias is not supported") != std::string::npos);
  CHECK_THROWS_WITH_AS(choose_chain(Arm(two), 0, VecX<double>::Zero(1), voltage, {}, {}, 3),
                       doctest::Contains("there is none"), Error);
  CHECK_THROWS_WITH_AS(choose_chain(Arm(two), 0, VecX<double>::Zero(1), voltage, frf, {}, 5),
                       doctest::Contains("a chain of 5"), Error);
}

TEST_CASE("a chain that the file does not describe is found where the responses show it") {
  ArmDescription two = printed_drive();
  two.joints[0].drive = reshaped(two.joints[0].drive, {false, false}, 0);
  const std::vector<DriveFrf> frf{response(chain_model(printed_drive()), 3)};
  const ChainChoice chain = choose_chain(Arm(two), 0, VecX<double>::Zero(1), voltage, frf, {}, std::nullopt);
  CHECK(chain.trials[chain.chosen].shape.inertias() == 4);
  const DriveModel model = chain_model(chain.arm);
  const std::vector<double> found = resonances(model, chain.values);
  REQUIRE(found.size() == 3);
  CHECK(found[1] == doctest::Approx(628.4).epsilon(0.02));
  CHECK(found[2] == doctest::Approx(1221.9).epsilon(0.02));
  CHECK_NOTHROW(Arm(model.arm(chain.values)));
}
