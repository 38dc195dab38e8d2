// A scenario is the whole truth of a run, as plain data that lists itself (settings.hpp).
#pragma once

#include "armature/scenario/controller_settings.hpp"
#include "armature/scenario/plant_settings.hpp"
#include "armature/scenario/reference_settings.hpp"

namespace armature {

struct RunSettings {
  double duration = 1, tick = 1e-3, step = 1e-3, tolerance = 1e-10;
  std::string method = "auto";
  int log_every = 1;
  std::vector<double> checkpoints;
  void fields(auto& f) {
    f.number("duration", duration, dimension::time, "simulated time", Range::positive);
    f.number("tick", tick, dimension::time, "of the controller", Range::positive);
    f.word("method", method, {"auto", "euler", "heun", "rk4", "dormand_prince", "cvode"},
           "integrator; auto: rk4, or with events or a continuous law dormand_prince, then cvode if that proves stiff");
    f.number("step", step, dimension::time, "longest step of a fixed-step integrator", Range::positive);
    f.number("tolerance", tolerance, dimension::none, "relative local error of the others", Range::positive);
    f.integer("log_every", log_every, "ticks between logged samples", Range::positive);
    f.numbers("checkpoints", checkpoints, dimension::time, "times at which the run can be split", 0,
              Range::not_negative);
  }
};

struct Scenario {
  std::string scenario, question, robot;
  int seed = 1;
  StartSettings start;
  PlantSettings plant;
  SensorsSettings sensors;
  ConvertersSettings converter;
  ReferenceSettings reference;
  BeliefSettings belief;
  ControllerSettings controller;
  RunSettings run;
  void fields(auto& f) {
    f.text("scenario", scenario, "its name");
    f.text("question", question, "what the run is to answer");
    f.text("robot", robot, "a built-in arm, or an arm file beside the scenario");
    f.integer("seed", seed, "of all noise", Range::not_negative);
    f.group("start", start, "where the arm starts");
    f.group("plant", plant, "the world");
    f.group("sensors", sensors, "what the controller sees");
    f.group("converter", converter, "what becomes of its commands");
    f.group("reference", reference, "what is wanted");
    f.group("belief", belief, "the arm that the controller believes in, where it is not the true one");
    f.group("controller", controller, "the law");
    f.group("run", run, "time");
  }
};

}  // namespace armature
