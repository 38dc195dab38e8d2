// Carries a plant's state forward in time, across its events.
#pragma once

#include <Eigen/Core>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "armature/core/fields.hpp"
#include "armature/plant/plant.hpp"
#include "armature/record/log.hpp"

namespace armature::simulation {

enum class Method {
  euler,                ///< explicit, order 1, fixed step
  heun,                 ///< explicit, order 2, fixed step
  rk4,                  ///< explicit, order 4, fixed step
  semi_implicit_euler,  ///< order 1, fixed step: speeds first, then positions with the new speeds
  dormand_prince,       ///< explicit, order 5, error control, locates events [Dormand1980]
  cvode,                ///< implicit, variable order, error control, locates events: for stiff plants [Hindmarsh2005]
  automatic             ///< dormand_prince until that proves stiff, cvode from then on; a scenario may start with rk4
};

struct IntegratorSettings {
  Method method = Method::automatic;
  double step = 1e-3;       // of the fixed-step methods, at most [s]
  double relative = 1e-10;  // local error of the others
  double absolute = 1e-12;
  int most_events = 1000;                   // within `event_window`: more is chatter, and an error
  double event_window = 1e-3;               // [s]
  const std::atomic<bool>* stop = nullptr;  // set from outside: advance() and a loop end within moments

  /// method, step and tolerance; the absolute tolerance follows the relative one.
  void fields(Fields& f);
};

/// The inputs at a time and a state, for controllers that act continuously; x continues with the controller's own states,
/// and their rates of change are left in `rate`.
using ContinuousInput = std::function<void(double t, const double* x, double* u, double* rate)>;

class Integrator {
 public:
  /// Throws Error where the method cannot do what the plant needs (fixed steps do not locate events).
  Integrator(const Plant& plant, const IntegratorSettings& settings);
  ~Integrator();
  Integrator(Integrator&&) noexcept;
  Integrator& operator=(Integrator&&) noexcept;

  /// Starts (or starts again) at t from x; the modes are found anew.
  void start(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u);
  /// Starts again from saved modes, exactly.
  void start(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u, const Modes& modes);
  /// Inputs from now on: held, or a function of time and state, with states of its own that start from `own`.
  void set_input(const Eigen::VectorXd& u);
  void set_input(ContinuousInput input, const Eigen::VectorXd& own = Eigen::VectorXd());
  /// To `until`, events on the way being located, carried out and appended to `events`.
  /// Throws Error when the state stops being finite, when events do not end, when the integrator gives up, or when
  /// it is stopped.
  void advance(double until, std::vector<LogEvent>& events);

  [[nodiscard]] double time() const;
  /// Of the plant, followed by the input's own.
  [[nodiscard]] const Eigen::VectorXd& state() const;
  [[nodiscard]] const Modes& modes() const;
  [[nodiscard]] const Eigen::VectorXd& input() const;
  /// "rk4 in steps of 1 ms", "dormand_prince, cvode from 0.012 s on": what it has worked with so far.
  [[nodiscard]] std::string used() const;
  /// Calls of the plant's derivative so far.
  [[nodiscard]] long evaluations() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What helps where nobody looked whether the loop or the step is to blame.
inline constexpr const char* diverged_hint =
    "the loop is unstable, or the step too long for this plant: lower gains, a shorter run.tick or run.step, or "
    "run.method: auto";

std::string to_string(Method method);
/// What a run that was stopped says of itself.
std::string stopped_at(double t);

}  // namespace armature::simulation
