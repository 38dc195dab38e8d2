// Postures in which to measure: those from which the geometry of an arm is best determined.
#pragma once

#include "armature/identification/calibration.hpp"

namespace armature::identification {

struct PostureDesign {
  std::vector<VecX<double>> postures;
  double condition = 0, observability = 0;  // as in Calibration, before anything is measured
  double random_observability = 0;          // of as many postures drawn at random, to compare with
  int unknowns = 0;
};

/// Chosen one after the other, then exchanged, from random postures within the limits of the arm (joints without limits turn by ±180°
/// and slide by ±0.5 m), so that the determinant of JᵀJ is largest [Mitchell1974]. With a point or a plane postures cannot be free,
/// and it is an Error to ask. The same seed gives the same postures.
PostureDesign design_postures(const Arm& arm, int count, const CalibrationSettings& settings, std::uint64_t seed = 1);

}  // namespace armature::identification
