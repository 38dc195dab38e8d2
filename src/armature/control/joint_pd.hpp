// The plainest law: a spring and a damper at every joint.
#pragma once

#include <array>

#include "armature/control/law_settings.hpp"

namespace armature::control {

/// tau = kp (q_r - q) + kd (qd_r - qd)
struct JointPd {
  VecX<double> kp;  // [N m/rad | N/m]
  VecX<double> kd;  // [N m s/rad | N s/m]
  std::array<Part, 2> last{
      {{"proportional", "", VecX<double>::Zero(kp.size())}, {"derivative", "", VecX<double>::Zero(kp.size())}}};

  void reset(const Measurement&) {}
  void update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
    last[0].value = kp.cwiseProduct(r.q - y.q);
    last[1].value = kd.cwiseProduct(r.qd - y.qd);
    tau = last[0].value + last[1].value;
  }
  [[nodiscard]] std::span<const Part> parts() const noexcept { return last; }
};
static_assert(Controller<JointPd>);

struct JointPdSettings {
  VecX<double> kp, kd;

  void fields(Fields& f);
  [[nodiscard]] AnyController make(const LawContext& in) const;
};

/// Torques that come from the reference alone: `r.qdd` is ignored, nothing is fed back. For open-loop experiments.
struct OpenLoop {
  VecX<double> tau;  // [N m | N]

  void reset(const Measurement&) {}
  void update(const Measurement&, const Reference&, double, VecX<double>& out) noexcept { out = tau; }
  [[nodiscard]] Needs needs() const noexcept { return {}; }
};
static_assert(Controller<OpenLoop>);

struct OpenLoopSettings {
  VecX<double> tau;  // empty: zero

  void fields(Fields& f);
  [[nodiscard]] AnyController make(const LawContext& in) const;
};

}  // namespace armature::control
