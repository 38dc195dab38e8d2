// Python: functions on numpy arrays; a column of states (shape n x N) is computed at once.
#include <fmt/core.h>

#include "armature/codegen/emit/internal/emit_languages.hpp"

namespace armature::codegen {
namespace {

std::string python_element(const Signal& s, int k) {
  return s.cols == 1 ? fmt::format("{}[{}]", s.name, k) : fmt::format("{}[{}, {}]", s.name, k / s.cols, k % s.cols);
}
std::string python_function(ExprOp op) {
  return op == ExprOp::atan2 ? "np.arctan2" : op == ExprOp::abs ? "np.abs" : "np." + c_function(op);
}

}  // namespace

std::string emit_python(const Module& module) {
  const Syntax syntax{exact, python_element, python_function};
  std::string text = "\"\"\"";
  for (const std::string& line : about(module)) text += python_text(line) + "\n";
  text += fmt::format("\"\"\"\nimport numpy as np\n\nn = {}\n", module.dof);
  for (const Program& program : module.programs) {
    std::string in;
    for (const Signal& s : program.inputs) in += s.name + ", ";
    in.resize(in.size() - 2);
    text += fmt::format("\n\ndef {}({}):\n    \"\"\"", program.name, in);
    for (const std::string& line : about(program)) text += python_text(line) + "\n    ";
    text += "\"\"\"\n";
    const Signal& first = program.inputs[0];
    text += fmt::format("    many = np.shape({})[{}:]\n", first.name, first.cols == 1 ? 1 : 2);
    for (const Signal& s : program.outputs)
      text += s.cols == 1 ? fmt::format("    {} = np.empty(({},) + many)\n", s.name, s.rows)
                          : fmt::format("    {} = np.empty(({}, {}) + many)\n", s.name, s.rows, s.cols);
    for (const Line& line : listing(program, syntax)) {
      const std::string left = line.output < 0 ? line.name : python_element(program.outputs[line.output], line.element);
      text += fmt::format("    {} = {}\n", left, line.text);
    }
    std::string out;
    for (const Signal& s : program.outputs) out += s.name + ", ";
    out.resize(out.size() - 2);
    text += "    return " + out + "\n";
  }
  return text;
}

}  // namespace armature::codegen
