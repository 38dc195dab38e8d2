// Reproductions of papers, claim by claim.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "armature/record/log.hpp"

namespace armature {

/// One statement of a paper, what we found, and whether it holds.
struct Claim {
  std::string id;     // "modes"
  std::string says;   // in our words
  std::string paper;  // what the paper gives
  std::string ours;   // what came out here
  bool holds = false;
  std::string remark;  // why it differs, what was chosen
};

struct StudyResult {
  std::vector<Claim> claims;
  std::vector<Log> logs;  // what its figures are drawn from
};

struct Study {
  std::string name;   // "vandeven1986"
  std::string title;  // of the paper
  std::function<StudyResult(const std::function<void(const std::string&)>& progress)> run;
};

/// In the order of the papers.
const std::vector<Study>& all_studies();

}  // namespace armature
