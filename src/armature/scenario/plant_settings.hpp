// The world of a scenario: the machine, what touches it, and what is believed of it.
#pragma once

#include "armature/formats/arm_choice.hpp"
#include "armature/plant/compose.hpp"

namespace armature::scenario {

struct StartSettings {
  VecX<double> q, v;  // empty: zero [rad | m], [rad/s | m/s]
  bool on_reference = false;

  void fields(Fields& f);
};

/// A spring at a joint that has no motor: a compliant base or a flexible link is an arm with such joints.
struct PassiveSettings {
  int joint = 1;
  double stiffness = 0, damping = 0;  // [N m/rad], [N m s/rad]

  void fields(Fields& f);
};

/// A joint that is held by a brake where it starts.
struct LockSettings {
  int joint = 1;

  void fields(Fields& f);
};

struct PlantSettings : ComposeOptions {
  bool end_stops = true;
  std::vector<LockSettings> locks;
  std::vector<PassiveSettings> passive;
  std::vector<Wall> walls;
  std::vector<ToolWrench> wrenches;
  std::vector<PayloadChange> payloads;

  void fields(Fields& f);
};

/// The arm that the controller believes in, where it differs from the true one.
struct BeliefSettings {
  std::string robot;
  ArmChoice choice;                          // which arm of its file
  std::vector<double> mass_factor, gravity;  // [-], [m/s²]
  VecX<double> viscous;                      // [N m s/rad | N s/m]
  bool friction = true;
  std::vector<Load> payload;

  void fields(Fields& f);
};

}  // namespace armature::scenario
