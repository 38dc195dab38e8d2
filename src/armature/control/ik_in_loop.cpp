#include "armature/control/ik_in_loop.hpp"

#include <algorithm>

#include "armature/control/internal/finite_state.hpp"
#include "armature/control/internal/settings.hpp"

namespace armature::control {

IkInLoop::IkInLoop(Arm believed, AnyController joint_law, const IkInLoopSettings& s)
    : LawAround(std::move(joint_law), {.tool_reference = true}), believed_(std::move(believed)), settings_(s) {
  needs_.joint_reference = false;  // this law makes them
  settings_.speed =
      s.speed.size() > 0 ? joint_gains(believed_, "speed", s.speed) : limits_of(believed_, &Limits::velocity);
  number_at_least("tolerance", s.tolerance, 0);
  parts_.push_back({"ik_solution", "rad | m", VecX<double>::Zero(believed_.dof())});
  parts_.push_back({"ik_error", "m, rad", VecX<double>::Zero(2)});
  parts_.push_back({"ik_iterations", "1", VecX<double>::Zero(1)});
  solution_ = joint_.q = joint_.qd = joint_.qdd = VecX<double>::Zero(believed_.dof());
}

void IkInLoop::reset(const Measurement& y) {
  solution_ = joint_.q = y.q;
  joint_.qd.setZero();
  law_.reset(y);
}

void IkInLoop::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  const IkResult found = inverse_kinematics(believed_, r.X_WT, solution_, settings_.ik);
  status_ = {};
  if (found.error.position > settings_.tolerance || found.error.angle > settings_.tolerance)
    status_ |= Condition::unreachable;
  advance(solution_, found.q);
  const VecX<double> before = joint_.q;
  for (Eigen::Index i = 0; i < solution_.size(); ++i) {
    const double most = dt > 0 ? settings_.speed[i] * dt : unlimited;
    joint_.q[i] += std::clamp(solution_[i] - joint_.q[i], -most, most);
  }
  if (dt > 0) joint_.qd = (joint_.q - before) / dt;
  joint_.X_WT = r.X_WT;
  joint_.twist = r.twist;
  joint_.acceleration = r.acceleration;
  joint_.wrench = r.wrench;
  law_.update(y, joint_, dt, tau);
  status_ |= law_.status();
  show_law(tau);
  part(own_) = solution_;
  part(own_ + 1) = Eigen::Vector2d(found.error.position, found.error.angle);
  part(own_ + 2)[0] = found.iterations;
}

void IkInLoopSettings::fields(Fields& f) {
  list_inner_law(f, terms);
  f.word("task", ik.task, {"position", "planar", "pose"}, "what of the tool's pose the joints follow");
  f.word("method", ik.method, {"newton", "damped", "transposed_jacobian"}, "method of inverse kinematics");
  f.integer("iterations", ik.max_iterations, "largest number of iterations per tick", Range::positive);
}
AnyController IkInLoopSettings::make(const LawContext& in) const {
  return AnyController(IkInLoop(in.arm, inner_law(terms, "ik_in_loop", in), *this));
}
ARMATURE_LAW(ik_in_loop, IkInLoopSettings)

}  // namespace armature::control
