// The text of base_parameters.txt, which `armature excite --parameters` reads too.
#pragma once

#include <string_view>

namespace armature::kostic2004 {

extern const std::string_view base_parameters_text;

}  // namespace armature::kostic2004
