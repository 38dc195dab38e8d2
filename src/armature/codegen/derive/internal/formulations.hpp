// Which of the equivalent formulations of a function takes the fewest operations.
#pragma once

#include <functional>

#include "armature/codegen/derive/internal/reduced_arm.hpp"
#include "armature/codegen/network/program.hpp"

namespace armature::codegen {

/// Writes a function of an arm down for given choices.
using Formulate = std::function<Program(const Choices&)>;

/// Changes one choice at a time while that saves operations, then searches longer in the most promising formulations.
/// Choices are judged by `probe`, a part of the function that depends on them most, or by the function itself.
/// No bodies: there is nothing to choose. `effort` scales the work, which is counted, not timed: the same arguments give the same program.
/// `progress` is told which part of the work is done.
Program cheapest(int bodies, const Formulate& formulate, double effort, const Formulate& probe = {},
                 const std::function<void(double)>& progress = {});

}  // namespace armature::codegen
