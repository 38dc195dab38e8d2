// When a plant's laws change, and to what.
#include <fmt/format.h>

#include <algorithm>

#include "armature/algorithms/energy.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/numerics/ldlt.hpp"
#include "armature/plant/internal/axis_friction_law.hpp"
#include "armature/plant/internal/motor_law.hpp"
#include "armature/plant/internal/spring_law.hpp"
#include "armature/plant/internal/wall_law.hpp"
#include "armature/plant/plant.hpp"

namespace armature::plant {

namespace {

/// Contact lasts while a pushing law pushes and the gap is closed: the smaller of both is positive. The same function tells
/// a free side when it closes, so contact is a property of the state, not of its history. So it is with a current at its limit
/// and the voltage that pushes it there.
double contact(double depth, double push) { return std::min(depth, push); }

/// At the start there is no history: where the gap is just closed, the rate at which it closes decides.
bool touches(double contact, double depth, double rate) { return contact > 0 || (depth == 0 && rate > 0); }

double spring_contact(const Spring& s, double twist, double rate, int side) {
  const double x = compression(s, twist, side);
  return contact(side * x, side * (elastic_torque(s, x) + s.damping * rate));
}

double wall_contact(const Wall& w, double depth, double rate) {
  return contact(depth, w.stiffness * depth + w.damping * rate);
}

std::int8_t sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace

bool Plant::watches_saturation(std::size_t k) const noexcept {
  const Motor& m = d_.motors[k];
  return current_state_[k] >= 0 ? m.current_limit.has_value() : saturates_with_speed(m);
}

Plant::ToolMotion Plant::tool_motion(const double* x, const Modes& modes) const noexcept {
  const VecX<double> q = joints_of(x), qd = joints_of(x + axes_);
  const LinkPoses<double> poses = forward_kinematics<double>(arm(modes), q);
  return {tool_pose<double>(arm(modes), poses).p, (tool_jacobian<double>(arm(modes), poses) * qd).head<3>()};
}

void Plant::guards(double t, const double* x, const double* u, const Modes& modes, double* g) const noexcept {
  const double *y = x, *v = x + axes_;
  const bool sticks =
      std::any_of(d_.friction.begin(), d_.friction.end(), [](const AxisFriction& f) { return f.exact; });
  Forces<double> f(axes_, inner_states());
  std::array<double, max_axes> a, held;
  if (sticks) {
    forces(t, x, u, modes, f);
    accelerations(x, modes, f, a.data(), held.data());
  }

  int k = 0;
  for (std::size_t i = 0; i < d_.springs.size(); ++i) {
    const Spring& s = d_.springs[i];
    if (s.backlash == 0) continue;
    const int side = modes[spring_modes_ + i];
    const double angle = twist<double>(s, y), rate = twist_rate<double>(s, y, v);
    g[k++] = side == 0 ? -spring_contact(s, angle, rate, 1) : spring_contact(s, angle, rate, side);
    g[k++] = side == 0 ? -spring_contact(s, angle, rate, -1) : 1.0;
  }
  for (std::size_t i = 0; i < d_.friction.size(); ++i) {
    const AxisFriction& friction = d_.friction[i];
    if (!friction.exact) continue;
    const int axis = friction.axis, direction = modes[friction_modes_ + i];
    if (direction != 0)
      g[k++] = direction * v[axis];
    else {
      const int push = held[axis] >= 0 ? 1 : -1;
      g[k++] = breakaway_friction(friction, push, f.drive[axis]) - push * held[axis];
    }
  }
  for (std::size_t i = 0; i < d_.motors.size(); ++i) {
    const Motor& m = d_.motors[i];
    if (!watches_saturation(i)) continue;
    const int limit = modes[motor_modes_ + i];
    const double speed = motor_speed(m, v);
    if (current_state_[i] >= 0) {
      const double current = x[current_state_[i]];
      const double push = clamped(u[i], m.voltage_limit) - m.resistance * current - m.back_emf * speed;
      g[k++] = limit == 0 ? -contact(current - *m.current_limit, push) : limit * push;
      g[k++] = limit == 0 ? -contact(-current - *m.current_limit, -push) : 1.0;
    } else {
      const MotorCurrent<double> current(m, u[i], speed);
      g[k++] = limit == 0  ? current.high - current.wanted
               : limit > 0 ? current.wanted - current.high
                           : current.low - current.wanted;
      g[k++] = limit == 0 ? current.wanted - current.low : 1.0;
    }
  }
  if (d_.walls.empty()) return;
  const auto [p, velocity] = tool_motion(x, modes);
  for (std::size_t i = 0; i < d_.walls.size(); ++i) {
    const auto [depth, rate] = penetration<double>(d_.walls[i], p, velocity);
    const double touching = wall_contact(d_.walls[i], depth, rate);
    g[k++] = modes[wall_modes_ + i] == 0 ? -touching : touching;
  }
}

/// Lets go the overloaded ones among the stuck axes, one at a time, the most overloaded first.
void Plant::release_overloaded(double t, double* x, const double* u, Modes& modes) const {
  for (std::size_t round = 0; round <= d_.friction.size() && anything_stuck(modes); ++round) {
    Forces<double> f(axes_, inner_states());
    std::array<double, max_axes> a, held;
    forces(t, x, u, modes, f);
    accelerations(x, modes, f, a.data(), held.data());
    double worst = 0;
    std::size_t which = 0;
    std::int8_t direction = 0;
    for (std::size_t i = 0; i < d_.friction.size(); ++i) {
      const AxisFriction& friction = d_.friction[i];
      if (!friction.exact || modes[friction_modes_ + i] != 0) continue;
      const std::int8_t push = held[friction.axis] >= 0 ? 1 : -1;
      const double excess = push * held[friction.axis] - breakaway_friction(friction, push, f.drive[friction.axis]);
      if (excess > worst) {
        worst = excess;
        which = i;
        direction = push;
      }
    }
    if (direction == 0) return;
    modes[friction_modes_ + which] = direction;
  }
}

void Plant::settle(double t, double* x, const double* u, Modes& modes) const {
  const bool first = modes.empty();
  double* v = x + axes_;
  if (first) {
    modes.assign(modes_, 0);
    for (std::size_t i = 0; i < d_.payloads.size(); ++i)
      if (d_.payloads[i].time <= t) modes[payload_mode_] = static_cast<std::int8_t>(i + 1);
    for (std::size_t i = 0; i < d_.wrenches.size(); ++i)
      modes[wrench_modes_ + i] = d_.wrenches[i].from <= t && t < d_.wrenches[i].to;
    for (std::size_t i = 0; i < d_.springs.size(); ++i) {
      const Spring& s = d_.springs[i];
      const double angle = twist<double>(s, x), rate = twist_rate<double>(s, x, v);
      for (const int side : {1, -1})
        if (s.backlash > 0 &&
            touches(spring_contact(s, angle, rate, side), side * compression(s, angle, side), side * rate))
          modes[spring_modes_ + i] = static_cast<std::int8_t>(side);
    }
    for (std::size_t i = 0; i < d_.friction.size(); ++i)
      if (d_.friction[i].exact) modes[friction_modes_ + i] = sign_of(v[d_.friction[i].axis]);
    if (!d_.walls.empty()) {
      const auto [p, velocity] = tool_motion(x, modes);
      for (std::size_t i = 0; i < d_.walls.size(); ++i) {
        const auto [depth, rate] = penetration<double>(d_.walls[i], p, velocity);
        if (touches(wall_contact(d_.walls[i], depth, rate), depth, rate)) modes[wall_modes_ + i] = 1;
      }
    }
  }
  for (std::size_t i = 0; i < d_.motors.size(); ++i) {
    const Motor& m = d_.motors[i];
    if (!watches_saturation(i)) continue;
    const double speed = motor_speed(m, v);
    int limit = 0;
    if (current_state_[i] >= 0) {
      const double current = x[current_state_[i]];
      const double push = clamped(u[i], m.voltage_limit) - m.resistance * current - m.back_emf * speed;
      if (std::abs(current) >= *m.current_limit && sign_of(current) * push > 0) limit = sign_of(current);
    } else {
      const MotorCurrent<double> current(m, u[i], speed);
      limit = current.wanted > current.high ? 1 : current.wanted < current.low ? -1 : 0;
    }
    modes[motor_modes_ + i] = static_cast<std::int8_t>(limit);
  }
  release_overloaded(t, x, u, modes);
}

Modes Plant::modes_at(double t, Eigen::VectorXd& x, const double* u) const {
  Modes modes;
  settle(t, x.data(), u, modes);
  return modes;
}

PlantEvent Plant::cross(int k, double t, double* x, const double* u, Modes& modes) const {
  const int element = guard_element_[k];
  std::int8_t& mode = modes[element];
  const bool second = k > 0 && guard_element_[k - 1] == element;  // of an element's two guards
  const double stored = stored_energy(x, modes);
  PlantEvent event;
  if (element < friction_modes_) {
    const Spring& s = d_.springs[element - spring_modes_];
    event = {mode == 0 ? "contact" : "release", (s.is_end_stop() ? "end stop " : "spring ") + s.name};
    mode = static_cast<std::int8_t>(mode != 0 ? 0 : second ? -1 : 1);
  } else if (element < motor_modes_) {
    const AxisFriction& f = d_.friction[element - friction_modes_];
    const std::string& axis = state_names_[f.axis].name;
    if (mode != 0) {
      x[axes_ + f.axis] = 0;
      mode = 0;
      event = {"stick", axis};
    } else {
      Forces<double> forces_now(axes_, inner_states());
      std::array<double, max_axes> a, held;
      forces(t, x, u, modes, forces_now);
      accelerations(x, modes, forces_now, a.data(), held.data());
      mode = static_cast<std::int8_t>(held[f.axis] >= 0 ? 1 : -1);
      event = {"slip", axis};
    }
  } else if (element < wall_modes_) {
    const Motor& m = d_.motors[element - motor_modes_];
    event = {mode == 0 ? "saturated" : "unsaturated", "motor " + m.name};
    mode = static_cast<std::int8_t>(mode != 0 ? 0 : second ? -1 : 1);
  } else {
    const int i = element - wall_modes_;
    event = {mode == 0 ? "touch" : "leave", "wall " + d_.walls[i].name};
    mode = mode == 0;
    if (mode == 0 && wall_state_[i] >= 0) std::fill_n(x + wall_state_[i], 3, 0.0);
  }
  x[energy_state_ + 1] += stored - stored_energy(x, modes);  // what a released spring or bristle still held is lost
  const std::int8_t before = mode;
  release_overloaded(t, x, u, modes);
  if (event.kind == "stick" && mode != before) event.kind = "reverse";
  return event;
}

PlantEvent Plant::switch_at(double t, double* x, const double* u, Modes& modes) const {
  PlantEvent event{"switch", ""};
  for (std::size_t i = 0; i < d_.wrenches.size(); ++i) {
    std::int8_t& mode = modes[wrench_modes_ + i];
    const bool active = d_.wrenches[i].from <= t && t < d_.wrenches[i].to;
    if (active != (mode != 0)) event = {active ? "push" : "push ends", fmt::format("tool wrench {}", i + 1)};
    mode = active;
  }
  for (std::size_t i = 0; i < d_.payloads.size(); ++i) {
    if (d_.payloads[i].time != t) continue;
    event = {d_.payloads[i].load.mass > 0 ? "grasp" : "let go", fmt::format("payload change {}", i + 1)};
    const double before = stored_energy(x, modes);
    modes[payload_mode_] = static_cast<std::int8_t>(i + 1);
    double lost = 0;
    if (d_.payloads[i].load.mass >
        0) {  // picked up at rest: the arm's momentum is shared, M_with v = M_without v_before
      const Arm bare = with_payload(arms_.front(), std::nullopt);
      const VecX<double> q = joints_of<double>(x), v = joints_of<double>(x + axes_);
      MatX<double> M0 = mass_matrix<double>(bare, q), M1 = mass_matrix<double>(arm(modes), q);
      if (reflected_inertia_.size() > 0) {
        M0 += reflected_inertia_;
        M1 += reflected_inertia_;
      }
      VecX<double> momentum = M0 * v;
      const double kinetic = 0.5 * v.dot(momentum);
      const VecX<double> right = momentum;
      for (Eigen::Index body = 0; body < momentum.size(); ++body)  // a brake takes up its share of the blow
        if (locked(axis_of_body_[body])) {
          M1.row(body).setZero();
          M1.col(body).setZero();
          M1(body, body) = 1;
          momentum[body] = 0;
        }
      ldlt_in_place(M1);
      ldlt_solve_in_place(M1, momentum);
      for (std::size_t body = 0; body < axis_of_body_.size(); ++body) x[axes_ + axis_of_body_[body]] = momentum[body];
      lost = kinetic - 0.5 * momentum.dot(right);
      for (std::size_t k = 0; k < d_.friction.size(); ++k)  // dry friction does not resist a blow
        if (d_.friction[k].exact && d_.friction[k].axis < dof_)
          modes[friction_modes_ + k] = sign_of(x[axes_ + d_.friction[k].axis]);
    }
    x[energy_state_ + 1] += lost;
    x[energy_state_] += stored_energy(x, modes) - before + lost;  // what the payload brings or takes away
  }
  release_overloaded(t, x, u, modes);
  return event;
}

}  // namespace armature::plant
