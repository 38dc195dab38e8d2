#include "armature/report/wrench_report.hpp"

#include <fmt/format.h>

#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/run/wrench_answer.hpp"

namespace armature::report {

std::vector<LogTable> wrench_tables(const WrenchCalibration& found) {
  const std::pair<const char*, const std::vector<WrenchQuantity>*> groups[] = {
      {"Tool", &found.tool},   {"Mounting", &found.mounting}, {"Offsets", &found.zeros},
      {"Drift", &found.drift}, {"Gains", &found.gains},       {"Gravity", &found.gravity}};
  std::vector<LogTable> tables;
  for (const auto& [title, quantities] : groups) {
    if (quantities->empty()) continue;
    LogTable table{title, {"", "unit", "estimate", "± (95 %)"}, {}};
    for (const WrenchQuantity& q : *quantities) {
      const bool turns = q.unit == "rad", length = q.unit == "m";
      const double unit = turns ? deg : length ? 1e-3 : 1;
      table.rows.push_back({q.name, turns ? "deg" : length ? "mm" : q.unit, short_text(q.value / unit),
                            fmt::format("{:.2g}", q.half_width / unit)});
    }
    tables.push_back(std::move(table));
  }
  LogTable channels{"Channels", {"", "unit", "changes by (RMS)", "residual", "on parts left out"}, {}};
  for (int c = 0; c < wrench_channels; ++c)
    channels.rows.push_back({found.channels[static_cast<std::size_t>(c)], c < 3 ? "N" : "N m", short_text(found.spread[c]),
                             short_text(found.noise[c]), short_text(found.held_out[c])});
  tables.push_back(std::move(channels));
  return tables;
}

Report wrench_report(const Arm& arm, const WrenchCalibration& found, const std::vector<WrenchLog>& logs, double cutoff,
                     const std::string& names) {
  Log log = contact_log(arm, sensor_of(found), logs, cutoff);
  log.title = found.postures ? "What the calibration leaves of the readings, posture by posture"
                             : "What the calibration leaves of the readings";
  std::string text;
  for (const std::string& sentence : sentences(found)) text += "- " + sentence + "\n";
  log.texts.push_back({LogText::Kind::markdown, "", text});
  log.tables = wrench_tables(found);
  log.time_figures = {{"", "Forces that are left [N]", {"force_x", "force_y", "force_z"}},
                      {"", "Moments that are left [N m]", {"moment_x", "moment_y", "moment_z"}}};
  Report report{.kind = "calibrate", .title = "Force/torque sensor", .subtitle = fmt::format("of {}, from {}", arm.name(), names)};
  report.logs = {std::move(log)};
  return report;
}

}  // namespace armature::report
