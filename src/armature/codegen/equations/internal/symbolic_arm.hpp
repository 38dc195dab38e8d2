// The chain of an arm in names: what symbolic_model and singularities start from.
#pragma once

#include <string_view>
#include <utility>

#include "armature/codegen/equations/internal/named_arm.hpp"
#include "armature/codegen/equations/trig_poly.hpp"
#include "armature/spatial/inertia.hpp"

namespace armature::codegen {

struct SymbolicBody {
  bool revolute = true;
  int position = -1;     // prismatic: symbol
  Pose<TrigPoly> X_PB0;  // at q = 0
  Pose<TrigPoly> X_BL;
  Inertia<TrigPoly> inertia;  // in the link frame L, as named_arm.hpp names it
};

struct SymbolicArm {
  std::vector<std::string> symbols;
  std::vector<SymbolicBody> bodies;
  Pose<TrigPoly> X_BT;
  Vec3<TrigPoly> gravity;

  int add(std::string name) {
    symbols.push_back(std::move(name));
    return static_cast<int>(symbols.size()) - 1;
  }
  /// The number of a name that is there already; -1: none.
  [[nodiscard]] int find(std::string_view name) const;
  /// The symbol of a prismatic joint's position: q2, or d3+q2 where its row has a d.
  [[nodiscard]] int position(int i) const { return bodies[i].position; }
  /// Pose of body i in its parent as a function of its joint's position.
  [[nodiscard]] Pose<TrigPoly> X_PB(int i) const;
  [[nodiscard]] std::vector<bool> revolute() const;
  [[nodiscard]] std::vector<bool> joins_previous() const;
};

/// Prismatic joints' positions are symbols q2, ...; angles are the arguments of sines and cosines.
SymbolicArm symbolic_arm(const Arm& arm);

inline Vec3<TrigPoly> cross(const Vec3<TrigPoly>& a, const Vec3<TrigPoly>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace armature::codegen
