#include "armature/control/joint_filters.hpp"

#include <cmath>

#include "armature/control/computed_torque.hpp"
#include "armature/control/joint_pid.hpp"
#include "armature/testing/doctest.hpp"
#include "armature/testing/law_bench.hpp"
#include "armature/testing/samples.hpp"

using namespace armature::control;
using namespace armature::testing;

namespace {

using Kind = FilterSettings::Kind;

const std::vector<FilterSettings> one_of_each{
    {.kind = Kind::notch, .frequency = 80, .damping = 0.6, .zero_damping = 0.05},
    {.kind = Kind::low_pass, .frequency = 120, .damping = 0.5},
    {.kind = Kind::lead, .frequency = 10, .pole = 90},
    {.kind = Kind::lead, .frequency = 30, .pole = 3}};

/// The analogue filter.
std::complex<double> analogue(const FilterSettings& f, double frequency) {
  const std::complex<double> s(0, 2 * pi * frequency);
  const double w = 2 * pi * f.frequency;
  if (f.kind == Kind::lead) return (1.0 + s / w) / (1.0 + s / (2 * pi * f.pole));
  const std::complex<double> below = s * s + 2 * f.damping * w * s + w * w;
  return (f.kind == Kind::low_pass ? w * w : s * s + 2 * f.zero_damping * w * s + w * w) / below;
}

}  // namespace

TEST_CASE("a sampled filter is the analogue one at its frequency, and near it at low frequency; constants pass") {
  for (const double tick : {1e-3, 2.5e-4, 4e-3})
    for (const FilterSettings& settings : one_of_each) {
      if (settings.frequency > 0.5 / tick || settings.pole > 0.5 / tick) continue;
      CAPTURE(tick);
      CAPTURE(settings.frequency);
      const SampledFilter filter(settings, tick);
      CHECK(std::abs(filter.response(settings.frequency) - analogue(settings, settings.frequency)) < 1e-12);
      CHECK(std::abs(filter.response(0.01) - analogue(settings, 0.01)) < 1e-2);
      SampledFilter running = filter;
      double out = 0;
      for (int k = 0; k < 20000; ++k) out = running.update(2.5, true);
      CHECK(out == doctest::Approx(2.5).epsilon(1e-9));
    }
}

TEST_CASE("a filter answers a sine as its response says") {
  const double tick = 1e-3;
  for (const FilterSettings& settings : one_of_each)
    for (const double f : {5.0, 40.0, 80.0, 200.0}) {
      SampledFilter filter(settings, tick);
      std::complex<double> sum = 0;
      const int settled = 4000, samples = 1000;  // whole periods
      for (int k = 0; k < settled + samples; ++k) {
        const double out = filter.update(std::cos(2 * pi * f * k * tick), true);
        if (k >= settled) sum += out * std::polar(1.0, -2 * pi * f * k * tick);
      }
      CHECK(std::abs(2.0 * sum / static_cast<double>(samples) - filter.response(f)) < 1e-9);
    }
}

TEST_CASE("with dt = 0, and at a reading that is no number, a filter keeps its state") {
  SampledFilter a(one_of_each[0], 1e-3), b = a;
  for (int k = 0; k < 10; ++k) {
    a.update(k, true);
    b.update(k, true);
  }
  const double shown = a.update(3, false);
  CHECK(a.update(3, false) == shown);
  CHECK(!std::isfinite(a.update(NAN, true)));
  CHECK(a.update(7, true) == b.update(7, true));
}

TEST_CASE("a PID with filters is the PID behind them, joint by joint, and what is cut drives its integral back") {
  const Arm arm = built_in_arm("rrr");
  const VecX<double> kp = numbers({100, 80, 30}), ki = numbers({20, 0, 5}), kd = numbers({3, 2, 1});
  std::vector<FilterSettings> filters = one_of_each;
  filters[1].joint = 2;
  filters[2].joint = 3;
  filters[3].joint = 2;  // the notch is at every joint
  const double tick = 1e-3;
  JointPid plain(arm, {.kp = kp, .ki = ki, .kd = kd, .limit = VecX<double>::Constant(3, 1e9)}, tick),
      filtered(arm, {.kp = kp, .ki = ki, .kd = kd, .limit = VecX<double>::Constant(3, 1e9), .filters = filters}, tick);
  std::vector<std::vector<SampledFilter>> stages(3);
  for (int joint = 0; joint < 3; ++joint)
    for (const FilterSettings& f : filters)
      if (f.joint == 0 || f.joint == joint + 1) stages[joint].emplace_back(f, tick);
  Random random(3);
  Measurement y{VecX<double>::Zero(3), VecX<double>::Zero(3)};
  const Reference r = standing_at(arm, VecX<double>::Zero(3));
  plain.reset(y);
  filtered.reset(y);
  VecX<double> u(3), tau(3);
  for (int k = 0; k < 300; ++k) {
    for (int i = 0; i < 3; ++i) {
      y.q[i] = random.uniform(-1, 1);
      y.qd[i] = random.uniform(-1, 1);
    }
    plain.update(y, r, tick, u);
    filtered.update(y, r, tick, tau);
    for (int i = 0; i < 3; ++i) {
      double expected = u[i];
      for (SampledFilter& stage : stages[i]) expected = stage.update(expected, true);
      CHECK(tau[i] == doctest::Approx(expected).epsilon(1e-12));
    }
    VecX<double> sum = VecX<double>::Zero(3);
    for (const Part& part : filtered.parts()) sum += part.value;
    CHECK((sum - tau).norm() < 1e-9);
  }
  // pushed against its limit for long, the integral stays where the limit is, and the torque comes back at once
  JointPid saturated(arm, {.kp = kp, .ki = ki, .kd = kd, .limit = VecX<double>::Constant(3, 10), .filters = filters},
                     tick);
  y.q.setConstant(-1);
  y.qd.setZero();
  saturated.reset(y);
  for (int k = 0; k < 20000; ++k) saturated.update(y, r, tick, tau);
  CHECK(tau[0] == 10);
  CHECK(std::abs(saturated.integral()[0]) < 2 * kp[0]);  // not the 400 N m of 20 s
}

TEST_CASE("computed torque filters its feedback, not what is asked for ahead") {
  const Arm arm = built_in_arm("rrr");
  const VecX<double> kp = VecX<double>::Constant(3, 100), kd = VecX<double>::Constant(3, 20);
  ComputedTorque plain(arm, {.kp = kp, .kd = kd}), filtered(arm, {.kp = kp, .kd = kd, .filters = one_of_each});
  const VecX<double> q = numbers({0.1, 0.2, 0.3}), v = numbers({1, -1, 0.5}), a = numbers({2, 3, -4});
  Measurement y{q, v};
  plain.reset(y);
  filtered.reset(y);
  VecX<double> expected(3), tau(3);
  for (int k = 0; k < 50; ++k) {  // no error: nothing to filter
    plain.update(y, moving_at(arm, q, v, a), 1e-3, expected);
    filtered.update(y, moving_at(arm, q, v, a), 1e-3, tau);
    CHECK(tau == expected);
  }
  y.q[0] += 0.1;
  plain.update(y, moving_at(arm, q, v, a), 1e-3, expected);
  filtered.update(y, moving_at(arm, q, v, a), 1e-3, tau);
  CHECK((tau - expected).norm() > 1);
}

TEST_CASE("a filter that does not fit is named") {
  const Arm arm = built_in_arm("rrr");
  const auto refused = [&](const FilterSettings& f, const char* says) {
    CHECK_THROWS_WITH_AS(JointFilters(arm, {one_of_each[0], f}, 1e-3), doctest::Contains(says), Error);
  };
  refused({.frequency = 0}, "filters[1]: the filter's frequency is 0 Hz");
  refused({.frequency = 500}, "below the Nyquist frequency of the tick, 500 Hz");
  refused({.kind = Kind::lead, .frequency = 5}, "filters[1]: the filter's pole is 0 Hz");
  refused({.frequency = 5, .pole = 50}, "without being a lead");
  refused({.joint = 4, .frequency = 5}, "filters[1] names joint 4");
  refused({.frequency = 5, .damping = 0}, "damping is not above zero");
}
