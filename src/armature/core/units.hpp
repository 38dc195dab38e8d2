// Everything inside is SI. This is the only door through which other units come in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "armature/rooms.hpp"

namespace armature::core {

/// Exponents of the SI base units metre, kilogram, second, ampere. An angle is a number.
struct Dimension {
  int metre = 0, kilogram = 0, second = 0, ampere = 0;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

namespace dimension {
inline constexpr Dimension none{};
inline constexpr Dimension angle{};
inline constexpr Dimension length{1, 0, 0, 0};
inline constexpr Dimension mass{0, 1, 0, 0};
inline constexpr Dimension time{0, 0, 1, 0};
inline constexpr Dimension speed{1, 0, -1, 0};  // of a prismatic joint
inline constexpr Dimension rate{0, 0, -1, 0};   // rad/s
inline constexpr Dimension acceleration{1, 0, -2, 0};
inline constexpr Dimension angular_acceleration{0, 0, -2, 0};
inline constexpr Dimension first_moment{1, 1, 0, 0};  // kg m
inline constexpr Dimension inertia{2, 1, 0, 0};       // kg m²
inline constexpr Dimension force{1, 1, -2, 0};
inline constexpr Dimension torque{2, 1, -2, 0};
inline constexpr Dimension current{0, 0, 0, 1};
inline constexpr Dimension voltage{2, 1, -3, -1};
}  // namespace dimension

inline constexpr double pi = 3.14159265358979323846;
inline constexpr double deg = pi / 180.0;  // [rad]

/// The number that the whole of `text` spells, in any locale; nothing where it spells none. Accepts no nan and no inf.
std::optional<double> parse_double(std::string_view text);

/// Reads "90 deg" as 1.5707963 [rad], "200 mm" as 0.2 [m], "2 N*m*s/rad" as 2. A bare number is SI.
/// Units (rad deg mrad turn rpm m mm cm um km kg g s ms us min h Hz N Nm A V ohm H W J % ...) combine with * / ^ and
/// spaces. Throws FormatError (without a place) when the text is no quantity or has another dimension than expected.
double parse_quantity(std::string_view text, Dimension expected);

/// "kg m^2": how the dimension is written in messages.
std::string to_string(Dimension dimension);

}  // namespace armature::core
