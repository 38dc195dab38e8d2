#include "armature/control/controller.hpp"

#include <algorithm>

namespace armature::control {

std::vector<Part> torque_parts(int dof, std::initializer_list<const char*> names) {
  std::vector<Part> parts;
  for (const char* name : names) parts.push_back({name, "", VecX<double>::Zero(dof)});
  return parts;
}

Eigen::VectorXd integrals_of(AnyController& law) {
  std::vector<double> all;
  law.integrals([&](std::span<double> state, auto) { all.insert(all.end(), state.begin(), state.end()); });
  return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
}

void set_integrals(AnyController& law, const double* values) {
  law.integrals([&values](std::span<double> state, auto) {
    std::copy_n(values, state.size(), state.begin());
    values += state.size();
  });
}

}  // namespace armature::control
