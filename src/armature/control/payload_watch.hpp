// A law with an eye on what the tool carries.
#pragma once

#include "armature/control/payload_observer.hpp"

namespace armature::control {

/// Runs `law` and passes its torque on as it is; beside it a PayloadObserver, which is told the torque that this law returned in the last
/// tick, so nothing behind it may change that. Reports as signals what is carried (payload_mass, payload_com, each with its standard
/// deviation), the evidence of a change, the number of changes and when the last one began to show, in seconds since reset(); and the condition payload_changed
/// from the tick in which a change is noticed for `told_for` on.
class PayloadWatch : public LawAround {
 public:
  static constexpr double told_for = 0.1;  // [s]

  PayloadWatch(Arm believed, AnyController law, const PayloadObserverSettings& settings = {});
  void reset(const Measurement& y);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  [[nodiscard]] const PayloadObserver& observer() const { return observer_; }

 private:
  void report() noexcept;

  PayloadObserver observer_;
  VecX<double> last_;
  double time_ = 0;  // since reset() [s]
  bool first_ = true;
};
static_assert(Controller<PayloadWatch>);

}  // namespace armature::control
