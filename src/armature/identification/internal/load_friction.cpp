#include "armature/identification/internal/load_friction.hpp"

#include <algorithm>

#include "armature/identification/estimate.hpp"
#include "armature/identification/internal/gathered.hpp"

namespace armature::identification {

namespace {

using Law = FrictionShape::Law;

constexpr int most_steps = 8;
constexpr double settled = 1e-4;             // change of every load coefficient
constexpr double highest_coefficient = 0.9;  // beyond it a joint hardly moves

}  // namespace

bool depends_on_load(const TorqueModelSettings& columns) {
  return std::any_of(columns.friction.begin(), columns.friction.end(),
                     [](const FrictionShape& shape) { return shape.law == Law::load_dependent; });
}

Eigen::VectorXd settled_load(const Arm& arm, const MotionSource& source, const Processing& processing,
                             const TorqueModelSettings& columns) {
  if (!depends_on_load(columns)) return {};
  TorqueModelSettings at = columns;
  at.linearized_at.resize(0);  // the columns of the load are zero then, and so is what is estimated for them
  for (int step = 0; step < most_steps; ++step) {
    const TorqueModel model(arm, at);
    Eigen::VectorXd x = least_squares(gathered(model, source, processing)).x;
    double change = step == 0 ? 1 : 0;
    for (int i = 0; i < model.dof(); ++i) {
      if (model.friction(i).law != Law::load_dependent) continue;
      double& coefficient = x[model.friction_begin(i) + 2];
      coefficient = std::clamp(coefficient, 0.0, highest_coefficient);
      if (step > 0) change = std::max(change, std::abs(coefficient - at.linearized_at[model.friction_begin(i) + 2]));
    }
    at.linearized_at = x;
    if (change < settled) break;
  }
  return at.linearized_at;
}

}  // namespace armature::identification
