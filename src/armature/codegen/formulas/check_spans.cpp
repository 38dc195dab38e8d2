// Base sets are not unique: compares what parameters or a regressor span.
#include <algorithm>

#include "armature/algorithms/base_parameters.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/codegen/formulas/internal/checked_model.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::codegen {
namespace {

// p alone: p = T p_base with T regular; r alone: its columns are combinations of the library's and have their rank.
bool spans_agree(const CheckedModel& model) {
  const bool columns = !model.regressor.empty();
  DrawSettings many = model.settings;
  many.states = columns ? 40 : 1;
  many.inertias = columns ? 1 : 60;
  const std::vector<Draw> draws = random_draws(model.arm, many);
  const int n = model.arm.dof();
  int count = 0;
  for (const auto& [at, i] : model.regressor) count = std::max(count, at.second);
  for (const auto& [column, i] : model.parameters) count = std::max(count, column);
  const int rows = static_cast<int>(draws.size()) * (columns ? n : 1);
  Eigen::MatrixXd ours, theirs = Eigen::MatrixXd::Zero(rows, count);
  const Arm first = with_values(model.arm, draws[0].parameters);
  const BaseParameters base = base_parameters(first);
  ours.resize(rows, base.count());
  for (std::size_t k = 0; k < draws.size(); ++k) {
    const NamedValues reference = reference_names(model.arm, draws[k], many);
    std::vector<double> v(model.slots.size());
    for (const auto& [name, value] : reference) v[model.slots.at(name)] = value;
    for (const auto& [slot, f] : model.given_formulas)
      v[slot] = CompiledFormula(*f, [&](const Formula& g) { return model.resolve(g, true); })(v.data());
    for (const std::size_t i : model.order) model.set(i, model.compute(i, v, 0), v);
    const auto value_at = [&](std::size_t i) { return v[model.definitions[i].slot]; };
    const int row = static_cast<int>(k);
    if (columns) {
      const auto W = torque_regressor<double>(first, draws[k].q, draws[k].qd, draws[k].qdd);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < base.count(); ++j) ours(row * n + i, j) = W(i, base.columns.kept[j]);
      for (const auto& [at, i] : model.regressor) theirs(row * n + at.first - 1, at.second - 1) = value_at(i);
    } else {
      const Arm instance = with_values(model.arm, draws[k].parameters);
      ours.row(row) = base_parameter_values(instance, base);
      for (const auto& [column, i] : model.parameters) theirs(row, column - 1) = value_at(i);
    }
  }
  const Eigen::MatrixXd rest = theirs - ours * least_squares_solution(ours, theirs);
  return pivot_columns(ours, 1e-9).size() == pivot_columns(theirs, 1e-9).size() &&
         rest.norm() < 1e-8 * (1 + theirs.norm());
}

}  // namespace

void compare_spans(const CheckedModel& model, ModelCheck& result) {
  if (model.inverse || (model.regressor.empty() && model.parameters.empty())) return;
  if (model.regressor.empty() || model.parameters.empty()) {
    const std::string what = model.regressor.empty() ? "the parameters p" : "the regressor r";
    result.entries.push_back({.name = "span of " + what, .right = spans_agree(model) ? 1. : 0.});
    if (!result.entries.back().equal())
      result.notes.push_back(what + " do not span what the library's base parameters span");
  }
}

}  // namespace armature::codegen
