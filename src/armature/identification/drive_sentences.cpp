#include "armature/identification/drive_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::identification {

namespace {

std::string number(double x) { return fmt::format("{:.5g}", x); }

/// "stiffness^-0.8", "stiffness".
std::string power(const std::pair<std::string, double>& share) {
  return std::abs(share.second - 1) < 0.05 ? share.first : fmt::format("{}^{:.1f}", share.first, share.second);
}

}  // namespace

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

std::vector<std::string> sentences(const DriveModel& model, const DriveFit& fit) {
  std::vector<std::string> said;
  std::size_t free = 0, known = 0;
  for (const DriveEstimate& e : fit.parameters) {
    free += e.free;
    known += e.free && e.determined;
  }
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

}  // namespace armature::identification
