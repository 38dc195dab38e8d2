// C++17: a struct named after the arm with one function template a program. Nothing but <cmath>.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "armature/codegen/emit/internal/emit_languages.hpp"

namespace armature::codegen {

std::string emit_cpp(const Module& module) {
  const Syntax syntax{.number = [](double x) { return "T(" + exact(x) + ")"; },
                      .element = c_element,
                      .function = [](ExprOp op) { return op == ExprOp::abs ? "abs" : c_function(op); },
                      .turns_at_once = true};
  std::string text;
  for (const std::string& line : about(module)) text += comment("//", line);
  text += fmt::format("#pragma once\n\n#include <cmath>\n\n{}\nstruct {} {{\n  static constexpr int n = {};\n",
                      cpp_turns(), identifier(module.arm), module.dof);
  for (const Program& program : module.programs) {
    text += "\n";
    for (const std::string& line : about(program)) text += "  " + comment("//", line);
    std::string arguments;
    for (const Signal& s : program.inputs) arguments += fmt::format("const T* {}, ", s.name);
    for (const Signal& s : program.outputs) arguments += fmt::format("T* {}, ", s.name);
    arguments.resize(arguments.size() - 2);
    text += fmt::format("  template <class T>\n  static void {}({}) noexcept {{\n", program.name, arguments);
    const std::vector<Line> lines = listing(program, syntax);
    for (const char* f : {"sin", "cos", "sqrt", "exp", "tanh", "abs", "atan2"})
      if (std::any_of(lines.begin(), lines.end(), [&](const Line& line) {
            const std::size_t at = line.text.find(std::string(f) + "(");
            return at != std::string::npos && (at == 0 || !std::isalnum(static_cast<unsigned char>(line.text[at - 1])));
          }))
        text += fmt::format("    using std::{};\n", f);
    for (const Signal& s : unused_inputs(program)) text += fmt::format("    (void){};\n", s.name);
    for (const Line& line : lines) {
      if (!line.angles.empty())
        text += fmt::format("    const armature_turns::SinCos<T, {}> turn({{{}}});\n", line.angles.size(),
                            fmt::join(line.angles, ", "));
      else
        text += line.output < 0
                    ? fmt::format("    const T {} = {};\n", line.name, line.text)
                    : fmt::format("    {} = {};\n", c_element(program.outputs[line.output], line.element), line.text);
    }
    text += "  }\n";
  }
  return text + "};\n";
}

}  // namespace armature::codegen
