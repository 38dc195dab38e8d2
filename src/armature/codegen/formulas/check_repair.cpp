// Searches the single edits that make a printed model right.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>

#include "armature/codegen/formulas/internal/checked_model.hpp"
#include "armature/codegen/formulas/internal/formula_edits.hpp"

namespace armature::codegen {
namespace {

struct Trial {
  int whole = 0;    // entries that become right
  double gain = 0;  // sum of what the entries gain
};

/// The slots of names, looked up once each.
class Slots {
 public:
  explicit Slots(const CheckedModel& model) : model_(model) {}
  int operator()(const Formula& f) {
    const auto known = slots_.find(f.name);
    return known != slots_.end() ? known->second : slots_[f.name] = model_.resolve(f, false);
  }

 private:
  const CheckedModel& model_;
  std::unordered_map<std::string, int> slots_;
};

// What putting `formula` in place of definition s does to the entries; nothing where it spoils one.
std::optional<Trial> attempt(const CheckedModel& model, std::size_t s, const Formula& formula,
                             const std::vector<std::size_t>& concerned, Slots& slots) {
  const CheckedModel::Definition& d = model.definitions[s];
  const CompiledFormula compiled(formula, [&](const Formula& f) { return slots(f); });
  const unsigned own = 1u << choices_in(formula);
  std::vector<double> scores(concerned.size()), v;
  for (std::size_t k = 0; k < model.draws.size(); ++k) {
    std::vector<char> right(concerned.size());
    for (const std::vector<double>& before : model.values[k])
      for (unsigned c = 0; c < own; ++c) {
        const double x = compiled(before.data(), c);
        const double old = before[d.slot];
        if (own == 1 && x == old) {
          for (std::size_t o = 0; o < concerned.size(); ++o)
            right[o] = right[o] || same(model.value(model.outputs[concerned[o]], before),
                                        before[model.outputs[concerned[o]].target], model.outputs[concerned[o]].angle);
          continue;
        }
        v = before;
        model.set(s, x, v);
        // other choices of sign were made with `before`; those of the lines below are made again
        const auto combination = static_cast<unsigned>(&before - model.values[k].data());
        for (const std::size_t i : d.downstream) model.set(i, model.compute(i, v, combination), v);
        for (std::size_t o = 0; o < concerned.size(); ++o) {
          const CheckedModel::Output& out = model.outputs[concerned[o]];
          right[o] = right[o] || same(model.value(out, v), v[out.target], out.angle);
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

// A name without its index.
std::string letters_of(const std::string& name) { return name.substr(0, name.find_first_of("0123456789")); }

// What it takes to try every edit of definition s: each part can be edited in some eight ways, a name also to every other of its
// letters, and each edit is evaluated whole, with what depends on it, for every draw and choice of signs.
double steps_to_repair(const CheckedModel& model, std::size_t s, const std::map<std::string, int>& with_letters) {
  double edits = 0, whole = static_cast<double>(parts_in(*model.definitions[s].formula));
  const std::function<void(const Formula&)> count = [&](const Formula& f) {
    const auto others = f.kind == Formula::Kind::name ? with_letters.find(letters_of(f.name)) : with_letters.end();
    edits += 8 + (others == with_letters.end() ? 0 : others->second);
    for (const FormulaPtr& part : f.parts) count(*part);
  };
  count(*model.definitions[s].formula);
  for (const std::size_t i : model.definitions[s].downstream)
    whole += static_cast<double>(parts_in(*model.definitions[i].formula));
  return edits * whole * static_cast<double>(model.draws.size() << model.choices);
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
    for (CheckedModel::Definition& e : model.definitions) {
      e.first_choice = model.choices;
      model.choices += e.choices;
    }
  }
  model.evaluate_all();
}

// The best single edit of each line, which stays the best until a repair changes an entry that the line concerns.
class RepairSearch {
 public:
  explicit RepairSearch(CheckedModel& model)
      : model_(model), names_(all_names(model)), slots_(model), lines_(model.definitions.size()) {
    for (const std::string& name : names_) ++with_letters_[letters_of(name)];
    for (std::size_t s = 0; s < lines_.size(); ++s) lines_[s].concerned = model.concerned_by(s);
  }

  /// Applies the best edit of all lines. False: there is none.
  bool step() {
    std::optional<Best> best;
    for (std::size_t s = 0; s < lines_.size(); ++s) {
      const Line& line = lines_[s];
      if (!model_.definitions[s].repair.empty() ||
          std::none_of(line.concerned.begin(), line.concerned.end(),
                       [&](std::size_t o) { return model_.outputs[o].score < 1; }))
        continue;
      if (!line.searched) search(s);
      if (line.best && better(*line.best, best)) best = line.best;
    }
    if (!best) return false;
    const int choices = model_.choices;
    apply(model_, best->s, best->edit.formula, best->edit.what);
    const std::vector<std::size_t>& changed = lines_[best->s].concerned;
    for (Line& line : lines_) {
      const bool touched = std::any_of(line.concerned.begin(), line.concerned.end(), [&](std::size_t o) {
        return std::binary_search(changed.begin(), changed.end(), o);
      });
      if (touched || model_.choices != choices) line.searched = false;
    }
    return true;
  }

 private:
  struct Best {
    std::size_t s;
    Edit edit;
    Trial trial;
  };
  struct Line {
    std::vector<std::size_t> concerned;
    bool searched = false;
    std::optional<Best> best;
  };

  static bool better(const Best& a, const std::optional<Best>& b) {
    const auto rank = [](const Best& c) {
      return std::tuple(-c.trial.whole, -std::round(c.trial.gain * 1e6), c.edit.rank);
    };
    return !b || rank(a) < rank(*b);
  }

  // Tries every single edit of line s, if there is patience left for that.
  void search(std::size_t s) {
    Line& line = lines_[s];
    line.searched = true;
    line.best.reset();
    const double steps = steps_to_repair(model_, s, with_letters_);
    model_.definitions[s].too_long = steps > steps_left_;
    if (model_.definitions[s].too_long) return;
    steps_left_ -= steps;
    for (Edit& edit : single_edits(model_.definitions[s].formula, names_, model_.inverse)) {
      if (!sound(model_, s, *edit.formula)) continue;
      if (model_.choices + choices_in(*edit.formula) > CheckedModel::most_choices) continue;
      const auto trial = attempt(model_, s, *edit.formula, line.concerned, slots_);
      if (!trial || trial->gain < 0.1) continue;
      if (Best found{s, std::move(edit), *trial}; better(found, line.best)) line.best = std::move(found);
    }
  }

  CheckedModel& model_;
  std::vector<std::string> names_;
  std::map<std::string, int> with_letters_;
  Slots slots_;
  double steps_left_ = CheckedModel::most_repair_steps;
  std::vector<Line> lines_;
};

// An edit that made nothing whole is no repair.
void undo_what_did_not_help(CheckedModel& model) {
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

}  // namespace

void repair(CheckedModel& model) {
  constexpr int most_repairs = 24;
  RepairSearch search(model);
  for (int round = 0; round < most_repairs && search.step();) ++round;
  undo_what_did_not_help(model);
}

}  // namespace armature::codegen
