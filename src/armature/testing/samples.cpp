#include "armature/testing/samples.hpp"

#include "armature/formats/catalogue.hpp"

namespace armature::testing {

std::vector<Sample> samples(int each) {
  Random random(11);
  std::vector<Sample> all;
  const auto add = [&](const Arm& arm) {
    const int n = arm.dof();
    all.push_back({arm, random_vector(n, random, 3), random_vector(n, random, 2), random_vector(n, random, 5)});
  };
  for (int dof = 1; dof <= max_joints; ++dof)
    for (int i = 0; i < each; ++i) add(random_arm(dof, random));
  for (const std::string& name : catalogue_names()) {
    const Arm arm = catalogue_arm(name);
    for (int i = 0; i < each; ++i) add(arm);
  }
  return all;
}

Arm built_in_arm(std::string_view name) { return catalogue_arm(name); }

VecX<Dual> with_slope(const VecX<double>& x, const VecX<double>& slope) {
  VecX<Dual> d(x.size());
  for (int i = 0; i < x.size(); ++i) d[i] = Dual(x[i], slope[i]);
  return d;
}

}  // namespace armature::testing
