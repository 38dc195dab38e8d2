// The built-in arms, for the tests of rooms below formats.
#pragma once

#include "armature/formats/catalogue.hpp"

namespace armature::testing {

/// Names of the built-in arms that have no functions of their own in `kernels`. Of built_in_kernels() there should be none.
std::vector<std::string> arms_without_kernels(const KernelSet& kernels);

}  // namespace armature::testing
