// Searches the single edits that make a printed model right.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "armature/codegen/checked_model.hpp"
#include "armature/codegen/formula_edits.hpp"

namespace armature {
namespace {

struct Trial {
  int whole = 0;    // entries that become right
  double gain = 0;  // sum of what the entries gain
};

// What putting `formula` in place of definition s does to the entries; nothing where it spoils one.
std::optional<Trial> attempt(const CheckedModel& model, std::size_t s, const Formula& formula,
                             const std::vector<std::size_t>& concerned) {
  const CheckedModel::Definition& d = model.definitions[s];
  const CompiledFormula compiled(formula, [&](const Formula& f) { return model.resolve(f, false); });
  const unsigned own = 1u << choices_in(formula);
  std::vector<double> scores(concerned.size()), v;
  for (std::size_t k = 0; k < model.draws.size(); ++k) {
    std::vector<char> right(concerned.size());
    for (const std::vector<double>& before : model.values[k])
      for (unsigned c = 0; c < own; ++c) {
        const double x = compiled(before.data(), c);
        const double old = before[static_cast<std::size_t>(d.slot)];
        if (own == 1 && x == old) {
          for (std::size_t o = 0; o < concerned.size(); ++o)
            right[o] = right[o] || same(model.value(model.outputs[concerned[o]], before),
                                        before[static_cast<std::size_t>(model.outputs[concerned[o]].target)],
                                        model.outputs[concerned[o]].angle);
          continue;
        }
        v = before;
        model.set(s, x, v);
        // other choices of sign were made with `before`; those of the lines below are made again
        const auto combination = static_cast<unsigned>(&before - model.values[k].data());
        for (const std::size_t i : d.downstream) model.set(i, model.compute(i, v, combination), v);
        for (std::size_t o = 0; o < concerned.size(); ++o) {
          const CheckedModel::Output& out = model.outputs[concerned[o]];
          right[o] = right[o] || same(model.value(out, v), v[static_cast<std::size_t>(out.target)], out.angle);
        }
      }
    for (std::size_t o = 0; o < concerned.size(); ++o) {
      if (!right[o] && model.outputs[concerned[o]].right[k]) return {};
      scores[o] += right[o];
    }
  }
  Trial t;
  for (std::size_t o = 0; o < concerned.size(); ++o) {
    const double score = scores[o] / static_cast<double>(model.draws.size()),
                 before = model.outputs[concerned[o]].score;
    t.gain += score - before;
    t.whole += score == 1 && before < 1;
  }
  return t;
}

std::vector<std::string> all_names(const CheckedModel& model) {
  std::vector<std::string> names;
  for (const auto& [name, i] : model.by_name) names.push_back(name);
  for (const auto& [name, i] : model.given_slots) names.push_back(name);
  for (const auto& [name, x] : model.reference[0])
    if (!model.by_name.contains(name) && !model.given_slots.contains(name)) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

// An index that would make definition s depend on itself is no repair.
bool sound(const CheckedModel& model, std::size_t s, const Formula& f) {
  for (const std::string& name : names_in(f))
    if (const auto it = model.by_name.find(name);
        it != model.by_name.end() && model.definitions[it->second].target < 0) {
      if (it->second == s) return false;
      const auto& below = model.definitions[s].downstream;
      if (std::find(below.begin(), below.end(), it->second) != below.end()) return false;
    }
  return true;
}

void apply(CheckedModel& model, std::size_t s, FormulaPtr formula, const std::string& what) {
  CheckedModel::Definition& d = model.definitions[s];
  d.formula = std::move(formula);
  d.repair = what;
  d.compiled.emplace(*d.formula, [&](const Formula& f) { return model.resolve(f, false); });
  if (const int now = choices_in(*d.formula); now != d.choices) {
    d.choices = now;
    model.choices = 0;
    for (CheckedModel::Definition& e : model.definitions) e.first_choice = model.choices, model.choices += e.choices;
  }
  model.evaluate_all();
}

}  // namespace

void repair(CheckedModel& model) {
  const std::vector<std::string> names = all_names(model);
  for (int round = 0; round < 24; ++round) {
    struct Best {
      std::size_t s;
      Edit edit;
      Trial trial;
    };
    std::optional<Best> best;
    for (std::size_t s = 0; s < model.definitions.size(); ++s) {
      if (!model.definitions[s].repair.empty()) continue;
      const std::vector<std::size_t> concerned = model.concerned_by(s);
      if (std::none_of(concerned.begin(), concerned.end(), [&](std::size_t o) { return model.outputs[o].score < 1; }))
        continue;
      for (Edit& edit : single_edits(model.definitions[s].formula, names, model.inverse)) {
        if (!sound(model, s, *edit.formula)) continue;
        if (model.choices + choices_in(*edit.formula) > CheckedModel::most_choices) continue;
        const auto trial = attempt(model, s, *edit.formula, concerned);
        if (!trial || trial->gain < 0.1) continue;
        const auto rank = [](const Trial& t, int r) { return std::tuple(-t.whole, -std::round(t.gain * 1e6), r); };
        if (!best || rank(*trial, edit.rank) < rank(best->trial, best->edit.rank)) best = {s, std::move(edit), *trial};
      }
    }
    if (!best) break;
    apply(model, best->s, best->edit.formula, best->edit.what);
  }
  // an edit that made nothing whole is no repair
  bool undone = false;
  for (std::size_t s = 0; s < model.definitions.size(); ++s) {
    CheckedModel::Definition& d = model.definitions[s];
    if (d.repair.empty()) continue;
    const auto concerned = model.concerned_by(s);
    if (std::any_of(concerned.begin(), concerned.end(), [&](std::size_t o) { return model.outputs[o].score == 1; }))
      continue;
    apply(model, s, d.statement.formula, "");
    undone = true;
  }
  if (undone) model.evaluate_all();
}

}  // namespace armature
