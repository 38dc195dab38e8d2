// Back-EMF compensation.
// For motors that are fed with voltages. A voltage R/(N K_T) tau gives the torque tau at standstill only: turning at ω the winding
// loses K_E ω. This term gives it back, so that the sum of a law's terms arrives at the joints as the torques they ask for.
//
//     tau = Cᵀ diag(N² K_T K_E / R) C qd,   in volts  K_E N C qd
//
// The voltage form of [Kostic2002, (8)-(11)]. With `speed: measured` it cancels the damping that the windings give for nothing:
// a speed that is overestimated makes the joint unstable, so the share stays below one there.
#include "armature/algorithms/motor_commands.hpp"
#include "armature/control/internal/settings.hpp"
#include "armature/control/law_settings.hpp"

namespace armature::control {

namespace {

struct BackEmfSettings {
  enum class Speed { reference, measured };
  Speed speed = Speed::reference;
  double share = 1;  // [-]

  void fields(Fields& f) {
    f.word("speed", speed, {"reference", "measured"}, "at which speed the back EMF is taken");
    f.number("share", share, dimension::none, "share of the back EMF that is compensated", Range::not_negative);
  }
};

class BackEmfCompensation : public Law {
 public:
  BackEmfCompensation(const Arm& believed, const BackEmfSettings& settings)
      : Law({.joint_reference = settings.speed == BackEmfSettings::Speed::reference},
            torque_parts(believed.dof(), {"back_emf"})),
        damping_(number_at_least("share", settings.share, 0) * back_emf_damping(believed)),
        measured_(settings.speed == BackEmfSettings::Speed::measured) {}
  void update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
    tau = part(0) = damping_.lazyProduct(measured_ ? y.qd : r.qd);
  }

 private:
  MatX<double> damping_;
  bool measured_;
};

}  // namespace

ARMATURE_LAW(back_emf, BackEmfSettings, BackEmfCompensation)

}  // namespace armature::control
