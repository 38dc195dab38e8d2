// A controller that is watched: what it returned in every tick, and how long it took.
#pragma once

#include <chrono>
#include <memory>

#include "armature/control/controller.hpp"
#include "armature/record/log.hpp"

namespace armature {

/// What was seen; outlives the controller, which the loop owns.
struct ControllerRecord {
  std::vector<VecX<double>> tau;
  std::vector<float> seconds;
};

struct RecordedController {
  AnyController law;
  std::shared_ptr<ControllerRecord> record;

  void reset(const Measurement& y) { law.reset(y); }
  [[nodiscard]] std::span<const Part> parts() const noexcept { return law.parts(); }
  [[nodiscard]] Status status() const noexcept { return law.status(); }
  [[nodiscard]] Needs needs() const noexcept { return law.needs(); }
  bool switch_term(std::string_view name, bool on) noexcept { return law.switch_term(name, on); }
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
    const auto start = std::chrono::steady_clock::now();
    law.update(y, r, dt, tau);
    if (record->tau.size() == record->tau.capacity()) return;  // room for the whole run was made before
    record->seconds.push_back(std::chrono::duration<float>(std::chrono::steady_clock::now() - start).count());
    record->tau.push_back(tau);
  }
};

}  // namespace armature
