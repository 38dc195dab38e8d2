// A smooth curve through the points of a table.
#pragma once

#include <vector>

#include "armature/rooms.hpp"

namespace armature::numerics {

/// Cubics between points, with a continuous slope; between two points the curve does not leave the range of their values
/// [FritschButland1984]. Beyond the first and the last point it stays where it is there.
class MonotoneCubic {
 public:
  /// Two points or more, x increasing.
  MonotoneCubic(std::vector<double> x, std::vector<double> y);

  [[nodiscard]] double value(double at) const noexcept;
  [[nodiscard]] double slope(double at) const noexcept;
  [[nodiscard]] double curvature(double at) const noexcept;
  /// From the first point on; negative before it where the curve is positive there.
  [[nodiscard]] double integral(double at) const noexcept;

 private:
  struct Piece {
    double start, length, left, right, left_slope, right_slope;
  };
  /// The piece that `at` is in; null beyond the ends.
  [[nodiscard]] const Piece* piece(double at) const noexcept;

  std::vector<Piece> pieces_;
  std::vector<double> integral_;  // up to the start of each piece, and to the end
};

}  // namespace armature::numerics
