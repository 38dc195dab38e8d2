// What is said of a calibrated force/torque sensor.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/wrench_calibration.hpp"

namespace armature::identification {

namespace {

constexpr double good = 0.02, usable = 0.1;  // held-out error, as a share of the changes of the readings
constexpr double certain = 1.7;              // half widths of 95 %: 99.9 % of a normal error
constexpr double unlike = 1.5;               // held-out error over the residual: parts do not belong together

std::string three(const std::vector<WrenchQuantity>& q, std::size_t at, double unit) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g}) ± ({:.2g}, {:.2g}, {:.2g})", q[at].value / unit, q[at + 1].value / unit,
                     q[at + 2].value / unit, q[at].half_width / unit, q[at + 1].half_width / unit,
                     q[at + 2].half_width / unit);
}

std::string verdict_of(const WrenchCalibration& c) {
  const auto share = [&](int first) {
    return 100 * c.held_out.segment<3>(first).norm() / c.spread.segment<3>(first).norm();
  };
  const double error = c.error();
  return fmt::format(
      "{}: on held-out data its prediction error is {:.2g} % of the changes of the forces and {:.2g} % of those of the "
      "moments (RMS {:.2g} N and {:.2g} N m).",
      error <= good     ? "The calibration is good"
      : error <= usable ? "The calibration is usable"
                        : "The calibration is poor",
      share(0), share(3), c.held_out.head<3>().norm(), c.held_out.tail<3>().norm());
}

void say_tool(const WrenchCalibration& c, std::vector<std::string>& lines) {
  if (c.tool.empty()) return;
  lines.push_back(
      fmt::format("The tool weighs {:.4g} ± {:.2g} kg; its centre of mass is at {} mm from the sensor's origin, in its "
                  "axes.",
                  c.tool[0].value, c.tool[0].half_width, three(c.tool, 1, 1e-3)));
  lines.push_back(
      c.moving ? fmt::format("In the tool's frame of the arm its centre of mass is at {} mm.", three(c.tool, 4, 1e-3))
               : "Postures show no inertia: the body that is written has that of a ball.");
}

void say_mounting(const WrenchCalibration& c, std::vector<std::string>& lines) {
  lines.push_back(c.load ? "The sensor reads the load: what the tool does to the arm."
                         : "The sensor reads the reaction: what the arm does to the tool.");
  if (!c.mounting.empty())
    lines.push_back(fmt::format("Its axes are turned from those of the tool's frame by roll, pitch, yaw of {} deg.",
                                three(c.mounting, 0, deg)));
  if (c.mounting.size() > 3)
    lines.push_back(fmt::format("Its origin is at {} mm in the tool's frame.", three(c.mounting, 3, 1e-3)));
  else
    lines.push_back(fmt::format(
        "Its origin was not estimated: it is taken to be at ({:.4g}, {:.4g}, {:.4g}) mm in the "
        "tool's frame{}.",
        c.x.p[0] * 1e3, c.x.p[1] * 1e3, c.x.p[2] * 1e3,
        c.moving || c.known_tool ? "" : ", since postures do not determine it (--position states another)"));
}

void say_drift(const WrenchCalibration& c, std::vector<std::string>& lines) {
  std::vector<std::string> drifting;
  for (const WrenchQuantity& q : c.drift)
    if (std::abs(q.value) > certain * q.half_width)
      drifting.push_back(c.postures ? fmt::format("{} by {:.2g} ± {:.1g} {}", q.name, q.value, q.half_width, q.unit)
                                    : fmt::format("{} by {:.2g} ± {:.1g} {}/min", q.name, 60 * q.value,
                                                  60 * q.half_width, q.unit.substr(0, q.unit.size() - 2)));
  if (!drifting.empty())
    lines.push_back(fmt::format(
        "Offsets drift, as those of a sensor that warms up do: {}. It is part of the fit; offsets are those of "
        "the middle of the log.",
        fmt::join(drifting, ", ")));
  std::vector<std::string> worse;
  for (int k = 0; k < wrench_channels; ++k)
    if (c.held_out[k] > unlike * c.noise[k]) worse.push_back(c.channels[k]);
  if (!worse.empty())
    lines.push_back(fmt::format(
        "{} {} predicted worse on held-out data than fitted: few postures, offsets that wander, or a tool that touched "
        "something for a while.",
        fmt::join(worse, ", "), worse.size() > 1 ? "are" : "is"));
}

}  // namespace

std::vector<std::string> sentences(const WrenchCalibration& c) {
  std::vector<std::string> lines{verdict_of(c)};
  say_tool(c, lines);
  say_mounting(c, lines);
  say_drift(c, lines);
  lines.insert(lines.end(), c.remarks.begin(), c.remarks.end());
  return lines;
}

}  // namespace armature::identification
