#include "armature/control/guarded.hpp"

#include <algorithm>
#include <cmath>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/internal/settings.hpp"

namespace armature::control {

namespace {

bool sound(const VecX<double>& x, Eigen::Index n) { return x.size() == n && x.allFinite(); }

}  // namespace

Guarded::Guarded(Arm believed, AnyController law, const GuardSettings& s)
    : LawAround(std::move(law), {}, believed.dof()), believed_(std::move(believed)), settings_(s) {
  const int n = believed_.dof();
  const auto given_or_own = [this](const char* what, const VecX<double>& given, auto own, double otherwise) {
    return given.size() > 0 ? joint_numbers(believed_, what, given) : limits_of(believed_, own, otherwise);
  };
  settings_.torque = given_or_own("torque", s.torque, &Limits::torque, unlimited).cwiseAbs();
  settings_.velocity = given_or_own("velocity", s.velocity, &Limits::velocity, unlimited).cwiseAbs();
  settings_.lower = given_or_own("lower", s.lower, &Limits::lower, -unlimited);
  settings_.upper = given_or_own("upper", s.upper, &Limits::upper, unlimited);
  settings_.torque_rate = joint_gains(believed_, "torque_rate", s.torque_rate, unlimited);
  settings_.stop_damping = joint_gains(believed_, "stop_damping", s.stop_damping);
  number_at_least("ramp", s.ramp, 0);
  number_at_least("largest_jump", s.largest_jump, 0);
  number_at_least("longest_tick", s.longest_tick, 0);
  number_at_least("stop_time", s.stop_time, 1e-3);
  number_at_least("stop_speed", s.stop_speed, 0);
  number_at_least("hold_bandwidth", s.hold_bandwidth, 0);
  parts_.push_back({"guard", "", VecX<double>::Zero(n)});
  good_q_ = good_qd_ = hold_q_ = last_ = start_ = VecX<double>::Zero(n);
  mass_ = VecX<double>::Ones(n);
}

void Guarded::reset(const Measurement& y) {
  const int n = believed_.dof();
  mode_ = Mode::running;
  cause_ = status_ = {};
  share_ = 0;
  missed_ = 0;
  since_good_ = 0;
  sequence_ = y.sequence < 0 ? -1 : y.sequence - 1;
  if (!sound(y.q, n) || !sound(y.qd, n)) {
    cause_ = Condition::bad_measurement;
    mode_ = Mode::stopping;
    last_ = start_ = VecX<double>::Zero(n);
    return;
  }
  good_q_ = hold_q_ = y.q;
  good_qd_ = y.qd;
  start_ = settings_.start_from_gravity ? gravity_torque<double>(believed_, y.q) : VecX<double>::Zero(n);
  start_ = start_.cwiseMax(-settings_.torque).cwiseMin(settings_.torque);
  last_ = start_;
  law_.reset(y);
}

void Guarded::stop() noexcept {
  if (mode_ == Mode::running) mode_ = Mode::stopping;
}

//  A position may change between two samples by what the two speeds allow, and by `largest_jump`; and a speed must show in it.
Status Guarded::inspect(const Measurement& y, double dt) noexcept {
  const int n = believed_.dof();
  if (y.sequence >= 0 && y.sequence == sequence_) {
    since_good_ += dt;
    return Condition::stale;
  }
  bool good = sound(y.q, n) && sound(y.qd, n);
  if (needs_.wrench) good = good && y.wrench.allFinite();
  if (needs_.torque) good = good && sound(y.torque, n);
  if (good)
    for (int i = 0; i < n; ++i) {
      const double time = dt + since_good_, moved = std::abs(y.q[i] - good_q_[i]);
      const double way = std::max(std::abs(y.qd[i]), std::abs(good_qd_[i])) * time;
      good = good && moved <= way + settings_.largest_jump;                     // too far for these speeds
      good = good && std::abs(y.qd[i]) * dt <= moved + settings_.largest_jump;  // too fast for this way
    }
  if (!good) {
    since_good_ += dt;
    return Condition::bad_measurement;
  }
  sequence_ = y.sequence;
  missed_ = 0;
  since_good_ = 0;
  good_q_ = y.q;
  good_qd_ = y.qd;
  Status found;
  for (int i = 0; i < n; ++i) {
    const bool out = (y.q[i] > settings_.upper[i] - settings_.limit_margin && y.qd[i] > 0) ||
                     (y.q[i] < settings_.lower[i] + settings_.limit_margin && y.qd[i] < 0);
    if (out || std::abs(y.qd[i]) > settings_.velocity[i]) found |= Condition::joint_limit;
  }
  return found;
}

Status Guarded::inspect(const Reference& r) const noexcept {
  const int n = believed_.dof();
  bool good = true;
  if (needs_.joint_reference) good = good && sound(r.q, n) && sound(r.qd, n) && sound(r.qdd, n);
  if (needs_.tool_reference)
    good = good && r.X_WT.p.allFinite() && r.X_WT.R.allFinite() && r.twist.allFinite() && r.acceleration.allFinite() &&
           (r.X_WT.R.transpose() * r.X_WT.R - Mat3<double>::Identity()).cwiseAbs().maxCoeff() < 1e-6;
  if (needs_.wrench_reference) good = good && r.wrench.allFinite();
  return good ? Status() : Status(Condition::bad_reference);
}

void Guarded::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  const int n = believed_.dof();
  status_ = {};
  const bool timely = std::isfinite(dt) && dt >= 0 && dt <= settings_.longest_tick;
  const double step = timely ? dt : 0;
  const Status measured = inspect(y, step);
  const bool stale = measured.has(Condition::stale);
  const bool trusted = !measured.has(Condition::bad_measurement) && !stale;
  status_ |= measured;
  if (!timely) status_ |= Condition::bad_time;
  Status fault = status_;
  if (stale && ++missed_ <= settings_.missed_samples) fault = timely ? Status() : Status(Condition::bad_time);
  const Status wanted = inspect(r);
  status_ |= wanted;
  fault |= wanted;
  if (mode_ == Mode::running && fault.any()) {
    cause_ = fault;
    mode_ = Mode::stopping;
  }

  for (Part& p : parts_)
    if (p.is_torque()) p.value = VecX<double>::Zero(n);
  tau = last_;
  if (mode_ == Mode::running && !stale) {
    law_.update(y, r, step, tau);
    status_ |= law_.status();
    if (!sound(tau, n)) {
      status_ |= Condition::law_failed;
      cause_ = Condition::law_failed;
      mode_ = Mode::stopping;
    } else {
      share_ = settings_.ramp > 0 ? std::min(1.0, share_ + step / settings_.ramp) : 1;
      if (share_ < 1) status_ |= Condition::starting;
      const double s = share_ * share_ * (3 - 2 * share_);
      show_law(tau);
      for (std::size_t k = 0; k < own_; ++k)  // as they count in the command
        if (parts_[k].is_torque()) part(k) *= s;
      tau = (1 - s) * start_ + s * tau;
    }
  }
  if (mode_ != Mode::running) safe_stop(trusted, tau);
  limit(step, tau);
  last_ = tau;
  VecX<double>& guard = parts_.back().value;
  guard = tau;
  for (std::size_t k = 0; k < own_; ++k)
    if (parts_[k].is_torque()) guard -= parts_[k].value;
}

void Guarded::safe_stop(bool trusted, VecX<double>& tau) noexcept {
  if (trusted) {
    const MatX<double> M = mass_matrix<double>(believed_, good_q_);
    for (int i = 0; i < believed_.dof(); ++i) mass_[i] = std::max(M.row(i).cwiseAbs().sum(), 1e-9);
    if (mode_ == Mode::stopping && good_qd_.cwiseAbs().maxCoeff() <= settings_.stop_speed) {
      mode_ = Mode::holding;
      hold_q_ = good_q_;
    } else if (mode_ == Mode::holding && (good_q_ - hold_q_).cwiseAbs().maxCoeff() > 10 * settings_.largest_jump) {
      mode_ = Mode::stopping;  // pushed away: do not pull back across the room
    }
  }
  tau = gravity_torque<double>(believed_, good_q_);
  if (!tau.allFinite()) tau.setZero();
  const double w = settings_.hold_bandwidth;
  if (!trusted) {
    status_ |= Condition::brakes;
  } else if (mode_ == Mode::holding) {
    tau += mass_.cwiseProduct(w * w * (hold_q_ - good_q_) - 2 * w * good_qd_);
  } else {
    for (int i = 0; i < believed_.dof(); ++i) {
      const double given = settings_.stop_damping[i];
      tau[i] -= (given > 0 ? given : mass_[i] / settings_.stop_time) * good_qd_[i];
    }
  }
  status_ |= mode_ == Mode::holding ? Condition::holding : Condition::stopping;
}

void Guarded::limit(double dt, VecX<double>& tau) noexcept {
  for (int i = 0; i < believed_.dof(); ++i) {
    double t = std::isfinite(tau[i]) ? tau[i] : last_[i];
    if (dt > 0) {
      const double most = settings_.torque_rate[i] * dt;
      t = std::clamp(t, last_[i] - most, last_[i] + most);
    }
    t = std::clamp(t, -settings_.torque[i], settings_.torque[i]);
    if (t != tau[i]) status_ |= Condition::saturated;
    tau[i] = t;
  }
}

void GuardSettings::fields(Fields& f) {
  f.joints("torque", torque, joint_dimension::torque, "limit of the torques (default: the arm's)", Range::positive);
  f.joints("torque_rate", torque_rate, joint_dimension::torque_rate, "limit of the rate of the torques (default: none)",
           Range::positive);
  f.joints("lower", lower, joint_dimension::position, "limit of the positions (default: the arm's)");
  f.joints("upper", upper, joint_dimension::position, "limit of the positions (default: the arm's)");
  f.joints("velocity", velocity, joint_dimension::velocity, "limit of the velocities (default: the arm's)",
           Range::positive);
  f.angle("limit_margin", limit_margin, "distance before the position limits at which the guard acts",
          Range::not_negative);
  f.number("ramp", ramp, dimension::time, "time over which the law takes over at the start", Range::not_negative);
  f.flag("start_from_gravity", start_from_gravity, "until then the arm is held against gravity");
  f.integer("missed_samples", missed_samples, "number of missing samples in a row that are bridged",
            Range::not_negative);
  f.angle("largest_jump", largest_jump, "largest credible change of a position between two samples", Range::positive);
  f.number("longest_tick", longest_tick, dimension::time, "tick beyond which the loop counts as broken",
           Range::positive);
  f.joints("stop_damping", stop_damping, joint_dimension::damping, "damping while braking (default: from stop_time)",
           Range::not_negative);
  f.number("stop_time", stop_time, dimension::time, "time constant of braking", Range::positive);
  f.number("stop_speed", stop_speed, dimension::rate, "speed below which the arm is held", Range::not_negative);
  f.number("hold_bandwidth", hold_bandwidth, dimension::rate, "bandwidth of the spring that holds it",
           Range::not_negative);
}

}  // namespace armature::control
