#include "armature/identification/drive_fit.hpp"

#include <cmath>
#include <cstdlib>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/drive_sentences.hpp"
#include "armature/identification/frf.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/simulation/integrator.hpp"
#include "armature/simulation/linearize.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::identification;

namespace {

/// The drive of [Vandeven1986, 4.1] at its motor's shaft: J1 + J2 + J3 turn as one before c3, d3 and J4, the bearings and the
/// dry friction act at the load; the play is ours.
ArmDescription drive_arm() {
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
  joint.friction = CoulombViscous{.coulomb = 0.025, .viscous = 788e-6};
  joint.drive.gear_ratio = 1;
  joint.drive.rotor_inertia = 271e-6;
  joint.drive.torque_constant = 0.088;
  joint.drive.resistance = 1.6;
  joint.drive.inductance = 87e-6;
  joint.drive.stiffness = 1.44;
  joint.drive.damping = 1600e-6;
  joint.drive.backlash = 0.05;
  arm.joints = {joint};
  return arm;
}

/// Everything that is fitted, wrong by a factor of two, up or down.
ArmDescription wrong_by_two() {
  ArmDescription arm = drive_arm();
  JointDescription& joint = arm.joints[0];
  *joint.drive.rotor_inertia *= 2;
  *joint.drive.stiffness /= 2;
  *joint.drive.damping *= 2;
  *joint.drive.backlash *= 2;
  joint.link.mass->mass *= 2;
  joint.link.mass->tensor *= 2;
  joint.friction = CoulombViscous{.coulomb = 0.05, .viscous = 394e-6};
  return arm;
}

DriveModel model_of(const ArmDescription& arm) {
  return DriveModel(Arm(arm), 0, VecX<double>::Zero(1),
                    {.command = Motor::Command::voltage, .exact_stick = true, .torque_limits = false});
}

constexpr double tick = 1e-3;
constexpr int period = 1000;  // samples

/// What the machine does under a command: the angle of the load and the speed of the motor, before any sensor.
struct Truth {
  Eigen::VectorXd command;
  Eigen::MatrixXd outputs;
};
Truth record(const DriveModel& model, const Eigen::VectorXd& command) {
  const DriveMotion log{"", tick, 0, command, {"q1", "v_motor"}, Eigen::MatrixXd(command.size(), 2)};
  return {command, drive_motion(model, model.described(), log)};
}

/// An encoder of 2000 steps per turn with noise of half a step, and a tachometer with noise.
Eigen::MatrixXd sensed(const Truth& truth, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd y = truth.outputs;
  const double step = 2 * pi / 2000;
  for (Eigen::Index i = 0; i < y.rows(); ++i) {
    y(i, 0) = step * std::nearbyint((y(i, 0) + 0.5 * step * random.normal()) / step);
    y(i, 1) += 0.2 * random.normal();
  }
  return y;
}

/// Turning one way, so that teeth touch and friction slides, with many sines of random phase on top.
Eigen::VectorXd shaking(int periods) {
  Random random(7);
  Eigen::VectorXd one = Eigen::VectorXd::Constant(period, 6.0);
  for (int line = 2; line <= period / 5; ++line) {
    const double phase = random.uniform(0, 2 * pi), w = 2 * pi * line / period;
    for (int i = 0; i < period; ++i) one[i] += 0.06 * std::cos(w * i + phase);
  }
  return one.replicate(periods, 1);
}

/// Steps to and fro through the play, with rests.
Eigen::VectorXd steps() {
  Eigen::VectorXd u(1000);
  u << Eigen::VectorXd::Constant(250, 1.5), Eigen::VectorXd::Zero(150), Eigen::VectorXd::Constant(250, -1.2),
      Eigen::VectorXd::Zero(100), Eigen::VectorXd::Constant(150, 0.9), Eigen::VectorXd::Zero(100);
  return u;
}

DriveFrf response_of(const Truth& truth, const Eigen::MatrixXd& y) {
  Log log;
  log.add("u", "V");
  log.add("v", "rad/s");
  for (Eigen::Index i = period; i < y.rows(); ++i) {  // in the first period the start dies out
    log.time.push_back(tick * static_cast<double>(i));
    log.channels[0].values.push_back(truth.command[i]);
    log.channels[1].values.push_back(y(i, 1));
  }
  const FrequencyResponse frf =
      estimate_frf(log, {.input = "u", .output = "v", .segment = period * tick, .periodic = true}).direct;
  const std::vector<double> deviation = relative_deviation(frf);
  DriveFrf lines;
  lines.name = "frf.csv";
  lines.output = "v_motor";
  lines.tick = tick;
  for (std::size_t k = 2; k <= period / 5; ++k) {
    lines.frequency.push_back(frf.frequency[k]);
    lines.response.push_back(frf.response[k]);
    lines.coherence.push_back(frf.coherence[k]);
    lines.deviation.push_back(deviation[k]);
  }
  return lines;
}

std::vector<double> swinging_modes(const DriveModel& model, const Eigen::VectorXd& values) {
  const Plant plant = model.linear_plant(values);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(plant.states());
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
  std::vector<double> frequencies;
  for (const Mode& mode : modes_of(linearize(plant, 0, x, u, plant.modes_at(0, x, u.data()))))
    if (mode.eigenvalue.imag() > 0) frequencies.push_back(mode.frequency);
  return frequencies;
}

}  // namespace

TEST_CASE("from values a factor of two off, the truth lies in the 95 % intervals as often as it should") {
  const DriveModel truth = model_of(drive_arm()), start = model_of(wrong_by_two());
  const Truth shaken = record(truth, shaking(7)), stepped = record(truth, steps());
  const bool longer = std::getenv("ARMATURE_LONG_TESTS") != nullptr;
  const std::uint64_t seeds = longer ? 100 : 4;
  int inside = 0, intervals = 0;
  double distance = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const DriveMotion motion{"step.csv", tick, 0, stepped.command, {"q1", "v_motor"}, sensed(stepped, 100 + seed)};
    const DriveFit fit = fit_drive(start, {response_of(shaken, sensed(shaken, seed))}, {motion});
    CHECK(fit.converged);
    CHECK(fit.open.empty());
    CHECK(fit.play_crossed);
    std::vector<double> errors;
    for (std::size_t k = 0; k < fit.parameters.size(); ++k) {
      const DriveEstimate& e = fit.parameters[k];
      const double value = truth.parameters()[k].value;
      if (!e.free) {
        CHECK(e.value == value);
        continue;
      }
      CHECK(e.determined);
      CHECK_MESSAGE(std::abs(e.value / value - 1) < 0.05, e.parameter.name, " ", e.value, " for ", value);
      inside += e.low() <= value && value <= e.high();
      ++intervals;
      errors.push_back(std::log(e.value / value));
    }
    const Eigen::VectorXd e = Eigen::Map<const Eigen::VectorXd>(errors.data(), fit.covariance.rows());
    distance += e.dot(solved_symmetric(fit.covariance, e));
    CHECK(fit.logs[2].rms == doctest::Approx(0.2).epsilon(0.1));  // only the noise of the tachometer is left
    CHECK(swinging_modes(start, fit.values())[0] ==
          doctest::Approx(swinging_modes(truth, truth.described())[0]).epsilon(0.01));
  }
  REQUIRE(intervals == 7 * static_cast<int>(seeds));
  MESSAGE(inside, " of ", intervals, " intervals hold the truth; squared distances sum to ", distance);
  // Intervals of one fit hang together (dry and viscous friction nearly fill in for each other), those of different seeds do
  // not: the squared distances from the truth, in the metric of the covariance, have as many degrees of freedom as there are
  // intervals; three standard deviations of that sum either way.
  CHECK(std::abs(distance - intervals) < 3 * std::sqrt(2.0 * intervals));
  if (longer) {
    CHECK(inside >= 0.92 * intervals);
    CHECK(inside <= 0.98 * intervals);
  }
}

TEST_CASE("what the logs do not tell is said and not invented") {
  const DriveModel truth = model_of(drive_arm());
  DriveFrf exact;  // small motions alone
  exact.name = "bode.csv";
  exact.output = "v_motor";
  exact.tick = tick;
  for (int k = 1; k <= 200; ++k) {
    exact.frequency.push_back(k);
    exact.response.emplace_back(1);
  }
  const DriveLines lines = drive_lines(truth, truth.described(), exact, {});
  exact.response.assign(lines.response.data(), lines.response.data() + lines.response.size());
  const DriveModel start = model_of(wrong_by_two());

  const DriveFit play = fit_drive(start, {exact}, {});
  for (const DriveEstimate& e : play.parameters) {
    if (!e.free) continue;
    CHECK_MESSAGE(e.determined == e.parameter.linear, e.parameter.name);  // dry friction and play need a motion
    const double value =
        e.parameter.linear ? truth.parameters()[start.index(e.parameter.name)].value : e.parameter.value;
    CHECK_MESSAGE(e.value == doctest::Approx(value).epsilon(1e-3), e.parameter.name);
  }
  REQUIRE(play.open.size() == 2);
  bool said = false;
  for (const std::string& sentence : sentences(start, play))
    said = said || sentence.find("do not tell 'backlash'") != std::string::npos;
  CHECK(said);

  // With the winding's resistance free as well, only its product with all inertias, stiffness and damping acts.
  const DriveFit scale = fit_drive(
      start, {exact}, {},
      {.free = {"load_inertia", "rotor_inertia", "stiffness", "damping", "viscous", "resistance", "inductance"}});
  REQUIRE(scale.open.size() == 1);
  CHECK(scale.open[0].share.size() == 7);
  double product = 1;
  for (const auto& [name, exponent] : scale.open[0].share)
    if (name == "resistance") product = exponent;
  for (const auto& [name, exponent] : scale.open[0].share)
    if (name == "stiffness") CHECK(exponent / product == doctest::Approx(-1).epsilon(1e-3));
}

TEST_CASE("a motion that never turns back does not tell the play, and the fit says so") {
  const DriveModel truth = model_of(drive_arm()), start = model_of(wrong_by_two());
  Eigen::VectorXd one_way(600);
  one_way << Eigen::VectorXd::Constant(300, 1.5), Eigen::VectorXd::Constant(300, 3.0);
  const Truth moved = record(truth, one_way), shaken = record(truth, shaking(7));
  const DriveMotion motion{"step.csv", tick, 0, moved.command, {"q1", "v_motor"}, sensed(moved, 4)};
  CHECK(!crosses_play(truth, truth.described(), motion));
  const DriveFit fit = fit_drive(start, {response_of(shaken, sensed(shaken, 3))}, {motion});
  CHECK(!fit.play_crossed);
  const DriveEstimate& play = fit.parameters[start.index("backlash")];
  CHECK(play.free);
  CHECK(!play.determined);
  CHECK(play.value == play.parameter.value);
  CHECK(fit.parameters[start.index("stiffness")].determined);
  Eigen::Index free = 0;
  for (const DriveEstimate& e : fit.parameters) free += e.free;
  CHECK(fit.covariance.rows() == free);
  bool said = false;
  for (const std::string& sentence : sentences(start, fit))
    said = said || sentence.find("No motion takes the gear from one side") != std::string::npos;
  CHECK(said);
}

TEST_CASE("the sampled response is the spectrum of the pulse that the simulator makes, and its slopes are slopes") {
  const DriveModel model = model_of(drive_arm());
  DriveFrf frf;
  frf.output = "v_motor";
  frf.tick = tick;
  frf.delay = 2;
  frf.frequency = {1.0, 15.0, 60.0, 240.0, 490.0};
  const DriveLines lines = drive_lines(model, model.described(), frf, {0, 2});
  const Plant plant = model.linear_plant(model.described());
  Integrator run(plant, {.method = Method::cvode, .relative = 1e-10, .absolute = 1e-13});
  Eigen::VectorXd u = Eigen::VectorXd::Zero(1);
  run.start(0, Eigen::VectorXd::Zero(plant.states()), u);
  Eigen::VectorXcd sum = Eigen::VectorXcd::Zero(5);
  std::vector<LogEvent> events;
  const int speed = model.state_of("v_motor");
  for (int k = 0; k < 5000; ++k) {
    for (int i = 0; i < 5; ++i)
      sum[i] += run.state()[speed] * std::polar(1.0, -2 * pi * frf.frequency[i] * tick * (k + 2));
    u[0] = k == 0;
    run.set_input(u);
    run.advance(tick * (k + 1), events);
  }
  for (int i = 0; i < 5; ++i) CHECK(std::abs(sum[i] / lines.response[i] - 1.0) < 1e-5);
  for (const std::size_t c : {0U, 1U}) {
    Eigen::VectorXd more = model.described(), less = more;
    more[c == 0 ? 0 : 2] *= std::exp(1e-4);
    less[c == 0 ? 0 : 2] *= std::exp(-1e-4);
    const Eigen::VectorXcd difference =
        (drive_lines(model, more, frf, {}).response - drive_lines(model, less, frf, {}).response) / 2e-4;
    for (int i = 0; i < 5; ++i)
      CHECK(std::abs(difference[i] - lines.slopes(i, static_cast<Eigen::Index>(c))) <
            1e-5 * std::abs(lines.response[i]));
  }
}

TEST_CASE("lines that noise happened to help are judged by their neighbours") {
  DriveFrf frf;
  for (int k = 1; k <= 40; ++k) {
    frf.frequency.push_back(k);
    frf.response.emplace_back(1);
    const double coherence = k <= 20 ? 0.95 : k % 5 == 0 ? 0.9 : 0.3;
    frf.coherence.push_back(coherence);
    frf.deviation.push_back(std::sqrt((1 - coherence) / (10 * coherence)));
  }
  CHECK(believable_lines(frf, 0.8).frequency.back() < 30);
  CHECK(believable_lines(frf, 0.8).frequency.size() >= 18);
  CHECK_THROWS_WITH_AS(believable_lines(frf, 0.97), doctest::Contains("no line"), Error);
}
