#include "armature/formats/parsed_arm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace armature::formats {

namespace {
std::string sentence(const Finding& finding) { return finding.place + ": " + finding.finding; }
bool is_error(const Finding& finding) { return finding.severity == Finding::Severity::error; }
bool has_error(const std::vector<Finding>& found) { return std::any_of(found.begin(), found.end(), is_error); }

ArmDescription unphysical_if_not_said(ArmDescription arm) {
  if (arm.unphysical.empty()) arm.unphysical = "its inertia is taken as given";
  return arm;
}

/// "link 'a': has no <inertial>, link 'b' has no <mass>".
std::string all_lacking(const ParsedArm& parsed) {
  std::string text = sentence(parsed.lacking[0]);
  constexpr std::size_t most = 16;
  for (std::size_t i = 1; i < std::min(parsed.lacking.size(), most); ++i)
    text += fmt::format(", {} {}", parsed.lacking[i].place, parsed.lacking[i].finding);
  if (parsed.lacking.size() > most) text += fmt::format(", ... ({} more)", parsed.lacking.size() - most);
  return text;
}
}  // namespace

Place place_of(const ParsedArm& parsed, const Finding& finding) {
  // "joint 'elbow', drive" is looked up as it is, then as "joint 'elbow'", then as the arm.
  for (std::string key = finding.place;;) {
    if (const auto found = parsed.places.find(key); found != parsed.places.end()) return found->second;
    const std::size_t comma = key.rfind(", ");
    if (comma == std::string::npos) break;
    key.resize(comma);
  }
  const auto arm = parsed.places.find("arm");
  return arm == parsed.places.end() ? Place{} : arm->second;
}

ArmDescription description_to_use(const ParsedArm& parsed) {
  const bool doubtful = !parsed.lacking.empty() || has_error(findings(parsed.description));
  return parsed.as_given && doubtful ? unphysical_if_not_said(parsed.description) : parsed.description;
}

Arm checked_arm(const ParsedArm& parsed, const KernelSet& kernels) {
  const ArmDescription arm = description_to_use(parsed);
  const char* ways_out =
      " (`armature check ARM --repair -o FILE` writes the nearest arm that can exist, --as-given computes with this "
      "one)";
  if (!parsed.as_given && !parsed.lacking.empty())
    throw ModelError(all_lacking(parsed),
                     parsed.lacking[0].hint + (parsed.lacking[0].place.starts_with("link") ? ways_out : ""),
                     place_of(parsed, parsed.lacking[0]));
  for (const Finding& finding : findings(arm)) {
    if (!is_error(finding)) continue;
    const bool about_inertia = !has_error(findings(unphysical_if_not_said(arm)));
    throw ModelError(sentence(finding), finding.hint + (about_inertia ? ways_out : ""), place_of(parsed, finding));
  }
  return Arm(arm, kernels);
}

std::vector<std::string> all_warnings(const ParsedArm& parsed) {
  std::vector<std::string> warnings;
  const ArmDescription arm = description_to_use(parsed);
  if (!arm.unphysical.empty()) warnings.push_back(fmt::format("arm '{}' is unphysical: {}", arm.name, arm.unphysical));
  warnings.insert(warnings.end(), parsed.warnings.begin(), parsed.warnings.end());
  const auto add = [&](const Finding& finding) {
    warnings.emplace_back(Error(sentence(finding), finding.hint, place_of(parsed, finding)).what());
  };
  std::set<std::string> said;
  for (const Finding& finding : parsed.lacking) said.insert(finding.place);
  if (!said.empty())
    warnings.emplace_back(Error(all_lacking(parsed), "it is left out", place_of(parsed, parsed.lacking[0])).what());
  for (const Finding& finding : findings(arm))
    if (!is_error(finding) && !said.contains(finding.place)) add(finding);
  return warnings;
}

}  // namespace armature::formats
