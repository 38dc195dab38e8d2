// The pages of a derived model: equations, programs, what they cost, and what others need for the same.
#pragma once

#include <string>
#include <vector>

#include "armature/codegen/emit/emit.hpp"
#include "armature/codegen/equations/equations.hpp"
#include "armature/record/report.hpp"

namespace armature::report {

/// Programs and what each costs; `text` is what was written. `executed`: the operations of this library's own recursion for the same
/// inverse dynamics, counted while it runs.
Report program_report(const Arm& arm, const Module& module, const std::string& text, long executed);

/// Equations as they are set in print.
Report equation_report(const Arm& arm, const std::vector<EquationGroup>& groups, long executed);

}  // namespace armature::report
