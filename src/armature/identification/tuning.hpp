// Controllers from frequency responses: gains and notches with margins in every posture.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "armature/control/joint_filters.hpp"
#include "armature/core/error.hpp"
#include "armature/core/fields.hpp"
#include "armature/identification/resonance.hpp"
#include "armature/plant/sensors.hpp"

namespace armature::identification {

/// A measured or modelled response from the controller's command to the position it feeds back, hold and delays included.
struct PlantResponse {
  std::string posture;            // how it is named in reports
  std::vector<double> frequency;  // [Hz], increasing
  std::vector<std::complex<double>> response;
};

/// C(z) = kp + ki tick z⁻¹/(1 - z⁻¹) + kd D(z), times the filters (their joints do not count): what joint_pid does. D is
/// (1 - z⁻¹)/tick where speeds are differences of positions. A tachometer shows the speed itself; behind a hold and an inertia
/// that is 2/tick (1 - z⁻¹)/(1 + z⁻¹) times the position.
struct LoopController {
  double kp = 0, ki = 0, kd = 0;
  std::vector<FilterSettings> filters{};
  double tick = 1e-3;  // [s]
  SensorSettings::Speed speed = SensorSettings::Speed::difference;
  [[nodiscard]] std::complex<double> response(double frequency) const;
  /// The largest command that an error which jumps from 0 to 1 asks of it before the joint moves; without ki.
  [[nodiscard]] double step_command() const;
};

struct LoopMargins {
  double bandwidth = 0;       // where |L| falls below 1 first [Hz]
  double gain = 0;            // [dB]: by how much the gain may grow
  double gain_reduction = 0;  // [dB]: by how much it may fall (conditionally stable loops)
  double phase = 0;           // [rad], the least over all crossings of 1
  double sensitivity = 0;     // largest |1/(1 + L)| [dB]
  double rest = 0;            // |L| at the last line [dB]: what is beyond it is not known
  bool stable = false;        // Nyquist: 1 + L does not go round the origin
};
/// Of a plant without unstable poles besides integrators at zero, from its lines.
LoopMargins loop_margins(const PlantResponse& plant, const LoopController& controller);

struct TuningSettings {
  double tick = 1e-3;
  double gain_margin = 6;                                           // [dB], least
  double phase_margin = 30 * deg;                                   // [rad], least
  double sensitivity = 6;                                           // [dB], most
  bool integral = false;                                            // PID instead of PD
  SensorSettings::Speed speed = SensorSettings::Speed::difference;  // what kd acts on
  int notches = 2;                                                  // at most, at the resonances that stand out most
  double roll_off = 0;          // a low-pass at so many times the crossover; 0: none
  double from = 0.5, to = 200;  // crossovers that are tried [Hz]
  double step = 0;              // an error of this size asks for no more than `limit`; 0: not asked for [rad | m]
  double limit = 0;             // of the command, in its unit

  void fields(Fields& f);
};

struct Tuning {
  LoopController controller;
  std::vector<LoopMargins> margins;  // one a plant
  std::size_t worst = 0;             // the plant with the least margin, in shares of what is asked for
  double crossover = 0;              // that was aimed at [Hz]
  bool at_bound = false;             // it is the highest that was tried: a faster loop may keep the margins too
  bool at_limit = false;             // a faster loop keeps the margins and asks for more than `limit`
};
/// No controller keeps the margins: the input is right, the answer is no.
class NoController : public Error {
  using Error::Error;
};
/// The controller with the highest bandwidth that keeps the margins in every plant. Throws NoController where none does, naming the
/// plant and the margin that fails.
Tuning tune(const std::vector<PlantResponse>& plants, const TuningSettings& settings);

}  // namespace armature::identification
