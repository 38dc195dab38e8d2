#include <fmt/core.h>

#include "armature/codegen/emit/internal/emit_languages.hpp"

namespace armature::codegen {
namespace {

std::string shape(const Signal& s) {
  return s.cols == 1 ? fmt::format("{}", s.rows) : fmt::format("{}x{}", s.rows, s.cols);
}

std::string values(const std::string& name, const double* x, int count) {
  std::string s = name + " =";
  for (int k = 0; k < count; ++k) s += " " + exact(x[k]);
  return s;
}

}  // namespace

std::string exact(double x) {
  std::string s = fmt::format("{}", x);
  if (s.find_first_of(".en") == std::string::npos) s += ".0";
  return s;
}

std::string c_element(const Signal& signal, int element) { return fmt::format("{}[{}]", signal.name, element); }

std::string c_function(ExprOp op) {
  switch (op) {
    case ExprOp::sin:
      return "sin";
    case ExprOp::cos:
      return "cos";
    case ExprOp::sqrt:
      return "sqrt";
    case ExprOp::exp:
      return "exp";
    case ExprOp::tanh:
      return "tanh";
    case ExprOp::abs:
      return "fabs";
    case ExprOp::atan2:
      return "atan2";
    default:
      return "";
  }
}

std::vector<Signal> unused_inputs(const Program& program) {
  std::vector<char> used(program.inputs.size());
  for (const NodeId id : program.net.order()) {
    const NetNode& n = program.net.nodes[id];
    if (n.kind == NetNode::Kind::leaf) used[program.arguments[n.arg[0]].input] = 1;
  }
  std::vector<Signal> unused;
  for (std::size_t k = 0; k < used.size(); ++k)
    if (!used[k]) unused.push_back(program.inputs[k]);
  return unused;
}

std::vector<std::string> about(const Module& module) {
  return {
      fmt::format(
          "Arm '{}', {} joint{}: written by armature {}. Straight-line code, SI units, radians; matrices row by row.",
          module.arm, module.dof, module.dof == 1 ? "" : "s", module.version),
      "Change the arm's description, not this file."};
}

std::vector<std::string> about(const Program& program) {
  std::vector<std::string> lines;
  for (const Signal& s : program.outputs) lines.push_back(fmt::format("{} ({}): {}", s.name, shape(s), s.meaning));
  const Operations n = count(program.net);
  lines.push_back(fmt::format("{} operations: {} additions, {} multiplications, {} divisions, {} functions.", n.total(),
                              n.add, n.mul, n.div, n.functions));
  const std::vector<double> in = check_inputs(program), out = evaluate(program, in);
  lines.emplace_back("Check:");
  const double* x = in.data();
  for (const Signal& s : program.inputs) {
    lines.push_back("  " + values(s.name, x, s.size()));
    x += s.size();
  }
  lines.emplace_back("give");
  x = out.data();
  for (const Signal& s : program.outputs) {
    lines.push_back("  " + values(s.name, x, s.size()));
    x += s.size();
  }
  return lines;
}

}  // namespace armature::codegen
