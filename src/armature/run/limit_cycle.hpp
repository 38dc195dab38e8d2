// Whether a scenario's loop swings by itself, as far as first harmonics tell.
#pragma once

#include "armature/run/run_scenario.hpp"
#include "armature/simulation/describing_function.hpp"

namespace armature::run {

struct LoopBalance {
  std::vector<std::string> elements;  // what is not linear; empty: nothing is
  std::vector<LimitCycle> cycles;     // rising in amplitude
  double load = 0;                    // torque that gravity puts on the joints at the start, largest [N m | N]
};

/// Harmonic balance of the loop about its start, with its law, hold and delays. Throws FormatError where the law has a memory
/// of its own, which gains about the start do not tell.
LoopBalance balance_of(const LoadedScenario& loaded, const Experiment& experiment);

}  // namespace armature::run
