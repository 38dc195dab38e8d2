// Reference numbers that lie beside the source tree, in ../shared/vectors.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "armature/rooms.hpp"

namespace armature::testing {

/// The file of that name; null where it is absent, and a test that needs it says so and passes.
nlohmann::json reference_vectors(const std::string& name);

}  // namespace armature::testing
