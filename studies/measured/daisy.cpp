// Flexible robot arm of the DaISy collection [DeMoor1997]: frequency response from reaction torque to acceleration.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/formats/table.hpp"
#include "armature/identification/frf.hpp"
#include "measured.hpp"

namespace armature::studies::measured {

namespace {
constexpr double daisy_segment = 512;  // samples
}

void daisy(const Progress& progress, StudyResult& result) {
  const std::string file = data_file("daisy_robot_arm/robot_arm.csv");
  if (file.empty()) {
    result.claims.push_back(missing("daisy", "frequency response of a flexible arm with its coherence", "-",
                                    "daisy_robot_arm/robot_arm.csv", "DaISy database, set 96-009"));
    return;
  }
  progress("daisy");
  TableReader table(file);
  table.select(table.columns());
  Log samples;  // one per second: the sampling time is not published
  samples.add("u", "");
  samples.add("y", "");
  std::vector<double> row(table.columns().size());
  while (table.next(row)) {
    samples.time.push_back(static_cast<double>(samples.time.size()));
    samples.channels[0].values.push_back(row[0]);
    samples.channels[1].values.push_back(row[1]);
  }
  const FrequencyResponse H =
      estimate_frf(samples, {.input = "u", .output = "y", .segment = daisy_segment, .overlap = 0.75}).direct;
  const PowerSpectrum power =
      welch(samples.channel("u").values, {.segment = static_cast<std::size_t>(daisy_segment), .overlap = 0.75});
  const double most = *std::max_element(power.density.begin(), power.density.end());
  std::size_t excited = 0, coherent = 0, peak = 0;
  for (std::size_t k = 1; k < H.frequency.size(); ++k) {
    if (power.density[k] < 1e-3 * most) continue;  // the sweep does not reach it
    ++excited;
    coherent += H.coherence[k] > 0.8;
    if (H.coherence[k] > 0.8 && std::abs(H.response[k]) > std::abs(H.response[peak])) peak = k;
  }
  result.claims.push_back(
      {"daisy", "frequency response of the flexible arm with its coherence: 80 % of the excited lines above 0.8", "-",
       fmt::format("{} of {} excited lines with coherence above 0.8; largest response, {:.1f} dB, at {:.4f} of the "
                   "sampling rate",
                   coherent, excited, 20 * std::log10(std::abs(H.response[peak])), H.frequency[peak]),
       5 * coherent > 4 * excited,
       fmt::format("by `frf` in segments of {} of 1024 samples; the threshold is ours. The sampling time is not "
                   "published, so frequencies are shares of the sampling rate",
                   daisy_segment)});
  Log log;
  log.title = "Flexible robot arm (DaISy 96-009)";
  log.spectra.push_back({"arm acceleration over reaction torque", "reaction torque", "acceleration", "", H.frequency,
                         H.response, H.coherence});
  result.logs.push_back(log);
}

}  // namespace armature::studies::measured
