// Reproductions of papers, claim by claim.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "armature/record/report.hpp"

namespace armature {

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
