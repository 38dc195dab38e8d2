// Modes of a machine from the spectra of a log: where its poles and zeros lie, without the leakage of segments.
#pragma once

#include <vector>

#include "armature/identification/frf.hpp"
#include "armature/identification/resonance.hpp"
#include "armature/record/log.hpp"

namespace armature::identification {

/// Resonances (poles) and antiresonances (zeros) between two frequencies [Hz], in order of frequency, each with a standard deviation
/// of its frequency and damping. In windows along the frequency a rational model is fitted to the lines of the whole log,
///     Y = (B(x) U + T(x))/A(σ) + noise,    x = the window as -1..1,  σ = (z - 1)/(2π f T),
/// A with real coefficients and none, one or two pairs of poles, B and T complex polynomials (other modes' tails and delays; what the
/// ends of the log leave, so that nothing leaks [McKelvey2012]). Poles of z are poles of s, exactly, whatever holds the
/// input between samples. Orders are those of least AIC, and a pair of poles counts where noise would not have called for it. With an
/// excitation, U is what the excitation explains of the input, so that noise in the loop has no part in it. Throws Error as estimate_frf.
std::vector<Resonance> find_modes(const Log& log, const FrfSettings& settings, double from, double to);

}  // namespace armature::identification
