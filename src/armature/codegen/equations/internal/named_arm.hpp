// An arm whose numbers have names: a2, d1, m3, mcx3, Ixx3, g.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "armature/core/random.hpp"
#include "armature/model/arm.hpp"

namespace armature::codegen {

using NamedValues = std::map<std::string, double, std::less<>>;

/// A number of the arm that is not zero, and so has a name. What is zero in the arm stays zero; angles stay numbers.
///
///     a2 d2            of row 2 of the Denavit–Hartenberg table (fixed joints are rows too)
///     px2 py2 pz2      position of joint 2 in the link before it, where the arm has no such table
///     bx by bz         position of the base;  tx ty tz  of the tool
///     m3               mass of moving link 3, what is welded to it included
///     mcx3 mcy3 mcz3   its first moment about the origin of its link frame
///     Ixx3 Ixy3 ...    its inertia tensor about that origin, products with the tensor's sign
///     g                magnitude of gravity
struct NamedParameter {
  enum class Kind { length, inertia, gravity };
  std::string name;
  Kind kind;
  double value;  // the arm's own
};

/// Throws ModelError for an arm whose joints have springs: their torques have no place in equations with these names.
void require_no_springs(const Arm& arm);

/// In the order above: lengths from base to tool, inertia link by link, gravity.
std::vector<NamedParameter> named_parameters(const Arm& arm);

/// The same structure with other numbers; gravity along `down` (a unit vector) if given. Parameters without a value are zero.
Arm with_values(const Arm& arm, const NamedValues& values, const std::optional<Vec3<double>>& down = {});

/// Random numbers for the names: lengths and gravity, and the rest.
NamedValues random_lengths(const Arm& arm, Random& random);
NamedValues random_inertia(const Arm& arm, Random& random);

}  // namespace armature::codegen
