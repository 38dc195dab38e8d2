#include "armature/control/compensation.hpp"
#include "armature/control/computed_torque.hpp"
#include "armature/control/damping.hpp"
#include "armature/control/feed_forward.hpp"
#include "armature/control/joint_pd.hpp"
#include "armature/control/joint_pid.hpp"
#include "armature/run/controllers.hpp"

namespace armature {

namespace {

DynamicTerms terms_of(const LawSettings& s) {
  return {
      .inertia = s.inertia, .coriolis = s.coriolis, .gravity = s.gravity, .friction = s.friction, .rotors = s.rotors};
}

}  // namespace

std::optional<AnyController> joint_law(const LawSource& source) {
  const LawSettings& s = source.law;
  const Arm& arm = source.arm();
  const auto joints = [&](const std::vector<double>& numbers) { return source.joints(numbers); };
  if (s.kind == "open_loop")
    return AnyController(OpenLoop{s.tau.empty() ? VecX<double>::Zero(arm.dof()) : joints(s.tau)});
  if (s.kind == "joint_pd") {
    source.need("kp", !s.kp.empty()), source.need("kd", !s.kd.empty());
    return AnyController(JointPd{joints(s.kp), joints(s.kd)});
  }
  if (s.kind == "joint_pid") {
    source.need("kp", !s.kp.empty()), source.need("ki", !s.ki.empty()), source.need("kd", !s.kd.empty());
    return AnyController(JointPid(arm, {.kp = joints(s.kp),
                                        .ki = joints(s.ki),
                                        .kd = joints(s.kd),
                                        .limit = joints(s.limit),
                                        .tracking_time = s.tracking_time}));
  }
  if (s.kind == "gravity") return AnyController(GravityCompensation(arm, s.at_reference));
  if (s.kind == "friction") {
    FrictionCompensationSettings settings;
    settings.speed = s.speed == "measured" ? FrictionCompensationSettings::Speed::measured
                                           : FrictionCompensationSettings::Speed::reference;
    settings.share = s.share;
    return AnyController(FrictionCompensation(arm, settings));
  }
  if (s.kind == "joint_damping") {
    source.need("kd", !s.kd.empty());
    return AnyController(JointDamping{joints(s.kd)});
  }
  if (s.kind == "feed_forward") return AnyController(FeedForward(arm, terms_of(s)));
  if (s.kind == "computed_torque") {
    source.need("kp", !s.kp.empty()), source.need("kd", !s.kd.empty());
    return AnyController(ComputedTorque(arm, {.kp = joints(s.kp), .kd = joints(s.kd), .terms = terms_of(s)}));
  }
  if (s.kind == "designed_pd") {
    source.need("kp", !s.kp.empty());
    return AnyController(DesignedPd(
        arm, {.kp = joints(s.kp),
              .zeta = s.zeta,
              .design = s.design == "square_roots" ? DampingDesign::square_roots : DampingDesign::double_diagonal,
              .design_position = joints(s.design_position)}));
  }
  return std::nullopt;
}

}  // namespace armature
