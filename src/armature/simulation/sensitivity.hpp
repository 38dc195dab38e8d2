// How the modes and frequency responses of a machine change with its parameters.
#pragma once

#include <functional>

#include "armature/simulation/linearize.hpp"

namespace armature::simulation {

/// One number of a machine that is not zero, and the machine with that number multiplied.
struct PlantParameter {
  std::string name;  // "spring gear stiffness"
  double value;
  std::string unit;
  std::function<PlantDescription(double factor)> scaled;
};

/// Inertias, stiffnesses, dampings, viscous friction, motor constants, and for each link of the arm its mass (with which
/// first and second moments scale).
std::vector<PlantParameter> parameters_of(const PlantDescription& description);

/// The slopes of A and B per relative change of a parameter: A(p (1 + e)) = A + e dA + ...
struct LinearSlope {
  Eigen::MatrixXd dA, dB;
};
/// By a central difference of the exact linearization, at the same state and in the same modes.
LinearSlope slope(const PlantParameter& parameter, double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                  const Modes& modes);

/// d eigenvalue / d ln p for each mode, in the order of modes_of():  y* dA x / (y* x)  with the right and left eigenvectors
/// x and y [Lancaster1964]. Not a number where an eigenvalue is repeated: it has no slope there.
std::vector<std::complex<double>> eigenvalue_slopes(const LinearPlant& plant, const LinearSlope& slope);

/// d response / d ln p  =  C (jw - A)⁻¹ (dA (jw - A)⁻¹ B + dB).
std::vector<std::complex<double>> response_slopes(const LinearPlant& plant, const LinearSlope& slope,
                                                  Eigen::Index input, const Eigen::VectorXd& C,
                                                  const std::vector<double>& frequencies);

}  // namespace armature::simulation
