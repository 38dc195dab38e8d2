#include "armature/campaign/internal/sobol_points.hpp"

#include <bit>
#include <boost/random/sobol.hpp>

namespace armature::campaign {

SobolPoints::SobolPoints(std::size_t dimensions, RandomField random)
    : random_(random), directions_(dimensions * digits) {
  boost::random::sobol_engine<std::uint32_t, digits> engine(dimensions);
  // Consecutive points in the engine's (Gray code) order differ by one direction: points 2^j - 1 and 2^j by that of digit j. Its
  // first point is number 1, which is the direction of digit 0.
  std::vector<std::uint32_t> before(dimensions, 0), after(dimensions);
  for (int j = 0; j < digits; ++j) {
    if (j > 0) {
      engine.seed((std::uint32_t{1} << j) - 2);
      for (std::uint32_t& x : before) x = engine();
    }
    for (std::uint32_t& x : after) x = engine();
    for (std::size_t d = 0; d < dimensions; ++d)
      directions_[d * digits + static_cast<std::size_t>(j)] = before[d] ^ after[d];
  }
}

double SobolPoints::coordinate(std::uint64_t replicate, std::uint32_t index, std::uint32_t dimension) const {
  using Purpose = RandomField::Purpose;
  const std::uint32_t* direction = directions_.data() + std::size_t{dimension} * digits;
  std::uint32_t plain = 0;
  for (int j = 0; j < digits && index >> j; ++j)
    if (index >> j & 1) plain ^= direction[j];
  std::uint32_t scrambled = 0;
  for (std::uint32_t i = 0; i < digits; i += 4) {  // row i of the matrix: random left of the diagonal, 1 on it
    const PhiloxCounter rows = random_.words(Purpose::scramble, replicate, dimension * 16 + i / 4);
    for (std::uint32_t k = 0; k < 4; ++k) {
      const std::uint32_t own = std::uint32_t{1} << (digits - 1 - (i + k));
      const std::uint32_t row = (rows[k] & ~(2 * own - 1)) | own;
      if (std::popcount(row & plain) & 1) scrambled |= own;
    }
  }
  scrambled ^= random_.words(Purpose::scramble, replicate, dimension * 16 + 8)[0];
  const std::uint64_t point = replicate << 32 | index;
  return (scrambled + random_.uniform(Purpose::jitter, point, dimension)) * 0x1.0p-32;
}

}  // namespace armature::campaign
