// Controllers from frequency responses: gains and notches with margins in every posture.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/core/fields.hpp"
#include "armature/identification/resonance.hpp"

namespace armature {

/// A measured or modelled response from the controller's command to the position it feeds back, hold and delays included.
struct PlantResponse {
  std::string posture;            // how it is named in reports
  std::vector<double> frequency;  // [Hz], increasing
  std::vector<std::complex<double>> response;
};

/// (s² + 2 ζ_z ω s + ω²)/(s² + 2 ζ_p ω s + ω²), by the bilinear transform with ω kept in place.
struct Notch {
  double frequency = 0;  // [Hz]
  double zero_damping = 0.1, pole_damping = 0.7;
};

/// C(z) = (kp + ki tick/(1 - z⁻¹) + kd (1 - z⁻¹)/tick) times the notches.
struct LoopController {
  double kp = 0, ki = 0, kd = 0;
  std::vector<Notch> notches;
  double tick = 1e-3;  // [s]
  [[nodiscard]] std::complex<double> response(double frequency) const;
};

struct LoopMargins {
  double bandwidth = 0;       // where |L| falls below 1 first [Hz]
  double gain = 0;            // [dB]: by how much the gain may grow
  double gain_reduction = 0;  // [dB]: by how much it may fall (conditionally stable loops)
  double phase = 0;           // [rad], the least over all crossings of 1
  double sensitivity = 0;     // largest |1/(1 + L)| [dB]
  bool stable = false;        // Nyquist: 1 + L does not go round the origin
};
/// Of a plant without unstable poles besides integrators at zero, from its lines.
LoopMargins loop_margins(const PlantResponse& plant, const LoopController& controller);

struct TuningSettings {
  double tick = 1e-3;
  double gain_margin = 6;          // [dB], least
  double phase_margin = 30 * deg;  // [rad], least
  double sensitivity = 6;          // [dB], most
  bool integral = false;           // PID instead of PD
  int notches = 2;                 // at most, at the resonances that stand out most
  double from = 0.5, to = 200;     // crossovers that are tried [Hz]

  void fields(Fields& f);
};

struct Tuning {
  LoopController controller;
  std::vector<LoopMargins> margins;  // one a plant
  std::size_t worst = 0;             // the plant with the least margin, in shares of what is asked for
};
/// No controller keeps the margins: the input is right, the answer is no.
class NoController : public Error {
  using Error::Error;
};
/// The controller with the highest bandwidth that keeps the margins in every plant. Throws NoController where none does, naming the
/// plant and the margin that fails.
Tuning tune(const std::vector<PlantResponse>& plants, const TuningSettings& settings);

}  // namespace armature
