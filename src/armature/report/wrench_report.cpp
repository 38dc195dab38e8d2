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
      table.rows.push_back({q.name,
                            turns    ? "deg"
                            : length ? "mm"
                                     : q.unit,
                            short_text(q.value / unit), fmt::format("{:.2g}", q.half_width / unit)});
    }
    tables.push_back(std::move(table));
  }
  LogTable channels{"Channels", {"", "unit", "changes by (RMS)", "residual", "held-out error"}, {}};
  for (int c = 0; c < wrench_channels; ++c)
    channels.rows.push_back({found.channels[c], c < 3 ? "N" : "N m", short_text(found.spread[c]),
                             short_text(found.noise[c]), short_text(found.held_out[c])});
  tables.push_back(std::move(channels));
  return tables;
}

namespace {

/// Of postures there is no time: residuals are drawn over their number.
void draw_by_posture(Log& log) {
  std::vector<double> number;
  for (std::size_t k = 0; k < log.time.size(); ++k) number.push_back(static_cast<double>(k + 1));
  for (const std::size_t first : {0, 3}) {
    Figure figure{"",
                  first == 0 ? "Residuals of the forces" : "Residuals of the moments",
                  {"posture", ""},
                  {first == 0 ? "force" : "moment", first == 0 ? "N" : "N m"},
                  {}};
    for (std::size_t k = first; k < first + 3; ++k)
      figure.series.push_back({log.channels[k].name, number, log.channels[k].values, FigureSeries::Style::points});
    log.figures.push_back(std::move(figure));
  }
  log.time.clear();
  log.channels.clear();
}

}  // namespace

Report wrench_report(const Arm& arm, const WrenchCalibration& found, const std::vector<WrenchLog>& logs, double cutoff,
                     const std::string& names) {
  Log log = contact_log(arm, sensor_of(found), logs, cutoff);
  log.title = "Calibration of the sensor";
  log.time_figures = {{"", "Residuals of the forces", {"force_x", "force_y", "force_z"}},
                      {"", "Residuals of the moments", {"moment_x", "moment_y", "moment_z"}}};
  if (found.postures) {
    log.time_figures.clear();
    draw_by_posture(log);
  }
  std::string text;
  for (const std::string& sentence : sentences(found)) text += "- " + sentence + "\n";
  log.texts.push_back({LogText::Kind::markdown, "", text});
  log.tables = wrench_tables(found);
  Report report{.kind = "calibrate", .title = "Force/torque sensor"};
  report.subtitle =
      fmt::format("of {}, from {}; {:.2g} % prediction error on held-out data", arm.name(), names, 100 * found.error());
  report.logs = {std::move(log)};
  return report;
}

}  // namespace armature::report
