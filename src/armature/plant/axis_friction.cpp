#include "armature/plant/axis_friction.hpp"

#include <fmt/format.h>

#include "armature/plant/internal/axis_friction_law.hpp"
#include "armature/plant/internal/require.hpp"

namespace armature::plant {

void check(const AxisFriction& f, int axes) {
  const std::string place = fmt::format("friction at axis {}", f.axis);
  require(f.axis >= 0 && f.axis < axes, place, "there is no such axis", axes_count(axes));
  require(f.gear_loss >= 0 && f.gear_loss < 1, place, fmt::format("its gear loses {} of the torque", f.gear_loss),
          "0 or more, less than 1");
}

bool sticks(const AxisFriction& f) {
  const bool jumps = has_jump(f.law) || (f.gear_loss > 0 && !std::holds_alternative<LuGre>(f.law));
  return jumps && (breakaway_friction(f, 1, 1) > 0 || breakaway_friction(f, -1, 1) > 0);
}

}  // namespace armature::plant
