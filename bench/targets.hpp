// What generated code is meant to reach, beside what it reached in this run.
#pragma once

#include "table.hpp"

namespace armature::bench {

/// Ratios to MuJoCo's times of the same run. The limits hold for code compiled for this machine, and for one with AVX-512.
void print_targets(const Tables& tables);

}  // namespace armature::bench
