// Names of arms as names in programs, and as text in comments and strings of them.
#include <fmt/core.h>

#include <algorithm>

#include "armature/codegen/derive/derive.hpp"
#include "armature/codegen/emit/emit.hpp"
#include "armature/codegen/emit/internal/emit_languages.hpp"
#include "armature/core/characters.hpp"

namespace armature::codegen {
namespace {

constexpr std::size_t longest = 32;  // MATLAB and C tell names apart by 63 characters; a program's own name follows

// What a generated file cannot call its arm, in any of the languages. Sorted by where it comes from; a handful are in two places.
constexpr std::string_view reserved[] = {
    // C, C++
    "alignas", "alignof", "and", "and_eq", "asm", "atomic_cancel", "atomic_commit", "atomic_noexcept", "auto", "bitand",
    "bitor", "bool", "break", "case", "catch", "char", "class", "co_await", "co_return", "co_yield", "compl", "concept",
    "const", "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do",
    "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
    "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator",
    "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return",
    "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "synchronized",
    "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "typeof",
    "typeof_unqual", "union", "unsigned", "using", "virtual", "void", "volatile", "while", "xor", "xor_eq",
    // what their mathematics brings along: types and macros
    "BIG_ENDIAN", "BYTE_ORDER", "DOMAIN", "EOF", "EXIT_FAILURE", "EXIT_SUCCESS", "FD_SETSIZE", "I", "INFINITY",
    "LITTLE_ENDIAN", "MAXFLOAT", "MB_CUR_MAX", "NAN", "NFDBITS", "NULL", "OVERFLOW", "PDP_ENDIAN", "PLOSS", "RAND_MAX",
    "SING", "TLOSS", "UNDERFLOW", "WCONTINUED", "WEXITED", "WNOHANG", "WNOWAIT", "WSTOPPED", "WUNTRACED", "assert",
    "complex", "drand48_data", "errno", "fd_mask", "fd_set", "i386", "imaginary", "linux", "main", "math_errhandling",
    "random_data", "std", "stderr", "stdin", "stdout", "timespec", "timeval", "u_char", "u_int", "u_long", "u_short",
    "uint", "ulong", "unix", "ushort",
    // Python
    "False", "None", "True", "as", "async", "await", "def", "del", "elif", "except", "finally", "from", "global",
    "import", "in", "is", "lambda", "match", "nonlocal", "np", "numpy", "pass", "raise", "with", "yield",
    // MATLAB, Octave, and the functions of theirs that generated text calls
    "abs", "ans", "atan2", "classdef", "cos", "e", "elseif", "end", "end_try_catch", "end_unwind_protect",
    "endclassdef", "endenumeration", "endevents", "endfor", "endfunction", "endif", "endmethods", "endparfor",
    "endproperties", "endswitch", "endwhile", "enumeration", "eps", "events", "exp", "feval", "function", "i", "j",
    "max", "methods", "nargin", "nargout", "otherwise", "parfor", "persistent", "pi", "properties", "reshape", "sin",
    "spmd", "sqrt", "tanh", "until", "unwind_protect", "unwind_protect_cleanup", "varargin", "varargout", "what",
    "zeros",
    // our own
    "T", "armature", "armature_turns", "n", "real_root"};

bool is_reserved(const std::string& id) {
  if (id.ends_with("_t")) return true;  // POSIX has them all
  for (const std::string_view prefix : {"ARMATURE", "FP_", "HUGE_", "MATH_", "M_", "SNAN"})
    if (id.starts_with(prefix)) return true;
  if (std::find(std::begin(reserved), std::end(reserved), id) != std::end(reserved)) return true;
  const auto targets = all_targets();  // a C++ class cannot have a member of its own name
  return std::any_of(targets.begin(), targets.end(), [&](Target target) {
    std::string name(word_for(target));
    std::replace(name.begin(), name.end(), '-', '_');
    return name == id;
  });
}

}  // namespace

std::string identifier(std::string_view name) {
  std::string id;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter)
      id += c;
    else if (!id.empty() && id.back() != '_')  // two in a row, and one at the beginning, belong to the compiler
      id += '_';
  }
  const auto shorten = [&] {
    id.resize(std::min(id.size(), longest));
    while (id.ends_with('_')) id.pop_back();
  };
  shorten();
  const bool begins_well = !id.empty() && !(id[0] >= '0' && id[0] <= '9') && name[0] == id[0];
  if (begins_well && !is_reserved(id)) return id;
  id = "arm_" + id;
  shorten();
  return id;
}

std::string comment(std::string_view mark, std::string_view line) {
  std::string text(mark);
  if (!line.empty()) text += " " + visible(line);
  if (text.ends_with('\\') || text.ends_with("?\?/")) text += " .";  // C: the next line would belong to this one
  return text + "\n";
}

std::string python_text(std::string_view line) {
  std::string text;
  for (const char c : visible(line)) {
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return text;
}

std::string markdown_text(std::string_view line) {
  std::string text;
  for (const char c : visible(line)) {
    if (std::string_view("&<>[]`\\*$|").find(c) == std::string_view::npos)
      text += c;
    else
      text += fmt::format("&#{};", static_cast<int>(c));  // a character by its number means nothing but itself
  }
  return text;
}

}  // namespace armature::codegen
