#include "armature/identification/torque_delay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "armature/core/error.hpp"
#include "armature/identification/estimate.hpp"

namespace armature::identification {

namespace {

constexpr double most_steps = 1000;  // that rows are kept in memory for
constexpr double widest_search = 5;  // steps either way
constexpr int most_rounds = 5;
constexpr double settled = 0.02;      // of a step
constexpr double negligible = 1e-12;  // of a step

struct Row {
  JointSample sample;  // its pointers are those of somebody else
  std::vector<double> q, qd, tau, reference;
};

/// Weights of the rows at -1, 0, 1, 2 for the value at u, 0 <= u < 1.
std::array<double, 4> cubic_weights(double u) {
  return {-u * (u - 1) * (u - 2) / 6, (u + 1) * (u - 1) * (u - 2) / 2, -(u + 1) * u * (u - 2) / 2,
          (u + 1) * u * (u - 1) / 6};
}

}  // namespace

MotionSource with_torque_delay(MotionSource source, int joints, double delay) {
  const double steps = delay / source.step;
  if (!(std::abs(steps) <= most_steps))
    throw Error(fmt::format("a delay of {:.6g} s, {:.0f} steps of the log", delay, steps),
                fmt::format("at most {:.0f} steps", most_steps));
  if (std::abs(steps) < negligible) return source;
  const auto whole = static_cast<long>(std::floor(steps + negligible));
  const std::array<double, 4> weight = cubic_weights(std::max(0.0, steps - static_cast<double>(whole)));
  const long ahead = std::max(0L, whole + 2), behind = std::max(0L, 1 - whole);
  const auto n = static_cast<std::size_t>(joints);
  MotionSource shifted = source;
  shifted.for_each = [source, weight, whole, ahead, behind, n](const MotionSource::Sample& sample) {
    std::deque<Row> rows;
    long first = 0, next = 0;  // numbers of the first row that is kept and of the first that was not yet told
    std::vector<double> tau(n);
    const auto tell = [&] {
      const long last = first + static_cast<long>(rows.size()) - 1;
      std::fill(tau.begin(), tau.end(), 0.0);
      for (long k = 0; k < 4; ++k) {
        const long at = std::clamp(next + whole + k - 1, first, last);
        const Row& r = rows[at - first];
        for (std::size_t j = 0; j < n; ++j) tau[j] += weight[k] * r.tau[j];
      }
      const Row& own = rows[next - first];
      JointSample told = own.sample;
      told.q = own.q.data();
      told.qd = own.qd.empty() ? nullptr : own.qd.data();
      told.tau = tau.data();
      told.reference = own.reference.empty() ? nullptr : own.reference.data();
      sample(told);
      for (++next; first < next - behind; ++first) rows.pop_front();
    };
    const auto tell_all = [&] {
      while (first + static_cast<long>(rows.size()) > next) tell();
    };
    source.for_each([&](const JointSample& s) {
      if (s.begins) {
        tell_all();
        rows.clear();
        first = next = 0;
      }
      const auto copied = [n](const double* x) { return x ? std::vector<double>(x, x + n) : std::vector<double>(); };
      rows.push_back({s, copied(s.q), copied(s.qd), copied(s.tau), copied(s.reference)});
      if (first + static_cast<long>(rows.size()) > next + ahead) tell();
    });
    tell_all();
  };
  return shifted;
}

//     a shift is linear in the delay, nearly, and so the sum of squares a parabola: through three of them, until it stays
FoundDelay find_torque_delay(const TorqueModel& model, const MotionSource& source, const Processing& processing) {
  VecX<double> noise;
  FoundDelay found;
  const auto squares = [&](double delay) {
    Evidence evidence(model);
    Processing trial = processing;
    trial.torque_delay = delay;
    stream_equations(source, model, trial, [&](const SampleEquations& s) { evidence.add(s); });
    evidence.finish();
    if (evidence.parts() == 0)
      throw Error("no equation is left after processing",
                  "is the time window inside the log, and does anything move faster than the standstill threshold?");
    const Estimate e = least_squares(evidence);
    if (noise.size() == 0) {
      noise = e.noise;
      found.error_before = training_error(evidence, e.x).total;
    }
    found.error = training_error(evidence, e.x).total;
    double sum = 0;
    for (int j = 0; j < model.dof(); ++j) sum += evidence.whole(j).residual_squares(e.x) / (noise[j] * noise[j]);
    return sum;
  };
  double middle = squares(0);
  double h = source.step;
  for (int round = 0; round < most_rounds; ++round, h = source.step / 2) {
    const double before = squares(found.delay - h), after = squares(found.delay + h);
    const double bend = before - 2 * middle + after, widest = widest_search * source.step;
    if (!(bend > 0)) break;
    const double last = found.delay;
    found.delay = std::clamp(last + h * (before - after) / (2 * bend), -widest, widest);
    middle = squares(found.delay);
    if (std::abs(found.delay - last) < settled * source.step) break;
  }
  return found;
}

}  // namespace armature::identification
