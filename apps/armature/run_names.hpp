// What the runs of a comparison are called, in tables and on the disk.
#pragma once

#include <string>
#include <vector>

#include "armature/run/loaded_scenario.hpp"
#include "names.hpp"

namespace armature::app {

/// The name of its case or scenario; runs that share it carry their file too, and a number where that is the same.
std::vector<std::string> run_names(const std::vector<LoadedScenario>& runs);

/// A folder for each name: letters, digits, '-', '_' and '.', not hidden, at most 80 long, and no two alike even where upper
/// and lower case are the same.
std::vector<std::string> folder_names(const std::vector<std::string>& names);

}  // namespace armature::app
