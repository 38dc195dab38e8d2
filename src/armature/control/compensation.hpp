// Terms that cancel what the arm does by itself.
#pragma once

#include "armature/algorithms/friction.hpp"
#include "armature/control/law_settings.hpp"

namespace armature::control {

struct GravityCompensationSettings {
  bool at_reference = false;

  void fields(Fields& f);
};

/// tau = g(q), or with `at_reference` the constant g(q_r).
class GravityCompensation : public Law {
 public:
  explicit GravityCompensation(Arm believed, const GravityCompensationSettings& settings = {});
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;

 private:
  Arm believed_;
  bool at_reference_;
};
static_assert(Controller<GravityCompensation>);

struct FrictionCompensationSettings {
  enum class Speed {
    reference,  ///< of the reference: does not chatter, does nothing for a joint that should stand
    measured    ///< measured: also helps a hand that moves the arm; over-compensation is unstable
  };
  Speed speed = Speed::reference;
  double share = 1;                        // of the believed friction that is compensated [-]
  double sign_width = default_sign_width;  // over which a jump at zero speed is smoothed [rad/s | m/s]

  void fields(Fields& f);
};

/// tau = share * friction(speed), the arm's own laws, their jumps smoothed over `sign_width`.
class FrictionCompensation : public Law {
 public:
  explicit FrictionCompensation(Arm believed, const FrictionCompensationSettings& settings = {});
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;

 private:
  Arm believed_;
  FrictionCompensationSettings settings_;
};
static_assert(Controller<FrictionCompensation>);

/// tau = -kd qd: takes energy wherever the arm moves.
struct JointDamping {
  VecX<double> kd;  // [N m s/rad | N s/m]

  void reset(const Measurement&) {}
  void update(const Measurement& y, const Reference&, double, VecX<double>& tau) noexcept {
    tau = -kd.cwiseProduct(y.qd);
  }
  [[nodiscard]] Needs needs() const noexcept { return {}; }
};
static_assert(Controller<JointDamping>);

struct JointDampingSettings {
  VecX<double> kd;

  void fields(Fields& f);
  [[nodiscard]] AnyController make(const LawContext& in) const;
};

}  // namespace armature::control
