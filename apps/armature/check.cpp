// armature check: is this description physically possible?
#include <fmt/format.h>

#include "arm_options.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "json_out.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature {

namespace {

struct Verdict {
  std::vector<Finding> errors, warnings;
  bool sound = true;  // no error, nothing unphysical
};

/// Everything the description itself shows; then, where there is an arm at all, its dynamics.
Verdict judge(const ParsedArm& parsed) {
  Verdict verdict;
  const ArmDescription& description = parsed.description;
  for (const Finding& finding : findings(description))
    (finding.severity == Finding::Severity::error ? verdict.errors : verdict.warnings).push_back(finding);
  if (verdict.errors.empty()) {
    if (const auto q = indefinite_configuration(Arm(description))) {
      std::vector<std::string> values;
      for (const double value : *q) values.push_back(short_text(value));
      verdict.errors.push_back(
          {Finding::Severity::error, fmt::format("arm '{}'", printable(description.name)),
           fmt::format("its mass matrix is not positive definite at q = {}", fmt::join(values, ", ")),
           "no arm moves like this; check masses, inertias and the frames they are given in"});
    }
  }
  verdict.sound = verdict.errors.empty() && description.unphysical.empty();
  return verdict;
}

std::string sentence(const ParsedArm& parsed, const Finding& finding) {
  return Error(finding.place + ": " + finding.finding, finding.hint, place_of(parsed, finding)).what();
}

Json json_of(const ParsedArm& parsed, const Finding& finding) {
  return {{"severity", finding.severity == Finding::Severity::error ? "error" : "warning"},
          {"place", to_string(place_of(parsed, finding))},
          {"about", finding.place},
          {"finding", finding.finding},
          {"hint", finding.hint}};
}

int check(const ArmOptions& options, bool json) {
  const ParsedArm parsed = options.read();
  const Verdict verdict = judge(parsed);
  const ArmDescription& description = parsed.description;
  const int code = verdict.sound ? exit_done : exit_no;
  if (json) {
    Json answer{{"arm", description.name}, {"sound", verdict.sound}, {"findings", Json::array()}};
    if (!description.unphysical.empty()) answer["unphysical"] = description.unphysical;
    for (const auto* list : {&verdict.errors, &verdict.warnings})
      for (const Finding& finding : *list) answer["findings"].push_back(json_of(parsed, finding));
    answer["notes"] = parsed.warnings;  // what the reader changed or left out
    print_json(answer);
    return code;
  }
  for (const Finding& finding : verdict.errors) fmt::print("error: {}\n", sentence(parsed, finding));
  if (!description.unphysical.empty())
    fmt::print("unphysical: arm '{}' says of itself: {}\n", description.name, description.unphysical);
  for (const Finding& finding : verdict.warnings) fmt::print("warning: {}\n", sentence(parsed, finding));
  for (const std::string& note : parsed.warnings) fmt::print("warning: {}\n", note);
  if (!verdict.errors.empty())
    fmt::print("\n{}: {} {}; no such arm can be built.\n", description.name, verdict.errors.size(),
               verdict.errors.size() == 1 ? "error" : "errors");
  else if (!verdict.sound)
    fmt::print("\n{}: usable, but its inertia is not that of any body.\n", description.name);
  else
    fmt::print("{}: sound. Every body can exist, and the mass matrix is positive definite wherever it was looked at.\n",
               description.name);
  return code;
}

}  // namespace

void add_check(CommandLine& line) {
  static ArmOptions options;
  static bool json = false;
  Verb& verb = line.verb("check", "check whether an arm is physically possible; each finding with place and hint");
  options.add_to(verb);
  options.add_overrides_to(verb);
  verb.flag("--json", json, "machine-readable output (JSON)")
      .example("armature check my_robot.yaml",
               "exit code 0: sound; 1: errors, or inertia that no body can have; 2: not readable")
      .example("armature check robot.urdf --base base_link --tip tool0", "one chain of a URDF")
      .action([] { return check(options, json); });
}

}  // namespace armature
