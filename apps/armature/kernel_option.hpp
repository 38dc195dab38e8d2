// --kernels: with which functions an arm is computed.
#pragma once

#include <optional>
#include <string>

#include "armature/model/arm.hpp"
#include "command_line.hpp"

namespace armature::app {

struct KernelOption {
  std::optional<std::string> kernels;  // a file of derive --build, or none

  void add_to(Verb& verb);
  /// Those of the file, none, or by default those of the built-in arms.
  [[nodiscard]] KernelSet set() const;
  /// Throws Error where a file was given that does not fit the arm.
  void check(const Arm& arm) const;
};

}  // namespace armature::app
