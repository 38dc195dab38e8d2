// A plant about a state: x' = A x + B u, its modes and its frequency responses.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <vector>

#include "armature/plant/plant.hpp"

namespace armature::simulation {

/// Exact to rounding (dual numbers). Without the two energy states. Elements stay in the modes given.
struct LinearPlant {
  Eigen::MatrixXd A, B;
  std::vector<PlantQuantity> states;
};
LinearPlant linearize(const Plant& plant, double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                      const Modes& modes);

/// An eigenvalue, or one of a conjugate pair (imaginary part >= 0), slowest first.
struct Mode {
  std::complex<double> eigenvalue;  // [1/s]
  double frequency;                 // |eigenvalue|/(2π) [Hz]
  double damping;                   // -Re/|eigenvalue|; 1 for a decaying real one
};
std::vector<Mode> modes_of(const LinearPlant& plant);

/// C (jw - A)⁻¹ B at the frequencies [Hz].
std::vector<std::complex<double>> frequency_response(const LinearPlant& plant, const Eigen::VectorXd& B,
                                                     const Eigen::VectorXd& C, const std::vector<double>& frequencies);

/// x⁺ = A x + B u from tick to tick, the input held in between.
struct HeldPlant {
  Eigen::MatrixXd A, B;
  double tick = 0;  // [s]
};
HeldPlant held(const LinearPlant& plant, double tick);
/// C (z - A)⁻¹ B b at z = exp(j 2π f tick), for the combination b of the inputs: what a sampled loop sees of the plant.
std::vector<std::complex<double>> frequency_response(const HeldPlant& plant, const Eigen::VectorXd& b,
                                                     const Eigen::VectorXd& C, const std::vector<double>& frequencies);

/// A local maximum (or minimum) of |response|, found between the lines and refined.
struct Peak {
  double frequency;  // [Hz]
  double decibel;    // 20 log10 |response|
};
std::vector<Peak> peaks(const LinearPlant& plant, const Eigen::VectorXd& B, const Eigen::VectorXd& C, double from,
                        double to, bool minima = false);

}  // namespace armature::simulation
