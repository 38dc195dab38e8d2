#include "armature/codegen/check_model.hpp"

#include <fmt/core.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "armature/algorithms/base_parameters.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/codegen/formula_edits.hpp"
#include "armature/codegen/reference_names.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"

namespace armature {
namespace {

constexpr int most_choices = 8;  // ± in all lines together

struct Indices {
  int row = 0, column = 0;
};

// r34 or r3_4; p12 has no column.
std::optional<Indices> indices_of(const std::string& name, char letter, bool two) {
  if (name.size() < 2 || name[0] != letter) return {};
  const std::string rest = name.substr(1);
  const auto number = [](const std::string& s) {
    return !s.empty() && s.size() < 4 &&
                   std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isdigit(c); })
               ? std::stoi(s)
               : 0;
  };
  Indices i;
  if (!two) {
    i.row = number(rest);
    return i.row ? std::optional(i) : std::nullopt;
  }
  const auto bar = rest.find('_');
  if (bar == std::string::npos && rest.size() != 2) return {};
  i.row = number(bar == std::string::npos ? rest.substr(0, 1) : rest.substr(0, bar));
  i.column = number(bar == std::string::npos ? rest.substr(1) : rest.substr(bar + 1));
  return i.row && i.column ? std::optional(i) : std::nullopt;
}

// Is it a name whose value the library knows, as opposed to a parameter or a joint's motion?
bool is_entry(const std::string& name) {
  if (name == "x" || name == "y" || name == "z") return true;
  if (name.size() < 2) return false;
  const auto digits = [&](std::size_t from) {
    return from < name.size() && std::all_of(name.begin() + static_cast<std::ptrdiff_t>(from), name.end(),
                                             [](unsigned char c) { return std::isdigit(c) || c == '_'; });
  };
  return (std::string_view("MCgHJqsc").find(name[0]) != std::string_view::npos && digits(1)) ||
         (name.starts_with("tau") && digits(3));
}

bool same(double a, double b, bool angle) {
  const double apart = angle ? std::remainder(a - b, 2 * 3.14159265358979323846) : a - b;
  return std::abs(apart) <= 1e-8 * std::max(1., std::abs(b));
}

class Checker {
 public:
  Checker(const Arm& arm, const std::vector<Statement>& statements, const std::string& file) : arm_(arm), file_(file) {
    sort_statements(statements);
    draw();
    compile();
    find_order();
    list_entries();
  }

  ModelCheck run() {
    ModelCheck result;
    evaluate_all();
    for (const Output& o : outputs_) result.entries.push_back(entry(o));
    repair();
    blame(result);
    spans(result);
    std::stable_sort(result.blames.begin(), result.blames.end(),
                     [](const auto& a, const auto& b) { return a.line < b.line; });
    return result;
  }

 private:
  struct Definition {
    Statement statement;
    FormulaPtr formula;  // as repaired so far
    std::string repair;  // what was done
    std::optional<CompiledFormula> compiled;
    int choices = 0, first_choice = 0;
    int target = -1;                      // slot of what it ought to be; -1: an intermediate definition
    int slot = -1;                        // of what it is
    std::vector<std::size_t> uses;        // definitions
    std::vector<std::size_t> downstream;  // that depend on it, in order
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

  [[noreturn]] void fail(const std::string& finding, const std::string& hint, int line, int column) const {
    throw FormatError(finding, hint, {file_, line, column});
  }

  // -------------------------------------------------------------------------------------------------- the file's names
  void sort_statements(const std::vector<Statement>& statements) {
    std::map<std::string, int> lines;
    for (const Statement& s : statements) {
      for (const std::string& name : s.names) {
        if (s.kind != Statement::Kind::means && !lines.emplace(name, s.line).second)
          fail(fmt::format("'{}' is defined a second time", name),
               fmt::format("the first time is line {}", lines[name]), s.line, s.column);
      }
      if (s.kind == Statement::Kind::given) givens_.push_back(s);
      if (s.kind == Statement::Kind::means) meanings_.push_back(s);
      if (s.kind == Statement::Kind::definition) {
        definitions_.push_back({.statement = s, .formula = s.formula});
        for (const std::string& name : s.names) {
          by_name_[name] = definitions_.size() - 1;
          if (name.size() > 1 && name[0] == 'q' && is_entry(name)) inverse_ = true;
          if (const auto i = indices_of(name, 'r', true)) regressor_[{i->row, i->column}] = definitions_.size() - 1;
          if (const auto i = indices_of(name, 'p', false)) parameters_[i->row] = definitions_.size() - 1;
        }
      }
    }
    if (definitions_.empty())
      throw FormatError("the file defines nothing", "a line reads  M12 = formula", {file_, 0, 0});
    for (const Statement& s : statements)
      for (const std::string& name : names_in(*s.formula)) {
        rotors_ = rotors_ || name.starts_with("Jm");
        any_gravity_ = any_gravity_ || name == "eg1" || name == "eg2" || name == "eg3";
      }
  }

  int slot_of(const std::string& name) {
    const auto [it, fresh] = slots_.emplace(name, static_cast<int>(slots_.size()));
    return it->second;
  }

  void draw() {
    settings_ = {.dynamics = !inverse_, .rotors = rotors_, .any_gravity = any_gravity_};
    draws_ = random_draws(arm_, settings_);
    for (const Draw& d : draws_) reference_.push_back(reference_names(arm_, d, settings_));
    for (const auto& [name, value] : reference_[0]) slot_of(name);
    reference_slots_ = slots_.size();
  }

  // The slot that a name stands for in a formula.
  int resolve(const Formula& f, bool reference_only) {
    if (!reference_only)
      if (const auto it = by_name_.find(f.name); it != by_name_.end()) {
        const Definition& d = definitions_[it->second];
        return d.target >= 0 ? target_of(f.name) : definition_slots_.at(f.name);
      }
    if (const auto it = given_slots_.find(f.name); it != given_slots_.end()) return it->second;
    if (reference_[0].contains(f.name)) return slots_.at(f.name);
    std::vector<std::string> known;
    for (const auto& [name, i] : by_name_) known.push_back(name);
    for (const auto& [name, i] : given_slots_) known.push_back(name);
    for (const auto& [name, x] : reference_[0]) known.push_back(name);
    fail(fmt::format("'{}' is defined nowhere", printable(f.name)),
         nearest_word(f.name, known) ? suggestion(f.name, known)
                                     : "define it, or say with  given NAME = FORMULA  what it means in our names",
         f.line, f.column);
  }

  int target_of(const std::string& name) const {
    if (const auto it = meaning_slots_.find(name); it != meaning_slots_.end()) return it->second;
    return slots_.at(name);
  }

  void compile() {
    for (const Statement& s : givens_)
      for (const std::string& name : s.names) given_formulas_.emplace_back(slot_of("given " + name), s.formula);
    const auto in_our_names = [&](const Formula& f) { return resolve(f, true); };
    std::vector<std::pair<int, CompiledFormula>> compiled;
    for (const auto& [slot, f] : given_formulas_) compiled.emplace_back(slot, CompiledFormula(*f, in_our_names));
    for (const Statement& s : givens_)
      for (const std::string& name : s.names) given_slots_[name] = slots_.at("given " + name);
    for (const Statement& s : meanings_)
      for (const std::string& name : s.names) {
        const int slot = slot_of("means " + name);
        compiled.emplace_back(slot, CompiledFormula(*s.formula, in_our_names));
        meaning_slots_[name] = slot;
      }
    for (Definition& d : definitions_)
      for (const std::string& name : d.statement.names) {
        const bool known = meaning_slots_.contains(name) || (is_entry(name) && reference_[0].contains(name));
        if (!known && reference_[0].contains(name))
          fail(fmt::format("'{}' is a number of the arm or its motion and cannot be defined", name),
               fmt::format("give it another name, or say  given {} = ...  for what it means in our names", name),
               d.statement.line, d.statement.column);
        if (known) d.target = target_of(name);
        definition_slots_[name] = slot_of("definition " + name);
        d.slot = definition_slots_[name];
      }
    for (Definition& d : definitions_) {
      d.compiled.emplace(*d.formula, [&](const Formula& f) { return resolve(f, false); });
      d.choices = choices_in(*d.formula);
      d.first_choice = choices_;
      choices_ += d.choices;
    }
    if (choices_ > most_choices)
      throw FormatError(fmt::format("{} choices of sign in all; {} are the most", choices_, most_choices),
                        "put independent parts into files of their own", {file_, 0, 0});
    // what does not change: references, givens, meanings
    for (const NamedValues& reference : reference_) {
      std::vector<double> v(slots_.size());
      for (const auto& [name, value] : reference) v[static_cast<std::size_t>(slots_.at(name))] = value;
      for (const auto& [slot, f] : compiled) v[static_cast<std::size_t>(slot)] = f(v.data());
      constant_.push_back(std::move(v));
    }
  }

  void find_order() {
    for (Definition& d : definitions_)
      for (const std::string& name : names_in(*d.formula))
        if (const auto it = by_name_.find(name); it != by_name_.end() && definitions_[it->second].target < 0)
          d.uses.push_back(it->second);
    std::vector<int> state(definitions_.size());
    const std::function<void(std::size_t)> visit = [&](std::size_t i) {
      if (state[i] == 2) return;
      if (state[i] == 1)
        fail(fmt::format("the definition of '{}' leads back to itself", definitions_[i].statement.names[0]),
             "every name must rest on earlier ones", definitions_[i].statement.line, definitions_[i].statement.column);
      state[i] = 1;
      for (const std::size_t k : definitions_[i].uses) visit(k);
      state[i] = 2;
      order_.push_back(i);
    };
    for (std::size_t i = 0; i < definitions_.size(); ++i) visit(i);
    for (std::size_t s = 0; s < definitions_.size(); ++s) {
      std::set<std::size_t> reached{s};
      for (const std::size_t i : order_)
        for (const std::size_t u : definitions_[i].uses)
          if (reached.contains(u) && reached.insert(i).second) definitions_[s].downstream.push_back(i);
    }
  }

  void list_entries() {
    for (std::size_t i = 0; i < definitions_.size(); ++i)
      for (const std::string& name : definitions_[i].statement.names) {
        if (definitions_[i].target < 0) continue;
        Output o{.name = name, .definition = i, .target = target_of(name)};
        if (name[0] == 'q' && is_entry(name)) {
          const auto joint = indices_of(name, 'q', false);
          o.angle = joint && joint->row <= arm_.dof() && arm_.body(joint->row - 1).revolute;
        }
        outputs_.push_back(o);
      }
    if (!regressor_.empty() && !parameters_.empty() && !inverse_)
      for (int row = 1; row <= arm_.dof(); ++row)
        outputs_.push_back({.name = fmt::format("tau{} = r{} p", row, row),
                            .row = row,
                            .target = slots_.at(fmt::format("tau{}", row))});
    for (const auto& [at, i] : regressor_)
      if (at.first > arm_.dof())
        fail(fmt::format("'{}' is in a row that {} joints do not have", definitions_[i].statement.names[0], arm_.dof()),
             "rows count from 1", definitions_[i].statement.line, definitions_[i].statement.column);
    if (outputs_.empty() && regressor_.empty() && parameters_.empty())
      throw FormatError(
          "nothing in the file can be compared",
          "known are M11 C11 g1 tau1 H14 x y z J11 q1, r1_1 with p1, and what  means NAME = FORMULA  explains",
          {file_, 0, 0});
  }

  bool depends(const Output& o, std::size_t s) const {
    if (o.row == 0) {
      if (o.definition == s) return true;
      const auto& d = definitions_[s].downstream;
      return std::find(d.begin(), d.end(), o.definition) != d.end();
    }
    const auto in_row = [&](std::size_t i) {
      for (const auto& [at, k] : regressor_)
        if (k == i && at.first == o.row && parameters_.contains(at.second)) return true;
      for (const auto& [column, k] : parameters_)
        if (k == i && regressor_.contains({o.row, column})) return true;
      return false;
    };
    return in_row(s) || std::any_of(definitions_[s].downstream.begin(), definitions_[s].downstream.end(), in_row);
  }

  // --------------------------------------------------------------------------------------------------- values
  double value(const Output& o, const std::vector<double>& v) const {
    const auto slot = [&](std::size_t i) { return v[static_cast<std::size_t>(definitions_[i].slot)]; };
    if (o.row == 0) return slot(o.definition);
    double tau = 0;
    for (const auto& [at, i] : regressor_)
      if (at.first == o.row)
        if (const auto p = parameters_.find(at.second); p != parameters_.end()) tau += slot(i) * slot(p->second);
    return tau;
  }

  void set(std::size_t i, double x, std::vector<double>& v) const {
    for (const std::string& name : definitions_[i].statement.names)
      v[static_cast<std::size_t>(definition_slots_.at(name))] = x;
  }
  double compute(std::size_t i, const std::vector<double>& v, unsigned choices) const {
    const Definition& d = definitions_[i];
    return (*d.compiled)(v.data(), choices >> d.first_choice);
  }

  void evaluate_all() {
    values_.assign(draws_.size(), {});
    for (std::size_t k = 0; k < draws_.size(); ++k)
      for (unsigned c = 0; c < (1u << choices_); ++c) {
        std::vector<double> v = constant_[k];
        for (const std::size_t i : order_) set(i, compute(i, v, c), v);
        values_[k].push_back(std::move(v));
      }
    for (Output& o : outputs_) {
      o.right.assign(draws_.size(), 0);
      for (std::size_t k = 0; k < draws_.size(); ++k)
        for (const std::vector<double>& v : values_[k])
          if (same(value(o, v), v[static_cast<std::size_t>(o.target)], o.angle)) o.right[k] = 1;
      o.score = static_cast<double>(std::count(o.right.begin(), o.right.end(), 1)) / static_cast<double>(draws_.size());
    }
  }

  ModelCheck::Entry entry(const Output& o) const {
    ModelCheck::Entry e{.name = o.name, .right = o.score};
    for (std::size_t k = 0; k < draws_.size() && e.state.empty(); ++k) {
      if (o.right[k]) continue;
      const std::vector<double>& v = values_[k][0];
      e.expected = v[static_cast<std::size_t>(o.target)];
      e.found = value(o, v);
      const auto add = [&](const char* letter, const VecX<double>& x) {
        for (int i = 0; i < x.size(); ++i)
          e.state += fmt::format("{}{}{} = {:.4g}", e.state.empty() ? "" : ", ", letter, i + 1, x[i]);
      };
      add("q", draws_[k].q);
      if (inverse_) continue;
      add("qd", draws_[k].qd);
      add("qdd", draws_[k].qdd);
    }
    return e;
  }

  // --------------------------------------------------------------------------------------------------- repair
  struct Trial {
    int whole = 0;    // entries that become right
    double gain = 0;  // sum of what the entries gain
  };

  // What putting `formula` in place of definition s does to the entries; nothing where it spoils one.
  std::optional<Trial> attempt(std::size_t s, const Formula& formula, const std::vector<std::size_t>& concerned) {
    const Definition& d = definitions_[s];
    const CompiledFormula compiled(formula, [&](const Formula& f) { return resolve(f, false); });
    const unsigned own = 1u << choices_in(formula);
    std::vector<double> scores(concerned.size());
    for (std::size_t k = 0; k < draws_.size(); ++k) {
      std::vector<char> right(concerned.size());
      for (const std::vector<double>& before : values_[k])
        for (unsigned c = 0; c < own; ++c) {
          const double x = compiled(before.data(), c);
          const double old = before[static_cast<std::size_t>(d.slot)];
          if (own == 1 && x == old) {
            for (std::size_t o = 0; o < concerned.size(); ++o)
              right[o] = right[o] || same(value(outputs_[concerned[o]], before),
                                          before[static_cast<std::size_t>(outputs_[concerned[o]].target)],
                                          outputs_[concerned[o]].angle);
            continue;
          }
          std::vector<double>& v = scratch_ = before;
          set(s, x, v);
          // other choices of sign were made with `before`; those of the lines below are made again
          const auto combination = static_cast<unsigned>(&before - values_[k].data());
          for (const std::size_t i : d.downstream) set(i, compute(i, v, combination), v);
          for (std::size_t o = 0; o < concerned.size(); ++o) {
            const Output& out = outputs_[concerned[o]];
            right[o] = right[o] || same(value(out, v), v[static_cast<std::size_t>(out.target)], out.angle);
          }
        }
      for (std::size_t o = 0; o < concerned.size(); ++o) {
        if (!right[o] && outputs_[concerned[o]].right[k]) return {};
        scores[o] += right[o];
      }
    }
    Trial t;
    for (std::size_t o = 0; o < concerned.size(); ++o) {
      const double score = scores[o] / static_cast<double>(draws_.size()), before = outputs_[concerned[o]].score;
      t.gain += score - before;
      t.whole += score == 1 && before < 1;
    }
    return t;
  }

  std::vector<std::size_t> concerned_by(std::size_t s) const {
    std::vector<std::size_t> list;
    for (std::size_t o = 0; o < outputs_.size(); ++o)
      if (depends(outputs_[o], s)) list.push_back(o);
    return list;
  }

  std::vector<std::string> all_names() const {
    std::vector<std::string> names;
    for (const auto& [name, i] : by_name_) names.push_back(name);
    for (const auto& [name, i] : given_slots_) names.push_back(name);
    for (const auto& [name, x] : reference_[0])
      if (!by_name_.contains(name) && !given_slots_.contains(name)) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
  }

  // An index that would make definition s depend on itself is no repair.
  bool sound(std::size_t s, const Formula& f) const {
    for (const std::string& name : names_in(f))
      if (const auto it = by_name_.find(name); it != by_name_.end() && definitions_[it->second].target < 0) {
        if (it->second == s) return false;
        const auto& below = definitions_[s].downstream;
        if (std::find(below.begin(), below.end(), it->second) != below.end()) return false;
      }
    return true;
  }

  void apply(std::size_t s, FormulaPtr formula, const std::string& what) {
    Definition& d = definitions_[s];
    d.formula = std::move(formula);
    d.repair = what;
    d.compiled.emplace(*d.formula, [&](const Formula& f) { return resolve(f, false); });
    if (const int now = choices_in(*d.formula); now != d.choices) {
      d.choices = now;
      choices_ = 0;
      for (Definition& e : definitions_) e.first_choice = choices_, choices_ += e.choices;
    }
    evaluate_all();
  }

  // The best single edit of any line, again and again, while one line more comes out right.
  void repair() {
    const std::vector<std::string> names = all_names();
    for (int round = 0; round < 24; ++round) {
      struct Best {
        std::size_t s;
        Edit edit;
        Trial trial;
      };
      std::optional<Best> best;
      for (std::size_t s = 0; s < definitions_.size(); ++s) {
        if (!definitions_[s].repair.empty()) continue;
        const std::vector<std::size_t> concerned = concerned_by(s);
        if (std::none_of(concerned.begin(), concerned.end(), [&](std::size_t o) { return outputs_[o].score < 1; }))
          continue;
        for (Edit& edit : single_edits(definitions_[s].formula, names, inverse_)) {
          if (!sound(s, *edit.formula)) continue;
          if (choices_ + choices_in(*edit.formula) > most_choices) continue;
          const auto trial = attempt(s, *edit.formula, concerned);
          if (!trial || trial->gain < 0.1) continue;
          const auto rank = [](const Trial& t, int r) { return std::tuple(-t.whole, -std::round(t.gain * 1e6), r); };
          if (!best || rank(*trial, edit.rank) < rank(best->trial, best->edit.rank))
            best = {s, std::move(edit), *trial};
        }
      }
      if (!best) break;
      apply(best->s, best->edit.formula, best->edit.what);
    }
    // an edit that made nothing whole is no repair
    bool undone = false;
    for (std::size_t s = 0; s < definitions_.size(); ++s) {
      Definition& d = definitions_[s];
      if (d.repair.empty()) continue;
      const auto concerned = concerned_by(s);
      if (std::any_of(concerned.begin(), concerned.end(), [&](std::size_t o) { return outputs_[o].score == 1; }))
        continue;
      apply(s, d.statement.formula, "");
      undone = true;
    }
    if (undone) evaluate_all();
  }

  // --------------------------------------------------------------------------------------------------- blame
  ModelCheck::Blame blame_of(std::size_t s, const ModelCheck& result) const {
    const Definition& d = definitions_[s];
    ModelCheck::Blame b{d.statement.names, d.statement.line, text(*d.statement.formula), d.repair, {}, {}};
    if (!d.repair.empty()) b.repaired = text(*d.formula);
    for (std::size_t o = 0; o < outputs_.size(); ++o)
      if (depends(outputs_[o], s) && !result.entries[o].equal()) b.spoils.push_back(outputs_[o].name);
    return b;
  }

  // The value that definition s would need for entry o to be right (entries are linear in what they are made of).
  std::optional<double> needed(std::size_t s, const Output& o, std::size_t k) const {
    const auto at = [&](double x) {
      std::vector<double> v = values_[k][0];
      set(s, x, v);
      for (const std::size_t i : definitions_[s].downstream) set(i, compute(i, v, 0), v);
      return value(o, v);
    };
    const double f0 = at(0), f1 = at(1), f2 = at(2);
    if (!(std::abs(f1 - f0) > 1e-6) || !same(f2 - f1, f1 - f0, false)) return {};
    return (values_[k][0][static_cast<std::size_t>(o.target)] - f0) / (f1 - f0);
  }

  // Would another value of s, the same wherever what it may depend on is the same, make every entry right that uses it?
  bool could_be(std::size_t s) const {
    if (inverse_ || definitions_[s].target >= 0 || !definitions_[s].repair.empty()) return false;
    const std::vector<std::size_t> concerned = concerned_by(s);
    int wrong = 0;
    for (const std::size_t o : concerned) wrong += outputs_[o].score < 1;
    if (wrong == 0) return false;
    const bool is_r = indices_of(definitions_[s].statement.names[0], 'r', true).has_value();
    const bool is_p = indices_of(definitions_[s].statement.names[0], 'p', false).has_value();
    if (wrong < 2 && !is_r && !is_p) return false;
    // draws are ordered inertia by inertia, state by state
    const auto states = static_cast<std::size_t>(settings_.states);
    std::map<std::size_t, double> agreed;
    int found = 0;
    for (const std::size_t o : concerned)
      for (std::size_t k = 0; k < draws_.size(); ++k) {
        const auto x = needed(s, outputs_[o], k);
        if (!x && !outputs_[o].right[k]) return false;
        if (!x) continue;
        ++found;
        const std::size_t key = is_r ? k % states : is_p ? k / states : k;
        const auto [it, fresh] = agreed.emplace(key, *x);
        if (!fresh && std::abs(it->second - *x) > 1e-6 * std::max(1., std::abs(*x))) return false;
      }
    return found > 0;
  }

  void blame(ModelCheck& result) {
    std::set<std::size_t> blamed;
    for (std::size_t s = 0; s < definitions_.size(); ++s)
      if (!definitions_[s].repair.empty()) blamed.insert(s);
    // of the lines that could be to blame those that explain most, until everything is explained
    std::map<std::size_t, std::vector<std::string>> alternatives;
    std::set<std::size_t> open;
    for (std::size_t o = 0; o < outputs_.size(); ++o)
      if (outputs_[o].score < 1) open.insert(o);
    std::map<std::size_t, std::set<std::size_t>> explains;
    for (std::size_t s = 0; s < definitions_.size(); ++s)
      if (could_be(s))
        for (const std::size_t o : concerned_by(s))
          if (open.contains(o)) explains[s].insert(o);
    const auto covers = [&](const std::set<std::size_t>& covered) {
      return std::count_if(covered.begin(), covered.end(), [&](std::size_t o) { return open.contains(o); });
    };
    while (!open.empty()) {
      const auto best = std::max_element(explains.begin(), explains.end(), [&](const auto& a, const auto& b) {
        return covers(a.second) < covers(b.second);
      });
      if (best == explains.end() || covers(best->second) == 0) break;
      for (const auto& [s, covered] : explains)
        if (s != best->first && covered == best->second)
          alternatives[best->first].push_back(definitions_[s].statement.names[0]);
      blamed.insert(best->first);
      for (const std::size_t o : std::set(best->second)) open.erase(o);
    }
    for (const std::size_t o : open) {
      if (outputs_[o].row == 0)
        blamed.insert(outputs_[o].definition);
      else
        result.notes.push_back(fmt::format("{}: no single line explains the difference", outputs_[o].name));
    }
    for (const std::size_t s : blamed) {
      result.blames.push_back(blame_of(s, result));
      result.blames.back().or_else = alternatives[s];
    }
    other_factorisation(result);
    if (inverse_)
      result.notes.emplace_back(
          "inverse kinematics: a formula is right where one choice of its signs gives the joint position that led to "
          "the target, "
          "the other joints being as they are");
  }

  // C is not unique, C qd is: says so where a row differs from the Christoffel form and yet gives the right torque.
  void other_factorisation(ModelCheck& result) const {
    const int n = arm_.dof();
    for (int i = 1; i <= n && !inverse_; ++i) {
      bool whole = true, different = false, right = true;
      for (int j = 1; j <= n; ++j) whole = whole && by_name_.contains(entry_name("C", i, j));
      if (!whole) continue;
      for (std::size_t k = 0; k < draws_.size(); ++k) {
        std::vector<double> v = constant_[k];
        for (const std::size_t d : order_)  // as written, without repairs
          set(d,
              CompiledFormula(*definitions_[d].statement.formula,
                              [&](const Formula& f) { return slot_in_use(f); })(v.data()),
              v);
        double theirs = 0, ours = 0;
        for (int j = 1; j <= n; ++j) {
          const std::string name = entry_name("C", i, j);
          const double a = v[static_cast<std::size_t>(definition_slots_.at(name))];
          const double b = v[static_cast<std::size_t>(slots_.at(name))];
          different = different || !same(a, b, false);
          theirs += a * draws_[k].qd[j - 1], ours += b * draws_[k].qd[j - 1];
        }
        right = right && same(theirs, ours, false);
      }
      if (different && right)
        result.notes.push_back(fmt::format(
            "row {} of C gives the right torques C qd, though not by Christoffel symbols: dM/dt - 2C need not be skew",
            i));
    }
  }
  int slot_in_use(const Formula& f) const {
    if (const auto it = by_name_.find(f.name); it != by_name_.end())
      return definitions_[it->second].target >= 0 ? target_of(f.name) : definition_slots_.at(f.name);
    if (const auto it = given_slots_.find(f.name); it != given_slots_.end()) return it->second;
    return slots_.at(f.name);
  }

  // --------------------------------------------------------------------------------------------------- spans
  void spans(ModelCheck& result) {
    if (inverse_ || (regressor_.empty() && parameters_.empty())) return;
    const auto states = static_cast<std::size_t>(settings_.states);
    if (regressor_.empty() || parameters_.empty()) {
      const std::string what = regressor_.empty() ? "the parameters p" : "the regressor r";
      result.entries.push_back({.name = "span of " + what, .right = spans_agree(states) ? 1. : 0.});
      if (!result.entries.back().equal())
        result.notes.push_back(what + " do not span what the library's base parameters span");
    }
  }

  // p alone: p = T p_base with T regular; r alone: its columns are combinations of the library's and have their rank.
  bool spans_agree(std::size_t) {
    const bool columns = !regressor_.empty();
    DrawSettings many = settings_;
    many.states = columns ? 40 : 1;
    many.inertias = columns ? 1 : 60;
    const std::vector<Draw> draws = random_draws(arm_, many);
    const int n = arm_.dof();
    int count = 0;
    for (const auto& [at, i] : regressor_) count = std::max(count, at.second);
    for (const auto& [column, i] : parameters_) count = std::max(count, column);
    const int rows = static_cast<int>(draws.size()) * (columns ? n : 1);
    Eigen::MatrixXd ours, theirs = Eigen::MatrixXd::Zero(rows, count);
    const Arm first = with_values(arm_, draws[0].parameters);
    const BaseParameters base = base_parameters(first);
    ours.resize(rows, base.count());
    for (std::size_t k = 0; k < draws.size(); ++k) {
      const NamedValues reference = reference_names(arm_, draws[k], many);
      std::vector<double> v(slots_.size());
      for (const auto& [name, value] : reference) v[static_cast<std::size_t>(slots_.at(name))] = value;
      for (const auto& [slot, f] : given_formulas_)
        v[static_cast<std::size_t>(slot)] =
            CompiledFormula(*f, [&](const Formula& g) { return resolve(g, true); })(v.data());
      for (const std::size_t i : order_) set(i, compute(i, v, 0), v);
      const auto value_at = [&](std::size_t i) { return v[static_cast<std::size_t>(definitions_[i].slot)]; };
      const int row = static_cast<int>(k);
      if (columns) {
        const auto W = torque_regressor<double>(first, draws[k].q, draws[k].qd, draws[k].qdd);
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < base.count(); ++j)
            ours(row * n + i, j) = W(i, base.columns.kept[static_cast<std::size_t>(j)]);
        for (const auto& [at, i] : regressor_) theirs(row * n + at.first - 1, at.second - 1) = value_at(i);
      } else {
        const Arm instance = with_values(arm_, draws[k].parameters);
        ours.row(row) = base_parameter_values(instance, base);
        for (const auto& [column, i] : parameters_) theirs(row, column - 1) = value_at(i);
      }
    }
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(ours), other(theirs);
    qr.setThreshold(1e-9), other.setThreshold(1e-9);
    const Eigen::MatrixXd rest = theirs - ours * qr.solve(theirs);
    return qr.rank() == other.rank() && rest.norm() < 1e-8 * (1 + theirs.norm());
  }

  const Arm& arm_;
  std::string file_;
  DrawSettings settings_;
  bool inverse_ = false, rotors_ = false, any_gravity_ = false;
  std::vector<Statement> givens_, meanings_;
  std::vector<Definition> definitions_;
  std::map<std::string, std::size_t> by_name_;
  std::map<std::pair<int, int>, std::size_t> regressor_;
  std::map<int, std::size_t> parameters_;
  std::map<std::string, int> slots_, given_slots_, meaning_slots_, definition_slots_;
  std::vector<std::pair<int, FormulaPtr>> given_formulas_;
  std::size_t reference_slots_ = 0;
  std::vector<std::size_t> order_;
  std::vector<Output> outputs_;
  std::vector<Draw> draws_;
  std::vector<NamedValues> reference_;
  std::vector<std::vector<double>> constant_;             // a draw
  std::vector<std::vector<std::vector<double>>> values_;  // a draw, a choice of signs
  std::vector<double> scratch_;
  int choices_ = 0;
};

}  // namespace

bool ModelCheck::equal() const {
  return blames.empty() && std::all_of(entries.begin(), entries.end(), [](const Entry& e) { return e.equal(); });
}

ModelCheck check_model(const Arm& arm, const std::vector<Statement>& statements, const std::string& file) {
  return Checker(arm, statements, file).run();
}

}  // namespace armature
