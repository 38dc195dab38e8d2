// Programs as source text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "armature/codegen/network/program.hpp"

namespace armature::codegen {

enum class Language { cpp, c, cuda, matlab, python, latex };
/// "cpp", "c", "cuda", "matlab", "python" or "latex"; none for any other word.
std::optional<Language> language_named(std::string_view word);

/// Programs of one arm, to be written into one file.
struct Module {
  std::string arm;  // its name
  int dof = 0;
  std::string version;  // of the generator
  std::vector<Program> programs;
};

/// A file that depends on nothing but the language's own mathematics, and says which arm, which version, how many operations,
/// and what it must compute for one state. Throws Error where the language cannot hold the programs in one file.
std::string emit(const Module& module, Language language);

/// The arm's name as a name in all of the languages: at most 32 letters, digits and single underscores; no keyword, and nothing
/// that the generated text or the language's mathematics calls so. Different arms may come to the same one.
std::string identifier(std::string_view name);

/// A state to check by: the same for everybody who asks.
std::vector<double> check_inputs(const Program& program);

}  // namespace armature::codegen
