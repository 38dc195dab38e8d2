// Small things that tests of control laws need.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "armature/control/controller.hpp"
#include "armature/testing/moving_arm.hpp"

namespace armature::testing {

inline VecX<double> numbers(std::initializer_list<double> list) {
  VecX<double> x(static_cast<Eigen::Index>(list.size()));
  std::copy(list.begin(), list.end(), x.begin());
  return x;
}

/// Standing at q, with the tool where the arm then has it.
Reference standing_at(const Arm& arm, const VecX<double>& q);
/// Moving through q, with the tool's motion to it.
Reference moving_at(const Arm& arm, const VecX<double>& q, const VecX<double>& qd, const VecX<double>& qdd);

/// A law as continuous feedback; its own state, if any, stays as it is.
template <class C>
MovingArm::Torque feedback(C& law, const Reference& r) {
  return [&law, r](double, const VecX<double>& q, const VecX<double>& qd, VecX<double>& tau) {
    law.update(Measurement{q, qd}, r, 0, tau);
  };
}

/// The same with the wrench on the tool measured.
template <class C>
MovingArm::Torque feedback_with_force(C& law, const Reference& r, MovingArm& plant) {
  return [&law, r, &plant](double, const VecX<double>& q, const VecX<double>& qd, VecX<double>& tau) {
    law.update(Measurement{q, qd, {}, plant.tool_wrench(q, qd)}, r, 0, tau);
  };
}

/// One tick of a sampled law: measure, compute, hold the torque for dt.
template <class C>
void tick(C& law, MovingArm& plant, const Reference& r, double dt, VecX<double>& tau) {
  law.update(Measurement{plant.q, plant.qd, {}, plant.tool_wrench()}, r, dt, tau);
  plant.step(dt, tau);
}

/// An elastic wall: the tool beyond `rest` along the unit normal is pushed back with `stiffness` times the depth.
MovingArm::Wrench elastic_wall(const Vec3<double>& normal, double rest, double stiffness);

/// The same arm with every mass and inertia multiplied.
Arm scaled_masses(const Arm& arm, double factor);

}  // namespace armature::testing
