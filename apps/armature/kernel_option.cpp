#include "kernel_option.hpp"

#include <fmt/format.h>

#include "armature/codegen/compiled/kernel_library.hpp"
#include "armature/core/error.hpp"

namespace armature::app {

void KernelOption::add_to(Verb& verb) {
  verb.option(
      "--kernels", "FILE", kernels,
      "functions compiled for this arm (derive ARM --build -o FILE); `none`: the recursion, for built-in arms too");
}

KernelSet KernelOption::set() const {
  if (!kernels) return built_in_kernels();
  return *kernels == "none" ? KernelSet() : KernelSet({load_kernels(*kernels)});
}

void KernelOption::check(const Arm& arm) const {
  if (kernels && *kernels != "none" && !arm.kernels())
    throw Error(
        fmt::format("'{}' was written for another arm than '{}', or for an earlier state of it", *kernels, arm.name()),
        "derive it again with --build");
}

}  // namespace armature::app
