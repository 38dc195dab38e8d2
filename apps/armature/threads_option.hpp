// --threads: how many runs go on at a time.
#pragma once

#include <optional>
#include <string>
#include "names.hpp"

namespace armature::app {

/// One per core where nothing is asked for. Throws Error where it is no number of threads.
int threads_of(const std::optional<std::string>& asked);

}  // namespace armature::app
