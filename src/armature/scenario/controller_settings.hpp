// The controller of a scenario: a law, and what stands around it.
#pragma once

#include "armature/control/collision.hpp"
#include "armature/control/guarded.hpp"
#include "armature/control/kalman_motion_observer.hpp"
#include "armature/control/law_settings.hpp"
#include "armature/control/payload_observer.hpp"

namespace armature::scenario {

/// At a time a term is switched on or off.
struct SwitchSettings {
  double time = 0;  // [s]
  std::string term;
  bool on = true;

  void fields(Fields& f);
};

/// The guard around the law (docs/laws/guard.md), where it is on.
struct SafetySettings : GuardSettings {
  bool on = false;

  void fields(Fields& f);
};

/// An estimate of what the tool carries, beside the law (docs/laws/payload_watch.md), where it is on.
struct PayloadWatchSettings : PayloadObserverSettings {
  bool on = false;

  void fields(Fields& f);
};

struct ControllerSettings : LawSettings {
  std::vector<SwitchSettings> switches;
  bool continuous = false;
  ObserverSettings observer;
  SafetySettings safety;
  CollisionSettings collision{.observer = {.method = ExternalTorqueMethod::none}};
  PayloadWatchSettings payload_watch;

  void fields(Fields& f);
};

}  // namespace armature::scenario
