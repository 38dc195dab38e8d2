#include "armature/numerics/formula.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "armature/core/text.hpp"
#include "armature/numerics/internal/formula_evaluation.hpp"

namespace armature::numerics {
namespace {

using Kind = Formula::Kind;
using Sign = Formula::Sign;

int function_index(std::string_view name) {
  for (std::size_t k = 0; k < formula_functions.size(); ++k)
    if (formula_functions[k] == name) return static_cast<int>(k);
  return -1;
}

FormulaPtr make(Formula f) { return std::make_shared<const Formula>(std::move(f)); }

// How tightly a node holds together: sums least.
int binding(const Formula& f) {
  switch (f.kind) {
    case Kind::sum:
    case Kind::plus_minus:
      return 0;
    case Kind::product:
    case Kind::quotient:
      return 1;
    case Kind::power:
      return 2;
    case Kind::number:
      return f.number < 0 ? 0 : 3;
    default:
      return 3;
  }
}

std::string joined(const Formula& f, const std::function<std::string(const Formula&)>& term,
                   const std::string& either) {
  std::string s;
  for (std::size_t k = 0; k < f.parts.size(); ++k) {
    const Sign sign = f.signs[k];
    const std::string mark = sign == Sign::minus ? "-" : sign == Sign::either ? either : "+";
    if (k == 0)
      s = sign == Sign::plus ? "" : mark;
    else
      s += " " + mark + " ";
    s += term(*f.parts[k]);
  }
  return s;
}

}  // namespace

FormulaPtr Formula::of(double number) { return make({.kind = Kind::number, .number = number}); }
FormulaPtr Formula::of(std::string name) { return make({.kind = Kind::name, .name = std::move(name)}); }
FormulaPtr Formula::call(std::string function, std::vector<FormulaPtr> arguments) {
  return make({.kind = Kind::call, .name = std::move(function), .parts = std::move(arguments)});
}
FormulaPtr Formula::sum(std::vector<FormulaPtr> given, std::vector<Sign> given_signs) {
  std::vector<FormulaPtr> terms;  // a sum that is added is no sum of its own
  std::vector<Sign> signs;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const Formula& term = *given[k];
    const bool plus = given_signs[k] == Sign::plus;
    if (plus && (term.kind == Kind::sum || term.kind == Kind::plus_minus)) {
      terms.insert(terms.end(), term.parts.begin(), term.parts.end());
      signs.insert(signs.end(), term.signs.begin(), term.signs.end());
    } else {
      terms.push_back(std::move(given[k]));
      signs.push_back(given_signs[k]);
    }
  }
  if (terms.empty()) return of(0.);
  if (terms.size() == 1 && signs[0] == Sign::plus) return terms[0];
  if (terms.size() == 1) return make({.kind = Kind::plus_minus, .parts = std::move(terms), .signs = std::move(signs)});
  return make({.kind = Kind::sum, .parts = std::move(terms), .signs = std::move(signs)});
}
FormulaPtr Formula::product(std::vector<FormulaPtr> factors) {
  if (factors.empty()) return of(1.);
  if (factors.size() == 1) return factors[0];
  return make({.kind = Kind::product, .parts = std::move(factors)});
}
FormulaPtr Formula::quotient(FormulaPtr above, FormulaPtr below) {
  return make({.kind = Kind::quotient, .parts = {std::move(above), std::move(below)}});
}
FormulaPtr Formula::power(FormulaPtr base, FormulaPtr exponent) {
  return make({.kind = Kind::power, .parts = {std::move(base), std::move(exponent)}});
}
FormulaPtr Formula::negative(FormulaPtr a) { return sum({std::move(a)}, {Sign::minus}); }
FormulaPtr Formula::plus_minus(FormulaPtr a) { return sum({std::move(a)}, {Sign::either}); }

std::string text(const Formula& f) {
  const auto held = [](const Formula& part, int by) {
    return binding(part) < by ? "(" + text(part) + ")" : text(part);
  };
  switch (f.kind) {
    case Kind::number:
      return exact_text(f.number);
    case Kind::name:
      return f.name;
    case Kind::sum:
    case Kind::plus_minus:
      return joined(
          f, [&](const Formula& t) { return held(t, 1); }, "±");
    case Kind::product: {
      std::string s;
      for (std::size_t k = 0; k < f.parts.size();
           ++k)  // a quotient that is not first would be read as ending the product
        s += (k ? "*" : "") + held(*f.parts[k], k && f.parts[k]->kind == Kind::quotient ? 3 : 1);
      return s;
    }
    case Kind::quotient:
      return held(*f.parts[0], 1) + "/" + held(*f.parts[1], 2);
    case Kind::power:
      return held(*f.parts[0], 3) + "^" + held(*f.parts[1], 3);
    case Kind::call: {
      std::string s = f.name + "(";
      for (std::size_t k = 0; k < f.parts.size(); ++k) s += (k ? ", " : "") + text(*f.parts[k]);
      return s + ")";
    }
  }
  return {};
}

std::string latex(const Formula& f, const std::function<std::string(const std::string&)>& symbol) {
  const auto held = [&](const Formula& part, int by) {
    const std::string s = latex(part, symbol);
    return binding(part) < by ? "\\left(" + s + "\\right)" : s;
  };
  switch (f.kind) {
    case Kind::number:
      return exact_text(f.number);
    case Kind::name:
      return symbol(f.name);
    case Kind::sum:
    case Kind::plus_minus:
      return joined(
          f, [&](const Formula& t) { return held(t, 1); }, "\\pm");
    case Kind::product: {
      std::string s;
      for (std::size_t k = 0; k < f.parts.size(); ++k) {
        const bool digits = k && f.parts[k]->kind == Kind::number;
        s += (k == 0 ? "" : digits ? " \\cdot " : " ") + held(*f.parts[k], 1);
      }
      return s;
    }
    case Kind::quotient:
      return "\\frac{" + latex(*f.parts[0], symbol) + "}{" + latex(*f.parts[1], symbol) + "}";
    case Kind::power: {
      const Formula& base = *f.parts[0];
      const std::string exponent = "^{" + latex(*f.parts[1], symbol) + "}";
      if (base.kind == Kind::call && base.name != "sqrt" && base.name != "abs")  // sin^2(q)
        return "\\" + base.name + exponent + "\\left(" + latex(*base.parts[0], symbol) + "\\right)";
      return held(base, 3) + exponent;
    }
    case Kind::call: {
      if (f.name == "sqrt") return "\\sqrt{" + latex(*f.parts[0], symbol) + "}";
      if (f.name == "abs") return "\\left|" + latex(*f.parts[0], symbol) + "\\right|";
      const bool plain = f.name == "sin" || f.name == "cos" || f.name == "tan" || f.name == "exp" || f.name == "tanh";
      std::string s = plain ? "\\" + f.name : "\\operatorname{" + f.name + "}";
      s += "\\left(";
      for (std::size_t k = 0; k < f.parts.size(); ++k) s += (k ? ", " : "") + latex(*f.parts[k], symbol);
      return s + "\\right)";
    }
  }
  return {};
}

int arguments_of(std::string_view function) {
  const int k = function_index(function);
  return k < 0 ? 0 : k == static_cast<int>(FormulaFunction::atan2) ? 2 : 1;
}
std::vector<std::string> known_functions() { return {formula_functions.begin(), formula_functions.end()}; }

std::vector<std::string> names_in(const Formula& f) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  const std::function<void(const Formula&)> visit = [&](const Formula& g) {
    if (g.kind == Kind::name && seen.insert(g.name).second) names.push_back(g.name);
    for (const FormulaPtr& part : g.parts) visit(*part);
  };
  visit(f);
  return names;
}

std::size_t parts_in(const Formula& f) {
  std::size_t count = 1;
  for (const FormulaPtr& part : f.parts) count += parts_in(*part);
  return count;
}

int choices_in(const Formula& f) {
  int count = 0;
  for (const Sign s : f.signs) count += s == Sign::either;
  for (const FormulaPtr& part : f.parts) count += choices_in(*part);
  return count;
}

CompiledFormula::CompiledFormula(const Formula& f, const std::function<int(const Formula& name)>& slot) {
  append(f, slot);
}

void CompiledFormula::push(const Step& step) {
  using Op = Step::Op;
  steps_.push_back(step);
  switch (step.op) {
    case Op::number:
    case Op::name:
      deepest_ = std::max(deepest_, ++depth_);
      return;
    case Op::negate:
    case Op::negate_either:
    case Op::constant_power:
      return;
    case Op::call:
      depth_ -= step.index == static_cast<int>(FormulaFunction::atan2);
      return;
    default:
      --depth_;
  }
}

void CompiledFormula::append(const Formula& f, const std::function<int(const Formula& name)>& slot) {
  using Op = Step::Op;
  switch (f.kind) {
    case Kind::number:
      push({Op::number, f.number, 0});
      return;
    case Kind::name:
      push({Op::name, 0, slot(f)});
      return;
    case Kind::sum:
    case Kind::plus_minus:
      for (std::size_t k = 0; k < f.parts.size(); ++k) {
        append(*f.parts[k], slot);
        const Sign s = f.signs[k];
        if (k == 0 && s == Sign::plus) continue;
        if (k == 0)
          push({s == Sign::minus ? Op::negate : Op::negate_either, 0, s == Sign::either ? choices_++ : 0});
        else
          push({s == Sign::plus    ? Op::add
                : s == Sign::minus ? Op::subtract
                                   : Op::either,
                0, s == Sign::either ? choices_++ : 0});
      }
      return;
    case Kind::product:
      for (std::size_t k = 0; k < f.parts.size(); ++k) {
        append(*f.parts[k], slot);
        if (k) push({Op::multiply, 0, 0});
      }
      return;
    case Kind::power:
      append(*f.parts[0], slot);
      if (const Formula& exponent = *f.parts[1]; names_in(exponent).empty() && choices_in(exponent) == 0)
        return push({Op::constant_power, CompiledFormula(exponent, slot)(nullptr), 0});
      append(*f.parts[1], slot);
      push({Op::power, 0, 0});
      return;
    case Kind::quotient:
      append(*f.parts[0], slot);
      append(*f.parts[1], slot);
      push({Op::divide, 0, 0});
      return;
    case Kind::call:
      for (const FormulaPtr& part : f.parts) append(*part, slot);
      push({Op::call, 0, function_index(f.name)});
      return;
  }
}

double CompiledFormula::operator()(const double* values, unsigned choices) const {
  thread_local std::vector<double> stack;
  if (stack.size() < deepest_) stack.resize(deepest_);
  return evaluate<double>(steps_, values, choices, stack.data());
}

}  // namespace armature::numerics
