// The default way to simulate against a reference at tight tolerance, over arms, friction, drives, contact and gains.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/run/internal/integration.hpp"
#include "armature/simulation/linearize.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/random_arms.hpp"

using namespace armature;
using namespace armature::run;
using namespace armature::testing;

namespace {

/// One seed of the matrix. Magnitudes are drawn on logarithmic scales, and so that a joint with friction still moves.
class MatrixCase {
 public:
  explicit MatrixCase(std::uint64_t seed) : random_(seed) {
    const std::string robots[] = {"rrr", "planar3r", "rpr", "asea2", "puma560", "ur5e", "panda", "rrr"};
    const std::size_t which = pick(8);
    const std::string robot = robots[which];
    Arm arm = which == 7 ? random_arm(3, random_) : catalogue_arm(robot);
    arm_name = which == 7 ? "random" : robot;
    const int n = arm.dof();
    start_ = 0.6 * random_vector(n, random_) + 0.3 * VecX<double>::Ones(n);
    const VecX<double> inertia = mass_matrix<double>(arm, start_).diagonal();
    ArmDescription d = arm.description();
    d.couplings.reset();
    const std::size_t law = pick(7), drive = pick(5);
    int i = 0;
    for (JointDescription& joint : d.joints) {
      if (joint.type == JointType::fixed) continue;
      joint.limits = {};  // end stops have tests of their own
      joint.friction = friction_of(law, inertia[i]);
      joint.drive = drive_of(drive, inertia[i]);
      ++i;
    }
    true_arm_.emplace(d);
    for (JointDescription& joint : d.joints) joint.friction = NoFriction{};
    believed_.emplace(d);
    text_ = fmt::format("scenario: case {}\nrobot: {}\n{}{}{}{}run: {{duration: 0.2 s, tick: {} ms}}\n", seed, robot,
                        fmt::format("start: {{q: [{}]}}\n", list(start_)), plant_of_case(law, drive),
                        fmt::format("reference: {{kind: polynomial, to: [{}], duration: 0.15 s}}\n",
                                    list(start_ + 0.3 * random_vector(n, random_))),
                        controller_of_case(n), pick(3) == 0 ? 2 : 1);
  }

  [[nodiscard]] LoadedScenario loaded(const Overrides& overrides = {}) const {
    LoadedScenario scenario = scenario_from_text(text_, "case.yaml", overrides);
    scenario.arm = *true_arm_;
    scenario.believed = *believed_;
    return scenario;
  }

  std::string arm_name, friction, drives, contact, gains;

 private:
  std::size_t pick(std::size_t n) { return static_cast<std::size_t>(random_.uniform() * static_cast<double>(n)); }
  double decades(double from, double to) { return std::pow(10, random_.uniform(from, to)); }
  static std::string list(const VecX<double>& numbers) {
    std::string text;
    for (const double x : numbers) text += fmt::format("{}{}", text.empty() ? "" : ", ", x);
    return text;
  }

  Friction friction_of(std::size_t law, double inertia) {
    const double coulomb = inertia * decades(-1, 1), viscous = inertia * decades(-2, 1);
    switch (law) {
      case 0:
        friction = "none";
        return NoFriction{};
      case 1:
      case 2:
        friction = law == 1 ? "coulomb" : "coulomb exact";
        return CoulombViscous{coulomb, viscous};
      case 3:
        friction = "stribeck";
        return Stribeck{coulomb, 1.5 * coulomb, decades(-2, 0), viscous, 2};
      case 4:
        friction = "asymmetric";
        return AsymmetricFriction{coulomb, 0.7 * coulomb, viscous, viscous, 0.1 * coulomb};
      default: {
        friction = "lugre";
        const double sigma0 = coulomb * decades(2, 8);
        return LuGre{sigma0,         decades(-1, 0.3) * std::sqrt(sigma0 * inertia), viscous, coulomb, 1.3 * coulomb,
                     decades(-3, -1)};
      }
    }
  }

  Drive drive_of(std::size_t kind, double inertia) {
    Drive d;
    if (kind == 0) return d;
    d.gear_ratio = std::round(decades(1, 2));
    d.rotor_inertia = inertia * decades(-2, 0) / (*d.gear_ratio * *d.gear_ratio);
    if (kind == 3) {
      d.torque_constant = 0.1;
      d.resistance = decades(-1, 1);
      d.inductance = *d.resistance * decades(-5, -3);
      return d;
    }
    if (kind == 2) {
      const double w = decades(1.5, 4.5);
      d.stiffness = inertia * w * w;
      d.damping = inertia * w * decades(-3, 0);
      d.rotor_viscous = *d.rotor_inertia * decades(-1, 3);
    }
    if (kind == 4) {  // four inertias in a row [Vandeven1986, (10)-(13)]
      const double w = decades(1.5, 3), J = *d.rotor_inertia, shaft = J * std::pow(decades(3, 4.5), 2);
      d.stiffness = inertia * w * w;
      d.damping = inertia * w * decades(-2, -0.5);
      d.tachometer_inertia = 0.3 * J;
      d.tachometer_stiffness = shaft;
      d.tachometer_damping = 0.05 * std::sqrt(shaft * J);
      d.gear_inertia = 0.5 * J;
      d.coupling_stiffness = 1.5 * shaft;
      d.coupling_damping = 0.05 * std::sqrt(shaft * J);
    }
    return d;
  }

  std::string plant_of_case(std::size_t law, std::size_t drive) {
    const char* names[] = {"ideal", "rigid", "elastic", "voltage", "shafts"};
    drives = names[drive];
    std::string text = fmt::format("plant: {{torque_limits: false, drives: {}, command: {}, stick: {}, smoothing: {}",
                                   drive == 3   ? "rigid"
                                   : drive == 4 ? "elastic"
                                                : drives,
                                   drive == 3 ? "voltage" : "torque", law == 2 ? "exact" : "smooth", decades(-6.5, -2));
    contact = "free";
    if (pick(4) == 0) {  // a wall a little below where the tool starts
      const Vec3<double> p = tool_pose<double>(*true_arm_, forward_kinematics<double>(*true_arm_, start_)).p;
      const double k = decades(2, 6);
      contact = fmt::format("wall {:.0e}", k);
      text += fmt::format(", walls: [{{point: [{}, {}, {}], normal: [0, 0, 1], stiffness: {}, damping: {}}}]", p[0],
                          p[1], p[2] - decades(-3, -1.3), k, std::sqrt(k) * decades(-1, 1));
    }
    return text + "}\n";
  }

  std::string controller_of_case(int n) {
    const double w = decades(0.5, 2.3);
    gains = fmt::format("{:.2g} rad/s", w);
    const VecX<double> one = VecX<double>::Ones(n);
    return fmt::format("controller: {{kind: computed_torque, kp: [{}], kd: [{}]}}\n", list(w * w * one),
                       list(2 * w * one));
  }

  Random random_;
  VecX<double> start_;
  std::optional<Arm> true_arm_, believed_;
  std::string text_;
};

/// Fastest mode at the start, at rest and at 1 rad/s, over the slowest, which is that of the motion where the machine has a
/// slower one: 1 1/s.
double stiffness_ratio(const LoadedScenario& loaded) {
  Experiment e = build(loaded);
  const int n = e.plant.dof();
  const Eigen::VectorXd u = Eigen::VectorXd::Zero(e.plant.inputs());
  double fastest = 0, slowest = 1e300;
  for (const double speed : {0.0, 1.0}) {
    Eigen::VectorXd x = e.plant.state_at(e.start.head(n), VecX<double>::Constant(n, speed));
    const Modes modes = e.plant.modes_at(0, x, u.data());
    for (const Mode& mode : modes_of(linearize(e.plant, 0, x, u, modes))) {
      fastest = std::max(fastest, std::abs(mode.eigenvalue));
      slowest = std::min(slowest, std::max(std::abs(mode.eigenvalue), 1.0));
    }
  }
  return fastest / slowest;
}

/// Largest difference of a joint's position or speed, over the range of that signal in the reference. A signal that hardly moves
/// counts with a thousandth of the largest range of its kind.
double worst_difference(const Log& log, const Log& truth, int dof) {
  double worst = 0;
  for (const char* kind : {"q", "v"}) {
    std::vector<double> range, error;
    for (int i = 1; i <= dof; ++i) {
      const std::vector<double>&a = log.channel(fmt::format("{}{}", kind, i)).values,
            &b = truth.channel(fmt::format("{}{}", kind, i)).values;
      const auto [low, high] = std::minmax_element(b.begin(), b.end());
      range.push_back(*high - *low);
      error.push_back(0);
      for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
        error.back() = std::max(error.back(), std::abs(a[k] - b[k]));
    }
    const double floor = 1e-3 * *std::max_element(range.begin(), range.end());
    for (std::size_t i = 0; i < range.size(); ++i)
      worst = std::max(worst, error[i] / std::max({range[i], floor, 1e-12}));
  }
  return worst;
}

}  // namespace

// Decided beforehand: horizons of 0.2 s, over which no arm of the matrix is chaotic; a run that diverges in the reference too (the
// loop is unstable) agrees if it says so at the same time; any other run that does not end is a refusal.
TEST_CASE("by default a run is right within 1 % of a signal's range, or says why not") {
  const bool longer = std::getenv("ARMATURE_LONG_TESTS") != nullptr;
  const int count = longer ? 200 : 12;
  int refused = 0, unstable = 0;
  double worst = 0, largest_ratio = 0;
  for (int seed = 1; seed <= count; ++seed) {
    const MatrixCase one(static_cast<std::uint64_t>(seed));
    CAPTURE(seed);
    const LoadedScenario loaded = one.loaded();
    const double ratio = stiffness_ratio(loaded);
    const RunResult run = run_timed(loaded),
                    truth = run_timed(one.loaded({{"run.method", "cvode"}, {"run.tolerance", "1e-11"}}));
    largest_ratio = std::max(largest_ratio, ratio);
    std::string verdict;
    double error = 0;
    if (!run.log.incomplete.empty()) {
      const bool both = run.log.incomplete.starts_with("diverged") && truth.log.incomplete.starts_with("diverged");
      verdict = run.log.incomplete;
      (both ? unstable : refused) += 1;
      bool explained = false;
      for (const auto& [name, text] : run.log.facts) explained = explained || (name == "hint" && !text.empty());
      CHECK(explained);
      if (both) CHECK(std::abs(run.log.time.back() - truth.log.time.back()) <= 0.005);
    } else {
      CHECK(run.unbalanced.empty());
      CHECK(truth.log.incomplete.empty());
      error = worst_difference(run.log, truth.log, loaded.arm.dof());
      worst = std::max(worst, error);
      CHECK(error < 0.01);
    }
    if (longer)
      fmt::print("{:3} {:9} {:13} {:8} {:10} {:11} ratio {:7.1e} error {:7.1e} {:5.2f} s {:5.2f} s  {} {}\n", seed,
                 one.arm_name, one.friction, one.drives, one.contact, one.gains, ratio, error, run.seconds,
                 truth.seconds, run.integration, verdict);
  }
  CHECK(refused <= count / 20);
  if (longer)
    fmt::print("{} cases, {} refused, {} unstable in both, worst error {:.2e}, stiffness ratio up to {:.1e}\n", count,
               refused, unstable, worst, largest_ratio);
}
