#include "run_folder.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/run/comparison.hpp"
#include "armature/run/run_report.hpp"
#include "report_folder.hpp"
#include "text_table.hpp"

namespace armature::app {

LogTable run_summary(const LoadedScenario& loaded, const RunResult& result, const RunMetrics& metrics) {
  LogTable table{"Summary", {"joint", "unit", "ends at", "RMS error", "largest", "peak torque"}, {}};
  for (int i = 1; i <= loaded.arm.dof(); ++i) {
    const AxisMetrics& t = metrics.joints[i - 1];
    const bool turns = loaded.arm.body(i - 1).revolute;
    const double scale = turns ? 1 / deg : 1e3;
    const Channel& torque = result.log.channel(fmt::format("tau{}", i));
    table.rows.push_back({loaded.arm.joint(i - 1).name, turns ? "deg" : "mm",
                          short_text(result.log.channel(fmt::format("q{}", i)).values.back() * scale),
                          short_text(t.rms * scale), short_text(t.largest * scale),
                          fmt::format("{} {}", short_text(largest_magnitude(torque.values)), torque.unit)});
  }
  return table;
}

std::string share_text(const Saturation& motor) {
  const double percent = 100 * motor.share;
  return fmt::format("{:.{}g} % of the time", percent, percent < 99.5 ? 2 : 3);  // two digits make 1e+02 of 100
}

std::string write_run(const LoadedScenario& loaded, const RunResult& result, OutputFolder& folder,
                      const std::string& under) {
  const Log& log = result.log;
  folder.write(under + "scenario.yaml", loaded.text);
  Report report = run_report(loaded, result);
  if (const RunMetrics metrics = metrics_of(log); !std::isfinite(metrics.diverged)) {
    std::vector<LogTable>& tables = report.logs[0].tables;
    tables.insert(tables.begin(), run_summary(loaded, result, metrics));
    for (const Saturation& motor : result.saturation)
      report.logs[0].facts.emplace_back("saturated", fmt::format("{}, {}", motor.motor, share_text(motor)));
  }
  return write_report(std::move(report), folder, under);
}

}  // namespace armature::app
