#include "armature/scenario/controller_settings.hpp"

namespace armature::scenario {

void SwitchSettings::fields(Fields& f) {
  f.number("time", time, dimension::time, "when the term is switched", Range::not_negative);
  f.text("term", term, "name of the term; name.inner reaches into a term");
  f.flag("on", on, "switched on; false: off");
}

void SafetySettings::fields(Fields& f) {
  f.flag("on", on, "the law runs behind a guard: bumpless start, limits, watchdog, safe stop");
  GuardSettings::fields(f);
}

void PayloadWatchSettings::fields(Fields& f) {
  f.flag("on", on, "what the tool carries is estimated while the arm moves, and its changes are noticed");
  PayloadObserverSettings::fields(f);
}

void ControllerSettings::fields(Fields& f) {
  LawSettings::fields(f);
  f.groups("switches", switches, "terms switched while running");
  f.flag("continuous", continuous, "acts inside the integrator, without hold, sensors and converters");
  f.group("observer", observer, "estimates the motion between the sensors and the law");
  f.group("safety", safety, "guard around the law");
  f.group("collision", collision, "collision watch around the law and its guard");
  f.group("payload_watch", payload_watch, "estimates what the tool carries, beside the law");
}

}  // namespace armature::scenario
