// What a fitted drive says to people.
#pragma once

#include "armature/identification/drive_fit.hpp"

namespace armature::identification {

/// What a fit leaves open, and by how much.
std::string open_sentence(const DriveFit::Open& open);

/// How well the logs are met, what they leave open, what looks wrong.
std::vector<std::string> sentences(const DriveModel& model, const DriveFit& fit);

}  // namespace armature::identification
