#include "armature/report/drive_report.hpp"

#include <fmt/format.h>

namespace armature::report {

namespace {

std::string parameter_text(double x) { return fmt::format("{:.5g}", x); }

}  // namespace

std::vector<LogTable> drive_tables(const DriveFit& fit) {
  LogTable parameters{
      "Parameters", {"parameter", "unit", "described", "fitted", "deviation", "95 % from", "to", ""}, {}};
  for (const DriveEstimate& e : fit.parameters) {
    const bool known = e.free && e.determined;
    parameters.rows.push_back({e.parameter.name, e.parameter.unit, parameter_text(e.parameter.value),
                               e.free ? parameter_text(e.value) : "", known ? fmt::format("{:.2g}", e.deviation()) : "",
                               known ? parameter_text(e.low()) : "", known ? parameter_text(e.high()) : "",
                               !e.free ? "held"
                               : known ? ""
                                       : "not determined"});
  }
  LogTable logs{"Logs", {"log", "output", "lines or samples", "rms", "relative %"}, {}};
  for (const DriveLogFit& log : fit.logs)
    logs.rows.push_back({log.name, log.output, fmt::format("{}", log.count), parameter_text(log.rms),
                         fmt::format("{:.3g}", 100 * log.relative)});
  return {parameters, logs};
}

std::vector<Log> drive_logs_of(const DriveModel& model, const DriveFit& fit, const std::vector<DriveFrf>& responses,
                               const std::vector<DriveMotion>& motions) {
  Log first;
  first.title = "Drive";
  std::string text;
  for (const std::string& sentence : sentences(model, fit)) text += "- " + sentence + "\n";
  first.texts.push_back({LogText::Kind::markdown, "", text});
  first.tables = drive_tables(fit);
  for (const DriveFrf& frf : responses) {
    const DriveLines lines = drive_lines(model, fit.values(), frf, {});
    first.spectra.push_back(
        {"measured", model.command_column(), frf.output, "", frf.frequency, frf.response, frf.coherence, frf.name});
    first.spectra.push_back({"fitted",
                             model.command_column(),
                             frf.output,
                             "",
                             frf.frequency,
                             {lines.response.data(), lines.response.data() + lines.response.size()},
                             {},
                             frf.name});
  }
  std::vector<Log> logs{first};
  for (const DriveMotion& motion : motions) {
    Log log;
    log.title = motion.name;
    for (Eigen::Index i = 0; i < motion.command.size(); ++i) log.time.push_back(static_cast<double>(i) * motion.step);
    for (const DriveLogFit& part : fit.logs) {
      if (part.response || part.name != motion.name) continue;
      const bool position = model.is_position(model.state_of(part.output));
      const char* unit = position ? "rad" : "rad/s";
      for (int c = 0; c < 2; ++c) {
        const Eigen::VectorXd values = part.measured_and_model.col(c);
        log.add(part.output + (c == 0 ? "" : "_fitted"), unit)
            .values.assign(values.data(), values.data() + values.size());
      }
      log.time_figures.push_back(
          {"", fmt::format("{}, measured and fitted", part.output), {part.output, part.output + "_fitted"}});
    }
    log.add(model.command_column(), "")
        .values.assign(motion.command.data(), motion.command.data() + motion.command.size());
    log.time_figures.push_back({"", "Command", {model.command_column()}});
    logs.push_back(std::move(log));
  }
  return logs;
}

}  // namespace armature::report
