// identify --drive-gains.
#pragma once

#include <string>

#include "log_options.hpp"

namespace armature::app {

/// `with` describes the payload that `loaded` was measured with; `empty` is a log of the same arm without it. Prints a gain per joint; exit
/// code 1 where the payload shows at none.
int run_drive_gains(const LogOptions& loaded, const std::string& empty, const Arm& with, bool json);

}  // namespace armature::app
