#include "threads_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"

namespace armature::app {

int threads_of(const std::optional<std::string>& asked) {
  if (!asked) return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const double n = parse_double(*asked).value_or(0);
  if (!(n >= 1 && n <= 256 && n == std::floor(n)))
    throw Error(fmt::format("--threads {}: not a number of threads", printable(*asked)), "1 to 256");
  return static_cast<int>(n);
}

}  // namespace armature::app
