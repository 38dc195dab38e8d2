#include "armature/codegen/network/program.hpp"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <stdexcept>

namespace armature::codegen {

Operations count(const Network& net) {
  Operations n;
  for (const NetNode& node : net.nodes) {
    if (node.kind == NetNode::Kind::function) ++(node.op == ExprOp::div ? n.div : n.functions);
    if (node.kind != NetNode::Kind::sum) continue;
    for (const NetTerm& t : node.terms) n.mul += multiplications(t);
    if (node.terms.size() > 1) n.add += static_cast<int>(node.terms.size()) - 1;
  }
  return n;
}

std::vector<Expr> symbols(const Signal& input) {
  std::vector<Expr> s;
  for (int k = 0; k < input.size(); ++k) s.push_back(ExprScope::current().symbol(fmt::format("{}[{}]", input.name, k)));
  return s;
}

Program make_program(std::string name, std::vector<Signal> inputs, std::vector<Signal> outputs,
                     const std::vector<Expr>& values, const std::vector<Expr>& kept) {
  Program program{std::move(name), std::move(inputs), std::move(outputs), Network::from(values, kept), {}, {}};
  std::map<std::uint32_t, Program::Argument> known;
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    const std::vector<Expr> s = symbols(program.inputs[i]);
    for (std::size_t k = 0; k < s.size(); ++k) known[s[k].id()] = {static_cast<int>(i), static_cast<int>(k)};
  }
  for (const Expr leaf : program.net.leaves) program.arguments.push_back(known.at(leaf.id()));
  return program;
}

std::vector<double> evaluate(const Program& program, const std::vector<double>& inputs) {
  std::vector<int> first{0};
  for (const Signal& s : program.inputs) first.push_back(first.back() + s.size());
  const Network& net = program.net;
  std::vector<double> value(net.nodes.size());
  for (const NodeId id : net.order()) {
    const NetNode& n = net.nodes[id];
    if (n.kind == NetNode::Kind::leaf) {
      const Program::Argument a = program.arguments[n.arg[0]];
      value[id] = inputs.at(static_cast<std::size_t>(first[a.input] + a.element));
    } else if (n.kind == NetNode::Kind::function) {
      const double a = value[n.arg[0]], b = n.args > 1 ? value[n.arg[1]] : 0;
      switch (n.op) {
        case ExprOp::div:
          value[id] = a / b;
          break;
        case ExprOp::sin:
          value[id] = std::sin(a);
          break;
        case ExprOp::cos:
          value[id] = std::cos(a);
          break;
        case ExprOp::sqrt:
          value[id] = std::sqrt(a);
          break;
        case ExprOp::exp:
          value[id] = std::exp(a);
          break;
        case ExprOp::tanh:
          value[id] = std::tanh(a);
          break;
        case ExprOp::abs:
          value[id] = std::abs(a);
          break;
        case ExprOp::atan2:
          value[id] = std::atan2(a, b);
          break;
        default:
          throw std::logic_error("not a function of a network");
      }
    } else {
      for (const NetTerm& t : n.terms) {
        double p = t.c;
        for (const NodeId f : t.factors()) p *= value[f];
        value[id] += p;
      }
    }
  }
  std::vector<double> result;
  for (const NodeId o : net.outputs) result.push_back(value[o]);
  return result;
}

}  // namespace armature::codegen
