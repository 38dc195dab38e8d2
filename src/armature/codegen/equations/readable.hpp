// Polynomials with sines and cosines as a person would write them.
#pragma once

#include "armature/codegen/equations/trig_poly.hpp"
#include "armature/numerics/formula.hpp"

namespace armature::codegen {

struct ReadableNames {
  std::vector<std::string> symbols;
  std::vector<bool> joins_previous;  // joint i's angle adds to that of joint i - 1 (their axes are parallel)
  bool shorthand = false;            // c23 for cos(q2 + q3)
};

/// The same value. Sines and cosines of sums of angles, or products of them, whichever is shorter; terms with the same
/// speeds and accelerations together; common factors before a bracket.
FormulaPtr readable(const TrigPoly& f, const ReadableNames& names);

/// A name in LaTeX: \dot{q}_{1}, I_{xx,3}, c_{23}, r_{1,12}.
std::string latex_name(const std::string& name);

}  // namespace armature::codegen
