// Sections III and V: forward kinematics (4), (5) and inverse kinematics (6), as printed and as they should be.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "armature/algorithms/closed_form_ik.hpp"
#include "armature/algorithms/closed_form_ik_branch.hpp"
#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/inverse_kinematics.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/scalar/expr.hpp"
#include "kostic2002/kostic2002.hpp"
#include "kostic2004/writing.hpp"

namespace armature::studies::kostic2002 {

namespace {

constexpr double a2 = 0.2, a3 = 0.415, d1 = 0.56, d = 0.169 + 0.09;  // d = d2 + d3; Table II of [Kostic2004]

/// (4) and (5).
Pose<double> printed_forward(const VecX<double>& q) {
  const double c1 = std::cos(q[0]), s1 = std::sin(q[0]), c23 = std::cos(q[1] + q[2]), s23 = std::sin(q[1] + q[2]);
  Pose<double> X;
  X.R << c1 * c23, -c1 * s23, s1, s1 * c23, -s1 * s23, -c1, s23, c23, 0;
  const double reach = a3 * c23 + a2 * std::cos(q[1]);
  X.p << c1 * reach + d * s1, s1 * reach - d * c1, a3 * s23 + a2 * std::sin(q[1]) + d1;
  return X;
}

/// (6) as printed, with the sign of the elbow.
std::optional<VecX<double>> printed_inverse(const Vec3<double>& p, int sign) {
  const double x = p[0], y = p[1], r2 = x * x + y * y;
  const double sine = (x * d + y * std::sqrt(std::max(0.0, r2 - d * d))) / r2;
  if (std::abs(sine) > 1) return std::nullopt;
  const double q1 = std::asin(sine);
  const double h = std::sqrt(std::pow(x - d * std::sin(q1), 2) + std::pow(y + d * std::cos(q1), 2)), v = p[2] - d1;
  const double c3 = (h * h + v * v - a2 * a2 - a3 * a3) / (2 * a2 * a3);
  if (std::abs(c3) > 1) return std::nullopt;
  const double q3 = std::atan(sign * std::sqrt(1 - c3 * c3) / c3);
  const double q2 = std::atan(((a2 + a3 * std::cos(q3)) * v - a3 * std::sin(q3) * h) /
                              ((a2 + a3 * std::cos(q3)) * h + a3 * std::sin(q3) * v));
  return (VecX<double>(3) << q1, q2, q3).finished();
}

VecX<double> random_angles(Random& random) {
  return (VecX<double>(3) << random.uniform(-pi, pi), random.uniform(-pi, pi), random.uniform(-pi, pi)).finished();
}

Claim forward(const Arm& arm) {
  Random random(2002);
  double worst = 0;
  for (int k = 0; k < 10000; ++k) {
    const VecX<double> q = random_angles(random);
    const Pose<double> ours = tool_pose(arm, forward_kinematics<double>(arm, q)), theirs = printed_forward(q);
    worst = std::max({worst, (ours.R - theirs.R).cwiseAbs().maxCoeff(), (ours.p - theirs.p).cwiseAbs().maxCoeff()});
  }
  return {"forward kinematics", "orientation and position in closed form are the DH product",
          "(4), (5)",           fmt::format("equal within {:.0e} in 10000 random postures", worst),
          worst < 1e-14,        ""};
}

std::vector<Claim> inverse(const Arm& arm) {
  Random random(6);
  const IkFamily family = closed_form_family(arm).value();
  int four = 0, contained = 0, one = 0, both = 0, exceptions = 0;
  double worst = 0;
  constexpr int trials = 20000;
  for (int k = 0; k < trials; ++k) {
    const VecX<double> q = random_angles(random);
    const Pose<double> target = tool_pose(arm, forward_kinematics<double>(arm, q));
    const IkSolutions all = closed_form_ik(arm, family, target);
    four += all.size() == 4;
    bool found = false;
    for (const IkSolution& s : all) {
      worst = std::max(worst, s.error.position);
      double off = 0;
      for (int i = 0; i < 3; ++i) off = std::max(off, std::abs(std::remainder(s.q[i] - q[i], 2 * pi)));
      found = found || off < 1e-6;
    }
    contained += found;
    int right = 0, kept = 0;
    for (const int sign : {1, -1})
      if (const auto printed = printed_inverse(target.p, sign))
        right += (printed_forward(*printed).p - target.p).norm() < 1e-9;
    for (const IkSolution& s : all)
      kept += s.q.array().cos().minCoeff() > 0 && a3 * std::cos(s.q[1] + s.q[2]) + a2 * std::cos(s.q[1]) > 0;
    one += right > 0;
    both += right == 2;
    exceptions += right != kept;
  }
  // at the edge of the reach the branches of the elbow fall together; beyond it, and inside the hole about the waist, there is none
  VecX<double> stretched(3);
  stretched << 0.4, 0.7, 0;
  const Vec3<double> edge = printed_forward(stretched).p, shoulder(d * std::sin(0.4), -d * std::cos(0.4), d1);
  const auto reach = [&](const Vec3<double>& p) { return closed_form_ik(arm, family, {Mat3<double>::Identity(), p}); };
  const IkSolutions at_edge = reach(edge);
  bool together = false;
  for (const IkSolution& s : at_edge) together = together || (s.q - stretched).norm() < 1e-6;
  const bool told_apart = at_edge.reach != IkReach::unreachable && together &&
                          reach(shoulder + 1.001 * (edge - shoulder)).reach == IkReach::unreachable &&
                          reach({0.5 * d, 0, d1 + 0.2}).reach == IkReach::unreachable;
  return {
      {"inverse kinematics", "inverse kinematics in closed form, elbow up and down", "(6)",
       fmt::format("all {} random targets solved, {} with four branches, worst position error {:.0e} m; targets "
                   "at the edge of the reach, beyond it and in its hole are told apart: {}",
                   contained, four, worst, told_apart ? "yes" : "no"),
       contained == trials && worst < 1e-9 && told_apart, "with atan2 and both signs of the shoulder"},
      {"branches lost", "which branches the printed form loses", "not said",
       fmt::format("right for one sign at least in {:.1f} % of the targets, for both in {:.1f} %", 100.0 * one / trials,
                   100.0 * both / trials),
       exceptions == 0,
       fmt::format("of a uniform draw of the angles, to {:.1f} % (standard deviation). asin, atan and the one sign of "
                   "the shoulder keep the branches that reach forward with cos q1, cos q2, cos q3 > 0, and no "
                   "other; exceptions: {}",
                   100 * std::sqrt(0.1875 / trials), exceptions)}};
}

int operations(const ExprGraph& graph, const std::vector<Expr>& outputs) {
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> open;
  for (const Expr e : outputs) open.push_back(e.id());
  int count = 0;
  while (!open.empty()) {
    const std::uint32_t id = open.back();
    open.pop_back();
    if (!seen.insert(id).second) continue;
    const ExprNode& node = graph[Expr::from_id(id)];
    if (node.op == ExprOp::constant || node.op == ExprOp::symbol) continue;
    count += node.op != ExprOp::neg;
    open.push_back(node.a);
    if (node.op == ExprOp::add || node.op == ExprOp::sub || node.op == ExprOp::mul || node.op == ExprOp::div ||
        node.op == ExprOp::atan2)
      open.push_back(node.b);
  }
  return count;
}

std::vector<Claim> along_the_writing(const Arm& arm, Log& figure) {
  const kostic2004::WritingTask task = kostic2004::writing_task(arm);
  const IkSettings settings{.task = IkTask::position, .method = IkMethod::newton, .tolerance = 1e-13};
  double worst = 0, iterations = 0;
  constexpr std::size_t every = 5;
  figure = kostic2004::writing_log(arm, task, {"Fig. 2 (left)", "Fig. 2 (right)", "Fig. 3", "Fig. 4"}, every);
  figure.title = "The arm (Fig. 1) and its writing task";
  std::vector<std::string> names;
  for (int i = 1; i <= 3; ++i) figure.add(names.emplace_back(fmt::format("difference{}", i)), "rad");
  VecX<double> guess = task.motion.front().q;
  int count = 0;
  for (std::size_t k = 0; k < task.motion.size(); k += every, ++count) {
    const IkResult r = inverse_kinematics(arm, {task.tip[k].rotation, task.tip[k].position}, guess, settings);
    iterations += r.iterations;
    guess = r.q;
    for (int i = 0; i < 3; ++i) {
      const double off = r.q[i] - task.motion[k].q[i];
      worst = std::max(worst, std::abs(off));
      figure.channel(names[i]).values.push_back(off);
    }
  }
  figure.time_figures.push_back({"Fig. 5", "Inverse kinematics: closed form against iteration", names});
  ExprGraph graph;
  std::vector<Expr> outputs;
  {
    const ExprScope scope(graph);
    Pose<Expr> X;
    for (int k = 0; k < 9; ++k) X.R(k) = graph.symbol("r" + std::to_string(k));
    for (int k = 0; k < 3; ++k) X.p[k] = graph.symbol("p" + std::to_string(k));
    const IkFamily family = closed_form_family(arm).value();
    for (int branch = 0; branch < family.branches(); ++branch) {
      const VecX<Expr> q = closed_form_branch<Expr>(family, X, branch);
      outputs.insert(outputs.end(), q.begin(), q.end());
    }
  }
  const int closed = operations(graph, outputs);
  const double iterative = iterations / count * static_cast<double>(counted_recursions().ik_iteration);
  return {
      {"closed form against iteration", "both give the same joint motions along the writing task", "within 1e-10 rad",
       fmt::format("within {:.0e} rad", worst), worst < 1e-10, "Newton's method to 1e-13 m from the sample before"},
      {"cost of inverse kinematics", "the closed form costs less", "102 against 2783 flops: 27 times",
       fmt::format("{} operations for all four branches together against {:.0f} for one by iteration: {:.0f} times",
                   closed, iterative, iterative / closed),
       closed <= 45 && iterative > closed,
       fmt::format("{:.1f} iterations a target, each with forward kinematics and Jacobian of the library and an "
                   "elimination of its own; 45 operations are asked for",
                   iterations / count)}};
}

}  // namespace

void kinematics(StudyResult& result) {
  const Arm arm = catalogue_arm("rrr", built_in_kernels());
  const auto add = [&](const std::vector<Claim>& claims) {
    result.claims.insert(result.claims.end(), claims.begin(), claims.end());
  };
  add({forward(arm)});
  add(inverse(arm));
  Log figure;
  add(along_the_writing(arm, figure));
  result.logs.push_back(figure);
}

}  // namespace armature::studies::kostic2002
