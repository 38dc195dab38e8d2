// Filters and derivatives of sampled signals.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::record {

/// Second-order sections (b0 b1 b2 a1 a2, a0 = 1), applied one after the other.
using Section = std::array<double, 5>;

/// Low-pass Butterworth filter of the given order: -3 dB at `cutoff` [Hz], sampled at `rate` [Hz].
/// Bilinear transform with prewarping [Oppenheim1999]. Throws Error unless 0 < cutoff < rate/2 and 1 <= order <= 12.
std::vector<Section> butterworth(int order, double cutoff, double rate);

/// The response of the sections to x, starting from the steady state of the first sample.
std::vector<double> filter(const std::vector<Section>& sections, std::span<const double> x);

/// Forwards, then backwards: no phase shift, squared magnitude (-6 dB at the cut-off). The ends are continued by odd
/// reflection for as long as the filter remembers (where the signal is long enough), so that a line stays a line.
std::vector<double> filter_zero_phase(const std::vector<Section>& sections, std::span<const double> x);

/// Samples by which an end still disturbs a zero-phase filter's output by more than `share` of a step at the end.
std::size_t settling_length(const std::vector<Section>& sections, double share = 1e-13);

/// dx/dt by central differences, one-sided of second order at the ends; samples `step` [s] apart.
std::vector<double> central_difference(std::span<const double> x, double step);

/// x at the times `to`, by the piecewise cubic through the samples with central slopes. Times outside `from` are an Error.
std::vector<double> resample(std::span<const double> from, std::span<const double> x, std::span<const double> to);

/// Every `factor`-th sample after a zero-phase low-pass of order 8 at 0.8 of the new Nyquist frequency.
std::vector<double> decimate(std::span<const double> x, int factor);

/// |H| of the sections at a frequency.
double magnitude(const std::vector<Section>& sections, double frequency, double rate);

}  // namespace armature::record
