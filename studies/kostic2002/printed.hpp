// The text of printed/kostic2002_dynamics.model.
#pragma once

#include <string_view>

namespace armature::kostic2002 {

extern const std::string_view printed_dynamics;

}  // namespace armature::kostic2002
