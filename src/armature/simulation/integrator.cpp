#include "armature/simulation/integrator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/simulation/cvode.hpp"
#include "armature/simulation/runge_kutta.hpp"

namespace armature {

std::string to_string(Method method) {
  switch (method) {
    case Method::euler:
      return "euler";
    case Method::heun:
      return "heun";
    case Method::rk4:
      return "rk4";
    case Method::dormand_prince:
      return "dormand_prince";
    case Method::cvode:
      return "cvode";
  }
  return "?";
}

struct Integrator::Impl {
  Impl(const Plant& p, const IntegratorSettings& s) : plant(p), settings(s), u(Eigen::VectorXd::Zero(p.inputs())) {}

  const Plant& plant;
  IntegratorSettings settings;
  double t = 0;
  Eigen::VectorXd x, u;
  Modes modes;
  ContinuousInput law;
  long evaluations = 0;
  RungeKutta runge_kutta;
  std::unique_ptr<Cvode> cvode;
  bool fresh = true;           // the integrator must start anew: state, modes or inputs jumped
  std::vector<double> recent;  // times of the last events

  void rhs(double time, const double* state, double* xd) {
    ++evaluations;
    if (law) law(time, state, u.data());
    plant.derivative<double>(time, state, u.data(), modes, xd);
  }
  void guards(double time, const double* state, double* g) {
    if (law) law(time, state, u.data());
    plant.guards(time, state, u.data(), modes, g);
  }

  void check_finite() const {
    for (Eigen::Index i = 0; i < x.size(); ++i)
      if (!std::isfinite(x[i]))
        throw Error(
            fmt::format("at {:.6g} s the state '{}' stops being a finite number", t,
                        plant.state_names()[static_cast<std::size_t>(i)].name),
            "the loop is unstable, or the step too large for this plant and gains: try a smaller step or lower gains");
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

  void segment(double until, std::vector<LogEvent>& events) {
    const auto f = [this](double time, const double* state, double* xd) { rhs(time, state, xd); };
    switch (settings.method) {
      case Method::euler:
      case Method::heun:
      case Method::rk4: {
        const auto steps = std::max(1.0, std::ceil((until - t) / settings.step - 1e-9));
        const double h = (until - t) / steps, start = t;
        for (double k = 0; k < steps; ++k) {
          runge_kutta.step(static_cast<int>(settings.method), start + k * h, h, x, f);
          if (!std::isfinite(x.sum())) t = start + (k + 1) * h, check_finite();
        }
        t = until;
        break;
      }
      case Method::dormand_prince:
        if (fresh) runge_kutta.forget();
        runge_kutta.adaptive(t, until, x, settings.relative, settings.absolute, f);
        fresh = false;
        check_finite();
        break;
      case Method::cvode:
        with_events(until, events);
        break;
    }
  }

  void with_events(double until, std::vector<LogEvent>& events) {
    if (!cvode)
      cvode = std::make_unique<Cvode>(
          plant.states(), plant.guard_count(), settings.relative, settings.absolute,
          [this](double time, const double* state, double* xd) { rhs(time, state, xd); },
          [this](double time, const double* state, double* g) { guards(time, state, g); });
    while (t < until) {
      if (fresh) cvode->restart(t, x);
      fresh = false;
      const std::vector<int>& crossed = cvode->advance(until, t, x);
      check_finite();
      for (const int k : crossed) {
        note(plant.cross(k, t, x.data(), u.data(), modes), events);
        fresh = true;
      }
    }
  }
};

Integrator::Integrator(const Plant& plant, const IntegratorSettings& settings)
    : impl_(std::make_unique<Impl>(plant, settings)) {
  if (plant.hybrid() && settings.method != Method::cvode)
    throw Error(
        fmt::format("the method '{}' does not locate events, but this plant sticks, has play, touches or saturates",
                    to_string(settings.method)),
        "use cvode, or smooth friction and no backlash");
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
  impl_->t = t, impl_->x = x, impl_->u = u, impl_->modes = modes;
  impl_->fresh = true;
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

void Integrator::set_input(ContinuousInput input) {
  impl_->law = std::move(input);
  impl_->law(impl_->t, impl_->x.data(), impl_->u.data());
  impl_->plant.settle(impl_->t, impl_->x.data(), impl_->u.data(), impl_->modes);
  impl_->fresh = true;
}

void Integrator::advance(double until, std::vector<LogEvent>& events) { impl_->to(until, events); }
double Integrator::time() const { return impl_->t; }
const Eigen::VectorXd& Integrator::state() const { return impl_->x; }
const Modes& Integrator::modes() const { return impl_->modes; }
const Eigen::VectorXd& Integrator::input() const { return impl_->u; }
long Integrator::evaluations() const { return impl_->evaluations; }

}  // namespace armature
