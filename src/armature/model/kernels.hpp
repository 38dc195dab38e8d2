// Functions written for one arm (codegen/), which the algorithms call in place of the recursion.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::model {

class Arm;

/// What the algorithms see of an arm, as one number: joints, placements, inertia, springs, gravity and tool. Names and limits do not matter.
/// It is taken over the numbers of the description, not over what was computed from them: two compilations of the same formula
/// may round differently (fused multiply-add), and a file of functions is used by other programs than the one that wrote it.
std::uint64_t checksum(const Arm& arm);

/// Plain functions on arrays, matrices row by row; they neither allocate nor throw. An arm that has them (Arm::kernels) is computed
/// with them, through the same functions of algorithms/ and to the same numbers but for rounding.
struct Kernels {
  std::uint64_t arm = 0;    // its checksum
  const char* source = "";  // for people: where they come from
  void (*inverse_dynamics)(const double* q, const double* qd, const double* qdd, double* tau) = nullptr;
  void (*forward_dynamics)(const double* q, const double* qd, const double* tau, double* qdd) = nullptr;
  void (*mass_matrix)(const double* q, double* M) = nullptr;
  void (*coriolis)(const double* q, const double* qd, double* C) = nullptr;
  void (*gravity)(const double* q, double* g) = nullptr;
};

/// Functions of several arms. Whatever makes an arm takes such a set (load_arm, load_scenario, Arm) and gives the arm those that were
/// written for it; with the empty set, which is the default, arms are computed by the recursion. A value: copies share the functions.
class KernelSet {
 public:
  KernelSet() = default;
  explicit KernelSet(std::vector<std::shared_ptr<const Kernels>> kernels);
  /// Those written for this arm, or null.
  [[nodiscard]] std::shared_ptr<const Kernels> of(const Arm& arm) const;

 private:
  std::shared_ptr<const std::vector<std::shared_ptr<const Kernels>>> all_;
};

/// Returns the functions of the built-in arms, which were written when the library was built (cmake/kernels.cmake).
///     const Arm arm = load_arm("panda", {}, built_in_kernels()).arm;
const KernelSet& built_in_kernels();

}  // namespace armature::model

namespace armature {
using model::built_in_kernels;
}  // namespace armature
