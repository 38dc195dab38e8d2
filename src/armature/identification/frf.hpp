// Frequency responses of a machine from logs of it, in closed loop.
//
//   const FrfEstimate frf = estimate_frf(log, {.input = "u1", .output = "q1", .excitation = "v1", .segment = 4});
#pragma once

#include <complex>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "armature/core/fields.hpp"
#include "armature/record/log.hpp"
#include "armature/record/spectrum.hpp"

namespace armature::identification {

struct FrfSettings {
  std::string input;          // channel that drives the machine: r in [Kostic2004, (26)]
  std::string output;         // channel that answers
  std::string about{};        // channel that is taken off the output: the slow motion about which it answers
  std::string excitation{};   // channel from outside the loop; empty: only the direct estimate
  double segment = 2;         // [s]: lines are 1/segment apart
  double overlap = 0.5;       // of segments that are not periodic
  bool periodic = false;      // the excitation repeats with the segment: no window, no overlap
  double threshold = 0.7;     // coherence below which a line is not reliable
  double begin = 0, end = 0;  // part of the log to be used [s]; end 0: all of it
  /// The frequencies that are evaluated [Hz]; NaN: from the second line to 0.8 of the Nyquist frequency.
  double from = std::numeric_limits<double>::quiet_NaN(), to = std::numeric_limits<double>::quiet_NaN();

  void fields(Fields& f);
};

/// direct: output over input, biased where noise runs round the loop [Kostic2004, (28)]. indirect: (excitation to output)
/// over (excitation to input), which is not; it needs the excitation and equals (1 - S)/(C S) [Kostic2004, (29)].
struct FrfEstimate {
  FrequencyResponse direct;
  std::optional<FrequencyResponse> indirect;
  std::optional<FrequencyResponse> sensitivity;  // excitation to input: S, where the excitation is added to the input
  double threshold = 0.7;

  /// The indirect estimate where there is one.
  [[nodiscard]] const FrequencyResponse& best() const { return indirect ? *indirect : direct; }
};
/// The samples that an estimate is made from.
struct FrfSignals {
  double step = 0;                    // [s]
  std::vector<double> input, output;  // of the output, what `about` says is taken off
  std::vector<double> excitation;     // empty where none is named
};
/// Throws Error for missing channels, irregular sampling, NaN and a channel that never moves.
FrfSignals frf_signals(const Log& log, const FrfSettings& settings);

/// Throws Error as frf_signals, and for a log shorter than a segment and an output that drifts where it should repeat.
FrfEstimate estimate_frf(const Log& log, const FrfSettings& settings);

/// The frequencies that are evaluated [Hz]. Throws Error where they do not go up from above zero.
std::pair<double, double> evaluated_band(const FrfEstimate& frf, const FrfSettings& settings);

/// Share of the lines between two frequencies whose coherence reaches `threshold`.
double reliable_share(const FrequencyResponse& frf, double threshold, double from, double to);

/// How |H| goes with the frequency between two of them, from the lines with enough coherence: |H| ~ f^power, and the mean
/// phase [rad] in (-3π/2, π/2]. NaN without two such lines.
struct FrfTrend {
  double power = 0, phase = 0;
};
FrfTrend frf_trend(const FrequencyResponse& frf, double threshold, double from, double to);

/// P = (1 - S)/(C S) from a measured sensitivity and the controller's response at the same lines [Kostic2004, (29)].
std::vector<std::complex<double>> plant_from_sensitivity(const std::vector<std::complex<double>>& S,
                                                         const std::vector<std::complex<double>>& C);

/// Standard deviation of each line's response, as a share of it: sqrt((1 - γ²)/(2 (n - 1) γ²)) for n averaged segments
/// [BendatPiersol2010, Table 9.6, with n - 1 for the few segments of a log]. Infinite where the coherence is zero.
std::vector<double> relative_deviation(const FrequencyResponse& frf);

}  // namespace armature::identification
