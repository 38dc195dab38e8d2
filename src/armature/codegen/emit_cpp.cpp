// C++17: a struct named after the arm with one function template a program. Nothing but <cmath>.
#include <fmt/core.h>

#include "armature/codegen/emit_languages.hpp"

namespace armature {

std::string emit_cpp(const Module& module) {
  const Syntax syntax{[](double x) { return "T(" + exact(x) + ")"; }, c_element,
                      [](ExprOp op) { return op == ExprOp::abs ? "abs" : c_function(op); }};
  std::string text;
  for (const std::string& line : about(module)) text += "// " + line + "\n";
  text += fmt::format("#pragma once\n\n#include <cmath>\n\nstruct {} {{\n  static constexpr int n = {};\n",
                      identifier(module.arm), module.dof);
  for (const Program& program : module.programs) {
    text += "\n";
    for (const std::string& line : about(program)) text += "  // " + line + "\n";
    std::string arguments;
    for (const Signal& s : program.inputs) arguments += fmt::format("const T* {}, ", s.name);
    for (const Signal& s : program.outputs) arguments += fmt::format("T* {}, ", s.name);
    arguments.resize(arguments.size() - 2);
    text += fmt::format("  template <class T>\n  static void {}({}) noexcept {{\n", program.name, arguments);
    std::string functions;
    for (const NodeId id : program.net.order()) {
      const NetNode& n = program.net.nodes[id];
      if (n.kind != NetNode::Kind::function || n.op == ExprOp::div) continue;
      const std::string use = "    using std::" + syntax.function(n.op) + ";\n";
      if (functions.find(use) == std::string::npos) functions += use;
    }
    text += functions;
    for (const Signal& s : unused_inputs(program)) text += fmt::format("    (void){};\n", s.name);
    for (const Line& line : listing(program, syntax))
      text += line.output < 0
                  ? fmt::format("    const T {} = {};\n", line.name, line.text)
                  : fmt::format("    {} = {};\n", c_element(program.outputs[line.output], line.element), line.text);
    text += "  }\n";
  }
  return text + "};\n";
}

}  // namespace armature
