#include "armature/codegen/formulas/internal/reference_names.hpp"

#include <fmt/core.h>

#include "armature/algorithms/coriolis.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/core/units.hpp"

namespace armature::codegen {
namespace {

VecX<double> random_vector(int n, Random& random, double size) {
  VecX<double> v(n);
  for (double& x : v) x = random.uniform(-size, size);
  return v;
}

// q1, qd1, qdd1, Jm1, and s1, s12, c23 of joints that follow one another.
void name_state(const Arm& arm, const Draw& draw, NamedValues& v) {
  const int n = arm.dof();
  for (int i = 0; i < n; ++i) {
    v[fmt::format("q{}", i + 1)] = draw.q[i];
    v[fmt::format("qd{}", i + 1)] = draw.qd[i];
    v[fmt::format("qdd{}", i + 1)] = draw.qdd[i];
    v[fmt::format("Jm{}", i + 1)] = draw.rotors[i];
    if (n > 9) continue;  // s12 could be joint 12
    double angle = 0;
    std::string joints;
    for (int j = i; j < n && arm.body(j).revolute; ++j) {
      angle += draw.q[j];
      joints += std::to_string(j + 1);
      v["s" + joints] = std::sin(angle);
      v["c" + joints] = std::cos(angle);
    }
  }
}

// H11 ... H34, x, y, z, J11 ... of the tool.
void name_kinematics(const Arm& arm, const Draw& draw, NamedValues& v) {
  const LinkPoses<double> poses = forward_kinematics<double>(arm, draw.q);
  const Pose<double> X = tool_pose<double>(arm, poses);
  const auto J = tool_jacobian<double>(arm, poses);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) v[entry_name("H", i + 1, j + 1)] = X.R(i, j);
    v[entry_name("H", i + 1, 4)] = X.p[i];
  }
  v["x"] = X.p[0];
  v["y"] = X.p[1];
  v["z"] = X.p[2];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < arm.dof(); ++j) v[entry_name("J", i + 1, j + 1)] = J(i, j);
}

// m1, mcx1, Ixx1 and so on: about the joint's frame, as products of inertia, about the centre of mass.
void name_links(const Arm& arm, NamedValues& v) {
  const LinkParameters<double> p = link_parameters(arm);
  for (int i = 0; i < arm.dof(); ++i) {
    const Inertia<double> link = inertia_from_parameters<double>(p.segment<10>(10 * i));
    const auto set = [&](const std::string& name, double x) { v[fmt::format("{}{}", name, i + 1)] = x; };
    const char* const axes[] = {"x", "y", "z"};
    set("m", link.m);
    for (int k = 0; k < 3; ++k) {
      set(fmt::format("mc{}", axes[k]), link.h[k]);
      set(axes[k], link.h[k] / link.m);
    }
    const Mat3<double> central = central_inertia(link);
    for (int j = 0; j < 3; ++j)
      for (int k = j; k < 3; ++k) {
        const std::string entry = fmt::format("{}{}", axes[j], axes[k]);
        set("I" + entry, link.I_Bo(j, k));
        if (k > j) set("P" + entry, -link.I_Bo(j, k));
        set("Ic" + entry, central(j, k));
      }
  }
}

// M11, C11, g1, tau1.
void name_dynamics(const Arm& arm, const Draw& draw, bool rotors, NamedValues& v) {
  const int n = arm.dof();
  const MatX<double> M = mass_matrix<double>(arm, draw.q);
  const MatX<double> C = coriolis_matrix<double>(arm, draw.q, draw.qd);
  const VecX<double> g = gravity_torque<double>(arm, draw.q);
  VecX<double> tau = inverse_dynamics<double>(arm, draw.q, draw.qd, draw.qdd);
  if (rotors) tau += draw.rotors.cwiseProduct(draw.qdd);
  for (int i = 0; i < n; ++i) {
    v[fmt::format("g{}", i + 1)] = g[i];
    v[fmt::format("tau{}", i + 1)] = tau[i];
    for (int j = 0; j < n; ++j) {
      v[entry_name("M", i + 1, j + 1)] = M(i, j);
      v[entry_name("C", i + 1, j + 1)] = C(i, j);
    }
  }
}

}  // namespace

std::string entry_name(const std::string& letter, int row, int column) {
  return row > 9 || column > 9 ? fmt::format("{}{}_{}", letter, row, column)
                               : fmt::format("{}{}{}", letter, row, column);
}

std::vector<Draw> random_draws(const Arm& arm, const DrawSettings& settings) {
  Random random(2024);
  const int n = arm.dof();
  const NamedValues lengths = random_lengths(arm, random);
  std::vector<Draw> draws;
  if (!settings.dynamics) {
    for (int k = 0; k < settings.positions; ++k) {
      Draw d;
      d.parameters = lengths;
      d.q = random_vector(n, random, 3);
      for (int i = 0; i < n; ++i)
        if (!arm.body(i).revolute) d.q[i] = random.uniform(-2, 2);
      d.qd = d.qdd = d.rotors = VecX<double>::Zero(n);
      draws.push_back(d);
    }
    return draws;
  }
  std::vector<Draw> states;
  for (int k = 0; k < settings.states; ++k) {
    Draw d;
    d.parameters = lengths;
    d.q = random_vector(n, random, 2);
    d.qd = random_vector(n, random, 2);
    d.qdd = random_vector(n, random, 2);
    if (k % 4 == 1)
      for (int i = 0; i < n; ++i)
        if (i != k / 4 % n) d.qd[i] = d.qdd[i] = 0;
    if (k % 4 == 2) d.qd.setZero();
    if (k % 4 == 3) d.qdd.setZero();
    if (settings.any_gravity) {
      Vec3<double> up(random.normal(), random.normal(), random.normal());
      if (k % 2 == 1) up = Vec3<double>::Unit(k / 2 % 3);
      d.up = up.normalized();
    }
    states.push_back(d);
  }
  for (int j = 0; j < settings.inertias; ++j) {
    const NamedValues inertia = random_inertia(arm, random);
    const VecX<double> rotors = settings.rotors ? random_vector(n, random, 1) : VecX<double>::Zero(n);
    for (Draw d : states) {
      d.parameters.insert(inertia.begin(), inertia.end());
      d.rotors = rotors;
      draws.push_back(d);
    }
  }
  return draws;
}

NamedValues reference_names(const Arm& arm, const Draw& draw, const DrawSettings& settings) {
  std::optional<Vec3<double>> down;
  if (draw.up) down = Vec3<double>(-*draw.up);
  const Arm instance = with_values(arm, draw.parameters, down);
  NamedValues v = draw.parameters;
  v["pi"] = pi;
  for (std::size_t i = 0; i < arm.description().joints.size(); ++i)  // zeros have names too
    if (std::holds_alternative<DhRow>(arm.description().joints[i].placement))
      for (const char* letter : {"a", "d"}) v.try_emplace(fmt::format("{}{}", letter, i + 1), 0.);
  const Vec3<double> up = -instance.gravity().normalized();
  for (int k = 0; k < 3; ++k) v[fmt::format("eg{}", k + 1)] = up[k];
  v.try_emplace("g", 0.);
  name_state(arm, draw, v);
  name_kinematics(instance, draw, v);
  if (settings.dynamics) {
    name_links(instance, v);
    name_dynamics(instance, draw, settings.rotors, v);
  }
  return v;
}

}  // namespace armature::codegen
