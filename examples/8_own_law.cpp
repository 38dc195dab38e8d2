// Lesson 8: a control law of your own in a simulated loop, compared with one of ours, on a page with a figure of your own.
#include <armature/armature.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>

using namespace armature;
using namespace armature::record;

/// tau = K_P (q_r - q) + K_D (qd_r - qd) + g(q): any type with reset() and a noexcept update() is a law.
struct PdWithGravity {
  const Arm& arm;
  double kp, kd;
  void reset(const Measurement&) {}
  void update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
    const VecX<double> rest = VecX<double>::Zero(arm.dof());
    tau = kp * (r.q - y.q) + kd * (r.qd - y.qd) + inverse_dynamics<double>(arm, y.q, rest, rest);
  }
};

const char* const reach = R"(
scenario: reach
robot: rrr
reference: {kind: polynomial, to: [60 deg, -40 deg, 50 deg], duration: 1 s}
controller: {kind: computed_torque, kp: 400, kd: 40, friction: true}
run: {duration: 1.5 s}
)";

/// The distance from the reference over time, all joints together [rad].
FigureSeries error_of(const Log& log, const char* name) {
  FigureSeries series{.name = name};
  for (std::size_t k = 0; k < log.time.size(); ++k) {
    double sum = 0;
    for (const char* joint : {"q1", "q2", "q3"})
      sum += std::pow(log.channel(joint).values[k] - log.channel(std::string(joint) + "_ref").values[k], 2);
    series.x.push_back(log.time[k]);
    series.y.push_back(std::sqrt(sum));
  }
  return series;
}

int main(int argc, char** argv) try {
  LoadedScenario scenario = scenario_from_text(reach, "reach.yaml");
  const Log ours = simulate(scenario).log;
  scenario.law = [](const Arm& believed) { return AnyController(PdWithGravity{believed, 300, 30}); };
  Log own = simulate(scenario).log;
  own.title = "reach: a law of my own";

  const FigureSeries of_ours = error_of(ours, "computed torque"), of_own = error_of(own, "PD with gravity");
  const auto largest = [](const FigureSeries& s) { return *std::max_element(s.y.begin(), s.y.end()); };
  std::printf("the law without inertia and friction follows worse: %s\n",
              largest(of_own) > 5 * largest(of_ours) ? "yes" : "no");
  std::printf("it arrives all the same: %s\n", of_own.y.back() < 0.02 ? "yes" : "no");

  own.figures.push_back(
      {.title = "Distance from the reference", .x = {"time", "s"}, .y = {"error", "rad"}, .series = {of_ours, of_own}});
  std::ofstream(argc > 1 ? argv[1] : "/dev/null") << page({.kind = "report", .title = own.title, .logs = {own, ours}});
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
