#include "armature/run/payload_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::run {

namespace {

constexpr double normal_95 = 1.96;  // half a 95 % interval over its standard deviation

/// "2.013 ± 0.084": the interval with two digits, the value with as many decimals.
std::string with_interval(double value, double deviation) {
  const double half = normal_95 * deviation;
  const int decimals =
      half > 0 && std::isfinite(half) ? std::clamp(1 - static_cast<int>(std::floor(std::log10(half))), 0, 9) : 3;
  const double unit = std::pow(10, -decimals), rounded = std::round(value / unit) * unit;
  return fmt::format("{:.{}f} ± {:.{}f}", rounded == 0 ? 0 : rounded, decimals, half, decimals);  // no -0
}

}  // namespace

std::string CarriedPayload::text() const {
  std::string text = with_interval(mass, mass_deviation) + " kg";
  if (!something()) return text;
  text += ", centre (";
  for (int i = 0; i < 3; ++i) text += (i ? ", " : "") + with_interval(1e3 * com[i], 1e3 * com_deviation[i]);
  return text + ") mm";
}

std::vector<CarriedPayload> carried_payloads(const Log& log) {
  if (!log.has("part_payload_changes") || log.time.empty()) return {};
  const auto values = [&](const std::string& name) -> const std::vector<double>& {
    return log.channel("part_payload_" + name).values;
  };
  const std::vector<double>&changes = values("changes"), &from = values("changed_at"), &mass = values("mass"),
        &deviation = values("mass_deviation");
  std::vector<CarriedPayload> found;
  for (std::size_t k = 0; k < log.time.size(); ++k) {
    if (k == 0 || changes[k] > changes[k - 1])
      found.push_back({.from = k == 0 ? 0 : from[k], .noticed = k == 0 ? 0 : log.time[k]});
    CarriedPayload& now = found.back();
    now.mass = mass[k];
    now.mass_deviation = deviation[k];
    if (k + 1 < log.time.size() && changes[k + 1] == changes[k]) continue;
    for (int i = 0; i < 3; ++i) {
      now.com[i] = values(fmt::format("com{}", i + 1))[k];
      now.com_deviation[i] = values(fmt::format("com_deviation{}", i + 1))[k];
    }
  }
  return found;
}

void note_payload_changes(Log& log) {
  const std::vector<CarriedPayload> carried = carried_payloads(log);
  for (std::size_t i = 1; i < carried.size(); ++i) {
    const auto after = std::upper_bound(log.events.begin(), log.events.end(), carried[i].from,
                                        [](double t, const LogEvent& e) { return t < e.time; });
    log.events.insert(after, {carried[i].from, payload_event, carried[i].text()});
  }
}

}  // namespace armature::run
