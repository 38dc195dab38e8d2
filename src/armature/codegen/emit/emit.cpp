#include "armature/codegen/emit/emit.hpp"

#include "armature/codegen/emit/internal/emit_languages.hpp"

namespace armature::codegen {

std::optional<Language> language_named(std::string_view word) {
  constexpr std::string_view words[] = {"cpp", "c", "cuda", "matlab", "python", "latex"};
  for (std::size_t k = 0; k < std::size(words); ++k)
    if (word == words[k]) return static_cast<Language>(k);
  return {};
}

std::vector<double> check_inputs(const Program& program) {
  if (!program.check.empty()) return program.check;
  std::vector<double> x;
  int k = 0;
  for (const Signal& s : program.inputs)
    for (int i = 0; i < s.size(); ++i, ++k)
      x.push_back((k * 37 % 41 - 20) / 16.0);  // exact in binary, none repeated early
  return x;
}

std::string emit(const Module& module, Language language) {
  switch (language) {
    case Language::cpp:
      return emit_cpp(module);
    case Language::c:
      return emit_c(module);
    case Language::cuda:
      return emit_cuda(module);
    case Language::matlab:
      return emit_matlab(module);
    case Language::python:
      return emit_python(module);
    case Language::latex:
      return emit_latex(module);
  }
  return {};
}

}  // namespace armature::codegen
