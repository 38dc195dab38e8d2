// The text of printed/kostic2002_dynamics.model.
#pragma once

#include <string_view>
#include "study.hpp"

namespace armature::studies::kostic2002 {

extern const std::string_view printed_dynamics;

}  // namespace armature::studies::kostic2002
