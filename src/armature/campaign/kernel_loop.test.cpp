// What of a scenario is a kernel's loop, and what a kernel cannot do.
#include "armature/campaign/kernel_loop.hpp"

#include <fmt/format.h>

#include "armature/testing/doctest.hpp"

namespace armature::campaign {

namespace {

std::vector<double> no_parameters(const Arm&, const VecX<double>&) { return {}; }

std::string text(const std::string& controller, const std::string& more) {
  return fmt::format(
      "scenario: x\nrobot: rrr\nreference: {{kind: polynomial, to: [1, 0.5, 0.5], duration: 0.2 s}}\ncontroller: "
      "{}\n{}",
      controller, more);
}
constexpr const char* pd = "{kind: joint_pd, kp: 300, kd: 30}";
constexpr const char* fixed = "run: {duration: 0.3 s, method: rk4}\n";

}  // namespace

TEST_CASE("what a kernel cannot do is said") {
  const std::string run = fixed;
  const struct {
    std::string controller, more, says;
  } cases[] = {
      {pd, "run: {duration: 0.3 s, tick: 20 ms, step: 20 ms}\n",
       "run.method is 'auto', which takes error control, because"},
      {pd, "run: {duration: 0.3 s, method: cvode}\n", "run.method is 'cvode'"},
      {pd, run + "plant: {walls: [{point: [0, 0, 0], normal: [0, 0, 1], stiffness: 1000 N/m}]}\n", "wall"},
      {pd, run + "plant: {wrenches: [{from: 0 s, to: 1 s, wrench: [1, 0, 0, 0, 0, 0]}]}\n", "wrench"},
      {pd, run + "plant: {locks: [{joint: 1}]}\n", "locked"},
      {pd, run + "sensors: {delay: 2}\n", "delayed"},
      {pd, run + "sensors: {torque_noise: 1 N*m}\n", "measured"},
      {pd, run + "sensors: {bits: 12, speed_range: 10}\n", "ranges and bits"},
      {"{kind: joint_pid, kp: 300, kd: 30, ki: 10}", run, "the law 'joint_pid'"},
      {"{kind: sum, terms: [{kind: joint_pd, kp: 300, kd: 30}, {kind: joint_pd, name: other, kp: 1, kd: 1}]}", run,
       "other gains"},
      {"{kind: sum, terms: [{kind: joint_pd, kp: 300, kd: 30, on: false}]}", run, "is off"},
      {"{kind: joint_pd, kp: 300, kd: 30, safety: {on: true}}", run, "guard"},
      {"{kind: joint_pd, kp: 300, kd: 30, continuous: true}", run, "continuously"},
      {"{kind: computed_torque, kp: 300, kd: 30, friction: true}", run, "other terms"},
      {"{kind: cartesian_impedance, kp: [100, 100, 100, 10, 10, 10]}", run, "designs its damping"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.more);
    CAPTURE(c.controller);
    CAPTURE(c.says);
    std::string said;
    try {
      (void)kernel_loop(scenario_from_text(text(c.controller, c.more), "x.yaml"), {}, no_parameters);
    } catch (const Error& error) {
      said = error.finding();
    }
    CHECK(said.find(c.says) != std::string::npos);
  }
}

TEST_CASE("a loop has the numbers of its scenario") {
  const LoadedScenario loaded =
      scenario_from_text(text("{kind: joint_pd, kp: [100, 200, 300], kd: 7}",
                              std::string(fixed) + "sensors: {encoder: 1e-4, position_noise: 2e-5}\nseed: 9\n"),
                         "x.yaml");
  const KernelLoop bare = kernel_loop(loaded, {.joints = true}, no_parameters);
  const KernelTable table = kernel_table(loaded, bare);
  const KernelLoop loop = kernel_loop(loaded, {.joints = true}, no_parameters, &table);
  const KernelLayout& at = loop.layout;
  const auto number = [&](int where) { return loop.numbers[where]; };
  CHECK(at.bends == 3);  // friction of rrr is three sigmoids
  CHECK(loop.seed == 9);
  CHECK(loop.ticks == 300);
  CHECK(number(at.kp() + 1) == 200);
  CHECK(number(at.kd() + 2) == 7);
  CHECK(number(at.encoder()) == 1e-4);
  CHECK(number(at.position_noise()) == 2e-5);
  CHECK(number(at.goal()) == 1);
  CHECK(number(at.rise() + 1) == 0);
  CHECK(number(at.fall() + 1) == -0.5);
  CHECK(number(at.last_step()) == 0);
  CHECK(table.rows.size() == 301 * static_cast<std::size_t>(at.columns()));
  CHECK(loop.kind.position_noise);
  CHECK(loop.kind.step == armature_rollout::Step::rk4);
}

}  // namespace armature::campaign
