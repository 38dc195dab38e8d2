// An arm's model as equations to be read: plain text, LaTeX or Markdown.
#pragma once

#include "armature/codegen/emit/emit.hpp"
#include "armature/codegen/equations/symbolic_model.hpp"
#include "armature/numerics/formula.hpp"

namespace armature::codegen {

struct Equation {
  std::string name;      // M12
  FormulaPtr formula;    // in full names: cos(q2 + q3)
  FormulaPtr shorthand;  // c23
};

/// Equations that belong together, with a heading.
struct EquationGroup {
  std::string heading;
  std::string remark;
  std::vector<Equation> equations;
};

enum class EquationPart { base_parameters, mass_matrix, coriolis, gravity, regressor, forward_kinematics, jacobian };

/// "base-parameters" and so on; none for any other word.
std::optional<EquationPart> equation_part_named(std::string_view word);
std::vector<EquationPart> all_equation_parts();
std::string_view word_for(EquationPart part);

/// The equations of an arm with names for numbers. Zero entries of the regressor are left out.
std::vector<EquationGroup> equations(const Arm& arm, const std::vector<EquationPart>& parts, InertiaNames names);

enum class EquationStyle {
  text,     ///< lines that  derive --against  reads
  latex,    ///< aligned equations, to be included; needs amsmath
  markdown  ///< the same in a page that shows them
};
std::string emit_equations(const Arm& arm, const std::string& version, const std::vector<EquationGroup>& groups,
                           EquationStyle style);

}  // namespace armature::codegen
