// Where an arm loses a direction: the determinant of its Jacobian in factors.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "armature/model/arm.hpp"
#include "armature/numerics/formula.hpp"

namespace armature::codegen {

/// Rows of the Jacobian: velocity of the tool along x, y, z, then its angular velocity about x, y, z of the world.
inline constexpr std::array<const char*, 6> jacobian_rows{"x", "y", "z", "rx", "ry", "rz"};

struct Singularities {
  std::vector<int> rows;  // of the Jacobian, as many as joints
  struct Factor {
    FormulaPtr formula;
    int power = 1;
    std::string where;    // "q2 = 0 or 180 deg"; empty: the factor is never zero but for lengths that are
    std::string meaning;  // "joints 2 and 3 move the tool in the same direction"
  };
  double number = 1;            // before the factors
  std::vector<Factor> factors;  // the determinant is number * their product; none: it vanishes everywhere
  bool always = false;          // the determinant is zero wherever the arm is
  [[nodiscard]] FormulaPtr determinant() const;
};

/// `rows` has one row for each joint. Without rows: all six for six joints; for three joints the velocity, or for three
/// parallel axes the velocity in their plane and the turn. Throws Error where there is no square Jacobian to choose.
Singularities singularities(const Arm& arm, const std::optional<std::vector<int>>& rows = {});

}  // namespace armature::codegen
