// The runs of a campaign as a text that is compiled: C++, and CUDA where nvcc reads it.
#pragma once

#include <string>

#include "armature/campaign/kernel_runs.hpp"
#include "armature/codegen/compiled/rollout_text.hpp"

namespace armature::campaign {

/// The struct Loop of these runs (their parameters are codegen::motion_parameters()) with all that it needs before it.
std::string kernel_loop_text(const KernelRuns& kernel, double effort = codegen::RolloutFunctions().effort);
/// All that this text depends on, without the work of writing it. Numbers that vary are no part of it.
std::string kernel_loop_key(const KernelRuns& kernel);

/// That text, and the function with C linkage that makes the runs of a campaign: kernel_function_name, and armature_campaign_device, which says whether there
/// is a graphics processor.
std::string kernel_text(const KernelRuns& kernel, double effort = codegen::RolloutFunctions().effort);

}  // namespace armature::campaign
