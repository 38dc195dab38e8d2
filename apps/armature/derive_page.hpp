// The page that derive leaves: equations, programs, what they cost, and what others need for the same.
#pragma once

#include <string>
#include <vector>

#include "armature/codegen/emit.hpp"
#include "armature/codegen/equations.hpp"
#include "armature/record/log.hpp"

namespace armature {

/// Equations as they are set in print.
std::vector<LogText> typeset(const std::vector<EquationGroup>& groups);

/// Operations of this arm's inverse dynamics: derived (`ours`), by recursion, and as the literature counts them.
LogTable inverse_dynamics_counts(const Arm& arm, const Operations& ours);

/// The page of programs; `text` is what was written. Returns its path.
std::string write_program_page(const Arm& arm, const Module& module, const std::string& text,
                               const std::string& folder);
/// The page of equations.
std::string write_equation_page(const Arm& arm, const std::vector<EquationGroup>& groups, const std::string& folder);

}  // namespace armature
