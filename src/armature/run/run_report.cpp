#include "armature/run/run_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "armature/run/payload_changes.hpp"

namespace armature::run {

namespace {

using Answer = nlohmann::ordered_json;

Answer finite_or_null(double value) { return std::isfinite(value) ? Answer(value) : Answer(nullptr); }

Answer axis_json(const AxisMetrics& axis) {
  return {{"name", axis.name},
          {"unit", axis.unit},
          {"rms_error", finite_or_null(axis.rms)},
          {"largest_error", finite_or_null(axis.largest)},
          {"end_error", finite_or_null(axis.end)},
          {"settling", finite_or_null(axis.settling)},
          {"settles", std::isnan(axis.settling) ? Answer(nullptr) : Answer(std::isfinite(axis.settling))},
          {"overshoot", finite_or_null(axis.overshoot)},
          {"effort_rms", finite_or_null(axis.effort)},
          {"peak_torque", finite_or_null(axis.peak)}};
}

}  // namespace

Report run_report(const LoadedScenario& loaded, const RunResult& result) {
  return {.kind = "simulate", .title = result.log.title, .subtitle = loaded.scenario.question, .logs = {result.log}};
}

std::string run_json(const LoadedScenario& loaded, const RunResult& result) {
  const Log& log = result.log;
  Answer answer{
      {"scenario", loaded.scenario.scenario}, {"robot", loaded.arm.name()}, {"complete", log.incomplete.empty()}};
  if (!log.incomplete.empty()) answer["incomplete"] = log.incomplete;
  answer["simulated"] = log.time.back();
  answer["real_time_factor"] = finite_or_null(log.time.back() / result.seconds);
  answer["integrator"] = result.integration;
  answer["joints"] = Answer::array();
  const RunMetrics metrics = metrics_of(log);
  if (std::isfinite(metrics.diverged)) answer["diverged"] = metrics.diverged;
  for (int i = 1; i <= loaded.arm.dof(); ++i) {
    const AxisMetrics& t = metrics.joints[i - 1];
    answer["joints"].push_back({{"name", loaded.arm.joint(i - 1).name},
                                {"end", finite_or_null(log.channel(fmt::format("q{}", i)).values.back())},
                                {"rms_error", finite_or_null(t.rms)},
                                {"largest_error", finite_or_null(t.largest)}});
  }
  answer["saturated"] = Answer::object();
  for (const Saturation& motor : result.saturation) answer["saturated"][motor.motor] = motor.share;
  answer["events"] = Answer::object();
  for (const LogEvent& event : log.events) {
    Answer& count = answer["events"][event.kind + " " + event.detail];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  if (const auto carried = carried_payloads(log); !carried.empty()) {
    answer["payloads"] = Answer::array();
    for (const CarriedPayload& p : carried)
      answer["payloads"].push_back({{"from", p.from},
                                    {"noticed", p.noticed},
                                    {"mass", finite_or_null(p.mass)},
                                    {"mass_deviation", finite_or_null(p.mass_deviation)},
                                    {"com", {p.com[0], p.com[1], p.com[2]}},
                                    {"com_deviation", {p.com_deviation[0], p.com_deviation[1], p.com_deviation[2]}}});
  }
  answer["energy"] = {{"supplied", finite_or_null(log.channel("energy_supplied").values.back())},
                      {"dissipated", finite_or_null(log.channel("energy_dissipated").values.back())},
                      {"largest_error", finite_or_null(largest_magnitude(log.channel("energy_error").values))},
                      {"balanced", result.unbalanced.empty()}};
  answer["warnings"] = result.warnings;
  if (!result.unbalanced.empty()) answer["warnings"].push_back(result.unbalanced);
  return answer.dump(-1, ' ', false, Answer::error_handler_t::replace);
}

std::string comparison_json(const std::vector<RunMetrics>& runs) {
  Answer answer = Answer::array();
  for (const RunMetrics& run : runs) {
    Answer joints = Answer::array(), tool = Answer::array();
    for (const AxisMetrics& axis : run.joints) joints.push_back(axis_json(axis));
    for (const AxisMetrics& axis : run.tool) tool.push_back(axis_json(axis));
    answer.push_back(
        {{"run", run.name},
         {"complete", run.incomplete.empty()},
         {"incomplete", run.incomplete},
         {"diverged", finite_or_null(run.diverged)},
         {"joints", joints},
         {"tool", tool},
         {"tool_rms", finite_or_null(run.tool_rms)},
         {"tool_largest", finite_or_null(run.tool_largest)},
         {"turn_rms", finite_or_null(run.turn_rms)},
         {"turn_largest", finite_or_null(run.turn_largest)},
         {"energy", {{"supplied", finite_or_null(run.supplied)}, {"dissipated", finite_or_null(run.dissipated)}}},
         {"tick_seconds", run.tick_time},
         {"real_time_factor", run.real_time_factor}});
  }
  return answer.dump(-1, ' ', false, Answer::error_handler_t::replace);
}

}  // namespace armature::run
