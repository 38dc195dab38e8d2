// identify --link-positions.
#pragma once

#include <optional>
#include <string>

#include "log_options.hpp"

namespace armature::app {

/// Stiffness of the joints that have an encoder behind the gear, too, in the columns `link` ("q_link{}", {} the joint's number); the logs'
/// positions are those of the motors. Prints it, and writes the arm with it where `out` says. Exit code 1 where none is determined.
int run_link_positions(const LogOptions& logs, const std::string& link, const Arm& arm,
                       const std::optional<std::string>& out, bool json);

}  // namespace armature::app
