// Modelling and identification of the RRR arm, the whole procedure [Kostic2004].
#pragma once

#include "study.hpp"

namespace armature::studies::kostic2004 {

StudyResult run(const std::function<void(const std::string&)>& progress);

}  // namespace armature::studies::kostic2004
