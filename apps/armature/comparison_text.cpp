#include "comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/units.hpp"
#include "text_table.hpp"

namespace armature {

namespace {

std::string cell(double value) { return std::isfinite(value) ? short_text(value) : "-"; }

/// Angles in degrees, lengths in millimetres.
double scale_of(const AxisMetrics& axis) { return axis.unit == "m" ? 1e3 : 1 / deg; }

double largest_of(const std::vector<AxisMetrics>& axes, double AxisMetrics::*what) {
  double most = std::nan("");
  for (const AxisMetrics& axis : axes)
    if (std::isfinite(axis.*what)) most = std::isfinite(most) ? std::max(most, axis.*what) : axis.*what;
  return most;
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json axis_json(const AxisMetrics& axis) {
  return {{"name", axis.name},
          {"unit", axis.unit},
          {"rms_error", number(axis.rms)},
          {"largest_error", number(axis.largest)},
          {"end_error", number(axis.end)},
          {"settling", number(axis.settling)},
          {"overshoot", number(axis.overshoot)},
          {"effort_rms", number(axis.effort)},
          {"peak_torque", number(axis.peak)}};
}

}  // namespace

std::string comparison_text(const std::vector<RunMetrics>& runs) {
  std::vector<std::vector<std::string>> rows;
  for (const RunMetrics& run : runs)
    rows.push_back({run.name + (run.incomplete.empty() ? "" : " (ended early)"), cell(run.tool_rms * 1e3),
                    cell(run.tool_largest * 1e3), cell(run.turn_rms / deg),
                    cell(largest_of(run.joints, &AxisMetrics::settling)),
                    cell(largest_of(run.joints, &AxisMetrics::overshoot) * 100),
                    cell(largest_of(run.joints, &AxisMetrics::effort)),
                    cell(largest_of(run.joints, &AxisMetrics::peak)), cell(run.supplied), cell(run.tick_time * 1e6)});
  std::string text = text_table({"run", "tool RMS mm", "largest mm", "turn RMS deg", "settled s", "overshoot %",
                                 "effort RMS", "peak torque", "energy J", "tick us"},
                                rows);
  rows.clear();
  std::vector<std::string> header{"run", ""};
  for (const AxisMetrics& joint : runs.front().joints)
    header.push_back(fmt::format("{} {}", joint.name, joint.unit == "m" ? "mm" : "deg"));
  for (const AxisMetrics& axis : runs.front().tool) header.push_back(axis.name + " mm");
  for (const RunMetrics& run : runs) {
    std::vector<std::string> rms{run.name, "RMS"}, most{"", "largest"};
    for (const auto* axes : {&run.joints, &run.tool})
      for (const AxisMetrics& axis : *axes)
        rms.push_back(cell(axis.rms * scale_of(axis))), most.push_back(cell(axis.largest * scale_of(axis)));
    for (auto* row : {&rms, &most}) {
      row->resize(header.size());
      rows.push_back(*row);
    }
  }
  return text + "\n" + text_table(header, rows);
}

Json comparison_json(const std::vector<RunMetrics>& runs) {
  Json answer = Json::array();
  for (const RunMetrics& run : runs) {
    Json joints = Json::array(), tool = Json::array();
    for (const AxisMetrics& axis : run.joints) joints.push_back(axis_json(axis));
    for (const AxisMetrics& axis : run.tool) tool.push_back(axis_json(axis));
    answer.push_back({{"run", run.name},
                      {"complete", run.incomplete.empty()},
                      {"incomplete", run.incomplete},
                      {"joints", joints},
                      {"tool", tool},
                      {"tool_rms", number(run.tool_rms)},
                      {"tool_largest", number(run.tool_largest)},
                      {"turn_rms", number(run.turn_rms)},
                      {"turn_largest", number(run.turn_largest)},
                      {"energy", {{"supplied", run.supplied}, {"dissipated", run.dissipated}}},
                      {"tick_seconds", run.tick_time},
                      {"real_time_factor", run.real_time_factor}});
  }
  return answer;
}

}  // namespace armature
