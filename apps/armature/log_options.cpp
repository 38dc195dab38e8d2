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

int parse_count(const std::string& option, const std::string& text, int smallest) {
  const std::optional<double> number = parse_double(text);
  if (!number || *number != std::floor(*number) || *number < smallest || *number > 1e9)
    throw Error(fmt::format("{} is '{}'", option, printable(text)),
                fmt::format("a whole number, at least {}", smallest));
  return static_cast<int>(*number);
}

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

namespace {

/// "2.5s..20s", "..20s", "3s..".
TimeWindow parse_window(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos)
    throw Error(fmt::format("--window is '{}'", printable(text)), "from one time to another, e.g. 2.5s..20s");
  TimeWindow window;
  if (dots > 0) window.from = parse_quantity(text.substr(0, dots), dimension::time);
  if (dots + 2 < text.size()) window.to = parse_quantity(text.substr(dots + 2), dimension::time);
  if (window.from >= window.to)
    throw Error(fmt::format("--window {} ends before it begins", printable(text)), "e.g. 2.5s..20s");
  return window;
}

}  // namespace

/// The windows of every run, on the common axis.
std::vector<TimeWindow> LogOptions::windows_of(const MeasuredLog& measured, TimeWindow outer) const {
  std::vector<TimeWindow> asked, all;
  for (const std::string& text : windows) asked.push_back(parse_window(text));
  if (asked.empty()) asked.push_back({});
  for (const MeasuredLog::Run& run : measured.runs())
    for (const TimeWindow& w : asked) {
      const double from = std::max({w.from, outer.from, run.start}), to = std::min({w.to, outer.to, run.end});
      if (from <= to) all.push_back({from + run.shift, to + run.shift});
    }
  if (all.empty())
    throw Error("no log has any time in the window", fmt::format("the first runs from {:.6g} s to {:.6g} s",
                                                                 measured.runs()[0].start, measured.runs()[0].end));
  return all;
}

Processing LogOptions::processing(const MeasuredLog& measured, bool may_find) const {
  Processing p = default_processing(measured);
  const auto set = [](const std::optional<std::string>& text, double& value, Dimension d) {
    if (text) value = parse_quantity(*text, d);
  };
  set(cutoff, p.cutoff, dimension::rate);
  set(parallel, p.parallel_cutoff, dimension::rate);
  set(standstill, p.standstill, dimension::rate);
  set(from, p.from, dimension::time);
  set(to, p.to, dimension::time);
  if (torque_delay == "find" && !may_find)
    throw Error("--torque-delay find is for identify with all joints",
                "give the time that it finds: --torque-delay 0.5ms");
  if (torque_delay != "find") set(torque_delay, p.torque_delay, dimension::time);
  set(observer_noise, p.observer_noise, dimension::angle);
  set(observer_jerk, p.observer_jerk, dimension::none);
  if (decimation) p.decimation = parse_count("--decimation", *decimation, 1);
  if (no_filter) {
    p.cutoff = -1;
    p.parallel_cutoff = -1;
  }
  if (observer) p.motion = Processing::Motion::observer;
  p.measured_velocity = measured_velocity;
  if (p.from >= p.to) throw Error("--from is not before --to", "for example --from 2s --to 18s");
  const bool cut = p.from > -1e299 || p.to < 1e299;
  if (!windows.empty() || (cut && measured.runs().size() > 1)) {
    p.windows = windows_of(measured, {p.from, p.to});
    p.from = TimeWindow{}.from;
    p.to = TimeWindow{}.to;
  }
  return p;
}

}  // namespace armature::app
