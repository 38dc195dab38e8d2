// Sliding-mode control.
// Robust against a wrong model: on the surface s = ed + lambda e = 0 errors die with exp(-lambda t), and the law drives s to
// zero as long as `reach` exceeds the acceleration that the model misses. Inside the boundary layer |s| < `layer` the
// switching becomes proportional, which ends chattering and leaves |e| <= layer / lambda.
//
//     tau = M(q) (qdd_r + lambda ed + reach sat(s / layer)) + C(q, qd) qd + g(q)
//
// Slotine and Li, Applied Nonlinear Control, 1991, chapter 7. Tune `lambda` first, well below the first resonance; `reach` is
// as large as the model is wrong, not larger; `layer` grows with noise and tick. It cannot remove a constant error in the layer.
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/control/internal/settings.hpp"
#include "armature/control/law_settings.hpp"

namespace armature::control {

namespace {

struct SlidingModeSettings {
  VecX<double> lambda, reach, layer;

  void fields(Fields& f) {
    f.joints("lambda", lambda, joint_dimension::rate, "how fast errors die on the surface", Range::positive, required);
    f.joints("reach", reach, joint_dimension::acceleration, "acceleration to the surface", Range::positive, required);
    f.joints("layer", layer, joint_dimension::velocity, "half width of the boundary layer", Range::positive, required);
  }
  [[nodiscard]] AnyController make(const LawContext& in) const;
};

class SlidingMode : public Law {
 public:
  SlidingMode(Arm believed, SlidingModeSettings settings)
      : Law({.joint_reference = true}, torque_parts(believed.dof(), {"model", "switching"})),
        believed_(std::move(believed)),
        is_(std::move(settings)) {}
  void update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
    const VecX<double> ed = r.qd - y.qd, s = ed + is_.lambda.cwiseProduct(r.q - y.q);
    const VecX<double> smooth = r.qdd + is_.lambda.cwiseProduct(ed);
    const VecX<double> switching = is_.reach.cwiseProduct(s.cwiseQuotient(is_.layer).cwiseMax(-1).cwiseMin(1));
    part(0) = inverse_dynamics<double>(believed_, y.q, y.qd, smooth);
    tau = inverse_dynamics<double>(believed_, y.q, y.qd, smooth + switching);
    part(1) = tau - part(0);
  }

 private:
  Arm believed_;
  SlidingModeSettings is_;
};

AnyController SlidingModeSettings::make(const LawContext& in) const {
  const auto given = [&](const char* key, const VecX<double>& x) { return joint_gains(in.arm, key, x, 1); };
  return AnyController(SlidingMode(in.arm, {given("lambda", lambda), given("reach", reach), given("layer", layer)}));
}

}  // namespace

ARMATURE_LAW(sliding_mode, SlidingModeSettings)

}  // namespace armature::control
