// What a slip of the pen may have done to a formula, undone.
#pragma once

#include "armature/numerics/formula.hpp"

namespace armature::codegen {

/// A formula that differs in one place: a sign, a factor, an index, a dot, two names swapped, a plus that was lost.
struct Edit {
  FormulaPtr formula;
  std::string what;  // "qd1 -> qdd1"
  int rank = 0;      // the more likely slips come first
};

/// `names` are those that may stand in the formula. `branches`: a root may have both signs (inverse kinematics).
std::vector<Edit> single_edits(const FormulaPtr& formula, const std::vector<std::string>& names, bool branches);

}  // namespace armature::codegen
