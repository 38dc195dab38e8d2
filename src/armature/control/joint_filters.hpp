// Filters behind the feedback of a joint: notches, low-passes, leads.
#pragma once

#include <complex>
#include <vector>

#include "armature/control/law_settings.hpp"

namespace armature::control {

/// One filter of one joint; every kind passes what is constant unchanged.
///     notch     (s² + 2 zero_damping w s + w²)/(s² + 2 damping w s + w²)
///     low_pass  w²/(s² + 2 damping w s + w²)
///     lead      (1 + s/w)/(1 + s/w_pole), a lag where the pole is lower
struct FilterSettings {
  enum class Kind { notch, low_pass, lead };
  Kind kind = Kind::notch;
  int joint = 0;              // from 1; 0: every joint
  double frequency = 0;       // w/(2π) [Hz]
  double damping = 0.7;       // of the denominator of a notch or a low-pass
  double zero_damping = 0.1;  // of the numerator of a notch
  double pole = 0;            // of a lead [Hz]

  void fields(Fields& f);
};

/// A filter sampled with the tick by the bilinear transform, its `frequency` kept in place:
///     s = w/tan(w tick/2) (1 - z⁻¹)/(1 + z⁻¹)
class SampledFilter {
 public:
  /// Throws Error where a frequency is not between zero and the Nyquist frequency of the tick, or a damping is negative.
  SampledFilter(const FilterSettings& settings, double tick);
  void reset() noexcept { z1_ = z2_ = 0; }
  /// The next output; its state moves on where `moves` says so, unless that would spoil it.
  double update(double in, bool moves) noexcept;
  [[nodiscard]] std::complex<double> response(double frequency) const;

 private:
  double tick_, b0_, b1_, b2_, a1_, a2_;
  double z1_ = 0, z2_ = 0;  // transposed direct form II
};

/// The filters of all joints, one after the other in their order. Without any it passes everything unchanged.
class JointFilters {
 public:
  /// Throws Error naming the filter that does not fit.
  JointFilters(const Arm& arm, const std::vector<FilterSettings>& settings, double tick);
  void reset() noexcept;
  /// Filters `x` in place, one number per joint. With dt = 0 its states stay as they are.
  void update(VecX<double>& x, double dt) noexcept;

 private:
  struct Stage {
    int joint;
    SampledFilter filter;
  };
  std::vector<Stage> stages_;
};

}  // namespace armature::control
