// C99 and CUDA: free functions named arm_function, double precision.
#include <fmt/core.h>

#include "armature/codegen/emit_languages.hpp"

namespace armature {
namespace {

std::string c_functions(const Module& module, const std::string& qualifier, const std::string& restrict_word) {
  const Syntax syntax{exact, c_element, c_function};
  std::string text;
  for (const Program& program : module.programs) {
    text += "\n";
    for (const std::string& line : about(program)) text += comment("//", line);
    std::string arguments;
    for (const Signal& s : program.inputs) arguments += fmt::format("const double* {} {}, ", restrict_word, s.name);
    for (const Signal& s : program.outputs) arguments += fmt::format("double* {} {}, ", restrict_word, s.name);
    arguments.resize(arguments.size() - 2);
    text += fmt::format("{} void {}_{}({}) {{\n", qualifier, identifier(module.arm), program.name, arguments);
    for (const Signal& s : unused_inputs(program)) text += fmt::format("  (void){};\n", s.name);
    for (const Line& line : listing(program, syntax))
      text += line.output < 0
                  ? fmt::format("  const double {} = {};\n", line.name, line.text)
                  : fmt::format("  {} = {};\n", c_element(program.outputs[line.output], line.element), line.text);
    text += "}\n";
  }
  return text;
}

}  // namespace

std::string emit_c(const Module& module) {
  std::string text;
  for (const std::string& line : about(module)) text += comment("//", line);
  return text + "#include <math.h>\n" + c_functions(module, "static inline", "restrict");
}

std::string emit_cuda(const Module& module) {
  std::string text;
  for (const std::string& line : about(module)) text += comment("//", line);
  return text + "#pragma once\n" + c_functions(module, "__host__ __device__ inline", "__restrict__");
}

}  // namespace armature
