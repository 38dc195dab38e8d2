#include "armature/codegen/derive/derive.hpp"

#include <fmt/core.h>

#include <Eigen/Geometry>
#include <array>
#include <utility>

#include "armature/algorithms/closed_form_ik_branch.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/motor_commands.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/algorithms/spring.hpp"
#include "armature/codegen/derive/internal/formulations.hpp"
#include "armature/codegen/derive/internal/reduced_derivatives.hpp"
#include "armature/codegen/derive/internal/reduced_inverse_dynamics.hpp"
#include "armature/codegen/derive/internal/reduced_mass_matrix.hpp"
#include "armature/codegen/network/internal/factor.hpp"
#include "armature/core/error.hpp"
#include "armature/numerics/ldlt.hpp"

namespace armature::codegen {
namespace {

constexpr std::array<std::pair<Target, std::string_view>, 13> target_words{{
    {Target::inverse_dynamics, "inverse-dynamics"},
    {Target::forward_dynamics, "forward-dynamics"},
    {Target::mass_matrix, "mass-matrix"},
    {Target::coriolis, "coriolis"},
    {Target::gravity, "gravity"},
    {Target::forward_kinematics, "forward-kinematics"},
    {Target::jacobian, "jacobian"},
    {Target::regressor, "regressor"},
    {Target::inverse_dynamics_derivatives, "inverse-dynamics-derivatives"},
    {Target::forward_dynamics_derivatives, "forward-dynamics-derivatives"},
    {Target::motor_currents, "motor-currents"},
    {Target::motor_voltages, "motor-voltages"},
    {Target::inverse_kinematics, "inverse-kinematics"},
}};

VecX<Expr> vector_of(const Signal& s) {
  const std::vector<Expr> e = symbols(s);
  return Eigen::Map<const Eigen::Matrix<Expr, Eigen::Dynamic, 1>>(e.data(), static_cast<int>(e.size()));
}

// Matrices row by row, one after the other.
template <class... Matrices>
std::vector<Expr> listed(const Matrices&... matrices) {
  std::vector<Expr> list;
  const auto append = [&](const auto& m) {
    for (int i = 0; i < m.rows(); ++i)
      for (int j = 0; j < m.cols(); ++j) list.push_back(m(i, j));
  };
  (append(matrices), ...);
  return list;
}

// What the programs take and give.
struct Signals {
  explicit Signals(int n)
      : q{"q", n, 1, "joint positions"},
        qd{"qd", n, 1, "joint speeds"},
        qdd{"qdd", n, 1, "joint accelerations"},
        tau{"tau", n, 1, "joint torques"} {}
  Signal q, qd, qdd, tau;
};

// A⁻¹, A as left by ldlt_in_place: symmetric, so only one half is computed.
MatX<Expr> inverse_of_ldlt(const MatX<Expr>& LD) {
  const Eigen::Index n = LD.rows();
  MatX<Expr> X = MatX<Expr>::Identity(n, n);
  for (Eigen::Index c = 0; c < n; ++c) {
    for (Eigen::Index i = c + 1; i < n; ++i)
      for (Eigen::Index k = c; k < i; ++k) X(i, c) -= LD(i, k) * X(k, c);
    for (Eigen::Index i = c; i < n; ++i) X(i, c) = X(i, c) / LD(i, i);
    for (Eigen::Index i = n - 1; i-- > c;)
      for (Eigen::Index k = i + 1; k < n; ++k) X(i, c) -= LD(k, i) * X(k, c);
    for (Eigen::Index i = c; i < n; ++i) X(c, i) = X(i, c);
  }
  return X;
}

// A target that as many branches as possible reach: where the tool is in some position.
std::vector<double> reachable_target(const Arm& arm, const IkFamily& family) {
  std::vector<double> best;
  int most = -1;
  for (int k = 0; k < 40; ++k) {
    VecX<double> q(arm.dof());
    for (int i = 0; i < arm.dof(); ++i) q[i] = ((k * 17 + i * 29) % 31 - 15) / 16.0;
    const Pose<double> X = tool_pose<double>(arm, forward_kinematics<double>(arm, q));
    int reached = 0;
    for (int branch = 0; branch < family.branches(); ++branch) {
      const VecX<double> back = closed_form_branch<double>(family, X, branch);
      const Pose<double> Y = tool_pose<double>(arm, forward_kinematics<double>(arm, back));
      reached += (Y.p - X.p).norm() < 1e-9;
    }
    if (reached <= most) continue;
    most = reached;
    best.clear();
    if (!family.position_only())
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) best.push_back(X.R(i, j));
    for (int i = 0; i < 3; ++i) best.push_back(X.p[i]);
  }
  return best;
}

Program inverse_kinematics_program(const Arm& arm) {
  const auto family = closed_form_family(arm);
  if (!family)
    throw Error(fmt::format("no closed form of the inverse kinematics of '{}' is known here", arm.name()),
                "compute inverse-kinematics solves it by iteration");
  if (!family->exact())
    throw Error(fmt::format("'{}' misses its family of closed forms by {:.1g}", arm.name(), family->misfit),
                "compute inverse-kinematics corrects that by iteration; or write right angles exactly");
  const Signal R{"R", 3, 3, "axes of the tool in the world"}, p{"p", 3, 1, "origin of the tool in the world [m]"};
  Pose<Expr> X;
  X.R.setZero();
  std::vector<Signal> inputs;
  if (!family->position_only()) {
    inputs.push_back(R);
    const std::vector<Expr> r = symbols(R);
    for (int k = 0; k < 9; ++k) X.R(k / 3, k % 3) = r[k];
  }
  inputs.push_back(p);
  X.p = Eigen::Map<const Vec3<Expr>>(symbols(p).data());
  std::vector<Expr> values;
  for (int branch = 0; branch < family->branches(); ++branch)
    for (const Expr& q : closed_form_branch<Expr>(*family, X, branch)) values.push_back(q);
  Program program =
      make_program("inverse_kinematics", inputs,
                   {{"q", family->branches(), arm.dof(),
                     "joint positions, a row a branch; not a number where a branch does not reach the target"}},
                   values);
  program.check = reachable_target(arm, *family);
  return program;
}

// The equations of an arm on the symbols of its state, one function per program. The order in which a program's expressions are
// made is the order in which the search meets them.
struct ArmPrograms {
  ArmPrograms(const Arm& of, const Choices& chosen)
      : arm(of),
        choices(chosen),
        n(of.dof()),
        in(n),
        q(vector_of(in.q)),
        qd(vector_of(in.qd)),
        qdd(vector_of(in.qdd)),
        tau(vector_of(in.tau)),
        zero(VecX<Expr>::Constant(n, Expr(0.))),
        reduced(reduce(of, chosen)) {}

  [[nodiscard]] Program inverse_dynamics() const {
    const ArmMotion<Expr> m = motion(qd, qdd);
    return make_program("inverse_dynamics", {in.q, in.qd, in.qdd}, {{"tau", n, 1, "torques that produce the motion"}},
                        listed(torques(m)), m.kept);
  }
  [[nodiscard]] Program gravity() const {
    return make_program("gravity", {in.q}, {{"g", n, 1, "torques that hold the arm against gravity"}},
                        listed(torques(motion(zero, zero))));
  }
  [[nodiscard]] Program mass_matrix() const {
    return make_program("mass_matrix", {in.q}, {{"M", n, n, "joint-space inertia"}},
                        listed(reduced_mass_matrix<Expr>(reduced, choices, q)));
  }
  [[nodiscard]] Program forward_dynamics() const {
    const MatX<Expr> LD = factored_mass_matrix();
    const ArmMotion<Expr> m = motion(qd, zero);
    return make_program("forward_dynamics", {in.q, in.qd, in.tau},
                        {{"qdd", n, 1, "accelerations that the torques produce"}},
                        listed(accelerations(LD, torques(m))), m.kept);
  }
  [[nodiscard]] Program coriolis() const {
    const ArmMotion<Expr> m = motion(qd, zero);
    const MatX<Expr> dqd = reduced_derivatives<Expr>(reduced, choices, q, qd, m).dqd;  // 2 C
    return make_program("coriolis", {in.q, in.qd}, {{"C", n, n, "Coriolis matrix, from Christoffel symbols"}},
                        listed(MatX<Expr>(dqd * Expr(0.5))), m.kept);
  }
  [[nodiscard]] Program forward_kinematics() const {
    const Pose<Expr> X = tool_pose<Expr>(arm, algorithms::forward_kinematics<Expr>(arm, q));
    return make_program(
        "forward_kinematics", {in.q},
        {{"R", 3, 3, "axes of the tool in the world"}, {"p", 3, 1, "origin of the tool in the world [m]"}},
        listed(X.R, X.p));
  }
  [[nodiscard]] Program jacobian() const {
    return make_program("jacobian", {in.q}, {{"J", 6, n, "velocity and angular velocity of the tool per joint speed"}},
                        listed(tool_jacobian<Expr>(arm, algorithms::forward_kinematics<Expr>(arm, q))));
  }
  [[nodiscard]] Program regressor() const {
    return make_program("regressor", {in.q, in.qd, in.qdd},
                        {{"W", n, parameters_per_link * n, "torques per inertial parameter of the links"}},
                        listed(torque_regressor<Expr>(arm, q, qd, qdd)));
  }
  [[nodiscard]] Program inverse_dynamics_derivatives() const {
    const ArmMotion<Expr> m = motion(qd, qdd);
    auto d = reduced_derivatives<Expr>(reduced, choices, q, qd, m);
    add_spring_stiffness<Expr>(arm, q, d.dq);
    return make_program("inverse_dynamics_derivatives", {in.q, in.qd, in.qdd},
                        {{"dq", n, n, "d tau / d q"}, {"dqd", n, n, "d tau / d qd"}, {"M", n, n, "d tau / d qdd"}},
                        listed(d.dq, d.dqd, d.M), m.kept);
  }
  // tau = ID(q, qd, qdd)  =>  d qdd = M⁻¹ (d tau - dID)
  [[nodiscard]] Program forward_dynamics_derivatives() const {
    const ArmMotion<Expr> m = motion(qd, zero);
    const MatX<Expr> LD = factored_mass_matrix();
    const VecX<Expr> a = accelerations(LD, torques(m));
    auto d = reduced_derivatives<Expr>(reduced, choices, q, qd, motion(qd, a));
    add_spring_stiffness<Expr>(arm, q, d.dq);
    MatX<Expr> dq = -d.dq, dqd = -d.dqd;
    for (MatX<Expr>* x : {&dq, &dqd}) ldlt_solve_in_place(LD, *x);
    return make_program("forward_dynamics_derivatives", {in.q, in.qd, in.tau},
                        {{"qdd", n, 1, "accelerations that the torques produce"},
                         {"dq", n, n, "d qdd / d q"},
                         {"dqd", n, n, "d qdd / d qd"},
                         {"dtau", n, n, "d qdd / d tau"}},
                        listed(a, dq, dqd, inverse_of_ldlt(LD)), m.kept);
  }
  [[nodiscard]] Program motor_commands(MotorFeed feed) const {
    const bool volts = feed == MotorFeed::voltage;
    const ArmMotion<Expr> m = motion(qd, qdd);
    const VecX<Expr> u = motor_commands_for<Expr>(arm, motor_windings(arm, feed), feed, torques(m), qd, qdd);
    return make_program(
        volts ? "motor_voltages" : "motor_currents", {in.q, in.qd, in.qdd},
        {{"u", n, 1, volts ? "voltages that produce the motion [V]" : "currents that produce the motion [A]"}},
        listed(u), m.kept);
  }

 private:
  [[nodiscard]] ArmMotion<Expr> motion(const VecX<Expr>& speed, const VecX<Expr>& acceleration) const {
    return reduced_motion<Expr>(reduced, choices, q, speed, acceleration);
  }
  [[nodiscard]] VecX<Expr> torques(const ArmMotion<Expr>& m) const {
    VecX<Expr> tau_of_bodies = reduced_inverse_dynamics<Expr>(reduced, choices, q, m);
    add_spring_torque<Expr>(arm, q, tau_of_bodies);
    return tau_of_bodies;
  }
  [[nodiscard]] MatX<Expr> factored_mass_matrix() const {
    MatX<Expr> LD = reduced_mass_matrix<Expr>(reduced, choices, q);
    ldlt_in_place(LD);
    return LD;
  }
  [[nodiscard]] VecX<Expr> accelerations(const MatX<Expr>& LD, const VecX<Expr>& bias) const {
    VecX<Expr> a = tau - bias;
    ldlt_solve_in_place(LD, a);
    return a;
  }

  const Arm& arm;
  const Choices& choices;
  int n;
  Signals in;
  VecX<Expr> q, qd, qdd, tau, zero;
  ReducedArm reduced;
};

Program formulate(const Arm& arm, Target target, Choices choices) {
  choices.resize(static_cast<std::size_t>(arm.dof()));  // where nothing is to be chosen
  ExprGraph graph;
  const ExprScope scope(graph);
  const ArmPrograms of(arm, choices);
  switch (target) {
    case Target::inverse_dynamics:
      return of.inverse_dynamics();
    case Target::gravity:
      return of.gravity();
    case Target::mass_matrix:
      return of.mass_matrix();
    case Target::forward_dynamics:
      return of.forward_dynamics();
    case Target::coriolis:
      return of.coriolis();
    case Target::forward_kinematics:
      return of.forward_kinematics();
    case Target::jacobian:
      return of.jacobian();
    case Target::regressor:
      return of.regressor();
    case Target::inverse_dynamics_derivatives:
      return of.inverse_dynamics_derivatives();
    case Target::forward_dynamics_derivatives:
      return of.forward_dynamics_derivatives();
    case Target::motor_currents:
      return of.motor_commands(MotorFeed::current);
    case Target::motor_voltages:
      return of.motor_commands(MotorFeed::voltage);
    case Target::inverse_kinematics:
      return inverse_kinematics_program(arm);
  }
  return {};
}

}  // namespace

std::optional<Target> target_named(std::string_view word) {
  for (const auto& [target, w] : target_words)
    if (w == word) return target;
  return {};
}
std::string_view word_for(Target target) {
  for (const auto& [t, word] : target_words)
    if (t == target) return word;
  return {};
}
std::vector<Target> all_targets() {
  std::vector<Target> all;
  for (const auto& [target, word] : target_words) all.push_back(target);
  return all;
}

std::vector<Target> targets_of(const Arm& arm) {
  std::vector<Target> all = all_targets();
  const auto family = closed_form_family(arm);
  if (!family || !family->exact()) std::erase(all, Target::inverse_kinematics);
  for (int i = 0; i < arm.dof(); ++i) {
    const Drive& drive = arm.joint(i).drive;
    if (!drive.torque_constant) std::erase(all, Target::motor_currents);
    if (!drive.torque_constant || !drive.resistance) std::erase(all, Target::motor_voltages);
  }
  return all;
}

Program derive(const Arm& arm, Target target, const DeriveSettings& settings) {
  const bool has_choices = target != Target::forward_kinematics && target != Target::jacobian &&
                           target != Target::regressor && target != Target::inverse_kinematics;
  const auto formulated = [&](Target what) {
    return [&arm, what](const Choices& choices) { return formulate(arm, what, choices); };
  };
  Formulate probe;
  if (target == Target::forward_dynamics_derivatives) probe = formulated(Target::inverse_dynamics_derivatives);
  return cheapest(has_choices ? arm.dof() : 0, formulated(target), settings.effort, probe, settings.progress);
}

}  // namespace armature::codegen
