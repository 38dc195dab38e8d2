// What grey-box fits have in common: numbers above zero are fitted as logarithms, the described ones count as a reading that may be off
// by a factor of ten, and what the logs leave open is named.
#pragma once

#include <cmath>

#include "armature/identification/drive_fit.hpp"

namespace armature::identification {

inline const double prior_spread = std::log(10.0);  // of the described values
inline const double open_spread = std::log(2.0);    // what is known worse is called open

/// How many residuals say as much as one independent one: 1 + 2 sum of their correlations, summed until it falls below a
/// tenth. Neighbouring lines share a window, neighbouring samples what the model lacks; `width` residuals stand for one line or sample.
double correlated(const Eigen::VectorXd& residuals, Eigen::Index width);

/// The combinations of the free parameters, by their names, that the covariance of their logarithms leaves open.
std::vector<DriveFit::Open> open_directions(const std::vector<std::string>& names, const Eigen::MatrixXd& covariance);

/// Which parameters a fit is free to change: those named, else all usual ones, without those that are held. `index` finds a name.
std::vector<std::size_t> free_parameters(const std::vector<DriveParameter>& parameters,
                                         const std::vector<std::string>& free, const std::vector<std::string>& held,
                                         const std::function<std::size_t(const std::string&)>& index);

}  // namespace armature::identification
