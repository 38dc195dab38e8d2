#include "armature/testing/oracles/oracle.hpp"

#include <algorithm>

namespace armature::testing {

std::vector<std::unique_ptr<Oracle>> oracles([[maybe_unused]] const Arm& arm) {
  std::vector<std::unique_ptr<Oracle>> found;
#ifdef ARMATURE_HAS_MUJOCO
  found.push_back(mujoco_oracle(arm));
#endif
#ifdef ARMATURE_HAS_KDL
  found.push_back(kdl_oracle(arm));
#endif
#ifdef ARMATURE_HAS_DART
  found.push_back(dart_oracle(arm));
#endif
  return found;
}

bool has_oracles(const Arm& arm) {
  return std::all_of(arm.bodies().begin(), arm.bodies().end(), [](const Body& body) { return body.inertia.m > 0; });
}

}  // namespace armature::testing
