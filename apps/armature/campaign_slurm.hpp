// A campaign as an array job of Slurm.
#pragma once

#include <string>
#include <vector>
#include "names.hpp"

namespace armature::app {

/// Writes DIR/campaign.sbatch and DIR/merge.sbatch and submits them: so many parts, then what puts them together and answers. Returns the
/// exit code; where there is no sbatch the scripts are written and it says so.
int submit_to_slurm(const std::string& file, const std::string& folder, int parts, int runs,
                    const std::vector<std::string>& settings, const std::string& device);

}  // namespace armature::app
