// Somebody's model as read from a file, beside the library's, for random states: what check_model() judges and repairs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "armature/codegen/formulas/check_model.hpp"
#include "armature/codegen/formulas/internal/reference_names.hpp"
#include "armature/numerics/formula.hpp"

namespace armature::codegen {

struct Indices {
  int row = 0, column = 0;
};
/// r34 or r3_4; p12 has no column.
std::optional<Indices> indices_of(const std::string& name, char letter, bool two);

/// Equal but for rounding; angles but for whole turns.
bool same(double a, double b, bool angle);

struct CheckedModel {
  static constexpr int most_choices = 8;                    // ± in all lines together
  static constexpr std::size_t most_definitions = 4000;     // each with what depends on it
  static constexpr std::size_t most_evaluations = 1 << 24;  // parts of formulas times choices of signs: half a second
  static constexpr double most_repair_steps = 2e8;          // parts evaluated to try repairs: some two seconds

  struct Definition {
    Statement statement;
    FormulaPtr formula;  // as repaired so far
    std::string repair;  // what was done
    std::optional<CompiledFormula> compiled;
    int choices = 0, first_choice = 0;
    int target = -1;                      // slot of what it ought to be; -1: an intermediate definition
    int slot = -1;                        // of what it is
    std::vector<int> slots;               // of all its names
    std::vector<std::size_t> uses;        // definitions
    std::vector<std::size_t> downstream;  // that depend on it, in order
    bool too_long = false;                // no repair was searched for
  };
  struct Output {
    std::string name;
    std::size_t definition = 0;  // or ...
    int row = 0;                 // ... a row of r p, from 1
    int target = -1;
    bool angle = false;
    std::vector<char> right;  // in each draw
    double score = 0;
  };

  CheckedModel(const Arm& of, const std::vector<Statement>& statements, const std::string& named);

  /// The values of all names, for every draw and every choice of signs, and which entries they make right.
  void evaluate_all();
  /// What an entry is among the values of one draw.
  [[nodiscard]] double value(const Output& o, const std::vector<double>& v) const;
  /// Gives definition i a value; says the value that its formula has.
  void set(std::size_t i, double x, std::vector<double>& v) const;
  [[nodiscard]] double compute(std::size_t i, const std::vector<double>& v, unsigned signs) const;
  /// Whether an entry depends on definition s, and all that do.
  [[nodiscard]] bool depends(const Output& o, std::size_t s) const;
  [[nodiscard]] std::vector<std::size_t> concerned_by(std::size_t s) const;
  /// The slot that a name stands for in a formula. Throws FormatError where there is none.
  int resolve(const Formula& f, bool reference_only) const;
  [[nodiscard]] int slot_in_use(const Formula& f) const;

  const Arm& arm;
  std::string file;
  DrawSettings settings;
  bool inverse = false, rotors = false, any_gravity = false;
  std::vector<Statement> givens, meanings;
  std::vector<Definition> definitions;
  std::map<std::string, std::size_t> by_name;
  std::map<std::pair<int, int>, std::size_t> regressor;
  std::map<int, std::size_t> parameters;
  std::map<std::string, int> slots, given_slots, meaning_slots, definition_slots;
  std::vector<std::pair<int, FormulaPtr>> given_formulas;
  std::vector<std::size_t> order;
  std::vector<Output> outputs;
  std::vector<Draw> draws;
  std::vector<NamedValues> reference;
  std::vector<std::vector<double>> constant;             // a draw
  std::vector<std::vector<std::vector<double>>> values;  // a draw, a choice of signs
  int choices = 0;

 private:
  [[noreturn]] void fail(const std::string& finding, const std::string& hint, int line, int column) const;
  void sort_statements(const std::vector<Statement>& statements);
  int slot_of(const std::string& name);
  void draw();
  [[nodiscard]] int target_of(const std::string& name) const;
  void compile();
  void find_order();
  void list_entries();
};

/// The best single edit of any line, again and again, while one line more comes out right.
void repair(CheckedModel& model);

/// Puts the blame for what is still wrong, and for what was repaired, on lines.
void blame(const CheckedModel& model, ModelCheck& result);

/// Compares parameters without a regressor, or a regressor without parameters, through what they span.
void compare_spans(const CheckedModel& model, ModelCheck& result);

}  // namespace armature::codegen
