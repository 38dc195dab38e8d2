#include "log_options.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/file_kind.hpp"

namespace armature {

int parse_count(const std::string& option, const std::string& text, int smallest) {
  const std::optional<double> number = parse_double(text);
  if (!number || *number != std::floor(*number) || *number < smallest || *number > 1e9)
    throw Error(fmt::format("{} is '{}'", option, printable(text)),
                fmt::format("a whole number, at least {}", smallest));
  return static_cast<int>(*number);
}

void LogOptions::add_to(Verb& verb) {
  verb.argument("LOG", log,
                "log with time, positions and torques: .csv or .csv.xz (units stand in the header: q1 [deg]), .npz, .mcap")
      .option("--map", "FILE", map,
              "YAML file that says what each column is, and whether of motors or joints (docs/identification.md)")
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
  if (log == "-")
    throw Error("a log is read more than once, so it cannot be the standard input", "write it into a file",
                {"standard input"});
  refuse_other_kinds(log, {FileKind::log}, "a log");
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
