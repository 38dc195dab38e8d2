// A controller that is watched: how long some of its ticks took.
#pragma once

#include <chrono>
#include <memory>

#include "armature/control/controller.hpp"
#include "armature/record/log.hpp"

namespace armature::run {

/// What was seen; outlives the controller, which the loop owns.
struct ControllerRecord {
  static constexpr std::size_t timed_every = 8;  // ticks: reading the clock takes longer than a small law
  std::vector<float> seconds;
  std::size_t ticks = 0;
};

struct RecordedController : AroundLaw {
  std::shared_ptr<ControllerRecord> record;

  void reset(const Measurement& y) { law.reset(y); }
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
    const bool timed = record->ticks++ % ControllerRecord::timed_every == 0;
    const auto start = timed ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    law.update(y, r, dt, tau);
    // room for the whole run was made before
    if (timed && record->seconds.size() < record->seconds.capacity())
      record->seconds.push_back(std::chrono::duration<float>(std::chrono::steady_clock::now() - start).count());
  }
};

}  // namespace armature::run
