#include "armature/formats/parsed_arm.hpp"

#include <fmt/format.h>

namespace armature {

namespace {
std::string sentence(const Finding& finding) { return finding.place + ": " + finding.finding; }
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

Arm checked_arm(const ParsedArm& parsed) {
  for (const Finding& finding : findings(parsed.description))
    if (finding.severity == Finding::Severity::error)
      throw ModelError(sentence(finding), finding.hint, place_of(parsed, finding));
  return Arm(parsed.description);
}

std::vector<std::string> all_warnings(const ParsedArm& parsed) {
  std::vector<std::string> warnings;
  const ArmDescription& arm = parsed.description;
  if (!arm.unphysical.empty()) warnings.push_back(fmt::format("arm '{}' is unphysical: {}", arm.name, arm.unphysical));
  warnings.insert(warnings.end(), parsed.warnings.begin(), parsed.warnings.end());
  for (const Finding& finding : findings(arm))
    if (finding.severity == Finding::Severity::warning)
      warnings.emplace_back(Error(sentence(finding), finding.hint, place_of(parsed, finding)).what());
  return warnings;
}

}  // namespace armature
