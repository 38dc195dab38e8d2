#include "armature/codegen/equations/internal/named_arm.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"

namespace armature::codegen {
namespace {

constexpr std::array<const char*, 10> inertia_names{"m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"};
constexpr std::array<char, 3> axis_letters{'x', 'y', 'z'};

// Calls f(name, number) for every length of the description, which may be const or not.
template <class Description, class F>
void for_each_length(Description& d, F&& f) {
  const auto placement = [&](auto& xyz, const std::string& letter, const std::string& index) {
    for (int k = 0; k < 3; ++k) f(letter + axis_letters[k] + index, xyz[k]);
  };
  placement(d.base.xyz, "b", "");
  for (std::size_t i = 0; i < d.joints.size(); ++i) {
    const std::string index = std::to_string(i + 1);
    if (auto* row = std::get_if<DhRow>(&d.joints[i].placement)) {
      f("a" + index, row->a);
      f("d" + index, row->d);
    } else {
      placement(std::get<OriginAxis>(d.joints[i].placement).origin.xyz, "p", index);
    }
  }
  placement(d.tool.xyz, "t", "");
}

double value_of(const NamedValues& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

}  // namespace

std::vector<NamedParameter> named_parameters(const Arm& arm) {
  std::vector<NamedParameter> all;
  const ArmDescription& description = arm.description();
  double reach = 0;
  for_each_length(description, [&](const std::string&, double x) { reach += std::abs(x); });
  for_each_length(description, [&](const std::string& name, double x) {
    if (std::abs(x) > 1e-12 * reach) all.push_back({name, NamedParameter::Kind::length, x});
  });
  const LinkParameters<double> p = link_parameters(arm);
  const auto group = [](int k) { return k == 0 ? 0 : k < 4 ? 1 : 2; };  // mass, first moment, inertia
  std::array<double, 3> largest{};
  for (int k = 0; k < p.size(); ++k) {
    double& x = largest[group(k % 10)];
    x = std::max(x, std::abs(p[k]));
  }
  for (int k = 0; k < p.size(); ++k)
    if (std::abs(p[k]) > 1e-12 * largest[group(k % 10)])
      all.push_back({fmt::format("{}{}", inertia_names[k % 10], k / 10 + 1), NamedParameter::Kind::inertia, p[k]});
  if (arm.gravity().norm() > 0) all.push_back({"g", NamedParameter::Kind::gravity, arm.gravity().norm()});
  return all;
}

void require_no_springs(const Arm& arm) {
  for (int i = 0; i < arm.dof(); ++i)
    if (arm.joint(i).spring)
      throw ModelError(
          fmt::format("joint '{}' has a spring, which is no part of equations in names", printable(arm.joint(i).name)),
          "without `spring` in the arm file they are those of its bodies; `derive` writes functions with the spring");
}

Arm with_values(const Arm& arm, const NamedValues& values, const std::optional<Vec3<double>>& down) {
  ArmDescription d = arm.description();
  d.unphysical = "its numbers are drawn at random to compare formulas";
  for_each_length(d, [&](const std::string& name, double& x) { x = value_of(values, name); });
  int body = 0;
  for (JointDescription& joint : d.joints) {
    joint.link.mass.reset();
    joint.limits = {};
    if (joint.type == JointType::fixed) continue;
    InertiaParameters<double> p;
    for (int k = 0; k < 10; ++k) p[k] = value_of(values, fmt::format("{}{}", inertia_names[k], body + 1));
    const Inertia<double> inertia = inertia_from_parameters<double>(p);
    joint.link.mass = MassProperties{inertia.m, inertia.h, true, inertia.I_Bo, true, {}};
    ++body;
  }
  d.payload.reset();
  const double g = value_of(values, "g"), own = arm.gravity().norm();
  if (down) {
    d.gravity = *down * g;
  } else if (own > 0) {
    d.gravity = arm.gravity() / own * g;
  }
  return Arm(std::move(d));
}

NamedValues random_lengths(const Arm& arm, Random& random) {
  NamedValues values;
  for (const NamedParameter& p : named_parameters(arm))
    if (p.kind != NamedParameter::Kind::inertia)
      values[p.name] = p.kind == NamedParameter::Kind::length ? random.uniform(0.3, 1.2) : random.uniform(5, 10);
  return values;
}

NamedValues random_inertia(const Arm& arm, Random& random) {
  NamedValues values;
  for (const NamedParameter& p : named_parameters(arm))
    if (p.kind == NamedParameter::Kind::inertia)
      values[p.name] = p.name[0] == 'm' && p.name[1] != 'c' ? random.uniform(0.5, 2) : random.uniform(-1, 1);
  return values;
}

}  // namespace armature::codegen
