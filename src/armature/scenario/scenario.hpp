// A scenario is the whole truth of a run: the settings of everything that takes part in it, as they list themselves
// (core/fields.hpp).
#pragma once

#include "armature/formats/arm_choice.hpp"
#include "armature/scenario/controller_settings.hpp"
#include "armature/scenario/input_settings.hpp"
#include "armature/scenario/plant_settings.hpp"
#include "armature/scenario/reference_settings.hpp"
#include "armature/simulation/loop.hpp"

namespace armature::scenario {

struct Scenario {
  std::string scenario, question, robot;
  ArmChoice choice;  // which arm of the robot's file (scenario/robot_yaml.hpp)
  int seed = 1;
  bool warns_of_limits = true;
  StartSettings start;
  PlantSettings plant;
  ReferenceSettings reference;
  BeliefSettings belief;
  ControllerSettings controller;
  std::vector<InputSettings> inputs;
  LoopSettings run;  // with sensors and converter

  void fields(Fields& f);
};

}  // namespace armature::scenario
