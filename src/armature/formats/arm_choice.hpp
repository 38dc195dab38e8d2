// Which arm of a file is meant, and how its numbers are taken.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::formats {

struct ArmChoice {
  std::string base, tip;  // links of a URDF between which the chain lies; empty: found (formats/urdf_limbs.hpp)
  /// Joints of a URDF that are held, each with its position: {"torso_lift", "0.1 m"}. A bare number is in rad or m.
  std::vector<std::pair<std::string, std::string>> lock;
  bool as_given = false;  // compute with the file's inertia even where no body has it or it is missing

  [[nodiscard]] bool picks_chain() const { return !base.empty() || !tip.empty() || !lock.empty(); }
  friend bool operator==(const ArmChoice&, const ArmChoice&) = default;
};

}  // namespace armature::formats
