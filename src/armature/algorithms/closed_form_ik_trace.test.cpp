// One body of a branch for every kind of number, and what it costs.
#include <map>
#include <set>

#include "armature/algorithms/closed_form_ik_branch.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/core/units.hpp"
#include "armature/scalar/dual.hpp"
#include "armature/scalar/expr.hpp"
#include "armature/scalar/pack.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/ik_arms.hpp"

using namespace armature::algorithms;
using namespace armature::testing;

namespace {

/// Distinct operations that a trace needs: additions, multiplications, divisions and functions one each, negation free.
int operations(const ExprGraph& graph, std::span<const Expr> outputs) {
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
    const bool binary = node.op == ExprOp::add || node.op == ExprOp::sub || node.op == ExprOp::mul ||
                        node.op == ExprOp::div || node.op == ExprOp::atan2;
    if (binary) open.push_back(node.b);
  }
  return count;
}

Pose<Expr> symbolic_pose(ExprGraph& graph) {
  Pose<Expr> X;
  for (int k = 0; k < 9; ++k) X.R(k) = graph.symbol("r" + std::to_string(k));
  for (int k = 0; k < 3; ++k) X.p[k] = graph.symbol("p" + std::to_string(k));
  return X;
}
std::map<std::string, double, std::less<>> values_of(const Pose<double>& X) {
  std::map<std::string, double, std::less<>> at;
  for (int k = 0; k < 9; ++k) at["r" + std::to_string(k)] = X.R(k);
  for (int k = 0; k < 3; ++k) at["p" + std::to_string(k)] = X.p[k];
  return at;
}

struct Trace {
  ExprGraph graph;
  std::vector<Expr> outputs;  // branch by branch, joint by joint
};
Trace trace(const IkFamily& family) {
  Trace t;
  const ExprScope scope(t.graph);
  const Pose<Expr> target = symbolic_pose(t.graph);
  for (int branch = 0; branch < family.branches(); ++branch) {
    const VecX<Expr> q = closed_form_branch<Expr>(family, target, branch);
    t.outputs.insert(t.outputs.end(), q.begin(), q.end());
  }
  return t;
}

}  // namespace

TEST_CASE("a traced branch is the branch") {
  Random random(40);
  for (const IkArm& member : ik_arms())
    for (const Arm& arm : {member.arm, retold(member.arm, random)}) {
      CAPTURE(arm.name());
      const IkFamily family = *closed_form_family(arm);
      const Trace t = trace(family);
      const VecX<double> q = random_vector(arm.dof(), random, 3);
      const Pose<double> target = tool_pose(arm, forward_kinematics<double>(arm, q));
      const std::vector<double> traced = t.graph.evaluate(t.outputs, values_of(target));
      std::size_t k = 0;
      for (int branch = 0; branch < family.branches(); ++branch)
        for (const double numeric : closed_form_branch<double>(family, target, branch))
          if (const double symbolic = traced[k++]; !std::isnan(symbolic))  // a branch that this target has
            CHECK(std::abs(std::remainder(symbolic - numeric, 2 * pi)) < 1e-9);
    }
}

TEST_CASE("inverse kinematics of the RRR arm costs at most 45 operations for its four branches together") {
  const Trace t = trace(*closed_form_family(ik_arm("rrr")));
  CHECK(t.outputs.size() == 12);
  CHECK(operations(t.graph, t.outputs) <= 45);
}

TEST_CASE("lengths may be symbols: the formulas of the RRR arm, for any arm of the family") {
  ExprGraph graph;
  const ExprScope scope(graph);
  const RrrGeometry<Expr> named{Expr(0), graph.symbol("a2"), graph.symbol("a3"), graph.symbol("d")};
  const Pose<Expr> target = symbolic_pose(graph);
  Random random(43);
  for (int k = 0; k < 20; ++k) {
    const RrrGeometry<double> numbers{0, random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(-0.3, 0.3)};
    const double t1 = random.uniform(-3, 3), t2 = random.uniform(-3, 3), t23 = random.uniform(-3, 3);
    const double reach = numbers.a2 * std::cos(t2) + numbers.a3 * std::cos(t23);  // as the family is defined
    Pose<double> X;
    X.p << reach * std::cos(t1) + numbers.d * std::sin(t1), reach * std::sin(t1) - numbers.d * std::cos(t1),
        numbers.a2 * std::sin(t2) + numbers.a3 * std::sin(t23);
    auto at = values_of(X);
    at["a2"] = numbers.a2;
    at["a3"] = numbers.a3;
    at["d"] = numbers.d;
    double nearest = 10;
    for (int branch = 0; branch < 4; ++branch) {
      IkMath<Expr> math;
      const VecX<Expr> q = closed_form_branch<Expr>(IkGeometry<Expr>(named), target, branch, math);
      const std::vector<double> theta = graph.evaluate(std::span(q.data(), 3), at);
      const auto apart = [](double a, double b) { return std::abs(std::remainder(a - b, 2 * pi)); };
      nearest = std::min(nearest, apart(theta[0], t1) + apart(theta[1], t2) + apart(theta[1] + theta[2], t23));
    }
    CHECK(nearest < 1e-9);
  }
}

TEST_CASE("the derivative of a branch is the inverse of the Jacobian") {
  Random random(41);
  for (const IkArm& member : ik_arms()) {
    const Arm& arm = member.arm;
    CAPTURE(arm.name());
    const IkFamily family = *closed_form_family(arm);
    const VecX<double> q = random_vector(arm.dof(), random, 2), qd = random_vector(arm.dof(), random, 1);
    VecX<Dual> moving(arm.dof());
    for (int i = 0; i < arm.dof(); ++i) moving[i] = Dual(q[i], qd[i]);
    const Pose<Dual> target = tool_pose(arm, forward_kinematics<Dual>(arm, moving));
    const Vec6<double> twist = tool_jacobian(arm, forward_kinematics<double>(arm, q)) * qd;
    const int rows = family.position_only() ? 3 : 6;
    int solved = 0;
    for (int branch = 0; branch < family.branches(); ++branch) {
      const VecX<Dual> solution = closed_form_branch<Dual>(family, target, branch);
      VecX<double> at(arm.dof()), rate(arm.dof());
      for (int i = 0; i < arm.dof(); ++i) {
        at[i] = solution[i].value;
        rate[i] = solution[i].slope;
      }
      if (!at.allFinite()) continue;
      ++solved;
      const Vec6<double> reached = tool_jacobian(arm, forward_kinematics<double>(arm, at)) * rate;
      CHECK((reached - twist).head(rows).norm() < 1e-9 * (1 + twist.norm()));
    }
    CHECK(solved > 0);
  }
}

TEST_CASE("eight packed targets give what eight calls give") {
  Random random(42);
  for (const IkArm& member : ik_arms()) {
    const Arm& arm = member.arm;
    CAPTURE(arm.name());
    const IkFamily family = *closed_form_family(arm);
    std::array<Pose<double>, Pack::width> targets;
    Pose<Pack> packed;
    for (int lane = 0; lane < Pack::width; ++lane) {
      Pose<double>& X = targets[lane];
      X = tool_pose(arm, forward_kinematics<double>(arm, random_vector(arm.dof(), random, 3)));
      for (int k = 0; k < 9; ++k) packed.R(k).set(lane, X.R(k));
      for (int k = 0; k < 3; ++k) packed.p[k].set(lane, X.p[k]);
    }
    for (int branch = 0; branch < family.branches(); ++branch) {
      const VecX<Pack> q = closed_form_branch<Pack>(family, packed, branch);
      for (int lane = 0; lane < Pack::width; ++lane) {
        const VecX<double> one = closed_form_branch<double>(family, targets[lane], branch);
        for (int i = 0; i < arm.dof(); ++i)
          if (!std::isnan(q[i][lane])) CHECK(std::abs(std::remainder(q[i][lane] - one[i], 2 * pi)) < 1e-9);
      }
    }
  }
}
