#include "armature/control/payload_watch.hpp"

namespace armature::control {

PayloadWatch::PayloadWatch(Arm believed, AnyController law, const PayloadObserverSettings& settings)
    : LawAround(std::move(law), {.torque = settings.measured}, believed.dof()),
      observer_(believed, settings),
      last_(VecX<double>::Zero(believed.dof())) {
  const auto add = [&](const char* name, const char* unit, int size) {
    parts_.push_back({name, unit, VecX<double>::Zero(size)});
  };
  add("payload_mass", "kg", 1);
  add("payload_mass_deviation", "kg", 1);
  add("payload_com", "m", 3);
  add("payload_com_deviation", "m", 3);
  add("payload_evidence", "-", 1);
  add("payload_changes", "-", 1);
  add("payload_changed_at", "s", 1);
  report();
}

void PayloadWatch::reset(const Measurement& y) {
  observer_.reset(y);
  law_.reset(y);
  first_ = true;
  time_ = 0;
  status_ = {};
  report();
}

void PayloadWatch::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  if (!first_) observer_.update(y, r, last_, dt);
  if (dt > 0) {
    time_ += first_ ? 0 : dt;
    first_ = false;
  }
  law_.update(y, r, dt, tau);
  status_ = law_.status();
  if (observer_.changes() > 0 && time_ - observer_.noticed_at() < told_for) status_ |= Condition::payload_changed;
  show_law(tau);
  report();
  if (tau.allFinite()) last_ = tau;
}

void PayloadWatch::report() noexcept {
  const PayloadGuess& carried = observer_.payload();
  std::size_t k = own_;
  part(k++)[0] = carried.mass();
  part(k++)[0] = carried.mass_deviation();
  part(k++) = carried.com();
  part(k++) = carried.com_deviation();
  part(k++)[0] = observer_.evidence();
  part(k++)[0] = observer_.changes();
  part(k++)[0] = observer_.changed_at();
}

}  // namespace armature::control
