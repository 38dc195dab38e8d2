// The text of base_parameters.txt, which `armature excite --parameters` reads too.
#pragma once

#include <string_view>
#include "study.hpp"

namespace armature::studies::kostic2004 {

extern const std::string_view base_parameters_text;

}  // namespace armature::studies::kostic2004
