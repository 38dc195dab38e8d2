#include "armature/scenario/scenario.hpp"

namespace armature::scenario {

void Scenario::fields(Fields& f) {
  f.text("scenario", scenario, "name of the scenario");
  f.text("question", question, "what the run is to answer");
  f.text("robot", robot, "a built-in arm, an arm file or a URDF beside the scenario; or a map");
  f.integer("seed", seed, "seed of all noise", Range::not_negative);
  enum class OnLimits { warn, ignore } limits = warns_of_limits ? OnLimits::warn : OnLimits::ignore;
  f.word("limits", limits, {"warn", "ignore"}, "what happens where the reference leaves the limits of the arm");
  warns_of_limits = limits == OnLimits::warn;
  f.group("start", start, "where the arm starts");
  f.group("plant", plant, "the machine and what it meets");
  f.group("sensors", run.sensors, "what the controller sees");
  f.group("converter", run.converter, "what becomes of its commands");
  f.group("reference", reference, "what is wanted");
  f.group("belief", belief, "the arm that the controller believes in, where it is not the true one");
  f.group("controller", controller, "the control law");
  f.groups("inputs", inputs, "what drives the loop from outside, over time: beside the law, or in its place");
  f.group("run", run, "duration, ticks and integration");
}

}  // namespace armature::scenario
