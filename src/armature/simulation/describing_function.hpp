// First harmonics: what play, hardening and dry friction are to a sinusoid, and the limit cycles of a loop that follow
// from it [GelbVanderVelde1968].
#pragma once

#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "armature/simulation/linearize.hpp"

namespace armature::simulation {

/// Describing function of a spring: the first harmonic of its torque over its twist when it twists by amplitude sin(wt)
/// [N m/rad]. Its real part is the stiffness that a swing of this size feels, its imaginary part over w the damping. The plant's
/// own law, with play in the middle of the swing: teeth push only, so that a damper lets go before they part.
std::complex<double> describing_function(const Spring& spring, double amplitude, double w);
/// The same of friction, over its speed: the viscous friction that takes as much energy [N m s/rad]. LuGre: its steady state.
double describing_function(const Friction& law, double amplitude);

/// An element that is not linear, and how far it swings.
struct Swing {
  std::string element;   // "spring gear", "friction of q1"
  double amplitude = 0;  // of the twist [rad], or of the speed [rad/s]
  bool twist = true;     // else speed
};

/// A swing that keeps itself up, as far as first harmonics tell.
struct LimitCycle {
  double frequency = 0;       // [Hz]
  bool stable = false;        // Loeb: a larger swing decays and a smaller one grows
  std::vector<Swing> swings;  // of what is not linear
  Eigen::VectorXcd states;    // amplitudes of the plant's states, in phase with each other
};

/// The loop around a plant, as a matrix: dz/dt = A z, or z at the next tick = A z. The plant's states come first.
struct LinearLoop {
  std::function<Eigen::MatrixXd(const LinearPlant&)> close;
  double tick = 0;  // [s]; zero: dz/dt
};

/// What of a plant is not linear: springs with play or hardening, and dry friction. Empty: there can be no limit cycle.
std::vector<std::string> nonlinear_elements(const PlantDescription& plant);

/// Harmonic balance about a state: the amplitudes at which the least damped swing of the loop neither grows nor decays when every
/// nonlinear element is replaced by its describing function. What loads the elements at rest (gravity) is left out: the swing
/// goes to both sides alike. Rising in amplitude.
std::vector<LimitCycle> limit_cycles(const PlantDescription& plant, const Eigen::VectorXd& x, const LinearLoop& loop);

}  // namespace armature::simulation
