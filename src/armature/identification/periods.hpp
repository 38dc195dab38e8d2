// Periodic experiments: the mean period, and the noise as the periods differ.
#pragma once

#include "armature/identification/equations.hpp"

namespace armature::identification {

struct PeriodAverage {
  MotionBlock mean;             // one period
  int periods = 0;              // averaged
  VecX<double> position_noise;  // of one reading, standard deviation [rad | m]
  VecX<double> torque_noise;    // [N m | N]
  MatX<double> torque_covariance;
  double drift =
      0;  // largest change of a joint's mean torque from the first to the last period, in standard deviations of its mean
};

/// The mean over the whole periods after the first `skip` (which may still settle). The noise of one reading comes from the repetitions alone: no
/// model is needed for it [Swevers1997]. Throws Error where a period is no whole number of samples or there are fewer than two.
PeriodAverage average_periods(const MotionBlock& log, double period, int skip = 1);

}  // namespace armature::identification
