#include "armature/plant/spring.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/plant/internal/require.hpp"

namespace armature::plant {

void check(const Spring& s, int axes) {
  const auto exists = [&](int axis) { return axis >= 0 && axis < axes; };
  const std::string place = fmt::format("spring '{}'", s.name);
  require((s.driver == ground || exists(s.driver)) && (s.driven == ground || exists(s.driven)) && s.driver != s.driven,
          place, "its ends are not two different axes", "an axis number, or ground");
  for (const auto& [axis, factor] : s.coupled)
    require(exists(axis) && axis != s.driver && s.driven == ground && std::isfinite(factor) && factor != 0, place,
            "one of the axes it couples is not there or drives it, or its factor is zero",
            "it has one driven axis, or several coupled ones");
  require(s.ratio != 0 && std::isfinite(s.ratio), place, "its ratio is zero", "driver turns a driven turn");
  require(nonnegative({s.stiffness, s.hardening, s.damping, s.backlash, s.hysteresis_torque, s.hysteresis_stiffness}),
          place, "stiffness, hardening, damping, backlash and hysteresis are not all finite and at least zero",
          "they cannot be negative");
  require((s.hysteresis_torque > 0) == (s.hysteresis_stiffness > 0), place, "hysteresis needs a torque and a stiffness",
          "give both");
  require(s.backlash == 0 || s.stiffness > 0, place, "it has play but no stiffness",
          "give the stiffness past the play");
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
