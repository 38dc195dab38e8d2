#include "log_options.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"

namespace armature {

int parse_count(const std::string& option, const std::string& text, int smallest) {
  const std::optional<double> number = parse_double(text);
  if (!number || *number != std::floor(*number) || *number < smallest || *number > 1e9)
    throw Error(fmt::format("{} is '{}'", option, printable(text)),
                fmt::format("a whole number, at least {}", smallest));
  return static_cast<int>(*number);
}

void LogOptions::add_to(Verb& verb) {
  verb.argument("LOG", log, "CSV with time, positions and torques (or .csv.xz); units stand in the header: q1 [deg]")
      .option("--map", "FILE", map, "YAML: which column is what, of motors or joints (docs/identification.md)")
      .option("--cutoff", "FREQUENCY", cutoff,
              "of the zero-phase filter of the positions (default: rate/5, at most 100 Hz)")
      .option("--parallel", "FREQUENCY", parallel, "of the filter of the equations (default: rate/12.5, at most 40 Hz)")
      .option("--decimation", "N", decimation,
              "every n-th equation is kept (default: 2.5 times the --parallel frequency)")
      .option("--standstill", "SPEED", standstill,
              "a joint's equations are left out below this (default 0.05 rad/s; sliding: a tenth, m/s)")
      .option("--from", "TIME", from, "only from this time of the log on")
      .option("--to", "TIME", to, "only until this time")
      .option("--torque-delay", "TIME", torque_delay,
              "a row's torque is that of so much earlier; -0.5ms: a command held for 1 ms from its row on; find "
              "(identify); "
              "default: what the log says, and zero")
      .flag("--no-filter", no_filter, "no filter and no thinning at all")
      .flag("--observer", observer, "velocities and accelerations from a Kalman observer instead of a filter")
      .option("--observer-noise", "ANGLE", observer_noise, "of a position reading (default: estimated)")
      .option("--observer-jerk", "DENSITY", observer_jerk, "of the jerk, rad/s^3/sqrt(Hz) (default: estimated)")
      .flag("--measured-velocity", measured_velocity, "use the velocities of the log instead of differences");
}

std::unique_ptr<MeasuredLog> LogOptions::open(const Arm& arm) const {
  if (log == "-")
    throw Error("a log is read more than once, so it cannot be the standard input", "write it into a file",
                {"standard input"});
  if (!map) return std::make_unique<MeasuredLog>(log, arm);
  const LogMap columns = read_log_map(*map, arm);
  return std::make_unique<MeasuredLog>(log, arm, &columns);
}

MotionSource LogOptions::source(MeasuredLog& measured) const {
  MotionSource source;
  source.start = measured.start(), source.step = measured.step(), source.velocities = measured.has_velocities(),
  source.reference = measured.has_reference();
  source.for_each = [&measured, this](const MotionSource::Sample& sample) {
    measured.for_each([&](const MeasuredLog::Row& row) { sample(row.q, row.qd, row.tau, row.reference); },
                      standing_joints);
  };
  return source;
}

Processing LogOptions::processing(const MeasuredLog& measured, bool may_find) const {
  Processing p;
  p.torque_delay = measured.torque_delay();
  const auto set = [](const std::optional<std::string>& text, double& value, Dimension d) {
    if (text) value = parse_quantity(*text, d);
  };
  p.standstill = 0.05;
  set(cutoff, p.cutoff, dimension::rate), set(parallel, p.parallel_cutoff, dimension::rate),
      set(standstill, p.standstill, dimension::rate);
  set(from, p.from, dimension::time), set(to, p.to, dimension::time);
  if (torque_delay == "find" && !may_find)
    throw Error("--torque-delay find is for identify with all joints",
                "give the time that it finds: --torque-delay 0.5ms");
  if (torque_delay != "find") set(torque_delay, p.torque_delay, dimension::time);
  set(observer_noise, p.observer_noise, dimension::angle), set(observer_jerk, p.observer_jerk, dimension::none);
  if (decimation) p.decimation = parse_count("--decimation", *decimation, 1);
  if (no_filter) p.cutoff = -1, p.parallel_cutoff = -1;
  if (observer) p.motion = Processing::Motion::observer;
  p.measured_velocity = measured_velocity;
  if (p.from >= p.to) throw Error("--from is not before --to", "for example --from 2s --to 18s");
  return p;
}

}  // namespace armature
