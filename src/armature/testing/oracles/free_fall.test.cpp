// An arm that is let go falls here as it falls in MuJoCo.
#include <cmath>

#include "armature/formats/catalogue.hpp"
#include "armature/plant/compose.hpp"
#include "armature/simulation/integrator.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/oracles/mujoco_motion.hpp"

using namespace armature;
using namespace armature::rooms;
using namespace armature::testing;

namespace {

/// Where MuJoCo has the arm after `duration`, with steps of `step`.
VecX<double> fallen_in_mujoco(const Arm& arm, const VecX<double>& q, double duration, double step) {
  MujocoMotion motion(arm, step, true);
  motion.start(q, VecX<double>::Zero(arm.dof()));
  for (long k = std::lround(duration / step); k > 0; --k) motion.step();
  return motion.q();
}

VecX<double> fallen_here(const Arm& arm, const VecX<double>& q, double duration, double tolerance) {
  ComposeOptions free;
  free.drives = ComposeOptions::Drives::ideal;
  free.friction = false;
  free.torque_limits = false;
  const Plant plant(compose(arm, free).plant);
  Integrator run(plant, {.method = Method::dormand_prince, .relative = tolerance, .absolute = tolerance});
  run.start(0, plant.state_at(q, VecX<double>::Zero(arm.dof())), Eigen::VectorXd::Zero(plant.inputs()));
  std::vector<LogEvent> events;
  run.advance(duration, events);
  return run.state().head(arm.dof());
}

double distance(const VecX<double>& a, const VecX<double>& b) { return (a - b).cwiseAbs().maxCoeff(); }

}  // namespace

TEST_CASE("free fall is MuJoCo's to a millionth of a radian, where both are converged") {
  // A falling arm is chaotic: from many starts rounding alone grows past 1e-6 within seconds (the Panda's always does). The
  // first two checks say that this start is none of those; the third compares.
  const struct {
    const char* arm;
    double duration, step;
  } falls[] = {{"rrr", 5, 1e-4}, {"ur5e", 5, 1e-4}, {"panda", 1, 1e-4}};
  for (const auto& [name, duration, step] : falls) {
    CAPTURE(std::string(name));
    const Arm arm = catalogue_arm(name);
    VecX<double> q(arm.dof());
    for (int i = 0; i < arm.dof(); ++i) q[i] = 0.2 + 0.1 * i;
    const VecX<double> ours = fallen_here(arm, q, duration, 1e-13), theirs = fallen_in_mujoco(arm, q, duration, step);
    CHECK(distance(ours, fallen_here(arm, q, duration, 1e-12)) < 1e-6);
    CHECK(distance(theirs, fallen_in_mujoco(arm, q, duration, 2 * step)) < 1e-6);
    CHECK(distance(ours, theirs) < 1e-6);
    MESSAGE(arm.name() << ": " << distance(ours, theirs) << " rad apart after " << duration << " s");
  }
}
