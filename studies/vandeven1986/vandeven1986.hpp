// Drives, elasticity, backlash [Vandeven1986].
#pragma once

#include "study.hpp"

namespace armature::vandeven1986 {

StudyResult run(const std::function<void(const std::string&)>& progress);

}  // namespace armature::vandeven1986
