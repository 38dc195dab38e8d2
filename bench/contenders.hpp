// Who computes in a benchmark: this library and the others, behind one interface.
#pragma once

#include "armature/testing/oracles/oracle.hpp"

namespace armature::bench {

using namespace rooms;

/// This library, one state a call.
std::unique_ptr<testing::Oracle> ours(const Arm& arm);

/// This library first, then the others that are installed.
std::vector<std::unique_ptr<testing::Oracle>> contenders(const Arm& arm);

}  // namespace armature::bench
