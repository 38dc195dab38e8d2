// Spectra and frequency responses of sampled signals, by Welch's averaged periodograms.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::record {

struct WelchSettings {
  double rate = 1;             // samples per second [Hz]
  std::size_t segment = 1024;  // samples a segment
  double overlap = 0.5;        // share of a segment that the next one repeats
  bool hann = true;            // else rectangular (for periodic excitation)
  bool remove_mean = true;     // of each segment
};

/// One-sided auto- and cross-power densities at frequency[k], unit²/Hz.
struct CrossSpectrum {
  std::vector<double> frequency;  // [Hz]
  std::vector<double> xx, yy;
  std::vector<std::complex<double>> xy;  // conj(X) Y
  std::size_t segments = 0;              // averaged
};
/// Throws Error when the signals differ in length or are shorter than one segment.
CrossSpectrum cross_spectrum(std::span<const double> x, std::span<const double> y, const WelchSettings& settings);

/// Power density of one signal.
struct PowerSpectrum {
  std::vector<double> frequency;  // [Hz]
  std::vector<double> density;    // unit²/Hz
};
PowerSpectrum welch(std::span<const double> x, const WelchSettings& settings);

/// y over x with its coherence |Sxy|²/(Sxx Syy); of n averaged segments the coherence of unrelated signals is about 1/n.
struct FrequencyResponse {
  std::vector<double> frequency;               // [Hz]
  std::vector<std::complex<double>> response;  // H1 = Sxy/Sxx
  std::vector<double> coherence;               // 0 to 1; 0 where x has no power
  std::size_t segments = 0;
};
FrequencyResponse frequency_response(std::span<const double> x, std::span<const double> y,
                                     const WelchSettings& settings);

/// From an outside signal r to y over from r to x: unbiased by noise that feeds back inside a closed loop. The coherence is
/// the smaller of that of r with x and r with y. [Kostic2004, (28)(29)]
FrequencyResponse indirect_response(std::span<const double> r, std::span<const double> x, std::span<const double> y,
                                    const WelchSettings& settings);

}  // namespace armature::record
