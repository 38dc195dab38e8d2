// Sobol' points with a random linear scramble and shift.
#pragma once

#include <cstdint>
#include <vector>

#include "armature/campaign/philox.hpp"

namespace armature::campaign {

/// Points of Sobol's sequence in so many dimensions, of which any first 2^m form a net. Each replicate multiplies the digits by a random
/// lower triangular matrix and shifts them [Matousek1998], so that every point is uniform and replicates are independent.
class SobolPoints {
 public:
  static constexpr std::size_t most_dimensions = 3667;
  SobolPoints(std::size_t dimensions, RandomField random);

  /// Coordinate of point `index` (below 2^32) of a replicate, between 0 and 1.
  [[nodiscard]] double coordinate(std::uint64_t replicate, std::uint32_t index, std::uint32_t dimension) const;

 private:
  static constexpr int digits = 32;
  RandomField random_;
  std::vector<std::uint32_t> directions_;  // `digits` a dimension
};

}  // namespace armature::campaign
