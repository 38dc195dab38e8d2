#include "armature/identification/drive_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature {

namespace {

std::string number(double x) { return fmt::format("{:.5g}", x); }

/// "stiffness^-0.8", "stiffness".
std::string power(const std::pair<std::string, double>& share) {
  return std::abs(share.second - 1) < 0.05 ? share.first : fmt::format("{}^{:.1f}", share.first, share.second);
}

std::string open_sentence(const DriveFit::Open& open) {
  const double factor = std::exp(open.spread);
  if (open.share.size() == 1)
    return fmt::format(
        "The logs do not tell '{}': it stays near the described value, and a factor of {:.2g} more or less would fit "
        "as well.",
        open.share[0].first, factor);
  std::vector<std::string> parts;
  for (const auto& share : open.share) parts.push_back(power(share));
  return fmt::format(
      "The logs do not tell {} apart: they may change together, as {}, by a factor of {:.2g} with hardly any "
      "difference.",
      fmt::join(
          [&] {
            std::vector<std::string> names;
            for (const auto& share : open.share) names.push_back("'" + share.first + "'");
            return names;
          }(),
          ", "),
      fmt::join(parts, " and "), factor);
}

}  // namespace

std::vector<std::string> sentences(const DriveModel& model, const DriveFit& fit) {
  std::vector<std::string> said;
  std::size_t free = 0, known = 0;
  for (const DriveEstimate& e : fit.parameters) free += e.free, known += e.free && e.determined;
  said.push_back(fmt::format("Drive of joint '{}': {} parameters fitted, {} of them determined by the logs.",
                             model.joint_name(), free, known));
  for (const DriveLogFit& log : fit.logs)
    said.push_back(
        log.response
            ? fmt::format("{}: the response to '{}' is met within {:.2g} % (rms of {} lines){}.", log.name, log.output,
                          100 * log.rms, log.count,
                          log.expected > 0 ? fmt::format("; its coherence allows {:.2g} %", 100 * log.expected) : "")
            : fmt::format("{}: '{}' is met within {} (rms of {} samples), {:.2g} % of its variation.", log.name,
                          log.output, number(log.rms), log.count, 100 * log.relative));
  if (!fit.play_crossed)
    said.push_back(
        "No motion takes the gear from one side of its play to the other, so none shows how wide the play is: move it "
        "to "
        "and fro.");
  for (const DriveFit::Open& open : fit.open) said.push_back(open_sentence(open));
  for (const DriveLogFit& log : fit.logs)
    if (log.response && log.expected > 0 && log.rms > 2 * log.expected)
      said.push_back(fmt::format(
          "{}: the response differs from the model by {:.1f} times what its coherence allows. Something is not in the "
          "model: another mode, or play and dry friction that act because the machine was not kept turning one way.",
          log.name, log.rms / log.expected));
  if (!fit.converged) said.push_back("The search ended before it settled: start nearer, or hold some parameters.");
  return said;
}

std::vector<LogTable> drive_tables(const DriveFit& fit) {
  LogTable parameters{
      "Parameters", {"parameter", "unit", "described", "fitted", "deviation", "95 % from", "to", ""}, {}};
  for (const DriveEstimate& e : fit.parameters) {
    const bool known = e.free && e.determined;
    parameters.rows.push_back({e.parameter.name, e.parameter.unit, number(e.parameter.value),
                               e.free ? number(e.value) : "", known ? fmt::format("{:.2g}", e.deviation()) : "",
                               known ? number(e.low()) : "", known ? number(e.high()) : "",
                               !e.free ? "held"
                               : known ? ""
                                       : "not determined"});
  }
  LogTable logs{"Logs", {"log", "output", "lines or samples", "rms", "relative %"}, {}};
  for (const DriveLogFit& log : fit.logs)
    logs.rows.push_back({log.name, log.output, fmt::format("{}", log.count), number(log.rms),
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

}  // namespace armature
