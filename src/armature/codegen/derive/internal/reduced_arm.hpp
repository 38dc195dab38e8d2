// The same arm in frames and with inertial parameters that leave little to compute.
#pragma once

#include <array>
#include <vector>

#include "armature/model/arm.hpp"
#include "armature/scalar/expr.hpp"

namespace armature::codegen {

/// Moments of a mass distribution about the origin of its frame: ∫dm, ∫r dm, ∫r rᵀ dm. Linear in the mass, which need not
/// be positive: parameters that have been regrouped describe no body.
struct Moments {
  double m = 0;                           // [kg]
  Vec3<double> h = Vec3<double>::Zero();  // [kg m]
  Mat3<double> N = Mat3<double>::Zero();  // [kg m²]; inertia tensor = tr(N) 1 - N

  friend Moments operator+(const Moments& a, const Moments& b) {
    return {a.m + b.m, Vec3<double>(a.h + b.h), Mat3<double>(a.N + b.N)};
  }
  friend Moments operator-(const Moments& a, const Moments& b) {
    return {a.m - b.m, Vec3<double>(a.h - b.h), Mat3<double>(a.N - b.N)};
  }
};

/// The same masses seen from frame A.
Moments seen_from(const Pose<double>& X_AB, const Moments& a);

/// A body of the reduced arm. Consecutive bodies whose joints turn about parallel axes, or slide, form a group: they share
/// the direction of z, so that a body's axes are those of its group turned about z by the sum of the group's angles.
struct ReducedBody {
  bool revolute = true;
  double sign = 1, offset = 0;  // the joint's coordinate is sign * q + offset
  bool first_of_group = false;
  Mat3<double> R_PG = Mat3<double>::Identity();  // axes of the group in the previous body's frame; 1 inside a group
  Vec3<double> p = Vec3<double>::Zero();         // origin in the previous body's frame (prismatic: at q = 0) [m]
  Vec3<double> slide = Vec3<double>::UnitZ();    // prismatic: direction of the motion, in the body's frame
  Moments moments;                               // about the origin, in the body's frame
};

/// The moments of a body one after the other: m; hx, hy, hz; Nxx, Nxy, Nxz, Nyy, Nyz, Nzz.
inline constexpr int moments_per_body = 10;

struct ReducedArm {
  std::vector<ReducedBody> bodies;
  Vec3<double> gravity;  // [m/s²]
  /// In expressions these stand for the bodies' moments; empty: their numbers do.
  std::vector<std::array<Expr, moments_per_body>> symbols{};
};

/// What can be chosen freely without changing the torques. Which choice is best is found by counting.
struct BodyChoice {
  bool own_axes = true;         // equations in the body's own axes, else in those of its group
  bool origin_at_next = false;  // origin beside the next joint's axis, else beside the previous one's
  // Mass on a revolute joint's axis moves alike for both bodies it joins, so it may be given to either. By default all of it
  // goes to the parent, and m, hz and Nzz of the child vanish; instead the child may take over ...
  bool take_mass = false;    // ... as much mass as makes one of the parent's hx, hy vanish
  bool take_moment = false;  // ... as much first moment as makes the other one vanish
  bool take_second = false;  // ... as much second moment as makes Nxx or Nyy of the parent vanish
  // Turn of the frame about z that makes a parameter vanish; only for a body that carries no other.
  enum class Turn { none, hy, Nxy, Nxz, Nyz } turn = Turn::none;
};
using Choices = std::vector<BodyChoice>;  // one a body

/// The arm in frames on its joint axes with x along the common normals [KhalilDombre2002, ch. 3] and regrouped inertial
/// parameters [Gautier1990]. Inverse dynamics are those of the arm for any choice.
ReducedArm reduce(const Arm& arm, const Choices& choices);

/// The arm with frames and inertial parameters of reduce(), for algorithms that take an arm: the joint coordinates there are
/// q + offset. Torques, inertia and their derivatives are those of the arm; kinematics are not.
struct RegroupedArm {
  Arm arm;
  VecX<double> offset;
};
RegroupedArm regroup(const Arm& arm, const Choices& choices);

}  // namespace armature::codegen
