// The built-in arms, for the tests of rooms below formats.
#pragma once

#include "armature/formats/catalogue.hpp"

namespace armature::testing {

/// Names of the built-in arms that would be computed by the recursion if they were made now. After register_built_in_kernels() there
/// should be none.
std::vector<std::string> arms_without_kernels();

}  // namespace armature::testing
