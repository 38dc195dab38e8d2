#include "armature/plant/elements.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace armature::plant {

Vec6<double> ToolWrench::at(double t) const noexcept {
  const double since = t - from, share = since / (to - from);
  switch (profile) {
    case Profile::constant:
      break;
    case Profile::ramp:
      return share * wrench;
    case Profile::half_sine:
      return std::sin(std::numbers::pi * share) * wrench;
    case Profile::sine:
      return std::sin(2 * std::numbers::pi * frequency * since) * wrench;
    case Profile::table: {
      const auto after = std::upper_bound(times.begin(), times.end(), since);
      if (after == times.begin()) return table.front();
      if (after == times.end()) return table.back();
      const auto k = static_cast<std::size_t>(after - times.begin());
      const double s = (since - times[k - 1]) / (times[k] - times[k - 1]);
      return (1 - s) * table[k - 1] + s * table[k];
    }
  }
  return wrench;
}

void Wall::fields(Fields& f) {
  f.text("name", name, "how events name it");
  f.numbers("point", point, dimension::length, "a point of the plane", 3);
  f.numbers("normal", normal, dimension::none, "towards the free side; normalised", 3);
  f.number("stiffness", stiffness, {0, 1, -2, 0}, "force per depth", Range::not_negative);
  f.number("damping", damping, {0, 1, -1, 0}, "force per speed of entry", Range::not_negative);
  f.number("friction", friction, dimension::none, "coefficient along the plane", Range::not_negative);
  f.number("tangential_stiffness", tangential_stiffness, {0, 1, -2, 0}, "of the bristles that carry friction",
           Range::not_negative);
}

void ToolWrench::fields(Fields& f) {
  f.number("from", from, dimension::time, "it starts to act", Range::not_negative);
  f.number("to", to, dimension::time, "it ends", Range::not_negative);
  f.numbers("force", Numbers(wrench.data(), 3), dimension::force, "on the tool, world axes", 3);
  f.numbers("moment", Numbers(wrench.data() + 3, 3), dimension::torque, "on the tool, world axes", 3);
  f.word("profile", profile, {"constant", "ramp", "half_sine", "sine", "table"},
         "how it runs: at full size; from zero to full; as one arch; as a sine; as a table says");
  f.number("frequency", frequency, dimension::rate, "of the sine, in Hz", Range::not_negative);
  f.text("table", file,
         "a CSV file beside the scenario: time [s] counted from `from`, and any of force_x [N] to moment_z [N m]");
}

void Load::fields(Fields& f) {
  f.number("mass", mass, dimension::mass, "zero: nothing is carried", Range::not_negative);
  f.numbers("com", com, dimension::length, "centre of mass in the tool frame", 3);
  f.numbers("inertia", inertia, dimension::inertia, "xx, yy, zz about the centre of mass", 3);
}

std::optional<MassProperties> Load::body() const {
  if (mass == 0) return std::nullopt;
  return MassProperties{.mass = mass, .position = com, .tensor = inertia.asDiagonal()};
}

void PayloadChange::fields(Fields& f) {
  f.number("time", time, dimension::time, "from when on", Range::not_negative);
  load.fields(f);
}

Spring end_stops(std::string name, int axis, double lower, double upper, double stiffness, double damping) {
  constexpr double beyond_reach = 1e4;  // from one stop to where the other one is not [rad | m]
  if (!std::isfinite(lower)) lower = upper - beyond_reach;
  if (!std::isfinite(upper)) upper = lower + beyond_reach;
  return {.name = std::move(name),
          .driven = axis,
          .stiffness = stiffness,
          .damping = damping,
          .backlash = (upper - lower) / 2,
          .rest = -(lower + upper) / 2};
}

}  // namespace armature::plant
