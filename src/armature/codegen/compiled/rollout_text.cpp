#include "armature/codegen/compiled/rollout_text.hpp"

#include <algorithm>

#include "armature/codegen/derive/internal/formulations.hpp"
#include "armature/codegen/derive/internal/reduced_composite.hpp"
#include "armature/codegen/derive/internal/reduced_inverse_dynamics.hpp"
#include "armature/codegen/derive/internal/reduced_mass_matrix.hpp"
#include "armature/codegen/emit/emit.hpp"
#include "armature/numerics/ldlt.hpp"

namespace armature::codegen {
namespace {

VecX<Expr> named_vector(const Signal& s) {
  const std::vector<Expr> e = symbols(s);
  return Eigen::Map<const Eigen::Matrix<Expr, Eigen::Dynamic, 1>>(e.data(), static_cast<int>(e.size()));
}

/// Those of the reduced arm without gravity's constant: -g · ∫r dm.
Expr potential_energy(const ReducedArm& arm, const Choices& choices, const VecX<Expr>& q) {
  const std::vector<Angle<Expr>> angles = group_angles<Expr>(arm, q);
  Composite<Expr> c;
  for (std::size_t i = arm.bodies.size(); i-- > 0;) {
    const ReducedBody& body = arm.bodies[i];
    c.add(own_moments<Expr>(arm, choices, angles, i));
    if (!body.revolute) c.shift(Vec3<Expr>(slide_of<Expr>(arm, choices, angles, i) * q[i]));
    if (i > 0) {
      c.to_previous_axes(arm, choices, angles, i);
    } else {
      if (choices[0].own_axes) c.h = turned<Expr>(angles[0], c.h);
      if (body.first_of_group) c.h = Vec3<Expr>(body.R_PG.cast<Expr>() * c.h);
    }
    c.shift(lever_to<Expr>(arm, choices, angles, i));
  }
  return -dot<Expr>(numbers<Expr>(arm.gravity), c.h);
}

/// The equations of motion of the true arm with some of their numbers as arguments.
class VariedArm {
 public:
  VariedArm(const Arm& arm, const RolloutFunctions& wanted)
      : n_(arm.dof()),
        q_{"q", n_, 1, "joint positions"},
        qd_{"qd", n_, 1, "joint speeds"},
        tau_{"tau", n_, 1, "joint torques"},
        p_{"p", std::max(1, static_cast<int>(wanted.varied.size())), 1, "numbers of this arm"},
        choices_(static_cast<std::size_t>(n_)),
        arm_(reduce(arm, choices_)) {
    std::vector<Expr> all(wanted.parameters.begin(), wanted.parameters.end());
    const std::vector<Expr> p = symbols(p_);
    for (std::size_t k = 0; k < wanted.varied.size(); ++k) all[wanted.varied[k]] = p[k];
    arm_.symbols.resize(static_cast<std::size_t>(n_));
    for (std::size_t i = 0; i < arm_.symbols.size(); ++i)
      for (std::size_t k = 0; k < moments_per_body; ++k) arm_.symbols[i][k] = all[i * moments_per_body + k];
    rotors_ = Eigen::Map<const Eigen::Matrix<Expr, Eigen::Dynamic, 1>>(all.data() + n_ * moments_per_body, n_);
  }

  Program forward_dynamics() const {
    const VecX<Expr> q = named_vector(q_), qd = named_vector(qd_), zero = VecX<Expr>::Constant(n_, Expr(0.));
    MatX<Expr> M = mass(q);
    ldlt_in_place(M);
    const ArmMotion<Expr> motion = reduced_motion<Expr>(arm_, choices_, q, qd, zero);
    VecX<Expr> a = named_vector(tau_) - reduced_inverse_dynamics<Expr>(arm_, choices_, q, motion);
    ldlt_solve_in_place(M, a);
    return make_program("forward_dynamics", {q_, qd_, tau_, p_},
                        {{"qdd", n_, 1, "accelerations that the torques produce"}}, {a.begin(), a.end()}, motion.kept);
  }
  Program energy() const {
    const VecX<Expr> q = named_vector(q_), qd = named_vector(qd_);
    const MatX<Expr> M = mass(q);
    Expr kinetic(0.);
    for (int i = 0; i < n_; ++i) {
      kinetic = kinetic + Expr(0.5) * M(i, i) * qd[i] * qd[i];
      for (int j = 0; j < i; ++j) kinetic = kinetic + M(i, j) * qd[i] * qd[j];
    }
    return make_program("energy", {q_, qd_, p_}, {{"E", 1, 1, "kinetic and potential energy [J]"}},
                        {kinetic + potential_energy(arm_, choices_, q)});
  }

 private:
  [[nodiscard]] MatX<Expr> mass(const VecX<Expr>& q) const {
    MatX<Expr> M = reduced_mass_matrix<Expr>(arm_, choices_, q);
    for (int i = 0; i < n_; ++i) M(i, i) = M(i, i) + rotors_[i];
    return M;
  }

  int n_;
  Signal q_, qd_, tau_, p_;
  Choices choices_;
  ReducedArm arm_;
  VecX<Expr> rotors_;
};

/// The program with fewer operations, of expressions in a graph of their own.
Program searched(const Arm& arm, const RolloutFunctions& wanted, Program (VariedArm::*write)() const) {
  const Formulate formulate = [&](const Choices&) {
    ExprGraph graph;
    const ExprScope scope(graph);
    return (VariedArm(arm, wanted).*write)();
  };
  return cheapest(0, formulate, wanted.effort);
}

/// Takes an argument `p` that it does not use, so that all arms are called alike.
Program with_parameters(Program program) {
  program.inputs.push_back({"p", 1, 1, "numbers of this arm: none"});
  return program;
}

}  // namespace

std::vector<double> motion_parameters(const Arm& arm, const VecX<double>& rotors) {
  std::vector<double> all;
  const ReducedArm reduced = reduce(arm, Choices(static_cast<std::size_t>(arm.dof())));
  for (const ReducedBody& body : reduced.bodies) {
    const Moments& a = body.moments;
    all.insert(all.end(),
               {a.m, a.h[0], a.h[1], a.h[2], a.N(0, 0), a.N(0, 1), a.N(0, 2), a.N(1, 1), a.N(1, 2), a.N(2, 2)});
  }
  all.insert(all.end(), rotors.begin(), rotors.end());
  return all;
}

std::string rollout_functions(const Arm& truth, const Arm& believed, const RolloutFunctions& wanted) {
  const DeriveSettings settings{.effort = wanted.effort};
  Module module{"loop", truth.dof(), "rollout", {}};
  const auto rotors = wanted.parameters.end() - truth.dof();
  const bool plain =
      wanted.varied.empty() && std::all_of(rotors, wanted.parameters.end(), [](double J) { return J == 0; });
  module.programs.push_back(plain ? with_parameters(derive(truth, Target::forward_dynamics, settings))
                                  : searched(truth, wanted, &VariedArm::forward_dynamics));
  if (wanted.energy) module.programs.push_back(searched(truth, wanted, &VariedArm::energy));
  module.programs.push_back(derive(truth, Target::forward_kinematics, settings));
  if (wanted.gravity) module.programs.push_back(derive(believed, Target::gravity, settings));
  if (wanted.inverse_dynamics) module.programs.push_back(derive(believed, Target::inverse_dynamics, settings));
  if (wanted.jacobian) {
    module.programs.push_back(derive(believed, Target::forward_kinematics, settings));
    module.programs.back().name = "believed_kinematics";
    module.programs.push_back(derive(believed, Target::jacobian, settings));
  }
  std::string text = emit(module, Language::cuda);
  text.erase(text.find("#pragma once"), 12);  // a warning in a main file
  return text;
}

}  // namespace armature::codegen
