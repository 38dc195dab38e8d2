// How settings list themselves. Every struct of settings has one fields(f): reading, writing, `--set`, `--help-keys` and forms
// all go through it; a new setting is added in one place.
//
// A visitor f offers: number, angle, numbers (any count), angles, joints (one a joint), joint_rows, rows, task (one a task coordinate),
// points (lists of three lengths), integer, flag, word (one of a list), text, group (a struct), groups (a list of structs).
// of_kind(kind, kinds) says whether the keys that follow belong to this kind, until the next of_kind or any_kind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "armature/core/units.hpp"

namespace armature {

/// Which numbers make sense.
enum class Range { any, not_negative, positive };

/// The dimension of a joint's quantity, for joints that turn and joints that slide.
struct JointDimension {
  Dimension turning, sliding;
};
namespace joint_dimension {
inline constexpr JointDimension position{dimension::angle, dimension::length};
inline constexpr JointDimension velocity{dimension::rate, dimension::speed};
inline constexpr JointDimension acceleration{dimension::angular_acceleration, dimension::acceleration};
inline constexpr JointDimension jerk{{0, 0, -3, 0}, {1, 0, -3, 0}};
inline constexpr JointDimension torque{dimension::torque, dimension::force};
inline constexpr JointDimension torque_rate{{2, 1, -3, 0}, {1, 1, -3, 0}};
inline constexpr JointDimension stiffness{dimension::torque, {0, 1, -2, 0}};
inline constexpr JointDimension damping{{2, 1, -1, 0}, {0, 1, -1, 0}};
inline constexpr JointDimension stiffness_rate{{2, 1, -3, 0}, {0, 1, -3, 0}};
inline constexpr JointDimension rate{dimension::rate, dimension::rate};
inline constexpr JointDimension rate_squared{dimension::angular_acceleration, dimension::angular_acceleration};
inline constexpr JointDimension inertia{dimension::inertia, dimension::mass};
}  // namespace joint_dimension

/// The dimension of a quantity of the tool, along an axis and about it.
struct TaskDimension {
  Dimension along, about;
};
namespace task_dimension {
inline constexpr TaskDimension position{dimension::length, dimension::angle};
inline constexpr TaskDimension stiffness{{0, 1, -2, 0}, dimension::torque};
inline constexpr TaskDimension damping{{0, 1, -1, 0}, {2, 1, -1, 0}};
inline constexpr TaskDimension inertia{dimension::mass, dimension::inertia};
inline constexpr TaskDimension wrench{dimension::force, dimension::torque};
inline constexpr TaskDimension wrench_rate{{1, 1, -3, 0}, {2, 1, -3, 0}};
inline constexpr TaskDimension share{dimension::none, dimension::none};
inline constexpr TaskDimension rate{dimension::rate, dimension::rate};                                          // 1/s
inline constexpr TaskDimension rate_squared{dimension::angular_acceleration, dimension::angular_acceleration};  // 1/s²
inline constexpr TaskDimension compliance{{0, -1, 2, 0}, {-2, -1, 2, 0}};                                       // m/N
inline constexpr TaskDimension compliance_rate{{0, -1, 1, 0}, {-2, -1, 1, 0}};  // m/(N s)
}  // namespace task_dimension

}  // namespace armature
