// The standard normal distribution.
#pragma once

#include "armature/rooms.hpp"

namespace armature::campaign {

/// The number below which a standard normal quantity lies with probability u, 0 < u < 1.
double normal_quantile(double u);
/// The probability that a standard normal quantity lies below x.
double normal_cumulative(double x);

}  // namespace armature::campaign
