#include "armature/testing/catalogue.hpp"

namespace armature::testing {

std::vector<std::string> arms_without_kernels(const KernelSet& kernels) {
  std::vector<std::string> names = catalogue_names();
  std::erase_if(names, [&](const std::string& name) { return catalogue_arm(name, kernels).kernels() != nullptr; });
  return names;
}

}  // namespace armature::testing
