// Section 9: adaptive control, of one joint as printed, and of whole arms on their base parameters.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "armature/core/units.hpp"
#include "verona2023.hpp"

namespace armature::studies::verona2023 {

using namespace laboratory;

namespace {

/// (59) to (65) with the printed numbers: I qdd + F qd + m g d sin q = tau, parameters learned from zero. The equations of the
/// report, integrated as they stand.
struct OneJoint {
  static constexpr double I = 0.1, F = 0.2, m = 1.1 * 1.1 * 3.5 * 2.7, d = 3.5 / 2, g = 9.806, k = 30.2, Kd = 500,
                          lambda = 100;
  using State = std::array<double, 5>;  // q, qd, and the three estimates
  static State rate(double t, const State& x) {
    const double w = 2 * pi, qd_ = std::sin(w * t), vd = w * std::cos(w * t), ad = -w * w * std::sin(w * t);
    const double e = qd_ - x[0], ed = vd - x[1], vr = vd + lambda * e, ar = ad + lambda * ed, s = vr - x[1];
    const double Y[3] = {ar, vr, std::sin(x[0])};
    const double tau = Y[0] * x[2] + Y[1] * x[3] + Y[2] * x[4] + Kd * s;
    return {x[1], (tau - F * x[1] - m * g * d * std::sin(x[0])) / I, Y[0] * s / k, Y[1] * s / k, Y[2] * s / k};
  }
};

void one_joint(StudyResult& result) {
  OneJoint::State x{};
  Log log;
  for (const char* name : {"q", "q_ref"}) log.add(name, "rad");
  for (const char* name : {"I_hat", "F_hat", "mgd_hat"}) log.add(name, "");
  const double h = 2e-5;
  double worst = 0;
  for (long step = 0; step <= 250000; ++step) {
    const double t = static_cast<double>(step) * h;
    if (step % 500 == 0) {
      log.time.push_back(t);
      const double row[] = {x[0], std::sin(2 * pi * t), x[2], x[3], x[4]};
      for (std::size_t i = 0; i < 5; ++i) log.channels[i].values.push_back(row[i]);
    }
    if (t > 1) worst = std::max(worst, std::abs(std::sin(2 * pi * t) - x[0]));
    const auto moved = [&](const OneJoint::State& k, double by) {
      OneJoint::State y = x;
      for (std::size_t i = 0; i < 5; ++i) y[i] += by * k[i];
      return y;
    };
    const auto k1 = OneJoint::rate(t, x), k2 = OneJoint::rate(t + h / 2, moved(k1, h / 2)),
               k3 = OneJoint::rate(t + h / 2, moved(k2, h / 2)), k4 = OneJoint::rate(t + h, moved(k3, h));
    for (std::size_t i = 0; i < 5; ++i) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  const double truth = OneJoint::m * OneJoint::g * OneJoint::d;
  const double spring = truth * std::sin(1.0) / (OneJoint::Kd * OneJoint::lambda);
  result.claims.push_back(
      {"9, one joint", "with the printed numbers q follows q_d", "converges in no time (Fig. 17)",
       fmt::format("to {:.2e} rad at 1 Hz; m g d sin(1 rad)/(K_d lambda) = {:.2e} rad", worst, spring),
       worst < 5e-3 && std::abs(worst / spring - 1) < 0.15, "q_d = sin(2 pi t) rad is ours"});
  result.claims.push_back(
      {"9, what follows", "that is K_d lambda = 5e4 N m/rad at work: the parameters are not learned",
       "learns the parameters", fmt::format("m g d estimated as {:.3f} N m after 5 s, truth {:.1f} N m", x[4], truth),
       std::abs(x[4]) < 0.05 * truth, "I = 0.1 kg m^2 does not go with m d^2 = 35 kg m^2 either"});
  log.title = "9: adaptive control of one joint, as printed";
  log.time_figures = {{"Fig. 17", "Wanted and actual", {"q", "q_ref"}},
                      {"", "Estimates", {"I_hat", "F_hat", "mgd_hat"}}};
  result.logs.push_back(std::move(log));
}

double error_between(const Log& log, double from, double to) {
  const Log part = cut(log, from, to);
  double sum = 0;
  for (const char* q : {"q1", "q2", "q3"}) sum += std::pow(rms_difference(part, q, std::string(q) + "_ref"), 2);
  return std::sqrt(sum);
}

void whole_arm(StudyResult& result, const char* robot, const std::string& reference, const std::string& gains,
               double least) {
  const std::string text = fmt::format(
      "scenario: adaptive\nrobot: {}\nstart: {{on_reference: true}}\nplant: {{torque_limits: false}}\nreference: "
      "{{kind: sine, {}, "
      "frequency: [0.5 Hz, 0.7 Hz, 0.9 Hz]}}\nbelief: {{mass_factor: [0.5], friction: false}}\n"
      "controller: {{kind: adaptive, {}}}\nrun: {{duration: 20 s, tick: 1 ms, log_every: 5}}\n",
      robot, reference, gains);
  Log learned = simulated(text);
  const Log fixed = simulated(text, {{"controller.adaptation", "0"}});
  const double first = error_between(learned, 0, 2), last = error_between(learned, 18, 20),
               without = error_between(fixed, 18, 20);
  result.claims.push_back(
      {fmt::format("9, {} arm", robot), "Slotine-Li on the base parameters, masses believed half of the truth",
       "for one joint only",
       fmt::format("RMS error falls from {:.4f} to {:.5f}; without learning {:.4f}", first, last, without),
       last < first / 2 && last < without / least,
       fmt::format("at least {} times better than without learning is asked for", least)});
  learned.time_figures = {{"", "Wanted and actual", {"q1", "q1_ref", "q2", "q2_ref", "q3", "q3_ref"}},
                          {"", "Torques", {"tau1", "tau2", "tau3"}}};
  result.logs.push_back(kept(std::move(learned), fmt::format("9: adaptive control of the arm {}", robot)));
}

}  // namespace

void adaptive_control(StudyResult& result) {
  one_joint(result);
  whole_arm(result, "rrr", "from: [0, -0.5, 1], amplitude: [0.5, 0.5, 0.5]",
            "kd: [40, 40, 15], lambda: [10, 10, 10], adaptation: 2, friction: true, friction_size: 5", 10);
  whole_arm(result, "rpr", "from: [1, 0, 0.5], amplitude: [0.5, 100 mm, 0.5]",
            "kd: [2, 10, 0.5], lambda: [10, 10, 10], adaptation: 2, friction: false", 10);
}

}  // namespace armature::studies::verona2023
