// Plant and controller meet: the sampled loop.
#pragma once

#include <functional>

#include "armature/control/controller.hpp"
#include "armature/plant/compose.hpp"
#include "armature/plant/sensors.hpp"
#include "armature/record/log.hpp"
#include "armature/simulation/integrator.hpp"
#include "armature/simulation/loop_inputs.hpp"

namespace armature::simulation {

/// What is wanted at a time.
using ReferenceSource = std::function<void(double t, Reference& r)>;

struct LoopSettings {
  double duration = 1;               // [s]
  double tick = 1e-3;                // of the controller [s]
  bool continuous = false;           // the controller acts inside the integrator, without hold, sensors and converters
  int log_every = 1;                 // ticks between logged samples
  bool accept_energy_error = false;  // an energy balance that does not hold is a warning, not a failure
  IntegratorSettings integrator;
  SensorSettings sensors;
  ConverterSettings converter;
  LoopInputs inputs;                // torques, currents and voltages; those of the reference are part of it already
  std::vector<double> checkpoints;  // times at which the integrator starts anew, so that a run can be split there
  std::function<void(double share)> progress;  // called about a hundred times
  /// Called at every tick, before it is recorded; what it throws ends the run, an Error with an incomplete log.
  std::function<void(const Integrator& run)> watch;

  /// Time and integrator; sensors and converter list themselves.
  void fields(Fields& f);
};

/// Fact of a log: by which integrators it was made.
inline constexpr const char* integrator_fact = "integrator";

inline constexpr double most_ticks = 1e9;   // of a run
inline constexpr double most_steps = 1e10;  // of a fixed-step integrator in a run
inline constexpr double most_logged = 1e9;  // numbers in a log: 8 GB
/// Beyond these no joint of an arm is itself any more: the run has diverged, and ends.
inline constexpr double diverged_distance = 1e5;  // from the start [rad | m]
inline constexpr double diverged_speed = 1e4;     // [rad/s | m/s]
/// Throws Error, with a sentence, where the loop could not or should not run with these settings.
void check_loop(const Plant& plant, const Eigen::MatrixXd& to_command, const AnyController& controller,
                const LoopSettings& settings);

/// Runs the loop from x0 and records it. Where it diverges (a joint passes `diverged_distance` or `diverged_speed`, the state or
/// a command stops being finite) the log up to there is returned, marked incomplete with "diverged at t = ...", joint or
/// channel, and hint; wrong settings are an Error before anything runs.
Log run_loop(const Plant& plant, const Eigen::MatrixXd& to_command, AnyController& controller,
             const ReferenceSource& reference, const Eigen::VectorXd& x0, const LoopSettings& settings);

}  // namespace armature::simulation
