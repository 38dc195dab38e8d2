// The search for the cheapest way to compute given expressions.
#pragma once

#include <cstdint>
#include <functional>

#include "armature/codegen/network/network.hpp"

namespace armature::codegen {

struct SearchSettings {
  std::uint64_t seed = 1;
  int rounds = 1000;
  double temperature = 1;                  // operations that a step may lose at first; falls to a tenth
  std::function<void(double)> progress{};  // told which part of the rounds is done
};

/// Expands a few neighbouring nodes, factors anew, and keeps the result if it is cheaper, or a little dearer with a probability
/// that falls (simulated annealing [Kirkpatrick1983]). The same settings give the same network.
Network search(Network net, const SearchSettings& settings);

}  // namespace armature::codegen
