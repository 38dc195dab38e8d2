#include "armature/codegen/formulas/check_model.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "armature/codegen/formulas/internal/checked_model.hpp"

namespace armature::codegen {
namespace {

// What an entry comes to, with the first state that shows a difference.
ModelCheck::Entry entry(const CheckedModel& model, const CheckedModel::Output& o) {
  ModelCheck::Entry e{.name = o.name, .right = o.score};
  for (std::size_t k = 0; k < model.draws.size() && e.state.empty(); ++k) {
    if (o.right[k]) continue;
    const std::vector<double>& v = model.values[k][0];
    e.expected = v[o.target];
    e.found = model.value(o, v);
    const auto add = [&](const char* letter, const VecX<double>& x) {
      for (int i = 0; i < x.size(); ++i)
        e.state += fmt::format("{}{}{} = {:.4g}", e.state.empty() ? "" : ", ", letter, i + 1, x[i]);
    };
    add("q", model.draws[k].q);
    if (model.inverse) continue;
    add("qd", model.draws[k].qd);
    add("qdd", model.draws[k].qdd);
  }
  return e;
}

}  // namespace

bool ModelCheck::equal() const {
  return blames.empty() && std::all_of(entries.begin(), entries.end(), [](const Entry& e) { return e.equal(); });
}

ModelCheck check_model(const Arm& arm, const std::vector<Statement>& statements, const std::string& file) {
  require_no_springs(arm);
  CheckedModel model(arm, statements, file);
  ModelCheck result;
  model.evaluate_all();
  for (const CheckedModel::Output& o : model.outputs) result.entries.push_back(entry(model, o));
  repair(model);
  blame(model, result);
  compare_spans(model, result);
  std::stable_sort(result.blames.begin(), result.blames.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  return result;
}

}  // namespace armature::codegen
