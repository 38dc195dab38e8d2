// The Bode plot of a scenario's Kalman observer [Kostic2004, (16)-(21), Fig. 7].
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "armature/run/loaded_scenario.hpp"

namespace armature::app {

/// From the measured deviation of a joint (given as text, from 1) to what the observer of the scenario's controller makes of it: position,
/// speed and acceleration. Prints gains and bandwidths, as JSON where that is asked for, and writes the table and the page where they are
/// named. Returns the exit code.
int show_observer(const LoadedScenario& loaded, const std::string& joint, const std::vector<double>& frequencies,
                  const std::optional<std::string>& bode, const std::optional<std::string>& page, bool json);

}  // namespace armature::app
