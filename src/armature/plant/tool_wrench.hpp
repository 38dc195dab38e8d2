// Pushes on the tool from outside.
#pragma once

#include <string>
#include <vector>

#include "armature/core/fields.hpp"
#include "armature/scalar/matrix.hpp"

namespace armature::plant {

/// A wrench (f; mu) [N, N m] on the tool in world axes, from one time to another.
struct ToolWrench {
  enum class Profile {
    constant,   ///< `wrench`
    ramp,       ///< from zero at `from` to `wrench` at `to`
    half_sine,  ///< a blow: one arch, `wrench` in the middle
    sine,       ///< `wrench` sin(2π frequency (t - from))
    table       ///< straight lines between the rows of a table, held before the first and after the last
  };
  double from = 0, to = 0;  // [s]
  Vec6<double> wrench = Vec6<double>::Zero();
  Profile profile = Profile::constant;
  double frequency = 0;             // [Hz]
  std::vector<double> times;        // of the table, counted from `from`, increasing [s]
  std::vector<Vec6<double>> table;  // at those times
  std::string file;                 // a CSV file that a scenario takes them from

  /// At a time between `from` and `to`.
  [[nodiscard]] Vec6<double> at(double t) const noexcept;
  void fields(Fields& f);
};

/// Throws ModelError where it ends before it starts or its profile lacks something.
void check(const ToolWrench& wrench);

}  // namespace armature::plant
