#include "armature/control/controller.hpp"

#include <algorithm>

namespace armature::control {

std::vector<Part> torque_parts(int dof, std::initializer_list<const char*> names) {
  std::vector<Part> parts;
  for (const char* name : names) parts.push_back({name, "", VecX<double>::Zero(dof)});
  return parts;
}

LawAround::LawAround(AnyController law, const Needs& besides, int dof)
    : Law(law.needs() | besides, {law.parts().begin(), law.parts().end()}), law_(std::move(law)) {
  if (parts_.empty() && dof > 0) parts_.push_back({"law", "", VecX<double>::Zero(dof)});
  own_ = parts_.size();
}

void LawAround::show_law(const VecX<double>& tau) noexcept {
  std::size_t k = 0;
  for (const Part& p : law_.parts()) part(k++) = p.value;
  if (k < own_) part(k) = tau;
}

Eigen::VectorXd integrals_of(AnyController& law) {
  std::vector<double> all;
  law.integrals([&](std::span<double> state, auto) { all.insert(all.end(), state.begin(), state.end()); });
  return Eigen::Map<const Eigen::VectorXd>(all.data(), all.size());
}

void set_integrals(AnyController& law, const double* values) {
  law.integrals([&values](std::span<double> state, auto) {
    std::copy_n(values, state.size(), state.begin());
    values += state.size();
  });
}

}  // namespace armature::control
