// MATLAB and Octave: one function a file is their rule, so a module with several programs gets one function that takes the
// name of the program first.
#include <fmt/core.h>

#include <algorithm>

#include "armature/codegen/emit/internal/emit_languages.hpp"

namespace armature::codegen {
namespace {

std::string matlab_element(const Signal& s, int k) {
  return s.cols == 1 ? fmt::format("{}({})", s.name, k + 1)
                     : fmt::format("{}({},{})", s.name, k / s.cols + 1, k % s.cols + 1);
}

// Their square root of a negative number is complex; in the other languages it is not a number.
constexpr const char* real_root = R"text(
function y = real_root(x)
  y = sqrt(abs(x)) / (x >= 0) * (x >= 0);
end
)text";
bool takes_roots(const Program& program) {
  return std::any_of(program.net.nodes.begin(), program.net.nodes.end(),
                     [](const NetNode& n) { return n.kind == NetNode::Kind::function && n.op == ExprOp::sqrt; });
}

std::string matlab_function(ExprOp op) {
  return op == ExprOp::abs ? "abs" : op == ExprOp::sqrt ? "real_root" : c_function(op);
}

std::string function(const Module& module, const Program& program, const std::string& name) {
  const Syntax syntax{exact, matlab_element, matlab_function};
  std::string in, out;
  for (const Signal& s : program.inputs) in += s.name + ", ";
  for (const Signal& s : program.outputs) out += s.name + ", ";
  in.resize(in.size() - 2);
  out.resize(out.size() - 2);
  std::string text = fmt::format("function [{}] = {}({})\n", out, name, in);
  for (const std::string& line : about(module)) text += comment("%", line);
  for (const std::string& line : about(program)) text += comment("%", line);
  for (const Signal& s : program.outputs) text += fmt::format("  {} = zeros({}, {});\n", s.name, s.rows, s.cols);
  for (const Line& line : listing(program, syntax)) {
    const std::string left = line.output < 0 ? line.name : matlab_element(program.outputs[line.output], line.element);
    text += fmt::format("  {} = {};\n", left, line.text);
  }
  return text + "end\n";
}

}  // namespace

std::string emit_matlab(const Module& module) {
  const std::string arm = identifier(module.arm);
  const std::string helper = std::any_of(module.programs.begin(), module.programs.end(), takes_roots) ? real_root : "";
  if (module.programs.size() == 1)
    return function(module, module.programs[0], arm + "_" + module.programs[0].name) + helper;
  std::string text = fmt::format("function varargout = {}(what, varargin)\n", arm);
  for (const std::string& line : about(module)) text += comment("%", line);
  text += fmt::format("% {}('inverse_dynamics', q, qd, qdd) and so on:\n", arm);
  for (const Program& p : module.programs) text += "%   " + p.name + "\n";
  text += fmt::format("  [varargout{{1:max(nargout, 1)}}] = feval(['{}_' what], varargin{{:}});\nend\n", arm);
  for (const Program& p : module.programs) text += "\n" + function(module, p, arm + "_" + p.name);
  return text + helper;
}

}  // namespace armature::codegen
