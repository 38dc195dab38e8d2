// What a law has to say about a tick, beside the torque.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "armature/rooms.hpp"

namespace armature::control {

enum class Condition : unsigned {
  saturated = 1u << 0,         ///< a torque or torque-rate limit cut the command
  singular = 1u << 1,          ///< the task lost a direction: its inverse is damped, or leaves the direction out
  representation = 1u << 2,    ///< Euler angles are undefined here (two of them turn about one axis)
  unreachable = 1u << 3,       ///< no joint position brings the tool to the target
  starting = 1u << 4,          ///< the command is being ramped in
  joint_limit = 1u << 5,       ///< a joint is at a position or speed limit
  bad_measurement = 1u << 6,   ///< not finite, of the wrong size, or a jump that no joint can make
  stale = 1u << 7,             ///< no new sample arrived
  bad_reference = 1u << 8,     ///< not finite, or of the wrong size
  law_failed = 1u << 9,        ///< the law returned something that is not a finite torque
  bad_time = 1u << 10,         ///< the time step is not a positive number
  collision = 1u << 11,        ///< torque from outside beyond the threshold
  stopping = 1u << 12,         ///< safe stop: braking
  holding = 1u << 13,          ///< safe stop: standing
  brakes = 1u << 14,           ///< safe stop without usable measurements: the driver should engage the brakes
  payload_changed = 1u << 15,  ///< the tool carries something else than a moment ago
};

/// Any number of conditions. As a number (a log channel) it is the sum of their bits.
class Status {
 public:
  constexpr Status() = default;
  constexpr Status(Condition c) : bits_(static_cast<unsigned>(c)) {}  // NOLINT: one condition is a status
  constexpr Status& operator|=(Status other) {
    bits_ |= other.bits_;
    return *this;
  }
  friend constexpr Status operator|(Status a, Status b) { return a |= b; }
  friend constexpr bool operator==(Status, Status) = default;
  [[nodiscard]] constexpr bool has(Condition c) const { return (bits_ & static_cast<unsigned>(c)) != 0; }
  [[nodiscard]] constexpr bool any() const { return bits_ != 0; }
  [[nodiscard]] constexpr unsigned bits() const { return bits_; }

 private:
  unsigned bits_ = 0;
};
constexpr Status operator|(Condition a, Condition b) { return Status(a) | Status(b); }

/// In the order of their bits; each is a literal, which ends with zero.
inline constexpr std::array<std::string_view, 16> condition_names{
    "saturated",       "singular", "representation", "unreachable",    "starting", "joint limit",
    "bad measurement", "stale",    "bad reference",  "law failed",     "bad time", "collision",
    "stopping",        "holding",  "brakes",         "payload changed"};

/// "saturated, singular"; "ok" when there is nothing to say. Allocates: not for the loop.
std::string to_string(Status status);

}  // namespace armature::control
