// The limits of an arm in a run: end stops, references that leave them, motors that saturate.
#pragma once

#include "armature/run/run_scenario.hpp"

namespace armature::run {

/// Between its end stops a joint moves freely.
struct JointRange {
  int joint;            // from 0
  double lower, upper;  // [rad | m]; infinite where there is no stop

  /// Up to a hair: a joint may start at its limit.
  [[nodiscard]] bool contains(double q) const {
    constexpr double hair = 1e-6;
    return q >= lower - hair && q <= upper + hair;
  }
};

/// Where a joint turns back within a time h in which its speed changes from v0 to v1, which point opposite ways: by the cubic through its
/// positions q0 and q1 and these speeds.
double turning_point(double h, double q0, double v0, double q1, double v1);

/// Of the joints whose end stops count in a run that starts at q: the arm states limits, plant.end_stops is on, and the joint does
/// not start beyond one.
std::vector<JointRange> ranges_between_stops(const LoadedScenario& loaded, const VecX<double>& q);

/// Puts the end stops there: springs with damping, about 50 Hz with the joint's inertia at q, and stiff enough for half a degree or a
/// millimetre under the joint's largest torque.
void add_end_stops(const LoadedScenario& loaded, const VecX<double>& q, PlantDescription& plant);

/// Adds warnings: joints that start beyond a limit, and references that leave limits of position, speed, acceleration or torque
/// (by the model of the true arm), with joint, time and amount.
void warn_about_limits(const LoadedScenario& loaded, Experiment& e);

/// Adds a warning for every joint that reached its end stop. Steps of a fixed length that the scenario asks for do not locate it.
void warn_about_stops(const LoadedScenario& loaded, const Experiment& e, const Log& log,
                      std::vector<std::string>& warnings);

/// Of the motors that reached a limit.
std::vector<Saturation> saturation_of(const PlantDescription& plant, const Log& log);

}  // namespace armature::run
