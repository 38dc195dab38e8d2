// The runs of a campaign in lockstep, eight at a time in vector registers: the loop of a kernel without a compiler.
#pragma once

#include "armature/campaign/kernel_runs.hpp"

namespace armature::campaign {

/// The numbers in the equations of motion as the recursion takes them (algorithms/moving_inertia.hpp): ten of each body, then the rotors'.
std::vector<double> body_parameters(const Arm& arm, const VecX<double>& rotors);

/// The loop of these runs, whose parameters are body_parameters(). `runs` must outlive it. Where the seed, the numbers and the reference
/// of a run are the same, so are its figures in every bit, whatever goes through the loop beside it.
KernelFunction lockstep(const KernelRuns& runs);

}  // namespace armature::campaign
