#include "armature/report/spring_report.hpp"

#include <fmt/format.h>

#include "armature/report/drive_report.hpp"

namespace armature::report {

std::vector<LogTable> spring_tables(const SpringModel& model, const SpringFit& fit) {
  const Arm& arm = *model.description().arm;
  LogTable logs{"Logs", {"log", "", "joint", "lines", "residual %", "of that noise %", "residual as described %"}, {}};
  LogTable modes{"Modes", {"log", "frequency [Hz]", "± 95 % [Hz]", "damping", "± 95 %"}, {}};
  for (const PostureFit& p : fit.postures) {
    for (const PostureFit::Output& out : p.outputs)
      logs.rows.push_back({p.name, p.held_out ? "predicted" : "fitted", arm.joint(out.joint).name,
                           fmt::format("{}", p.frequency.size()), fmt::format("{:.3g}", 100 * out.share),
                           fmt::format("{:.3g}", 100 * out.expected),
                           fmt::format("{:.0f}", 100 * out.described_share)});
    for (const ModeEstimate& m : p.modes)
      modes.rows.push_back({p.name, fmt::format("{:.3f}", m.frequency),
                            fmt::format("{:.3f}", 1.96 * m.frequency_deviation), fmt::format("{:.4f}", m.damping),
                            fmt::format("{:.4f}", 1.96 * m.damping_deviation)});
  }
  return {drive_tables(fit.fit).front(), logs, modes};
}

Report spring_report(const SpringModel& model, const SpringFit& fit, const std::string& logs) {
  const Arm& arm = *model.description().arm;
  Log log;
  log.title = "Springs";
  std::string text;
  for (const std::string& sentence : sentences(model, fit)) text += "- " + sentence + "\n";
  log.texts.push_back({LogText::Kind::markdown, "", text});
  log.tables = spring_tables(model, fit);
  for (const PostureFit& p : fit.postures)
    for (const PostureFit::Output& out : p.outputs) {
      const std::string figure =
          fmt::format("{}, joint {}{}", p.name, arm.joint(out.joint).name, p.held_out ? ", not fitted" : "");
      const std::string input = "u_" + out.command, output = fmt::format("q{}", out.joint + 1);
      log.spectra.push_back({"measured", input, output, "", p.frequency, out.measured, {}, figure});
      log.spectra.push_back(
          {p.held_out ? "predicted" : "fitted", input, output, "", p.frequency, out.fitted, {}, figure});
    }
  Report report{
      .kind = "fit-drive", .title = "Springs of joints without a motor", .subtitle = fmt::format("fitted to {}", logs)};
  report.logs = {std::move(log)};
  return report;
}

}  // namespace armature::report
