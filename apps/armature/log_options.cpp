#include "log_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/file_kind.hpp"
#include "text_table.hpp"

namespace armature::app {

void LogOptions::add_to(Verb& verb) {
  verb.arguments("LOG", logs,
                 "logs with time, positions and torques: .csv or .csv.xz (with units in the header: q1 [deg]), .npz, "
                 ".mcap; what `armature import` reads");
  settings.add_to(verb, [](Fields& f) { ProcessingChoice().fields(f); },
                  {{"map", {"FILE"}}, {"torque_delay", {"TIME", {"find"}}}, {"window", {}}});
  verb.list("--window", "FROM..TO", windows, "use only this time of each log, e.g. 2.5s..20s; may be repeated");
}

std::unique_ptr<MeasuredLog> LogOptions::open(const Arm& arm, bool standing_joints) const {
  for (const std::string& log : logs) {
    if (log == "-")
      throw Error("a log is read more than once, so it cannot be the standard input", "write it into a file",
                  {"standard input"});
    refuse_other_kinds(log, {FileKind::log}, "a log");
  }
  MeasuredLogSettings how;
  if (const std::string map = choice().map; !map.empty()) how.map = read_log_map(map, arm);
  how.standing_joints = standing_joints;
  return std::make_unique<MeasuredLog>(logs, arm, how);
}

std::string LogOptions::names() const { return fmt::format("{}", fmt::join(logs, ", ")); }

void print_notes(const MeasuredLog& log) {
  for (const std::string& note : log.notes()) fmt::print("{}\n", wrapped(note, 2));
}

ProcessingChoice LogOptions::choice() const {
  ProcessingChoice c;
  settings.read([&](Fields& f) { c.fields(f); });
  c.windows = windows;
  return c;
}

Processing LogOptions::processing(const MeasuredLog& measured) const { return processing_of(choice(), measured); }

}  // namespace armature::app
