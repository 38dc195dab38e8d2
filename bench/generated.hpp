// Functions that `armature derive` writes for an arm, compiled for this machine.
#pragma once

#include <map>
#include <memory>

#include "armature/codegen/compiled/shared_object.hpp"
#include "armature/codegen/derive/derive.hpp"

namespace armature::bench {

using namespace rooms;

/// Three vectors in (positions, speeds, and accelerations or torques, as far as the function takes them), the outputs one after
/// the other. For eight states at once every number is followed by those of the seven other states.
using GeneratedFunction = void (*)(const double*, const double*, const double*, double*);

class Generated {
 public:
  explicit Generated(const Arm& arm);
  [[nodiscard]] GeneratedFunction function(Target target) const { return find(target, "one_"); }
  [[nodiscard]] GeneratedFunction eight(Target target) const { return find(target, "eight_"); }
  /// Additions, multiplications, divisions and functions of one state.
  [[nodiscard]] int operations(Target target) const { return programs_.at(target).operations; }
  /// Numbers that a call writes for one state.
  [[nodiscard]] std::size_t outputs(Target target) const { return programs_.at(target).outputs; }

 private:
  struct Facts {
    std::string name;
    int operations;
    std::size_t outputs;
  };
  [[nodiscard]] GeneratedFunction find(Target target, const std::string& prefix) const {
    return reinterpret_cast<GeneratedFunction>(library_->find(prefix + programs_.at(target).name));
  }
  std::map<Target, Facts> programs_;
  std::unique_ptr<SharedObject> library_;
};

}  // namespace armature::bench
