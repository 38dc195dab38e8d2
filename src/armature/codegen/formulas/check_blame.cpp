// Which lines of a printed model are to blame for what differs.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "armature/codegen/formulas/internal/checked_model.hpp"

namespace armature::codegen {
namespace {

ModelCheck::Blame blame_of(const CheckedModel& model, std::size_t s, const ModelCheck& result) {
  const CheckedModel::Definition& d = model.definitions[s];
  ModelCheck::Blame b{.names = d.statement.names,
                      .line = d.statement.line,
                      .formula = text(*d.statement.formula),
                      .repair = d.repair,
                      .too_long = d.too_long};
  if (!d.repair.empty()) b.repaired = text(*d.formula);
  for (std::size_t o = 0; o < model.outputs.size(); ++o)
    if (model.depends(model.outputs[o], s) && !result.entries[o].equal()) b.spoils.push_back(model.outputs[o].name);
  return b;
}

// The value that definition s would need for entry o to be right (entries are linear in what they are made of).
std::optional<double> needed(const CheckedModel& model, std::size_t s, const CheckedModel::Output& o, std::size_t k) {
  const auto at = [&](double x) {
    std::vector<double> v = model.values[k][0];
    model.set(s, x, v);
    for (const std::size_t i : model.definitions[s].downstream) model.set(i, model.compute(i, v, 0), v);
    return model.value(o, v);
  };
  const double f0 = at(0), f1 = at(1), f2 = at(2);
  if (!(std::abs(f1 - f0) > 1e-6) || !same(f2 - f1, f1 - f0, false)) return {};
  return (model.values[k][0][o.target] - f0) / (f1 - f0);
}

// Would another value of s, the same wherever what it may depend on is the same, make every entry right that uses it?
bool could_be(const CheckedModel& model, std::size_t s) {
  if (model.inverse || model.definitions[s].target >= 0 || !model.definitions[s].repair.empty()) return false;
  const std::vector<std::size_t> concerned = model.concerned_by(s);
  int wrong = 0;
  for (const std::size_t o : concerned) wrong += model.outputs[o].score < 1;
  if (wrong == 0) return false;
  const bool is_r = indices_of(model.definitions[s].statement.names[0], 'r', true).has_value();
  const bool is_p = indices_of(model.definitions[s].statement.names[0], 'p', false).has_value();
  if (wrong < 2 && !is_r && !is_p) return false;
  // draws are ordered inertia by inertia, state by state
  const auto states = static_cast<std::size_t>(model.settings.states);
  std::map<std::size_t, double> agreed;
  int found = 0;
  for (const std::size_t o : concerned)
    for (std::size_t k = 0; k < model.draws.size(); ++k) {
      const auto x = needed(model, s, model.outputs[o], k);
      if (!x && !model.outputs[o].right[k]) return false;
      if (!x) continue;
      ++found;
      const std::size_t key = is_r ? k % states : is_p ? k / states : k;
      const auto [it, fresh] = agreed.emplace(key, *x);
      if (!fresh && std::abs(it->second - *x) > 1e-6 * std::max(1., std::abs(*x))) return false;
    }
  return found > 0;
}

// C is not unique, C qd is: says so where a row differs from the Christoffel form and yet gives the right torque.
void other_factorization(const CheckedModel& model, ModelCheck& result) {
  const int n = model.arm.dof();
  for (int i = 1; i <= n && !model.inverse; ++i) {
    bool whole = true, different = false, right = true;
    for (int j = 1; j <= n; ++j) whole = whole && model.by_name.contains(entry_name("C", i, j));
    if (!whole) continue;
    for (std::size_t k = 0; k < model.draws.size(); ++k) {
      std::vector<double> v = model.constant[k];
      for (const std::size_t d : model.order)  // as written, without repairs
        model.set(d,
                  CompiledFormula(*model.definitions[d].statement.formula,
                                  [&](const Formula& f) { return model.slot_in_use(f); })(v.data()),
                  v);
      double theirs = 0, ours = 0;
      for (int j = 1; j <= n; ++j) {
        const std::string name = entry_name("C", i, j);
        const double a = v[model.definition_slots.at(name)];
        const double b = v[model.slots.at(name)];
        different = different || !same(a, b, false);
        theirs += a * model.draws[k].qd[j - 1];
        ours += b * model.draws[k].qd[j - 1];
      }
      right = right && same(theirs, ours, false);
    }
    if (different && right)
      result.notes.push_back(fmt::format(
          "row {} of C gives the right torques C qd, though not by Christoffel symbols: dM/dt - 2C need not be skew",
          i));
  }
}

}  // namespace

void blame(const CheckedModel& model, ModelCheck& result) {
  std::set<std::size_t> blamed;
  for (std::size_t s = 0; s < model.definitions.size(); ++s)
    if (!model.definitions[s].repair.empty()) blamed.insert(s);
  // of the lines that could be to blame those that explain most, until everything is explained
  std::map<std::size_t, std::vector<std::string>> alternatives;
  std::set<std::size_t> open;
  for (std::size_t o = 0; o < model.outputs.size(); ++o)
    if (model.outputs[o].score < 1) open.insert(o);
  std::map<std::size_t, std::set<std::size_t>> explains;
  for (std::size_t s = 0; s < model.definitions.size(); ++s)
    if (could_be(model, s))
      for (const std::size_t o : model.concerned_by(s))
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
        alternatives[best->first].push_back(model.definitions[s].statement.names[0]);
    blamed.insert(best->first);
    for (const std::size_t o : std::set(best->second)) open.erase(o);
  }
  for (const std::size_t o : open) {
    if (model.outputs[o].row == 0)
      blamed.insert(model.outputs[o].definition);
    else
      result.notes.push_back(fmt::format("{}: no single line explains the difference", model.outputs[o].name));
  }
  for (const std::size_t s : blamed) {
    result.blames.push_back(blame_of(model, s, result));
    result.blames.back().or_else = alternatives[s];
  }
  other_factorization(model, result);
  if (model.inverse)
    result.notes.emplace_back(
        "inverse kinematics: a formula is right where one choice of its signs gives the joint position that led to "
        "the target, "
        "the other joints being as they are");
}

}  // namespace armature::codegen
