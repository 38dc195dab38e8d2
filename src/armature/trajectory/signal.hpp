// A number over time: what a joint is driven with, or what is added to a loop to see how it answers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "armature/core/fields.hpp"

namespace armature::trajectory {

struct SignalSettings {
  enum class Kind {
    constant,   ///< `amplitude`
    step,       ///< the same, from `begin` on
    sine,       ///< amplitude sin(2π frequency t + phase)
    chirp,      ///< a sine whose frequency goes from `from` to `to` within a `period`
    multisine,  ///< sines at the multiples of 1/period between `from` and `to`, with random phases
    table       ///< straight lines between the rows of a table, held before the first and after the last
  };
  Kind kind = Kind::constant;
  double amplitude = 0;       // largest magnitude, in the unit of what the signal acts on
  double begin = 0, end = 0;  // it acts from one to the other, and counts its time from `begin`; end 0: for ever [s]
  double period = 0;          // it repeats after this; 0: it does not [s]
  double frequency = 0;       // of a sine [Hz]
  double phase = 0;           // of a sine [rad]
  double from = 0, to = 0;  // of a chirp or a multisine; 0 (multisine): 1/period, and 0.8 of the Nyquist frequency [Hz]
  double tilt = 0;          // the lines of a multisine have amplitudes that go with frequency^tilt
  std::string table{}, column{};  // a CSV file, and which column of it

  /// All but the amplitude, whose unit is that of what the signal acts on.
  void fields(Fields& f);
};

/// Sampled with a tick, a signal with a period repeats to the bit.
class TimeSignal {
 public:
  /// `times` and `values` are the rows of a table. Throws Error with the sentence that says what does not fit: a frequency beyond
  /// the Nyquist frequency of the tick, a period that is no whole number of ticks, times that do not increase.
  TimeSignal(const SignalSettings& settings, double tick, std::uint64_t seed = 1, std::vector<double> times = {},
             std::vector<double> values = {});

  /// Between `begin` and `end`.
  [[nodiscard]] bool acts_at(double t) const noexcept;
  /// Zero where it does not act. Allocates nothing.
  [[nodiscard]] double at(double t) const noexcept;

 private:
  struct Line {
    double frequency, amplitude, phase;  // [Hz], [-], [rad]
  };
  void make_lines(std::uint64_t seed);
  /// `since` its begin, within a period.
  [[nodiscard]] double value(double since) const noexcept;

  SignalSettings s_;
  double tick_;
  std::vector<Line> lines_;
  std::vector<double> times_, values_;  // of a table; of a multisine the samples of one period
};

}  // namespace armature::trajectory
