// What another program prints, run with limits.
#pragma once

#include <string>
#include <vector>
#include "names.hpp"

namespace armature::app {

struct ChildLimits {
  double seconds = 20;                          // of the clock, and of the processor
  std::size_t memory = std::size_t{2} << 30U;   // [bytes]
  std::size_t output = std::size_t{16} << 20U;  // [bytes]
};

struct ChildOutput {
  bool ended = false;  // by itself, with an exit code of its own
  std::string text;    // of its standard output
  std::string why;     // it did not end by itself: "took more than 20 s"
};

/// Runs `command`, whose first word is a path. It can write to its standard output only; its error stream is thrown away.
ChildOutput child_output(const std::vector<std::string>& command, const ChildLimits& limits = {});

}  // namespace armature::app
