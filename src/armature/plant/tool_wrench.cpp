#include "armature/plant/tool_wrench.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "armature/plant/internal/require.hpp"

namespace armature::plant {

void check(const ToolWrench& w) {
  require(w.to > w.from && w.wrench.allFinite(), "plant", "a tool wrench ends before it starts", "from < to");
  require(w.profile != ToolWrench::Profile::sine || (w.frequency > 0 && std::isfinite(w.frequency)), "plant",
          "a tool wrench that runs as a sine has no frequency", "give it in Hz");
  require(w.profile != ToolWrench::Profile::table || (!w.times.empty() && w.times.size() == w.table.size()), "plant",
          "the table of a tool wrench is empty", "one row per time");
}

Vec6<double> ToolWrench::at(double t) const noexcept {
  const double since = t - from, share = since / (to - from);
  switch (profile) {
    case Profile::constant:
      break;
    case Profile::ramp:
      return share * wrench;
    case Profile::half_sine:
      return std::sin(std::numbers::pi * share) * wrench;
    case Profile::sine:
      return std::sin(2 * std::numbers::pi * frequency * since) * wrench;
    case Profile::table: {
      const auto after = std::upper_bound(times.begin(), times.end(), since);
      if (after == times.begin()) return table.front();
      if (after == times.end()) return table.back();
      const std::size_t k = after - times.begin();
      const double s = (since - times[k - 1]) / (times[k] - times[k - 1]);
      return (1 - s) * table[k - 1] + s * table[k];
    }
  }
  return wrench;
}

void ToolWrench::fields(Fields& f) {
  f.number("from", from, dimension::time, "when it starts to act", Range::not_negative);
  f.number("to", to, dimension::time, "when it ends", Range::not_negative);
  f.numbers("force", Numbers(wrench.data(), 3), dimension::force, "on the tool, world axes", 3);
  f.numbers("moment", Numbers(wrench.data() + 3, 3), dimension::torque, "on the tool, world axes", 3);
  f.word("profile", profile, {"constant", "ramp", "half_sine", "sine", "table"},
         "how it runs: at full size; from zero to full; as one arch; as a sine; as a table says");
  f.number("frequency", frequency, dimension::rate, "frequency of the sine, in Hz", Range::not_negative);
  f.text("table", file,
         "a CSV file beside the scenario: time [s] counted from `from`, and any of force_x [N] to moment_z [N m]");
}

}  // namespace armature::plant
