// Resonances and antiresonances in a frequency response that stands alone: where they are and how well they are damped. Where its log
// is at hand local_modes.hpp tells more.
#pragma once

#include <complex>
#include <vector>

#include "armature/record/spectrum.hpp"

namespace armature::identification {

struct Resonance {
  double frequency = 0;            // undamped natural frequency [Hz]
  double damping = 0;              // ratio, above zero
  double frequency_deviation = 0;  // standard deviations
  double damping_deviation = 0;
  bool anti = false;      // a zero instead of a pole
  double prominence = 0;  // height over (depth under) its surroundings [dB]
};

struct ResonanceSettings {
  double from = 1, to = 1e9;  // where to look [Hz]
  double prominence = 6;      // at least [dB]
  double coherence = 0.7;     // of the lines that are used
  int integrators = 2;        // |response| falls with this power of the frequency besides its modes
  double width = 0.15;        // lines within ± this share of the frequency are fitted
  bool antiresonances = true;
};

/// The mode near `guess`: a weighted least-squares fit of
///     H(s) = (c0 + c1 x + c2 x²)/(s² + 2 ζ ω0 s + ω0²),   x = (f - guess)/guess
/// to the lines around it, c complex (so that a delay and other modes' tails do not matter), iterated with the denominator as
/// weight [SanathananKoerner1963]. Throws Error where fewer than eight lines are reliable.
Resonance fit_resonance(const FrequencyResponse& frf, double guess, const ResonanceSettings& settings,
                        bool anti = false);

/// All that stand out and are damped, in order of frequency.
std::vector<Resonance> find_resonances(const FrequencyResponse& frf, const ResonanceSettings& settings);

}  // namespace armature::identification
