// What an arm moves where that is not what its description says: the same joints with other bodies and rotors.
#pragma once

#include <array>

#include "armature/algorithms/energy.hpp"
#include "armature/model/arm.hpp"

namespace armature::algorithms {

template <Scalar S>
struct MovingInertia {
  std::array<Inertia<S>, max_joints>
      bodies;      // payload included, in the bodies' own frames; entries from dof on are unused
  VecX<S> rotors;  // seen from their joints [kg m² | kg]
};

/// The ten parameters of each body, joint by joint, then those of the rotors, as one list of 11 dof numbers.
template <Scalar S>
MovingInertia<S> moving_inertia(const S* numbers, int dof) {
  MovingInertia<S> inertia;
  for (int i = 0; i < dof; ++i)
    inertia.bodies[i] = inertia_from_parameters<S>(Eigen::Map<const InertiaParameters<S>>(numbers + 10 * i));
  inertia.rotors = Eigen::Map<const Eigen::Matrix<S, Eigen::Dynamic, 1>>(numbers + 10 * dof, dof);
  return inertia;
}

/// Which accelerations joint torques produce, as in forward_dynamics.hpp: eight arms that each carry something else go through one call.
template <Scalar S>
void forward_dynamics(const Arm& arm, const MovingInertia<S>& inertia, const VecX<S>& q, const VecX<S>& qd,
                      const VecX<S>& tau, VecX<S>& qdd);

/// Kinetic and potential energy, as in energy.hpp but without springs.
template <Scalar S>
Energy<S> energy(const Arm& arm, const MovingInertia<S>& inertia, const VecX<S>& q, const VecX<S>& qd);

}  // namespace armature::algorithms
