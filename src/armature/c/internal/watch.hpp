// The caller's progress function, seen from the work.
#pragma once

#include <atomic>

#include "armature/armature.h"

namespace armature::c {

/// Tells how far the work is, and keeps whether it is to end.
class Watch {
 public:
  Watch(armature_progress progress, void* user) : progress_(progress), user_(user) {}
  void tell(double share) {
    if (progress_ && progress_(user_, share) != 0) stop = true;
  }
  std::atomic<bool> stop{false};

 private:
  armature_progress progress_;
  void* user_;
};

}  // namespace armature::c
