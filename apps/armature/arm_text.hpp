// An arm described: for people as aligned tables, for machines as JSON.
#pragma once

#include <string>

#include "armature/formats/load_arm.hpp"
#include "json_out.hpp"

namespace armature::app {

std::string arm_text(const Arm& arm);
Json arm_json(const LoadedArm& loaded);

/// The largest distance of the tool from the axis of the first joint within the joints' limits [m], by a search from
/// seeded samples; nothing where a sliding joint has no stops.
std::optional<double> reach(const Arm& arm);

}  // namespace armature::app
