// LaTeX: the program as aligned equations, one intermediate value per line.
#include <fmt/core.h>

#include "armature/codegen/emit/internal/emit_languages.hpp"
#include "armature/codegen/equations/readable.hpp"

namespace armature::codegen {
namespace {

constexpr int lines_a_display = 40;  // pages break between displays

std::string latex_element(const Signal& s, int k) {
  if (s.cols > 1) return fmt::format("{}_{{{},{}}}", s.name, k / s.cols + 1, k % s.cols + 1);
  return latex_name(fmt::format("{}{}", s.name, k + 1));
}

std::string latex_function(ExprOp op) {
  switch (op) {
    case ExprOp::atan2:
      return "\\operatorname{atan2}";
    case ExprOp::abs:
      return "\\operatorname{abs}";
    case ExprOp::sqrt:
      return "\\operatorname{sqrt}";
    default:
      return "\\" + c_function(op);
  }
}

}  // namespace

std::string emit_latex(const Module& module) {
  const Syntax syntax{
      .number = exact,
      .element = latex_element,
      .function = latex_function,
      .times = " \\cdot ",
      .quotient = [](const std::string& a, const std::string& b) { return "\\frac{" + a + "}{" + b + "}"; },
      .name = latex_name};
  std::string text;
  for (const std::string& line : about(module)) text += comment("%", line);
  text += "% Needs amsmath. c_{23} is cos(q2 + q3) up to a constant angle, s_2 is sin(q2).\n";
  for (const Program& program : module.programs) {
    text += "\n" + comment("%", program.name);
    for (const std::string& line : about(program)) text += comment("%", line);
    const std::vector<Line> lines = listing(program, syntax);
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const bool first = k % lines_a_display == 0, last = k + 1 == lines.size() || (k + 1) % lines_a_display == 0;
      const Line& line = lines[k];
      if (first) text += "\\begin{align*}\n";
      text += (line.output < 0 ? line.name : latex_element(program.outputs[line.output], line.element)) +
              " &= " + line.text + (last ? "\n\\end{align*}\n" : " \\\\\n");
    }
  }
  return text;
}

}  // namespace armature::codegen
