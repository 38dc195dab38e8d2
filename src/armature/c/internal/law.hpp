// Laws on both sides of the border: ours behind a handle, the caller's inside our loop.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "armature/armature.h"
#include "armature/control/controller.hpp"

namespace armature::c {

/// What became of a law of the caller.
struct OwnLawFate {
  std::atomic<bool>* stop = nullptr;  // set where the law cannot go on
  bool gave_up = false;               // it said so
  int bad_joint = -1;                 // its torque was not finite; -1: none
};

/// A law of the caller as a controller of ours. Once it has failed it gives no torque any more, and the run is told to stop.
class OwnLaw {
 public:
  OwnLaw(const armature_own_law& law, int dof, std::shared_ptr<OwnLawFate> fate);
  void reset(const Measurement& y);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  [[nodiscard]] Needs needs() const noexcept;

 private:
  void fail(int bad_joint) noexcept;
  armature_own_law law_;
  int dof_;
  std::shared_ptr<OwnLawFate> fate_;
};

}  // namespace armature::c
