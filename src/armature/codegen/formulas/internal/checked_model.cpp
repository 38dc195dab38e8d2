#include "armature/codegen/formulas/internal/checked_model.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"

namespace armature::codegen {
namespace {

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

}  // namespace

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

bool same(double a, double b, bool angle) {
  const double apart = angle ? std::remainder(a - b, 2 * std::numbers::pi) : a - b;
  return std::abs(apart) <= 1e-8 * std::max(1., std::abs(b));
}

CheckedModel::CheckedModel(const Arm& of, const std::vector<Statement>& statements, const std::string& named)
    : arm(of), file(named) {
  sort_statements(statements);
  draw();
  compile();
  find_order();
  list_entries();
}

void CheckedModel::fail(const std::string& finding, const std::string& hint, int line, int column) const {
  throw FormatError(finding, hint, {file, line, column});
}

void CheckedModel::sort_statements(const std::vector<Statement>& statements) {
  std::map<std::string, int> lines;
  for (const Statement& s : statements) {
    for (const std::string& name : s.names) {
      if (s.kind != Statement::Kind::means && !lines.emplace(name, s.line).second)
        fail(fmt::format("'{}' is defined a second time", name), fmt::format("the first time is line {}", lines[name]),
             s.line, s.column);
    }
    if (s.kind == Statement::Kind::given) givens.push_back(s);
    if (s.kind == Statement::Kind::means) meanings.push_back(s);
    if (s.kind == Statement::Kind::definition) {
      definitions.push_back({.statement = s, .formula = s.formula});
      for (const std::string& name : s.names) {
        by_name[name] = definitions.size() - 1;
        if (name.size() > 1 && name[0] == 'q' && is_entry(name)) inverse = true;
        if (const auto i = indices_of(name, 'r', true)) regressor[{i->row, i->column}] = definitions.size() - 1;
        if (const auto i = indices_of(name, 'p', false)) parameters[i->row] = definitions.size() - 1;
      }
    }
  }
  if (definitions.size() > most_definitions)
    fail(fmt::format("more than {} definitions", most_definitions), "put independent parts into files of their own",
         definitions[most_definitions].statement.line, 0);
  if (definitions.empty()) throw FormatError("the file defines nothing", "a line reads  M12 = formula", {file, 0, 0});
  for (const Statement& s : statements)
    for (const std::string& name : names_in(*s.formula)) {
      rotors = rotors || name.starts_with("Jm");
      any_gravity = any_gravity || name == "eg1" || name == "eg2" || name == "eg3";
    }
}

int CheckedModel::slot_of(const std::string& name) {
  const auto [it, fresh] = slots.emplace(name, static_cast<int>(slots.size()));
  return it->second;
}

void CheckedModel::draw() {
  settings = {.dynamics = !inverse, .rotors = rotors, .any_gravity = any_gravity};
  draws = random_draws(arm, settings);
  for (const Draw& d : draws) reference.push_back(reference_names(arm, d, settings));
  for (const auto& [name, value] : reference[0]) slot_of(name);
}

// The slot that a name stands for in a formula.
int CheckedModel::resolve(const Formula& f, bool reference_only) const {
  if (!reference_only)
    if (const auto it = by_name.find(f.name); it != by_name.end()) {
      const Definition& d = definitions[it->second];
      return d.target >= 0 ? target_of(f.name) : definition_slots.at(f.name);
    }
  if (const auto it = given_slots.find(f.name); it != given_slots.end()) return it->second;
  if (reference[0].contains(f.name)) return slots.at(f.name);
  std::vector<std::string> known;
  for (const auto& [name, i] : by_name) known.push_back(name);
  for (const auto& [name, i] : given_slots) known.push_back(name);
  for (const auto& [name, x] : reference[0]) known.push_back(name);
  fail(fmt::format("'{}' is defined nowhere", printable(f.name)),
       nearest_word(f.name, known) ? suggestion(f.name, known)
                                   : "define it, or say with  given NAME = FORMULA  what it means in our names",
       f.line, f.column);
}

int CheckedModel::target_of(const std::string& name) const {
  if (const auto it = meaning_slots.find(name); it != meaning_slots.end()) return it->second;
  return slots.at(name);
}

void CheckedModel::compile() {
  for (const Statement& s : givens)
    for (const std::string& name : s.names) given_formulas.emplace_back(slot_of("given " + name), s.formula);
  const auto in_our_names = [&](const Formula& f) { return resolve(f, true); };
  std::vector<std::pair<int, CompiledFormula>> compiled;
  for (const auto& [slot, f] : given_formulas) compiled.emplace_back(slot, CompiledFormula(*f, in_our_names));
  for (const Statement& s : givens)
    for (const std::string& name : s.names) given_slots[name] = slots.at("given " + name);
  for (const Statement& s : meanings)
    for (const std::string& name : s.names) {
      const int slot = slot_of("means " + name);
      compiled.emplace_back(slot, CompiledFormula(*s.formula, in_our_names));
      meaning_slots[name] = slot;
    }
  for (Definition& d : definitions)
    for (const std::string& name : d.statement.names) {
      const bool known = meaning_slots.contains(name) || (is_entry(name) && reference[0].contains(name));
      if (!known && reference[0].contains(name))
        fail(fmt::format("'{}' is a number of the arm or its motion and cannot be defined", name),
             fmt::format("give it another name, or say  given {} = ...  for what it means in our names", name),
             d.statement.line, d.statement.column);
      if (known) d.target = target_of(name);
      definition_slots[name] = slot_of("definition " + name);
      d.slot = definition_slots[name];
      d.slots.push_back(d.slot);
    }
  for (Definition& d : definitions) {
    d.compiled.emplace(*d.formula, [&](const Formula& f) { return resolve(f, false); });
    d.choices = choices_in(*d.formula);
    d.first_choice = choices;
    choices += d.choices;
  }
  if (choices > most_choices)
    throw FormatError(fmt::format("{} choices of sign in all; {} are the most", choices, most_choices),
                      "put independent parts into files of their own", {file, 0, 0});
  std::size_t parts = 0;
  for (const Definition& d : definitions) parts += parts_in(*d.formula);
  if (parts << choices > most_evaluations)
    throw FormatError(fmt::format("{} names and numbers for {} choices of sign", parts, 1 << choices),
                      "put what has a ± into a file of its own", {file, 0, 0});
  // what does not change: references, givens, meanings
  for (const NamedValues& named : reference) {
    std::vector<double> v(slots.size());
    for (const auto& [name, x] : named) v[slots.at(name)] = x;
    for (const auto& [slot, f] : compiled) v[slot] = f(v.data());
    constant.push_back(std::move(v));
  }
}

void CheckedModel::find_order() {
  for (Definition& d : definitions)
    for (const std::string& name : names_in(*d.formula))
      if (const auto it = by_name.find(name); it != by_name.end() && definitions[it->second].target < 0)
        d.uses.push_back(it->second);
  std::vector<int> state(definitions.size());
  const std::function<void(std::size_t)> visit = [&](std::size_t i) {
    if (state[i] == 2) return;
    if (state[i] == 1)
      fail(fmt::format("the definition of '{}' leads back to itself", definitions[i].statement.names[0]),
           "every name must rest on earlier ones", definitions[i].statement.line, definitions[i].statement.column);
    state[i] = 1;
    for (const std::size_t k : definitions[i].uses) visit(k);
    state[i] = 2;
    order.push_back(i);
  };
  for (std::size_t i = 0; i < definitions.size(); ++i) visit(i);
  std::vector<std::vector<std::size_t>> users(definitions.size());
  std::vector<std::size_t> rank(definitions.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    rank[order[k]] = k;
    for (const std::size_t u : definitions[order[k]].uses) users[u].push_back(order[k]);
  }
  std::vector<std::size_t> reached_for(definitions.size(), definitions.size());  // by which search it was reached last
  for (std::size_t s = 0; s < definitions.size(); ++s) {
    std::vector<std::size_t>& found = definitions[s].downstream;
    std::vector<std::size_t> open{s};
    reached_for[s] = s;
    while (!open.empty()) {
      const std::size_t i = open.back();
      open.pop_back();
      for (const std::size_t user : users[i])
        if (std::exchange(reached_for[user], s) != s) {
          found.push_back(user);
          open.push_back(user);
        }
    }
    std::sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) { return rank[a] < rank[b]; });
  }
}

void CheckedModel::list_entries() {
  for (std::size_t i = 0; i < definitions.size(); ++i)
    for (const std::string& name : definitions[i].statement.names) {
      if (definitions[i].target < 0) continue;
      Output o{.name = name, .definition = i, .target = target_of(name)};
      if (name[0] == 'q' && is_entry(name)) {
        const auto joint = indices_of(name, 'q', false);
        o.angle = joint && joint->row <= arm.dof() && arm.body(joint->row - 1).revolute;
      }
      outputs.push_back(o);
    }
  if (!regressor.empty() && !parameters.empty() && !inverse)
    for (int row = 1; row <= arm.dof(); ++row)
      outputs.push_back(
          {.name = fmt::format("tau{} = r{} p", row, row), .row = row, .target = slots.at(fmt::format("tau{}", row))});
  for (const auto& [at, i] : regressor)
    if (at.first > arm.dof())
      fail(fmt::format("'{}' is in a row that {} joints do not have", definitions[i].statement.names[0], arm.dof()),
           "rows count from 1", definitions[i].statement.line, definitions[i].statement.column);
  if (outputs.empty() && regressor.empty() && parameters.empty())
    throw FormatError(
        "nothing in the file can be compared",
        "known are M11 C11 g1 tau1 H14 x y z J11 q1, r1_1 with p1, and what  means NAME = FORMULA  explains",
        {file, 0, 0});
}

bool CheckedModel::depends(const Output& o, std::size_t s) const {
  if (o.row == 0) {
    if (o.definition == s) return true;
    const auto& d = definitions[s].downstream;
    return std::find(d.begin(), d.end(), o.definition) != d.end();
  }
  const auto in_row = [&](std::size_t i) {
    for (const auto& [at, k] : regressor)
      if (k == i && at.first == o.row && parameters.contains(at.second)) return true;
    for (const auto& [column, k] : parameters)
      if (k == i && regressor.contains({o.row, column})) return true;
    return false;
  };
  return in_row(s) || std::any_of(definitions[s].downstream.begin(), definitions[s].downstream.end(), in_row);
}

double CheckedModel::value(const Output& o, const std::vector<double>& v) const {
  const auto slot = [&](std::size_t i) { return v[definitions[i].slot]; };
  if (o.row == 0) return slot(o.definition);
  double tau = 0;
  for (const auto& [at, i] : regressor)
    if (at.first == o.row)
      if (const auto p = parameters.find(at.second); p != parameters.end()) tau += slot(i) * slot(p->second);
  return tau;
}

void CheckedModel::set(std::size_t i, double x, std::vector<double>& v) const {
  for (const int slot : definitions[i].slots) v[slot] = x;
}
double CheckedModel::compute(std::size_t i, const std::vector<double>& v, unsigned signs) const {
  const Definition& d = definitions[i];
  return (*d.compiled)(v.data(), signs >> d.first_choice);
}

void CheckedModel::evaluate_all() {
  values.assign(draws.size(), {});
  for (std::size_t k = 0; k < draws.size(); ++k)
    for (unsigned c = 0; c < (1u << choices); ++c) {
      std::vector<double> v = constant[k];
      for (const std::size_t i : order) set(i, compute(i, v, c), v);
      values[k].push_back(std::move(v));
    }
  for (Output& o : outputs) {
    o.right.assign(draws.size(), 0);
    for (std::size_t k = 0; k < draws.size(); ++k)
      for (const std::vector<double>& v : values[k])
        if (same(value(o, v), v[o.target], o.angle)) o.right[k] = 1;
    o.score = static_cast<double>(std::count(o.right.begin(), o.right.end(), 1)) / static_cast<double>(draws.size());
  }
}

std::vector<std::size_t> CheckedModel::concerned_by(std::size_t s) const {
  std::vector<std::size_t> list;
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (depends(outputs[o], s)) list.push_back(o);
  return list;
}

int CheckedModel::slot_in_use(const Formula& f) const {
  if (const auto it = by_name.find(f.name); it != by_name.end())
    return definitions[it->second].target >= 0 ? target_of(f.name) : definition_slots.at(f.name);
  if (const auto it = given_slots.find(f.name); it != given_slots.end()) return it->second;
  return slots.at(f.name);
}

}  // namespace armature::codegen
