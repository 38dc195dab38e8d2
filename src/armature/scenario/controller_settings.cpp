#include "armature/scenario/controller_settings.hpp"

namespace armature::scenario {

void SwitchSettings::fields(Fields& f) {
  f.number("time", time, dimension::time, "when", Range::not_negative);
  f.text("term", term, "which: its name; name.inner reaches into a term");
  f.flag("on", on, "on, or off");
}

void SafetySettings::fields(Fields& f) {
  f.flag("on", on, "the law runs behind a guard: bumpless start, limits, watchdog, safe stop");
  GuardSettings::fields(f);
}

void ControllerSettings::fields(Fields& f) {
  LawSettings::fields(f);
  f.groups("switches", switches, "terms switched while running");
  f.flag("continuous", continuous, "acts inside the integrator, without hold, sensors and converters");
  f.group("observer", observer, "between the sensors and the law");
  f.group("safety", safety, "around the law");
  f.group("collision", collision, "around both");
}

}  // namespace armature::scenario
