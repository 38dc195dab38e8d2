// Reproductions of papers, claim by claim.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "armature/record/report.hpp"

namespace armature::studies {

using namespace rooms;

struct StudyResult {
  std::vector<Claim> claims;
  std::vector<Log> logs;  // what its figures are drawn from
};

struct Study {
  std::string name;   // "vandeven1986"
  std::string title;  // of the paper
  std::function<StudyResult(const std::function<void(const std::string&)>& progress)> run;

  /// How long it takes, to say how long it will still take: seconds on some machine, and the share of them that is gone when a
  /// step begins (by the beginning of its name). Measured once; how the first steps go corrects it.
  double seconds = 1;
  struct Milestone {
    std::string step;
    double share;
  };
  std::vector<Milestone> milestones{};
};

/// In the order of the papers.
const std::vector<Study>& all_studies();

}  // namespace armature::studies
