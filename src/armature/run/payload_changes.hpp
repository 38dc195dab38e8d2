// What a run with a payload watch has told about its payload.
#pragma once

#include <string>
#include <vector>

#include "armature/record/log.hpp"
#include "armature/spatial/pose.hpp"

namespace armature::run {

/// What was carried over a part of a run, as it was known at the end of that part.
struct CarriedPayload {
  double from = 0;     // when it began to show; zero for what was carried at the start [s]
  double noticed = 0;  // when that was noticed [s]
  double mass = 0, mass_deviation = 0;
  Vec3<double> com = Vec3<double>::Zero(), com_deviation = Vec3<double>::Zero();  // in the tool's frame [m]

  /// The mass is told from zero, so that its centre means something.
  [[nodiscard]] bool something() const { return mass > 3 * mass_deviation; }
  /// "2.013 ± 0.084 kg, centre (2.1 ± 1.0, 0.0 ± 1.1, 49.2 ± 3.4) mm": with 95 % intervals.
  [[nodiscard]] std::string text() const;
};

/// The first is what was carried at the start, every further one a change. Empty for a log without the channels of a payload watch.
std::vector<CarriedPayload> carried_payloads(const Log& log);

/// Kind of the events by which a log marks changes of the payload.
inline constexpr const char* payload_event = "payload changed";
/// Adds them to the log.
void note_payload_changes(Log& log);

}  // namespace armature::run
