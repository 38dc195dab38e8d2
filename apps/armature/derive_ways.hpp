// What armature derive can do besides writing source text.
#pragma once

#include <optional>
#include <string>

#include "armature/formats/load_arm.hpp"
#include "names.hpp"

namespace armature::app {

/// --against FILE: somebody's formulas, compared entry by entry. Exit code 1 where they differ.
int derive_against(const LoadedArm& loaded, const std::string& file, bool json);

/// --symbolic: the equations in names, as text, LaTeX or Markdown.
struct SymbolicOptions {
  std::optional<std::string> what, language, parameters, out, page;
  bool json = false;
};
int derive_symbolic(const LoadedArm& loaded, const SymbolicOptions& options);

/// --what singularities: the determinant of the Jacobian in factors, and where it vanishes.
int derive_singularities(const LoadedArm& loaded, const std::optional<std::string>& rows, bool json);

/// --build: functions for the arm, compiled by the system's compiler, for --kernels.
int derive_build(const LoadedArm& loaded, const std::optional<std::string>& out, double effort, bool json);

}  // namespace armature::app
