#include "armature/plant/plant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/algorithms/energy.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/core/error.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/plant/internal/motor_law.hpp"
#include "armature/plant/internal/require.hpp"
#include "armature/plant/internal/spring_law.hpp"
#include "armature/plant/internal/wall_law.hpp"

namespace armature::plant {

Plant::Plant(PlantDescription description) : d_(std::move(description)) {
  dof_ = d_.arm ? d_.arm->dof() : 0;
  const int rotors = static_cast<int>(d_.rotors.size());
  axes_ = dof_ + rotors + (d_.flexible ? static_cast<int>(d_.flexible->angles.size()) : 0);
  for (int i = 0; i < dof_ && !d_.flexible; ++i) axis_of_body_.push_back(i);
  if (d_.flexible)
    for (const int joint : d_.flexible->joint) axis_of_body_.push_back(joint < dof_ ? joint : joint + rotors);
  check_elements();
  lay_out_states();
  lay_out_modes();
  prepare_arms();
}

void Plant::check_elements() {
  require(axes_ >= 1 && axes_ <= max_axes, "plant", fmt::format("it has {} axes", axes_),
          fmt::format("1 to {} are supported", max_axes));
  for (const Rotor& rotor : d_.rotors)
    require(rotor.inertia > 0 && std::isfinite(rotor.inertia), fmt::format("rotor '{}'", rotor.name),
            "its inertia is not positive", "a rotor without inertia has no motion of its own: leave it out");
  for (const int axis : d_.locks)
    require(axis >= 0 && axis < axes_ && std::count(d_.locks.begin(), d_.locks.end(), axis) == 1, "plant",
            fmt::format("axis {} is locked twice, or is not there", axis), axes_count(axes_));
  std::erase_if(d_.friction, [&](const AxisFriction& f) { return locked(f.axis); });  // what stands still does not rub
  friction_of_axis_.assign(axes_, -1);
  for (std::size_t i = 0; i < d_.friction.size(); ++i) {
    AxisFriction& f = d_.friction[i];
    check(f, axes_);
    int& slot = friction_of_axis_[f.axis];
    require(slot < 0, fmt::format("friction at axis {}", f.axis),
            fmt::format("axis {} already has a friction element", f.axis), "one friction law per axis");
    slot = static_cast<int>(i);
    f.exact = f.exact && sticks(f);
  }
  for (const Spring& s : d_.springs) check(s, axes_);
  for (const Motor& m : d_.motors) check(m, axes_);
  for (const Wall& w : d_.walls) check(w);
  for (const ToolWrench& w : d_.wrenches) check(w);
  require(dof_ > 0 || (d_.payloads.empty() && d_.wrenches.empty() && d_.walls.empty()), "plant",
          "payloads, wrenches and walls need an arm", "describe the arm");
  require(
      d_.reflected_inertia.size() == 0 || (d_.reflected_inertia.rows() == dof_ && d_.reflected_inertia.cols() == dof_),
      "plant", "the reflected inertia does not have one row and one column per joint",
      "leave it empty where there is none");
  for (const Eigen::MatrixXd* shown : {&d_.motor_encoders, &d_.motor_tachometers})
    require(shown->size() == 0 || (shown->rows() == dof_ && shown->cols() == axes_), "plant",
            "what instruments at the motors show does not have one row per joint and one column per axis",
            "leave it empty where gears are stiff");
}

void Plant::lay_out_states() {
  const int rotors_end = dof_ + static_cast<int>(d_.rotors.size());
  const auto add_state = [&](const std::string& name, const std::string& unit) {
    state_names_.push_back({name, unit});
    return static_cast<int>(state_names_.size()) - 1;
  };
  for (const char* what : {"q", "v"})
    for (int i = 0; i < axes_; ++i) {
      const bool slides = i < dof_ && !d_.arm->body(i).revolute;
      const std::string axis = i < dof_         ? std::to_string(i + 1)
                               : i < rotors_end ? "_" + d_.rotors[i - dof_].name
                                                : "_" + d_.flexible->angles[i - rotors_end];
      add_state(what + axis, std::string(slides ? "m" : "rad") + (*what == 'v' ? "/s" : ""));
    }
  for (const Motor& m : d_.motors) {
    current_state_.push_back(m.command == Motor::Command::voltage && m.inductance > 0 && !m.linear
                                 ? add_state("current_" + m.name, "A")
                                 : -1);
    linear_state_.push_back(m.linear ? static_cast<int>(state_names_.size()) : -1);
    for (Eigen::Index i = 0; m.linear && i < m.linear->A.rows(); ++i)
      add_state(fmt::format("drive_{}_{}", m.name, i + 1), "");
  }
  for (const AxisFriction& f : d_.friction)
    bristle_state_.push_back(
        std::holds_alternative<LuGre>(f.law) ? add_state(fmt::format("bristle_{}", f.axis + 1), "rad") : -1);
  for (const Spring& s : d_.springs)
    dahl_state_.push_back(s.hysteresis_torque > 0 ? add_state("hysteresis_" + s.name, "N m") : -1);
  for (const Wall& w : d_.walls) {
    wall_state_.push_back(w.friction > 0 ? static_cast<int>(state_names_.size()) : -1);
    if (w.friction > 0)
      for (const char* axis : {"_x", "_y", "_z"}) add_state("bristle_" + w.name + axis, "m");
  }
  energy_state_ = add_state("energy_supplied", "J");
  add_state("energy_dissipated", "J");
  require(states() <= 2 * axes_ + max_axes, "plant", "it has too many inner states", "fewer elements with a memory");
}

void Plant::lay_out_modes() {
  const auto reserve = [&](std::size_t n) {
    const int start = modes_;
    modes_ += static_cast<int>(n);
    return start;
  };
  spring_modes_ = reserve(d_.springs.size());
  friction_modes_ = reserve(d_.friction.size());
  motor_modes_ = reserve(d_.motors.size());
  wall_modes_ = reserve(d_.walls.size());
  wrench_modes_ = reserve(d_.wrenches.size());
  payload_mode_ = reserve(1);
  const auto watch = [&](int mode, int times) {
    for (int i = 0; i < times; ++i) guard_element_.push_back(mode);
  };
  for (std::size_t i = 0; i < d_.springs.size(); ++i)
    if (d_.springs[i].backlash > 0) watch(spring_modes_ + static_cast<int>(i), 2);
  for (std::size_t i = 0; i < d_.friction.size(); ++i)
    if (d_.friction[i].exact) watch(friction_modes_ + static_cast<int>(i), 1);
  for (std::size_t i = 0; i < d_.motors.size(); ++i)
    if (watches_saturation(i)) watch(motor_modes_ + static_cast<int>(i), 2);
  for (std::size_t i = 0; i < d_.walls.size(); ++i) watch(wall_modes_ + static_cast<int>(i), 1);
  guard_count_ = static_cast<int>(guard_element_.size());
}

/// The arm as it moves: with reflected rotors in the order of its bodies, with each payload, and when what is switched from outside.
void Plant::prepare_arms() {
  if (d_.reflected_inertia.isZero(0)) d_.reflected_inertia.resize(0, 0);
  if (d_.reflected_inertia.size() > 0) {
    const Eigen::Index bodies = axis_of_body_.size();
    reflected_inertia_ = MatX<double>::Zero(bodies, bodies);
    for (Eigen::Index j = 0; j < bodies; ++j)
      for (Eigen::Index i = 0; i < bodies; ++i) {
        const int row = axis_of_body_[i], column = axis_of_body_[j];
        if (row < dof_ && column < dof_) reflected_inertia_(i, j) = d_.reflected_inertia(row, column);
      }
  }
  if (dof_ > 0) {
    arms_.push_back(d_.flexible ? d_.flexible->arm : *d_.arm);
    for (const PayloadChange& change : d_.payloads) {
      arms_.push_back(with_payload(arms_.front(), change.load.body()));
      switching_times_.push_back(change.time);
    }
  }
  require(std::is_sorted(switching_times_.begin(), switching_times_.end()), "plant",
          "payload changes are not in order of time", "sort them");
  require(d_.payloads.size() < 100, "plant", "too many payload changes", "at most 99");
  for (const ToolWrench& w : d_.wrenches) {
    switching_times_.push_back(w.from);
    switching_times_.push_back(w.to);
  }
  std::sort(switching_times_.begin(), switching_times_.end());
  switching_times_.erase(std::unique(switching_times_.begin(), switching_times_.end()), switching_times_.end());
}

const Arm& Plant::arm(const Modes& modes) const { return arms_[modes[payload_mode_]]; }

Eigen::VectorXd Plant::state_at(const VecX<double>& q, const VecX<double>& qd) const {
  if (q.size() != dof_ || qd.size() != dof_)
    throw Error(fmt::format("the start has {} positions and {} velocities", q.size(), qd.size()),
                fmt::format("the arm has {} joints", dof_));
  Eigen::VectorXd x = Eigen::VectorXd::Zero(states());
  x.head(dof_) = q;
  x.segment(axes_, dof_) = qd;
  // Rotors follow what they are coupled to, from the arm outwards: driver = ratio * driven.
  std::vector<bool> placed(axes_, false);
  std::fill(placed.begin(), placed.begin() + dof_, true);
  for (int round = 0; round < axes_; ++round)
    for (const Spring& s : d_.springs) {
      const auto there = [&](int axis) { return axis != ground && placed[axis]; };
      const bool load_placed = s.coupled.empty() ? there(s.driven)
                                                 : std::all_of(s.coupled.begin(), s.coupled.end(),
                                                               [&](const auto& pair) { return there(pair.first); });
      if (load_placed && s.driver != ground && !there(s.driver)) {
        x[s.driver] = s.ratio * load_side(s, x.data());
        x[axes_ + s.driver] = s.ratio * load_side(s, x.data() + axes_);
        for (int newton = 0; newton < 20 && s.error_amplitude != 0;
             ++newton)  // the gear's error moves the relaxed angle
          x[s.driver] -= twist<double>(s, x.data()) / lever<double>(s, x.data());
        placed[s.driver] = true;
      } else if (there(s.driver) && s.driven != ground && !load_placed) {
        x[s.driven] = 0;
        x[s.driven] = twist<double>(s, x.data());
        x[axes_ + s.driven] = lever<double>(s, x.data()) * x[axes_ + s.driver];
        placed[s.driven] = true;
      }
    }
  for (std::size_t k = 0; k < d_.motors.size(); ++k) {  // a linear drive that turns along, without a command
    const Motor& m = d_.motors[k];
    const double speed = motor_speed<double>(m, x.data() + axes_);
    if (!m.linear || m.linear->A.rows() == 0 || speed == 0) continue;
    const Eigen::VectorXd along = solved(m.linear->A, -speed * m.linear->B.col(1));
    if (along.allFinite()) x.segment(linear_state_[k], along.size()) = along;
  }
  if (d_.flexible) bend_by_weight(x);
  return x;
}

//  The elastic angles e where K e + g_e(q, e) = 0, by Newton with differences; they stay at zero where it finds none.
void Plant::bend_by_weight(Eigen::VectorXd& x) const {
  std::vector<std::pair<int, int>> elastic;  // body, axis
  for (std::size_t i = 0; i < axis_of_body_.size(); ++i)
    if (axis_of_body_[i] >= dof_) elastic.emplace_back(static_cast<int>(i), axis_of_body_[i]);
  const Eigen::Index n = elastic.size();
  Eigen::VectorXd K = Eigen::VectorXd::Zero(n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (const Spring& s : d_.springs)
      if (s.driven == elastic[i].second) K[i] += s.stiffness;
  const auto residual = [&](const Eigen::VectorXd& y) {
    const VecX<double> g = gravity_torque<double>(arms_.front(), joints_of(y.data()));
    Eigen::VectorXd r(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto [body, axis] = elastic[i];
      r[i] = K[i] * y[axis] + g[body];
    }
    return r;
  };
  Eigen::VectorXd y = x;
  for (int round = 0; round < 20; ++round) {
    const Eigen::VectorXd r = residual(y);
    if (r.cwiseQuotient(K).norm() < 1e-13) break;
    Eigen::MatrixXd J(n, n);
    for (Eigen::Index i = 0; i < n; ++i) {
      Eigen::VectorXd moved = y;
      moved[elastic[i].second] += 1e-6;
      J.col(i) = (residual(moved) - r) / 1e-6;
    }
    const Eigen::VectorXd step = solved(J, r);
    for (Eigen::Index i = 0; i < n; ++i) y[elastic[i].second] -= step[i];
  }
  if (y.allFinite() && residual(y).norm() <= 1e-6 * (1e-9 + residual(x).norm())) x = y;
}

double Plant::stored_energy(const double* x, const Modes& modes) const noexcept {
  LinkPoses<double> poses;
  if (dof_ > 0) forward_kinematics<double>(arm(modes), joints_of(x), poses);
  return stored_energy(x, poses, modes);
}

double Plant::stored_energy(const double* x, const LinkPoses<double>& poses, const Modes& modes) const noexcept {
  const double *y = x, *v = x + axes_;
  double stored = 0;
  if (dof_ > 0) {
    const VecX<double> q = joints_of(y), qd = joints_of(v);
    const Energy<double> e = energy<double>(arm(modes), q, poses, qd);
    stored += e.kinetic + e.potential;
    if (reflected_inertia_.size() > 0) stored += 0.5 * qd.dot(reflected_inertia_.lazyProduct(qd));
  }
  for (std::size_t i = 0; i < d_.rotors.size(); ++i) {
    const double speed = v[dof_ + i];
    stored += 0.5 * d_.rotors[i].inertia * speed * speed;
  }
  for (std::size_t k = 0; k < d_.springs.size(); ++k) {
    const Spring& s = d_.springs[k];
    const int mode = modes[spring_modes_ + k];
    if (s.backlash == 0 || mode != 0) stored += elastic_energy(s, compression(s, twist<double>(s, y), mode));
    if (dahl_state_[k] >= 0) stored += 0.5 * x[dahl_state_[k]] * x[dahl_state_[k]] / s.hysteresis_stiffness;
  }
  for (std::size_t k = 0; k < d_.friction.size(); ++k)
    if (bristle_state_[k] >= 0)
      stored += 0.5 * std::get<LuGre>(d_.friction[k].law).sigma0 * x[bristle_state_[k]] * x[bristle_state_[k]];
  for (std::size_t k = 0; k < d_.motors.size(); ++k)
    if (current_state_[k] >= 0) stored += 0.5 * d_.motors[k].inductance * x[current_state_[k]] * x[current_state_[k]];
  for (std::size_t k = 0; k < d_.walls.size(); ++k) {
    const Wall& w = d_.walls[k];
    if (modes[wall_modes_ + k] != 0) {
      const Vec3<double> p = tool_pose(arm(modes), poses).p;
      const double depth = penetration<double>(w, p, Vec3<double>::Zero()).depth;
      stored += 0.5 * w.stiffness * depth * depth;
    }
    if (wall_state_[k] >= 0)
      stored += 0.5 * w.tangential_stiffness * Eigen::Map<const Vec3<double>>(x + wall_state_[k]).squaredNorm();
  }
  return stored;
}

}  // namespace armature::plant
