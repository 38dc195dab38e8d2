#include "armature/codegen/equations/internal/symbolic_arm.hpp"

#include <fmt/core.h>

#include <cmath>

#include "armature/spatial/rotation.hpp"

namespace armature::codegen {
namespace {

// Right angles give zeros and ones, not 6e-17.
Mat3<TrigPoly> exact(const Mat3<double>& R) {
  return R.unaryExpr([](double x) {
    const double whole = std::round(x);
    return TrigPoly(std::abs(x - whole) < 1e-12 ? whole : x);
  });
}
Pose<TrigPoly> turned(const Mat3<double>& R) { return {exact(R), Vec3<TrigPoly>::Zero()}; }
Pose<TrigPoly> shifted(const TrigPoly& x, const TrigPoly& z) {
  Pose<TrigPoly> X;
  X.p << x, TrigPoly(0), z;
  return X;
}

// The numbers of an arm by their names; what has no name is zero.
struct Names {
  const SymbolicArm& arm;

  TrigPoly operator()(const std::string& name) const {
    const int k = arm.find(name);
    return k < 0 ? TrigPoly() : TrigPoly::symbol(k);
  }
  [[nodiscard]] Pose<TrigPoly> placement(const Placement& p, const std::string& letter,
                                         const std::string& index) const {
    Pose<TrigPoly> X = turned(rotation_from_rpy(p.rpy));
    X.p << (*this)(letter + "x" + index), (*this)(letter + "y" + index), (*this)(letter + "z" + index);
    return X;
  }
};

// The body's frame in the link before it, and the link's in its body's: frames_of in model/dh.cpp with names.
struct SymbolicFrames {
  Pose<TrigPoly> X_PB0, X_own;
};
SymbolicFrames symbolic_frames(const JointDescription& joint, DhConvention convention, const std::string& index,
                               const Names& named) {
  if (const auto* row = std::get_if<DhRow>(&joint.placement)) {
    // a slide's d and its position show together only
    const TrigPoly along = joint.type == JointType::prismatic ? TrigPoly() : named("d" + index);
    const Pose<TrigPoly> turn_z = turned(rotation_z(row->theta)), shift_z = shifted(TrigPoly(0), along);
    const Pose<TrigPoly> turn_x = turned(rotation_x(row->alpha)), shift_x = shifted(named("a" + index), TrigPoly(0));
    if (convention == DhConvention::modified) return {turn_x * shift_x * turn_z * shift_z, {}};
    if (joint.type == JointType::revolute) return {turn_z, shift_z * (shift_x * turn_x)};
    return {turn_z * shift_z, shift_x * turn_x};
  }
  const auto& origin = std::get<OriginAxis>(joint.placement);
  const Mat3<double> R_JB = rotation_from_z_to(origin.axis);
  const Pose<TrigPoly> X_PJ = named.placement(origin.origin, "p", index);
  if (joint.type == JointType::fixed) return {X_PJ, {}};
  return {X_PJ * turned(R_JB), turned(R_JB.transpose())};
}

}  // namespace

int SymbolicArm::find(std::string_view name) const {
  for (std::size_t k = 0; k < symbols.size(); ++k)
    if (symbols[k] == name) return static_cast<int>(k);
  return -1;
}

Pose<TrigPoly> SymbolicArm::X_PB(int i) const {
  const SymbolicBody& body = bodies[i];
  Pose<TrigPoly> joint;
  if (body.revolute) {
    const TrigPoly c = TrigPoly::cos_of(i), s = TrigPoly::sin_of(i);
    joint.R << c, -s, TrigPoly(0), s, c, TrigPoly(0), TrigPoly(0), TrigPoly(0), TrigPoly(1);
  } else {
    joint.p[2] = TrigPoly::symbol(body.position);
  }
  return body.X_PB0 * joint;
}

std::vector<bool> SymbolicArm::revolute() const {
  std::vector<bool> all;
  for (const SymbolicBody& b : bodies) all.push_back(b.revolute);
  return all;
}

std::vector<bool> SymbolicArm::joins_previous() const {
  std::vector<bool> joins;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec3<TrigPoly> z = bodies[i].X_PB0.R.col(2);
    joins.push_back(i > 0 && bodies[i].revolute && bodies[i - 1].revolute && z[0].zero() && z[1].zero() &&
                    z[2].number() > 0);
  }
  return joins;
}

SymbolicArm symbolic_arm(const Arm& arm) {
  SymbolicArm result;
  const ArmDescription& d = arm.description();
  for (const NamedParameter& p : named_parameters(arm)) result.add(p.name);
  const Names named{result};

  Pose<TrigPoly> X_BL = named.placement(d.base, "b", "");  // of the link reached so far, in its body's frame
  for (std::size_t i = 0; i < d.joints.size(); ++i) {
    const JointDescription& joint = d.joints[i];
    const std::string index = std::to_string(i + 1);
    const auto [X_PB0, X_own] = symbolic_frames(joint, d.convention, index, named);
    if (joint.type == JointType::fixed) {
      X_BL = X_BL * X_PB0 * X_own;
      continue;
    }
    SymbolicBody body{joint.type == JointType::revolute, -1, X_BL * X_PB0, X_own, {}};
    const std::string number = std::to_string(result.bodies.size() + 1);
    if (!body.revolute) {
      const bool offset = std::holds_alternative<DhRow>(joint.placement) && result.find("d" + index) >= 0;
      body.position = result.add((offset ? "d" + index + "+" : "") + "q" + number);
    }
    InertiaParameters<TrigPoly> p;
    const char* const names[] = {"m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"};
    for (int k = 0; k < 10; ++k) p[k] = named(names[k] + number);
    body.inertia = inertia_from_parameters<TrigPoly>(p);
    result.bodies.push_back(std::move(body));
    X_BL = X_own;
  }
  result.X_BT = X_BL * named.placement(d.tool, "t", "");
  const double g = d.gravity.norm();
  result.gravity = Vec3<TrigPoly>::Zero();
  if (g > 0)
    for (int k = 0; k < 3; ++k) result.gravity[k] = named("g") * TrigPoly(d.gravity[k] / g);
  return result;
}

}  // namespace armature::codegen
