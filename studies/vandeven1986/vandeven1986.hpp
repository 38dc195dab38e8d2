// Drives, elasticity, backlash [Vandeven1986].
#pragma once

#include "study.hpp"

namespace armature::studies::vandeven1986 {

StudyResult run(const std::function<void(const std::string&)>& progress);

}  // namespace armature::studies::vandeven1986
