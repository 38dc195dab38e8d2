// Whether a sampled loop is stable: gains that suit a continuous law may be too high for one that is held between ticks.
#pragma once

#include "armature/run/run_scenario.hpp"

namespace armature::run {

/// The loop about its start, linearized.
struct HeldLoop {
  double radius = 0;   // largest |eigenvalue| of the map from tick to tick: unstable above 1, infinite beyond numbers
  double slowest = 0;  // largest real part of the same loop without hold, delay and differences [1/s]
  bool unstable = false;  // because of the hold: stable without
};
/// A reference that stands still at the start shows the gains alone; one that is far away adds the slope of what it asks for.
/// The law answers through its gains alone: integrators and estimates inside it stand still. Sensor and converter delays and
/// speeds by differences are part of the loop, quantization and limits are not. Delays of so many ticks that the loop has more
/// than 300 states are not looked at.
HeldLoop held_loop(const Plant& plant, const Eigen::MatrixXd& to_command, AnyController& law,
                   const ReferenceSource& reference, const Eigen::VectorXd& start, const LoopSettings& loop);

/// How a law answers about a start: command u, and K = du / d(q; qd). K is empty where u is not finite.
struct Feedback {
  Eigen::VectorXd u;
  Eigen::MatrixXd K;
};
Feedback feedback_about(const Plant& plant, const Eigen::MatrixXd& to_command, AnyController& law,
                        const ReferenceSource& reference, const Eigen::VectorXd& start, const LoopSettings& loop);
/// The loop around a linearized plant: from tick to tick with its hold, delays and differences (empty where it has too many
/// states), or dx/dt without them. The plant's states come first.
Eigen::MatrixXd held_map(const Plant& plant, const LinearPlant& linear, const Eigen::MatrixXd& K,
                         const LoopSettings& loop);
Eigen::MatrixXd continuous_map(const Plant& plant, const LinearPlant& linear, const Eigen::MatrixXd& K,
                               const LoopSettings& loop);

}  // namespace armature::run
