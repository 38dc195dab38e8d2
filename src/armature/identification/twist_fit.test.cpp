#include "armature/identification/twist_fit.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/plant/compose.hpp"
#include "armature/simulation/integrator.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature;
using namespace armature::identification;

namespace {

constexpr double twist_step = 2e-3, gear_turns = 100, rotor_moment = 2e-4;
const std::vector<double> true_stiffness{4e4, 1.5e4};

/// Two links in the vertical plane behind elastic gears.
ArmDescription elastic_pair() {
  ArmDescription arm;
  arm.name = "pair";
  for (int j = 0; j < 2; ++j) {
    JointDescription joint;
    joint.name = j == 0 ? "shoulder" : "elbow";
    joint.placement = DhRow{.a = 0.5, .alpha = 0};
    MassProperties link;
    link.mass = j == 0 ? 12 : 6;
    link.position = {-0.2, 0, 0};
    link.tensor = Vec3<double>(0.05, 0.4, 0.4).asDiagonal();
    joint.link = {joint.name + "_link", link};
    joint.drive.gear_ratio = gear_turns;
    joint.drive.rotor_inertia = rotor_moment;
    joint.drive.stiffness = true_stiffness[j];
    joint.drive.damping = 30;
    arm.joints.push_back(joint);
  }
  arm.gravity = {0, -9.81, 0};
  return arm;
}

/// The simulated machine under PD at its motors, its encoders with noise; the motor's read `late` samples after the link's.
TwistLog moved_pair(std::uint64_t seed, int late) {
  const Plant plant(compose(Arm(elastic_pair()),
                            {.drives = ComposeOptions::Drives::elastic, .friction = false, .torque_limits = false})
                        .plant);
  Random random(seed);
  Eigen::Vector2d phase, rate;
  for (int j = 0; j < 2; ++j) {
    phase[j] = random.uniform(0, 2 * pi);
    rate[j] = 2 * pi * random.uniform(0.4, 0.8);
  }
  const Eigen::Index rows = 4000;
  TwistLog log{"log.csv", twist_step, Eigen::MatrixXd(rows, 2), Eigen::MatrixXd(rows, 2), Eigen::MatrixXd(rows, 2)};
  Integrator run(plant, {.method = Method::rk4, .step = twist_step / 8});
  Eigen::VectorXd u = Eigen::VectorXd::Zero(2);
  const auto wanted = [&](int j, double t) { return 0.8 * (std::sin(phase[j] + rate[j] * t) - std::sin(phase[j])); };
  run.start(0, plant.state_at(VecX<double>::Zero(2), VecX<double>::Zero(2)), u);
  std::vector<LogEvent> events;
  for (Eigen::Index k = 0; k < rows; ++k) {
    const double t = twist_step * static_cast<double>(k);
    for (int j = 0; j < 2; ++j) {
      const double q = run.state()[2 + j] / gear_turns, v = run.state()[6 + j] / gear_turns;
      u[j] = log.torque(k, j) = 2000 * (wanted(j, t) - q) - 150 * v;  // at the joint, as commands are
      log.link(k, j) = run.state()[j] + 2e-5 * random.normal();
      log.motor(k, j) = q + 2e-6 * random.normal();
    }
    run.set_input(u);
    run.advance(t + twist_step, events);
  }
  if (late > 0) log.motor.topRows(rows - late) = log.motor.bottomRows(rows - late).eval();
  for (Eigen::MatrixXd* all : {&log.motor, &log.link, &log.torque}) *all = all->middleRows(500, rows - 1000).eval();
  return log;
}

}  // namespace

TEST_CASE("both encoders of an elastic arm tell the stiffness of its joints, whenever they are read") {
  const Eigen::VectorXd rotors = Eigen::VectorXd::Constant(2, rotor_moment * gear_turns * gear_turns),
                        unknown = Eigen::VectorXd::Constant(2, std::numeric_limits<double>::quiet_NaN());
  const std::uint64_t seeds = std::getenv("ARMATURE_LONG_TESTS") ? 60 : 4;
  int inside = 0, intervals = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const int late = static_cast<int>(seed % 3);
    const std::vector<TwistEstimate> joints =
        fit_twist({moved_pair(2 * seed, late), moved_pair(2 * seed + 1, late)}, rotors);
    for (std::size_t j = 0; j < 2; ++j) {
      const TwistEstimate& e = joints[j];
      CHECK(e.both_sides);
      CHECK(e.determined);
      CHECK(e.stiffness() == doctest::Approx(true_stiffness[j]).epsilon(0.02));
      CHECK(e.relaxation ==
            doctest::Approx(30 / true_stiffness[j] + twist_step / 2).epsilon(0.1));  // and the hold of the torque
      CHECK(e.lag == doctest::Approx(late * twist_step).epsilon(0.02).scale(1e-2));
      CHECK(!e.has_play());
      inside += e.low() <= true_stiffness[j] && true_stiffness[j] <= e.high();
      ++intervals;
      INFO(e.stiffness(), " ", e.low(), " ", e.high(), " left ", e.left);
    }
  }
  MESSAGE(inside, " of ", intervals, " intervals hold the truth");
  CHECK(inside >= 0.85 * intervals);
  const std::vector<TwistEstimate> fitted =
      fit_twist({moved_pair(5, 0)}, unknown);  // the rotor's inertia along with it
  CHECK(fitted[0].stiffness() == doctest::Approx(true_stiffness[0]).epsilon(0.05));
}

TEST_CASE("friction before the spring, play and a joint with one encoder are told apart") {
  const Eigen::VectorXd rotors = Eigen::VectorXd::Constant(2, rotor_moment * gear_turns * gear_turns);
  TwistLog log = moved_pair(3, 0);
  for (Eigen::Index k = 1; k + 1 < log.torque.rows(); ++k) {
    const double v = (log.link(k + 1, 0) - log.link(k - 1, 0)) / (2 * twist_step);
    log.torque(k, 0) += 20 * std::tanh(v / 0.02);  // which the motor gives, and the spring does not see
  }
  log.link.col(1) = log.motor.col(1);
  const std::vector<TwistEstimate> rubbed = fit_twist({log}, rotors);
  CHECK(rubbed[0].stiffness() == doctest::Approx(true_stiffness[0]).epsilon(0.05));
  CHECK(rubbed[0].rubbing * rubbed[0].stiffness() == doctest::Approx(-20).epsilon(0.1));
  CHECK(!rubbed[1].both_sides);

  TwistLog loose = moved_pair(3, 0);
  for (Eigen::Index k = 0; k < loose.torque.rows(); ++k)  // as far as the gear's twist is one way or the other
    loose.link(k, 1) -= 1e-3 * (loose.motor(k, 1) > loose.link(k, 1) ? 1 : -1);
  const std::vector<TwistEstimate> jumping = fit_twist({loose}, rotors);
  CHECK(jumping[1].has_play());
  CHECK(!jumping[0].has_play());
  CHECK(jumping[1].play == doctest::Approx(1e-3).epsilon(0.2));
  CHECK(sentences(jumping, {"shoulder", "elbow"}).front().find("'elbow': its twist jumps") != std::string::npos);
  CHECK_THROWS_WITH_AS(fit_twist({}, rotors), doctest::Contains("no log"), Error);
  log.motor.conservativeResize(50, 2);
  CHECK_THROWS_WITH_AS(fit_twist({log}, rotors), doctest::Contains("long"), Error);
}
