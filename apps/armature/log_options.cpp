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
                 "logs with time, positions and torques: .csv or .csv.xz (units stand in the header: q1 [deg]), .npz, "
                 ".mcap; what `armature import` reads")
      .option("--map", "FILE", map,
              "YAML file that says which columns have other names than usual, and whether they are of motors or joints "
              "(docs/logs.md)")
      .option("--cutoff", "FREQUENCY", cutoff,
              "cutoff of the zero-phase filter on the positions (default: rate/5, at most 100 Hz)")
      .option("--parallel", "FREQUENCY", parallel,
              "cutoff of the parallel filter on the equations (default: rate/12.5, at most 40 Hz)")
      .option("--decimation", "N", decimation,
              "keep every N-th equation (default: 2.5 equations per period of the --parallel frequency)")
      .option("--standstill", "SPEED", standstill,
              "leave out a joint's equations below this speed (default 0.05 rad/s; sliding joints: 0.005 m/s)")
      .option("--from", "TIME", from, "use the log from this time on")
      .option("--to", "TIME", to, "use the log up to this time")
      .list("--window", "FROM..TO", windows, "use only this time of each log, e.g. 2.5s..20s; may be repeated")
      .option("--torque-delay", "TIME", torque_delay,
              "how much earlier a row's torque acted; -0.5ms for a command held for 1 ms from its row on; `find` "
              "estimates it (identify only); default: what the log says, else zero")
      .flag("--no-filter", no_filter, "neither filter nor decimate")
      .flag("--observer", observer, "take velocities and accelerations from a Kalman observer instead of a filter")
      .option("--observer-noise", "ANGLE", observer_noise,
              "standard deviation of a position reading, for --observer (default: estimated)")
      .option("--observer-jerk", "DENSITY", observer_jerk,
              "density of the jerk in rad/s^3/sqrt(Hz), for --observer (default: estimated)")
      .flag("--measured-velocity", measured_velocity,
            "use the log's velocities instead of differentiating its positions");
}

std::unique_ptr<MeasuredLog> LogOptions::open(const Arm& arm) const {
  for (const std::string& log : logs) {
    if (log == "-")
      throw Error("a log is read more than once, so it cannot be the standard input", "write it into a file",
                  {"standard input"});
    refuse_other_kinds(log, {FileKind::log}, "a log");
  }
  MeasuredLogSettings settings;
  if (map) settings.map = read_log_map(*map, arm);
  settings.standing_joints = standing_joints;
  return std::make_unique<MeasuredLog>(logs, arm, settings);
}

std::string LogOptions::names() const { return fmt::format("{}", fmt::join(logs, ", ")); }

void print_notes(const MeasuredLog& log) {
  for (const std::string& note : log.notes()) fmt::print("{}\n", wrapped(note, 2));
}

ProcessingChoice LogOptions::choice() const {
  ProcessingChoice c;
  c.cutoff = cutoff.value_or("");
  c.parallel = parallel.value_or("");
  c.decimation = decimation.value_or("");
  c.standstill = standstill.value_or("");
  c.from = from.value_or("");
  c.to = to.value_or("");
  c.windows = windows;
  c.torque_delay = torque_delay.value_or("");
  c.observer_noise = observer_noise.value_or("");
  c.observer_jerk = observer_jerk.value_or("");
  c.no_filter = no_filter;
  c.observer = observer;
  c.measured_velocity = measured_velocity;
  return c;
}

Processing LogOptions::processing(const MeasuredLog& measured) const { return processing_of(choice(), measured); }

}  // namespace armature::app
