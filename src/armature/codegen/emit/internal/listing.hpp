// A program as lines: what each language prints in its own words.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "armature/codegen/network/program.hpp"

namespace armature::codegen {

/// The words of a language.
struct Syntax {
  std::function<std::string(double)> number;                       // 0.25, never negative
  std::function<std::string(const Signal&, int element)> element;  // q[1]
  std::function<std::string(ExprOp)> function;                     // sin
  std::string times = " * ";
  std::function<std::string(const std::string& above, const std::string& below)> quotient{};  // empty: above / below
  bool turns_at_once = false;  // sines and cosines of the joints' angles come from a Line with `angles`
  std::function<std::string(const std::string&)> name{};  // of s2, t1; empty: as it is
};

/// One computation: a name for an intermediate value, or an element of an output.
struct Line {
  int output = -1;                  // which output, or -1
  int element = 0;                  // of the output
  std::string name;                 // of the intermediate value
  std::string text;                 // the expression
  std::vector<std::string> angles;  // not empty: sines and cosines of these, to be found in turn.s[k] and turn.c[k]
};

/// The program in the order of computation. Sines and cosines of joint angles are called s2, c23; other values t1, t2, ...
/// Values that are used once stand in brackets where they are used; outputs come last. Throws Error where a constant is not finite.
std::vector<Line> listing(const Program& program, const Syntax& syntax);

}  // namespace armature::codegen
