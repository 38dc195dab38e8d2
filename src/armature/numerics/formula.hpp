// Formulas as people write them: read, printed, evaluated.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::numerics {

struct Formula;
using FormulaPtr = std::shared_ptr<const Formula>;

/// A node of a formula.
///
///     E := number | name | -E | ±E | E + E | E - E | E * E | E / E | E ^ E | f(E) | atan2(E, E)
///     f := sin | cos | tan | asin | acos | atan | sqrt | exp | tanh | abs
///
/// A sum has two or more terms, each with a sign; a product two or more factors; so that a term or a factor can be taken out.
struct Formula {
  enum class Kind { number, name, sum, product, quotient, power, call, plus_minus };
  enum class Sign { plus, minus, either };  // either: ±, one choice for each place

  Kind kind = Kind::number;
  double number = 0;
  std::string name;  // of a symbol or of a function
  std::vector<FormulaPtr> parts;
  std::vector<Sign> signs;   // sum: of its terms; plus_minus: of its only part (minus or either)
  int line = 0, column = 0;  // where it was read; 0: nowhere

  static FormulaPtr of(double number);
  static FormulaPtr of(std::string name);
  static FormulaPtr call(std::string function, std::vector<FormulaPtr> arguments);
  static FormulaPtr sum(std::vector<FormulaPtr> terms, std::vector<Sign> signs);
  static FormulaPtr product(std::vector<FormulaPtr> factors);
  static FormulaPtr quotient(FormulaPtr above, FormulaPtr below);
  static FormulaPtr power(FormulaPtr base, FormulaPtr exponent);
  static FormulaPtr negative(FormulaPtr a);
  static FormulaPtr plus_minus(FormulaPtr a);
};

/// As it would be typed.
std::string text(const Formula& f);

/// In LaTeX; `symbol` says how a name is set.
std::string latex(const Formula& f, const std::function<std::string(const std::string&)>& symbol);

/// The functions a formula may call, with their number of arguments.
int arguments_of(std::string_view function);  // 0: no such function
std::vector<std::string> known_functions();

/// Every name, once, in the order of appearance.
std::vector<std::string> names_in(const Formula& f);

/// How many numbers, names and operations it is made of.
std::size_t parts_in(const Formula& f);

/// How many ± there are.
int choices_in(const Formula& f);

/// A formula ready to be evaluated often: steps on a stack of numbers (internal/formula_evaluation.hpp).
class CompiledFormula {
 public:
  /// `slot` numbers the names.
  CompiledFormula(const Formula& f, const std::function<int(const Formula& name)>& slot);
  /// Bit k of `choices` set: the k-th ± of the formula is a minus.
  [[nodiscard]] double operator()(const double* values, unsigned choices = 0) const;

  struct Step {
    enum class Op {
      number,
      name,
      add,
      subtract,
      either,
      negate,
      negate_either,
      multiply,
      divide,
      power,           ///< with an exponent that depends on names
      constant_power,  ///< with `number` as exponent
      call
    } op;
    double number = 0;
    int index = 0;  // slot, choice or function
  };
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  /// How many numbers the stack holds at most.
  [[nodiscard]] std::size_t deepest() const { return deepest_; }

 private:
  std::vector<Step> steps_;
  std::size_t deepest_ = 0, depth_ = 0;
  int choices_ = 0;
  void append(const Formula& f, const std::function<int(const Formula& name)>& slot);
  void push(const Step& step);
};

/// One line of a model file: names = formula.
struct Statement {
  enum class Kind {
    definition,  ///< somebody's claim
    given,       ///< what a name of the file means in our names; not doubted
    means        ///< what a name ought to be, in our names
  };
  Kind kind = Kind::definition;
  std::vector<std::string> names;  // M12 = M21 = ... has two
  FormulaPtr formula;
  int line = 0, column = 0;
};

/// Statements, one per line; a line goes on where a bracket is open or an operator stands at its end. `#` starts a comment.
/// Throws FormatError with line, column and hint.
std::vector<Statement> read_statements(std::string_view text, const std::string& file);

/// A formula alone.
FormulaPtr read_formula(std::string_view text, const std::string& file = {});

}  // namespace armature::numerics
