// C99, and CUDA as templates over float and double: free functions named arm_function.
#include <fmt/core.h>

#include "armature/codegen/emit/internal/emit_languages.hpp"

namespace armature::codegen {
namespace {

/// What the two languages write differently.
struct Dialect {
  std::string head;           // before `void`
  std::string restrict_word;  // of a pointer that no other aliases
  std::string type;           // of a number
  std::function<std::string(double)> number;
};

std::string functions(const Module& module, const Dialect& dialect) {
  const Syntax syntax{dialect.number, c_element, c_function};
  std::string text;
  for (const Program& program : module.programs) {
    text += "\n";
    for (const std::string& line : about(program)) text += comment("//", line);
    std::string arguments;
    const auto add = [&](const char* constant, const Signal& s) {
      arguments += fmt::format("{}{}* {} {}, ", constant, dialect.type, dialect.restrict_word, s.name);
    };
    for (const Signal& s : program.inputs) add("const ", s);
    for (const Signal& s : program.outputs) add("", s);
    arguments.resize(arguments.size() - 2);
    text += fmt::format("{} void {}_{}({}) {{\n", dialect.head, identifier(module.arm), program.name, arguments);
    for (const Signal& s : unused_inputs(program)) text += fmt::format("  (void){};\n", s.name);
    for (const Line& line : listing(program, syntax))
      text += line.output < 0
                  ? fmt::format("  const {} {} = {};\n", dialect.type, line.name, line.text)
                  : fmt::format("  {} = {};\n", c_element(program.outputs[line.output], line.element), line.text);
    text += "}\n";
  }
  return text;
}

}  // namespace

std::string emit_c(const Module& module) {
  std::string text;
  for (const std::string& line : about(module)) text += comment("//", line);
  return text + "#include <math.h>\n" + functions(module, {"static inline", "restrict", "double", exact});
}

std::string emit_cuda(const Module& module) {
  std::string text;
  for (const std::string& line : about(module)) text += comment("//", line);
  return text + "#pragma once\n" +
         functions(module, {"template <class T>\n__host__ __device__ inline", "__restrict__", "T",
                            [](double x) { return "T(" + exact(x) + ")"; }});
}

}  // namespace armature::codegen
