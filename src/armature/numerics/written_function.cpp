#include "armature/numerics/written_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/internal/formula_evaluation.hpp"

namespace armature::numerics {

namespace {

constexpr std::size_t longest_text = 10'000;  // [bytes]
constexpr std::size_t most_definitions = 32;
constexpr std::size_t deepest_stack = 32;
constexpr std::size_t constants = 3;  // the variable, pi, deg

}  // namespace

WrittenFunction::WrittenFunction(std::string_view text, const std::string& variable, const std::string& result) {
  if (text.size() > longest_text)
    throw Error(fmt::format("the formula has {} bytes", text.size()), fmt::format("at most {}", longest_text));
  std::vector<Statement> statements;
  if (text.find('=') == std::string_view::npos) {
    const FormulaPtr alone = read_formula(text);
    statements.push_back({Statement::Kind::definition, {result}, alone, alone->line, alone->column});
  } else {
    statements = read_statements(text, {});
  }
  if (statements.size() > most_definitions)
    throw Error(fmt::format("{} definitions", statements.size()), fmt::format("at most {}", most_definitions));
  std::vector<std::string> names{variable, "pi", "deg"};
  for (const Statement& s : statements) {
    const Place place{{}, s.line, s.column};
    if (s.kind != Statement::Kind::definition || s.names.size() != 1)
      throw Error(fmt::format("'{}' is not defined by a formula alone", printable(s.names.front())),
                  "a definition reads  name = formula", place);
    if (std::find(names.begin(), names.end(), s.names.front()) != names.end())
      throw Error(fmt::format("'{}' has a meaning already", printable(s.names.front())), "choose another name", place);
    if (choices_in(*s.formula) > 0) throw Error("± leaves the sign open", "write + or -", place);
    definitions_.emplace_back(*s.formula, [&](const Formula& name) {
      const auto found = std::find(names.begin(), names.end(), name.name);
      if (found == names.end())
        throw Error(
            fmt::format("'{}' means nothing here", printable(name.name)),
            fmt::format("{}, pi, deg and what the lines before define; {}", variable, suggestion(name.name, names)),
            {{}, name.line, name.column});
      return static_cast<int>(found - names.begin());
    });
    const CompiledFormula& last = definitions_.back();
    if (last.deepest() > deepest_stack)
      throw Error("the formula is nested too deeply", "give inner parts names of their own", place);
    for (const CompiledFormula::Step& step : last.steps())
      if (step.op == CompiledFormula::Step::Op::power)
        throw Error(fmt::format("an exponent depends on {}", variable), "exponents are numbers; exp(x) is a function",
                    place);
    names.push_back(s.names.front());
  }
  if (statements.empty() || names.back() != result)
    throw Error(fmt::format("it does not end with a definition of '{}'", result),
                fmt::format("the last line reads  {} = ...", result));
}

template <class S>
S WrittenFunction::evaluated(const S& x) const {
  std::array<S, constants + most_definitions> values;
  std::array<S, deepest_stack> stack;
  values[0] = x;
  values[1] = S(pi);
  values[2] = S(deg);
  for (std::size_t k = 0; k < definitions_.size(); ++k)
    values[constants + k] = evaluate<S>(definitions_[k].steps(), values.data(), 0, stack.data());
  return values[constants + definitions_.size() - 1];
}

template <Scalar S>
S WrittenFunction::value(const S& x) const {
  return evaluated<S>(x);
}
template <Scalar S>
S WrittenFunction::slope(const S& x) const {
  return evaluated<Tangent<S>>({x, S(1)}).slope;
}

#define ARMATURE_INSTANTIATE(S)                      \
  template S WrittenFunction::value(const S&) const; \
  template S WrittenFunction::slope(const S&) const;
ARMATURE_INSTANTIATE(double)
ARMATURE_INSTANTIATE(Dual)
ARMATURE_INSTANTIATE(Expr)
#undef ARMATURE_INSTANTIATE

}  // namespace armature::numerics
