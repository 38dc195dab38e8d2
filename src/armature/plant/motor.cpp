#include "armature/plant/motor.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/plant/internal/require.hpp"

namespace armature::plant {

void check(const Motor& m, int axes) {
  const auto exists = [&](int axis) { return axis >= 0 && axis < axes; };
  const std::string place = fmt::format("motor '{}'", m.name);
  require(!m.drives.empty(), place, "it drives no axis", "name the axis it turns");
  for (const auto& [axis, factor] : m.drives)
    require(exists(axis) && std::isfinite(factor) && factor != 0, place,
            "it drives an axis that is not there, or with factor zero", axes_count(axes));
  require(nonnegative({m.back_emf, m.resistance, m.inductance}) && m.torque_constant > 0, place,
          "its constants are not all finite and positive", "torque constant, back-emf, resistance, inductance");
  require(nonnegative({m.friction.coulomb, m.friction.viscous}) && m.smoothing > 0, place,
          "its friction is not finite and at least zero", "friction brakes");
  require(nonnegative({m.torque_limit.value_or(0), m.current_limit.value_or(0), m.voltage_limit.value_or(0)}), place,
          "its limits are not finite and at least zero", "they are magnitudes");
  require(m.command != Motor::Command::voltage || m.resistance > 0, place,
          "it is fed with a voltage but has no resistance", "give the winding's resistance");
}

}  // namespace armature::plant
