#include "armature/simulation/integrator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/numerics/runge_kutta.hpp"
#include "armature/simulation/internal/cvode.hpp"
#include "armature/simulation/internal/dormand_prince.hpp"

namespace armature::simulation {

namespace {

const Fields::Words method_words{"euler", "heun", "rk4", "semi_implicit_euler", "dormand_prince", "cvode", "auto"};
constexpr double at_zero = 1e-13;         // by which a guard that starts at zero must fall to count
constexpr long costly = 300;              // evaluations of f in one advance: what cvode needs after a restart, or more
constexpr int costly_before_change = 10;  // in a row
constexpr long look_up_every = 64;        // evaluations of f between looks at the stop flag: less than a millisecond
constexpr long hopeless = 3000;           // evaluations in one advance at which the explicit method is left at once

}  // namespace

std::string stopped_at(double t) { return fmt::format("stopped by the user at {:.6g} s", t); }

std::string to_string(Method method) { return method_words[static_cast<std::size_t>(method)]; }

struct Integrator::Impl {
  Impl(const Plant& p, const IntegratorSettings& s)
      : plant(p), settings(s), u(Eigen::VectorXd::Zero(p.inputs())), shift(p.guard_count()) {}

  const Plant& plant;
  IntegratorSettings settings;
  double t = 0;
  Eigen::VectorXd x, u;
  Modes modes;
  ContinuousInput law;
  Eigen::VectorXd unused;  // rates of the law's states, where only its inputs count
  long evaluations = 0;
  RungeKutta runge_kutta;
  Eigen::VectorXd slope;  // of the semi-implicit step
  std::unique_ptr<DormandPrince> dormand_prince;
  std::unique_ptr<Cvode> cvode;
  bool fresh = true;           // the stepper must start anew: state, modes or inputs jumped
  int costly_in_a_row = 0;     // of the explicit method
  double implicit_from = 0;    // when the automatic method turned to cvode [s]
  std::vector<double> shift;   // added to the guards: see face_guards()
  std::vector<double> recent;  // times of the last events

  void rhs(double time, const double* state, double* xd) {
    if (++evaluations % look_up_every == 0 && settings.stop && settings.stop->load(std::memory_order_relaxed))
      throw Error(stopped_at(t));
    if (law) law(time, state, u.data(), xd + plant.states());
    plant.derivative<double>(time, state, u.data(), modes, xd);
  }
  void guards(double time, const double* state, double* g) {
    if (law) law(time, state, u.data(), unused.data());
    plant.guards(time, state, u.data(), modes, g);
    for (std::size_t k = 0; k < shift.size(); ++k) g[k] += shift[k];
  }
  /// The inputs here and now: a stepper may have looked elsewhere last.
  void inputs_here() {
    if (law) law(t, x.data(), u.data(), unused.data());
  }

  void check_finite() const {
    for (Eigen::Index i = 0; i < x.size(); ++i)
      if (!std::isfinite(x[i]))
        throw Error(fmt::format("diverged at t = {:.6g} s: the state '{}' stops being a finite number", t,
                                i < plant.states() ? plant.state_names()[i].name
                                                   : fmt::format("of the law {}", i - plant.states() + 1)),
                    diverged_hint);
  }

  void note(const PlantEvent& event, std::vector<LogEvent>& events) {
    events.push_back({t, event.kind, event.detail});
    recent.push_back(t);
    if (static_cast<int>(recent.size()) > settings.most_events) recent.erase(recent.begin());
    if (static_cast<int>(recent.size()) == settings.most_events && t - recent.front() < settings.event_window)
      throw Error(fmt::format("at {:.9g} s events do not end: {} of '{} {}' and others within {:.3g} s", t,
                              settings.most_events, event.kind, event.detail, settings.event_window),
                  "the model chatters there: add damping, or smooth the law that switches");
  }

  void to(double until, std::vector<LogEvent>& events) {
    while (t < until) {
      const auto next = std::upper_bound(plant.switching_times().begin(), plant.switching_times().end(), t);
      const bool switches = next != plant.switching_times().end() && *next <= until;
      segment(switches ? *next : until, events);
      if (switches && t == *next) {
        note(plant.switch_at(t, x.data(), u.data(), modes), events);
        fresh = true;
      }
    }
  }

  /// Euler's step, but for the axes, which move with the speeds at its end.
  void semi_implicit_step(double time, double h) {
    slope.resize(x.size());
    rhs(time, x.data(), slope.data());
    x += h * slope;
    const int axes = plant.axes();
    x.head(axes) += h * h * slope.segment(axes, axes);
  }

  void segment(double until, std::vector<LogEvent>& events) {
    const auto f = [this](double time, const double* state, double* xd) { rhs(time, state, xd); };
    switch (settings.method) {
      case Method::euler:
      case Method::heun:
      case Method::rk4:
      case Method::semi_implicit_euler: {
        const auto steps = std::max(1.0, std::ceil((until - t) / settings.step - 1e-9));
        const double h = (until - t) / steps, start = t;
        for (double k = 0; k < steps; ++k) {
          if (settings.method == Method::semi_implicit_euler)
            semi_implicit_step(start + k * h, h);
          else
            runge_kutta.step(static_cast<int>(settings.method), start + k * h, h, x, f);
          if (!std::isfinite(x.sum())) {
            t = start + (k + 1) * h;
            check_finite();
          }
        }
        t = until;
        inputs_here();
        break;
      }
      case Method::dormand_prince:
      case Method::cvode:
      case Method::automatic:
        with_events(until, events);
        break;
    }
  }

  /// A restart begins with positive guards. One below zero ended a mode when something jumped: it is crossed. One at zero (a
  /// tool at rest on a wall) can do either: it is moved up by a hair, and counts when it has fallen as far below zero.
  void face_guards(std::vector<LogEvent>& events) {
    if (shift.empty()) return;
    std::vector<double> g(shift.size());
    std::fill(shift.begin(), shift.end(), 0.0);
    for (guards(t, x.data(), g.data());; guards(t, x.data(), g.data())) {
      const auto ended = std::find_if(g.begin(), g.end(), [](double value) { return value < 0; });
      if (ended == g.end()) break;
      note(plant.cross(static_cast<int>(ended - g.begin()), t, x.data(), u.data(), modes), events);
    }
    for (std::size_t k = 0; k < g.size(); ++k)
      if (g[k] < at_zero) shift[k] = at_zero;
  }

  template <class Stepper>
  Stepper& ready(std::unique_ptr<Stepper>& stepper) {
    if (!stepper)
      stepper = std::make_unique<Stepper>(
          static_cast<int>(x.size()), plant.guard_count(), settings.relative, settings.absolute,
          [this](double time, const double* state, double* xd) { rhs(time, state, xd); },
          [this](double time, const double* state, double* g) { guards(time, state, g); });
    return *stepper;
  }

  void with_events(double until, std::vector<LogEvent>& events) {
    const bool may_change = settings.method == Method::automatic;
    const long before = evaluations;
    while (t < until) {
      const bool stiff = settings.method == Method::cvode || costly_in_a_row >= costly_before_change;
      EventStepper& stepper = stiff ? static_cast<EventStepper&>(ready(cvode)) : ready(dormand_prince);
      if (dormand_prince && may_change) dormand_prince->set_patience(hopeless);
      if (fresh) {
        face_guards(events);
        stepper.restart(t, x);
      }
      fresh = false;
      const std::vector<int>& crossed = stepper.advance(until, t, x);
      check_finite();
      inputs_here();
      for (const int k : crossed) {
        note(plant.cross(k, t, x.data(), u.data(), modes), events);
        fresh = true;
      }
      if (crossed.empty() && t < until) {
        if (!may_change)
          throw Error(fmt::format("the integrator's step shrinks to nothing at {:.9g} s", t),
                      "the plant is stiff or unstable: use auto or cvode");
        costly_in_a_row = costly_before_change;
        fresh = true;
        implicit_from = t;
      }
    }
    if (!may_change || costly_in_a_row >= costly_before_change) return;
    costly_in_a_row = evaluations - before > costly ? costly_in_a_row + 1 : 0;
    if (costly_in_a_row == costly_before_change) {
      fresh = true;
      implicit_from = t;
    }
  }
};

Integrator::Integrator(const Plant& plant, const IntegratorSettings& settings)
    : impl_(std::make_unique<Impl>(plant, settings)) {
  if (plant.hybrid() && settings.method < Method::dormand_prince)
    throw Error(
        fmt::format("the method '{}' does not locate events, but this plant sticks, has play, touches or saturates",
                    to_string(settings.method)),
        "use auto, dormand_prince or cvode; or smooth friction and no backlash");
  if (!(settings.step > 0) || !(settings.relative > 0) || !(settings.absolute > 0))
    throw Error("the step and the tolerances of an integrator are positive", "for example step 1 ms, relative 1e-10");
}
Integrator::~Integrator() = default;
Integrator::Integrator(Integrator&&) noexcept = default;
Integrator& Integrator::operator=(Integrator&&) noexcept = default;

void Integrator::start(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u) {
  Eigen::VectorXd settled = x;
  Modes modes;
  impl_->plant.settle(t, settled.data(), u.data(), modes);
  start(t, settled, u, modes);
}

void Integrator::start(double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u, const Modes& modes) {
  impl_->t = t;
  impl_->x = x;
  impl_->u = u;
  impl_->modes = modes;
  impl_->dormand_prince.reset();
  impl_->cvode.reset();  // nothing is kept of what was before
  impl_->fresh = true;
  impl_->costly_in_a_row = 0;
  impl_->recent.clear();
  impl_->check_finite();
}

void Integrator::set_input(const Eigen::VectorXd& u) {
  impl_->law = nullptr;
  if (u == impl_->u) return;
  impl_->u = u;
  impl_->plant.settle(impl_->t, impl_->x.data(), u.data(), impl_->modes);  // a jump may break what sticks
  impl_->fresh = true;
}

void Integrator::set_input(ContinuousInput input, const Eigen::VectorXd& own) {
  const Eigen::Index n = impl_->plant.states();
  impl_->x.conservativeResize(n + own.size());
  impl_->x.tail(own.size()) = own;
  impl_->unused.resize(own.size());
  impl_->dormand_prince.reset();
  impl_->cvode.reset();
  impl_->law = std::move(input);
  impl_->inputs_here();
  impl_->plant.settle(impl_->t, impl_->x.data(), impl_->u.data(), impl_->modes);
  impl_->fresh = true;
}

void Integrator::advance(double until, std::vector<LogEvent>& events) { impl_->to(until, events); }
double Integrator::time() const { return impl_->t; }
const Eigen::VectorXd& Integrator::state() const { return impl_->x; }
const Modes& Integrator::modes() const { return impl_->modes; }
const Eigen::VectorXd& Integrator::input() const { return impl_->u; }
long Integrator::evaluations() const { return impl_->evaluations; }
std::string Integrator::used() const {
  const Method method = impl_->settings.method;
  if (method < Method::dormand_prince)
    return fmt::format("{} in steps of at most {:.4g} ms", to_string(method), 1e3 * impl_->settings.step);
  if (method != Method::automatic) return to_string(method);
  if (impl_->costly_in_a_row < costly_before_change) return to_string(Method::dormand_prince);
  return fmt::format("dormand_prince, cvode from {:.4g} s on", impl_->implicit_from);
}

void IntegratorSettings::fields(Fields& f) {
  f.word("method", method, method_words,
         "integrator; auto: rk4 where its step is short enough for the plant, otherwise dormand_prince with error "
         "control, "
         "and cvode once that proves stiff");
  f.number("step", step, dimension::time, "longest step of a fixed-step integrator", Range::positive);
  f.number("tolerance", relative, dimension::none, "relative local error of the others", Range::positive);
  absolute = relative * 1e-2;
}

}  // namespace armature::simulation
