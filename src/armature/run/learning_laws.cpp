#include <fmt/format.h>

#include <cmath>

#include "armature/control/adaptive.hpp"
#include "armature/control/iterative_learning.hpp"
#include "armature/run/controllers.hpp"

namespace armature {

namespace {

/// Begins a trial every so many ticks.
struct Trials {
  AnyController law;
  int ticks;
  int tick = 0;

  void reset(const Measurement& y) { law.reset(y), tick = 0; }
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
    if (dt > 0 && tick++ == ticks) tick = 1, law.reset(y);
    law.update(y, r, dt, tau);
  }
  [[nodiscard]] std::span<const Part> parts() const noexcept { return law.parts(); }
  [[nodiscard]] Status status() const noexcept { return law.status(); }
  [[nodiscard]] Needs needs() const noexcept { return law.needs(); }
};

}  // namespace

std::optional<AnyController> learning_law(const LawSource& source) {
  const LawSettings& s = source.law;
  if (s.kind == "adaptive") {
    source.need("kd", !s.kd.empty()), source.need("lambda", !s.lambda.empty());
    return AnyController(Adaptive(source.arm(), {.kd = source.joints(s.kd),
                                                 .lambda = source.joints(s.lambda),
                                                 .adaptation = s.adaptation,
                                                 .friction = s.friction,
                                                 .friction_width = s.friction_width,
                                                 .friction_size = s.friction_size,
                                                 .bound = s.bound,
                                                 .dead_zone = s.dead_zone}));
  }
  if (s.kind == "iterative_learning") {
    source.need("kp", !s.kp.empty()), source.need("kd", !s.kd.empty());
    const double ticks = s.trial / source.loaded.scenario.run.tick;
    if (!(ticks >= 1 && ticks <= 1e6) || std::abs(ticks - std::round(ticks)) > 1e-6)
      source.refuse("trial",
                    fmt::format("a trial of {} s is not a whole number of ticks of {} s", s.trial,
                                source.loaded.scenario.run.tick),
                    "1 to 1e6 ticks");
    const int n = static_cast<int>(std::lround(ticks));
    IterativeLearning law(source.arm(), {.ticks = n,
                                         .kp = source.joints(s.kp),
                                         .kd = source.joints(s.kd),
                                         .lead = s.lead,
                                         .smoothing = s.smoothing,
                                         .forgetting = s.forgetting});
    return AnyController(Trials{AnyController(std::move(law)), n});
  }
  return std::nullopt;
}

}  // namespace armature
