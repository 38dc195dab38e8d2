#include "comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/units.hpp"
#include "text_table.hpp"

namespace armature::app {

namespace {

std::string cell(double value) { return std::isfinite(value) ? short_text(value) : "-"; }

/// Angles in degrees, lengths in millimetres.
double scale_of(const AxisMetrics& axis) { return axis.unit == "m" ? 1e3 : 1 / deg; }

/// Of those that have one; infinity is the largest.
double largest_of(const std::vector<AxisMetrics>& axes, double AxisMetrics::*what) {
  double most = std::nan("");
  for (const AxisMetrics& axis : axes)
    if (!std::isnan(axis.*what)) most = std::isnan(most) ? axis.*what : std::max(most, axis.*what);
  return most;
}

std::string settled(const RunMetrics& run) {
  const double last = largest_of(run.joints, &AxisMetrics::settling);
  return std::isinf(last) ? "never" : cell(last);
}

std::string title(const RunMetrics& run) {
  if (std::isfinite(run.diverged)) return fmt::format("{} (diverged at t = {:.4g} s)", run.name, run.diverged);
  return run.name + (run.incomplete.empty() ? "" : " (ended early)");
}

}  // namespace

std::vector<LogTable> comparison_tables(const std::vector<RunMetrics>& runs) {
  LogTable summary{"Summary",
                   {"run", "tool RMS mm", "largest mm", "turn RMS deg", "settled s", "overshoot %", "effort RMS",
                    "peak torque", "energy J", "tick us"},
                   {}};
  for (const RunMetrics& run : runs)
    summary.rows.push_back(
        {title(run), cell(run.tool_rms * 1e3), cell(run.tool_largest * 1e3), cell(run.turn_rms / deg), settled(run),
         cell(largest_of(run.joints, &AxisMetrics::overshoot) * 100),
         cell(largest_of(run.joints, &AxisMetrics::effort)), cell(largest_of(run.joints, &AxisMetrics::peak)),
         cell(run.supplied), cell(run.tick_time * 1e6)});
  LogTable errors{"Errors", {"run", ""}, {}};
  std::vector<std::string>& header = errors.header;
  for (const AxisMetrics& joint : runs.front().joints)
    header.push_back(fmt::format("{} {}", joint.name, joint.unit == "m" ? "mm" : "deg"));
  for (const AxisMetrics& axis : runs.front().tool) header.push_back(axis.name + " mm");
  for (const RunMetrics& run : runs) {
    std::vector<std::string> rms{run.name, "RMS"}, most{"", "largest"};
    for (const auto* axes : {&run.joints, &run.tool})
      for (const AxisMetrics& axis : *axes) {
        rms.push_back(cell(axis.rms * scale_of(axis)));
        most.push_back(cell(axis.largest * scale_of(axis)));
      }
    for (auto* row : {&rms, &most}) {
      row->resize(header.size());
      errors.rows.push_back(*row);
    }
  }
  return {summary, errors};
}

std::string comparison_text(const std::vector<RunMetrics>& runs) {
  std::string text;
  for (const LogTable& table : comparison_tables(runs))
    text += (text.empty() ? "" : "\n") + text_table(table.header, table.rows);
  return text;
}

}  // namespace armature::app
