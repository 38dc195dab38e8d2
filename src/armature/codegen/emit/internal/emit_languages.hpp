// One function a language; emit() chooses. And what their files have in common.
#pragma once

#include <string>

#include "armature/codegen/emit/emit.hpp"
#include "armature/codegen/emit/internal/listing.hpp"

namespace armature::codegen {

std::string emit_cpp(const Module& module);
/// Text that emit_cpp puts before the arm: sines and cosines of several angles at once.
std::string cpp_turns();
std::string emit_c(const Module& module);
std::string emit_cuda(const Module& module);
std::string emit_matlab(const Module& module);
std::string emit_python(const Module& module);
std::string emit_latex(const Module& module);

/// "panda: written by armature 0.1.0; ..." as lines for the top of a file, without comment marks.
std::vector<std::string> about(const Module& module);
/// What a function computes, its operations and its self-check, as lines without comment marks.
std::vector<std::string> about(const Program& program);

/// `line` as one line of a comment that begins with `mark`: //, % or #. Whatever it holds, the comment ends with it.
std::string comment(std::string_view mark, std::string_view line);
/// `line` inside a string or docstring of Python in double quotes.
std::string python_text(std::string_view line);
/// `line` as text of Markdown that says nothing but itself.
std::string markdown_text(std::string_view line);

/// Inputs that no output depends on.
std::vector<Signal> unused_inputs(const Program& program);

/// Shortest text that reads back as the same double, with a point or an exponent.
std::string exact(double x);

/// q[1]
std::string c_element(const Signal& signal, int element);
std::string c_function(ExprOp op);

}  // namespace armature::codegen
