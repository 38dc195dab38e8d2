// The equations of an arm whose numbers are names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/codegen/equations/trig_poly.hpp"
#include "armature/model/arm.hpp"
#include "armature/spatial/pose.hpp"

namespace armature::codegen {

using SymbolicMatrix = Eigen::Matrix<TrigPoly, Eigen::Dynamic, Eigen::Dynamic>;

/// What the equations are written in.
enum class InertiaNames {
  base,  ///< base parameters p1, p2, ...: as few as there can be
  links  ///< m3, mcx3, Ixx3, ... of every link
};

struct SymbolicModel {
  std::vector<std::string>
      symbols;  // names of the numbers in the polynomials (named_arm.hpp), q of prismatic joints, qd1, qdd1
  int dof = 0;
  std::vector<bool> revolute;
  std::vector<bool>
      joins_previous;  // joint i turns about the axis direction of joint i - 1, so that their angles add up

  /// A base parameter in terms of lengths and link parameters: p = formula.
  struct BaseParameter {
    std::string name;
    int symbol;
    TrigPoly formula;
  };
  std::vector<BaseParameter> base;

  SymbolicMatrix M, C, g;    // mass matrix, Coriolis matrix by Christoffel symbols, gravity (one column)
  SymbolicMatrix regressor;  // tau = regressor * base; no columns with InertiaNames::links

  [[nodiscard]] int symbol(std::string_view name) const;  // its number, -1: none
};

/// Mass, Coriolis, gravity and regressor in closed form. Frames are those of the joints, parameters are regrouped towards the base as
/// in [Gautier1990]; what remains dependent is found by elimination. Throws Error where the equations grow beyond all
/// bounds, as they do for six axes without parallels.
SymbolicModel symbolic_model(const Arm& arm, InertiaNames names);

/// Rotation and position of the tool (3 x 4), and its Jacobian (v; w) (6 x dof), in the world.
struct SymbolicKinematics {
  std::vector<std::string> symbols;
  std::vector<bool> revolute, joins_previous;
  SymbolicMatrix H, J;
};
SymbolicKinematics symbolic_kinematics(const Arm& arm);

}  // namespace armature::codegen
