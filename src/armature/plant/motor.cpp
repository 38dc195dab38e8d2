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
  if (m.linear) {
    const LinearDrive& d = *m.linear;
    const Eigen::Index n = d.A.rows();
    require(d.A.cols() == n && d.B.rows() == n && d.B.cols() == 2 && d.C.rows() == 1 && d.C.cols() == n &&
                d.D.rows() == 1 && d.D.cols() == 2,
            place, "the matrices of its linear drive do not fit each other",
            "A has a row and a column per state, B a row per state with two columns (command, speed), C a number per "
            "state, "
            "D two numbers");
    require(d.A.allFinite() && d.B.allFinite() && d.C.allFinite() && d.D.allFinite(), place,
            "the matrices of its linear drive are not all finite", "numbers");
    return;
  }
  require(m.command != Motor::Command::voltage || m.resistance > 0, place,
          "it is fed with a voltage but has no resistance", "give the winding's resistance");
}

}  // namespace armature::plant
