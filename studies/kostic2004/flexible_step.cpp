// Section IV.D: frequency responses under feedback linearization, and a controller from them; Fig 17.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/resonance.hpp"
#include "kostic2004/flexible.hpp"
#include "kostic2004/parts.hpp"

namespace armature::studies::kostic2004 {

namespace {

constexpr std::size_t period = 2000;  // samples of the noise, which repeats: lines 0.5 Hz apart (ours)
constexpr int rounds = 4;             // + 2π and - 2π, so often (ours)
constexpr int turn = 4;               // periods of a revolution (ours)
constexpr double slow = 2 * pi / (turn * period * tick);
constexpr double loud = 30;  // r.m.s. of the noise [rad/s²] (ours)
/// 3 Hz (ours)
const ComputedTorqueSettings gains{.kp = VecX<double>::Constant(joints, std::pow(2 * pi * 3, 2)),
                                   .kd = VecX<double>::Constant(joints, 2 * 0.7 * 2 * pi * 3)};

/// Noise that repeats: random phases, less power at low frequency, where the plant answers more.
std::vector<double> noise(double size, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> v(period, 0.0);
  for (std::size_t line = 2; line < period / 2 - 40; ++line) {
    const double f = static_cast<double>(line) / (period * tick), amplitude = 0.12 + std::min(1.0, f / 100);
    const double phase = random.uniform(0, 2 * pi);
    for (std::size_t k = 0; k < period; ++k)
      v[k] += amplitude * std::cos(2 * pi * static_cast<double>(line * k % period) / period + phase);
  }
  const double now = rms(v);
  for (double& x : v) x *= size / now;
  return v;
}

/// One period of speeding up, then a revolution forwards and one backwards, with a period to turn round between them.
struct SlowRevolutions {
  int joint;
  VecX<double> posture;
  static constexpr double T = period * tick;
  /// Which way the joint goes in a period: +1, -1, or 0 while it turns round.
  static int way(int k) {
    const int in_round = k % (2 * (turn + 1));
    return in_round == 0 || in_round == turn + 1 ? 0 : in_round < turn + 1 ? 1 : -1;
  }
  static constexpr int periods = rounds * 2 * (turn + 1);
  [[nodiscard]] double duration() const { return T * periods; }
  [[nodiscard]] int joints() const { return 3; }
  void at(double t, JointMotion& m) const noexcept {
    m.q = posture;
    m.qd = m.qdd = VecX<double>::Zero(3);
    double q = 0;
    for (int k = 0; k < periods; ++k) {
      const double s = std::clamp(t / T - k, 0.0, 1.0);
      if (s == 0) break;
      const int now = way(k), before = k == 0 ? 0 : way(k - 1), after = k + 1 < periods ? way(k + 1) : 0;
      if (now != 0) {
        q += slow * now * T * s;
        if (s < 1) m.qd[joint] = slow * now;
      } else {  // from one speed to the other by a half cosine
        const double mean = (before + after) / 2.0, half = (before - after) / 2.0;
        q += slow * T * (mean * s + half * std::sin(pi * s) / pi);
        if (s < 1) {
          m.qd[joint] = slow * (mean + half * std::cos(pi * s));
          m.qdd[joint] = -slow * half * pi / T * std::sin(pi * s);
        }
      }
    }
    m.q[joint] += q;
  }
};

struct Measured {
  FrequencyResponse direct, indirect;
  PlantResponse plant;  // the reliable lines of the indirect estimate, from 1 Hz
};

/// The periods of steady motion, put together: the excitation repeats, so no window is needed.
Measured measure(const Laboratory& locked, const Arm& identified, int joint, const VecX<double>& posture, double size,
                 const std::string& name) {
  const SlowRevolutions motion{joint, posture};
  std::vector<double> excitation;  // another noise in every round, so that what is not linear averages out
  for (int round = 0; round < rounds; ++round) {
    const std::vector<double> one = noise(size, static_cast<std::uint64_t>(17 + 10 * joint + round));
    for (int k = 0; k < 2 * (turn + 1); ++k) excitation.insert(excitation.end(), one.begin(), one.end());
  }
  std::vector<double> times;
  for (std::size_t k = 0; k < excitation.size(); ++k) times.push_back(static_cast<double>(k) * tick);
  const LoopInput injected{.name = "v",
                           .unit = "rad/s^2",
                           .quantity = LoopInput::Quantity::acceleration,
                           .index = joint,
                           .signal = TimeSignal({.kind = SignalSettings::Kind::table}, tick, 1, times, excitation)};
  AnyController law = linearized_loop(identified, gains);
  const Log log = locked.run(law, follow(motion), motion.duration() - tick, posture, LoopInputs({injected}));
  std::vector<double> error = channel(log, "q_meas", joint);
  for (std::size_t k = 0; k < error.size(); ++k) error[k] -= channel(log, "q_ref", joint)[k];
  std::vector<double> r, v, e;
  for (int k = 0; k < SlowRevolutions::periods; ++k) {
    if (SlowRevolutions::way(k) == 0 || SlowRevolutions::way(k - 1) == 0) continue;  // turning round, or just after
    const auto from = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(k) * period);
    const auto take = [&](const std::vector<double>& all, std::vector<double>& into) {
      into.insert(into.end(), all.begin() + from, all.begin() + from + period);
    };
    take(channel(log, "part_linear.acceleration", joint), r);
    take(excitation, v);
    take(error, e);
  }
  const WelchSettings welch{.rate = 1 / tick, .segment = period, .overlap = 0, .hann = false};
  Measured m{frequency_response(r, e, welch), indirect_response(v, r, e, welch), {name, {}, {}}};
  for (std::size_t k = 2; k < m.indirect.frequency.size(); ++k)
    if (m.indirect.coherence[k] > 0.8 && m.indirect.frequency[k] < 400) {
      m.plant.frequency.push_back(m.indirect.frequency[k]);
      m.plant.response.push_back(m.indirect.response[k]);
    }
  return m;
}

VecX<double> posture(double q1, double q2, double q3) { return (VecX<double>(3) << q1, q2, q3).finished(); }

/// What the estimate of joint 1 in one posture shows.
struct Judged {
  double reliable = 0, worst = 0;  // share; [dB]
  FrfTrend trend;
  double base = 0;        // found [Hz]
  double worst_mode = 0;  // of those above 80 Hz, share
  int modes = 0;
  double lowest = 0;  // of those, found [Hz]
  std::string list;
};

Judged judge(const Measured& m, const TruePlant& truth) {
  Judged j;
  j.reliable = reliable_share(m.indirect, 0.8, 2, 250);
  for (std::size_t k = 0; k < m.indirect.frequency.size(); ++k) {
    const double f = m.indirect.frequency[k];
    if (f >= 2 && f <= 250 && m.indirect.coherence[k] >= 0.8)
      j.worst = std::max(j.worst, std::abs(20 * std::log10(std::abs(m.indirect.response[k] / truth.response(f)))));
  }
  j.trend = frf_trend(m.indirect, 0.8, 2, 10);
  const auto found = find_resonances(
      m.indirect, {.from = 10, .to = 250, .prominence = 1.5, .coherence = 0.8, .width = 0.08, .antiresonances = false});
  for (const Resonance& r : found)
    if (std::abs(r.frequency / 28 - 1) < 0.2) j.base = r.frequency;
  for (const auto& [f, damping] : truth.modes()) {
    if (f < 80 || f > 250 || damping > 0.12) continue;
    double nearest = 1, there = 0;
    for (const Resonance& r : found)
      if (std::abs(r.frequency / f - 1) < nearest) {
        nearest = std::abs(r.frequency / f - 1);
        there = r.frequency;
      }
    if (j.modes++ == 0) j.lowest = there;
    j.worst_mode = std::max(j.worst_mode, nearest);
    j.list += fmt::format("{}{:.1f}", j.list.empty() ? "" : ", ", f);
  }
  return j;
}

/// How many lines of the direct estimate have a coherence below 0.7, and how far these and the others are off (medians).
struct Flagged {
  std::size_t lines = 0, all = 0;
  double off = 0, others_off = 0;  // [dB]
};

Flagged flagged(const FrequencyResponse& direct, const TruePlant& truth) {
  std::vector<double> low, high;
  for (std::size_t k = 0; k < direct.frequency.size(); ++k) {
    const double f = direct.frequency[k];
    if (f < 2 || f > 250) continue;
    (direct.coherence[k] < 0.7 ? low : high)
        .push_back(std::abs(20 * std::log10(std::abs(direct.response[k] / truth.response(f)))));
  }
  const auto median = [](std::vector<double>& x) {
    std::sort(x.begin(), x.end());
    return x.empty() ? 0 : x[x.size() / 2];
  };
  return {low.size(), low.size() + high.size(), median(low), median(high)};
}

void add_spectra(Log& log, const Measured& m, const TruePlant& truth, const std::string& figure) {
  const auto add = [&](const std::string& name, const FrequencyResponse& frf) {
    Spectrum s{name, "r1", "q1", "rad/(rad/s^2)", {}, {}, {}, figure};
    for (std::size_t k = 2; k < frf.frequency.size(); ++k) {
      s.frequency.push_back(frf.frequency[k]);
      s.response.push_back(frf.response[k]);
      s.coherence.push_back(frf.coherence[k]);
    }
    log.spectra.push_back(s);
  };
  add("direct", m.direct);
  add("indirect", m.indirect);
  Spectrum t{"true, with hold", "r1", "q1", "rad/(rad/s^2)", {}, {}, {}, figure};
  for (double f = 1; f < 450; f *= 1.01) {
    t.frequency.push_back(f);
    t.response.push_back(truth.response(f));
  }
  log.spectra.push_back(t);
}

/// A tuned loop in every joint, and what it does for the writing.
void tuned_claims(const Laboratory& lab, const Arm& identified, std::vector<std::vector<PlantResponse>> plants,
                  const Say& say, Step& step, Log& log) {
  LogTable table{"Controllers from the frequency responses",
                 {"joint", "kp [1/s^2]", "kd [1/s]", "notches [Hz]", "bandwidth [Hz]", "gain margin [dB]",
                  "phase margin [deg]", "worst posture"},
                 {}};
  std::vector<LoopController> controllers;
  double least_gain = 1e9, least_phase = 1e9;
  std::string text, notched;
  for (std::size_t i = 0; i < plants.size(); ++i) {
    const Tuning t = tune(plants[i], {.tick = tick, .from = 2, .to = 60});
    controllers.push_back(t.controller);
    double gain = 1e9, phase = 1e9, bandwidth = 1e9;
    for (const LoopMargins& m : t.margins) {
      gain = std::min(gain, m.gain);
      phase = std::min(phase, m.phase / deg);
      bandwidth = std::min(bandwidth, m.bandwidth);
    }
    least_gain = std::min(least_gain, gain);
    least_phase = std::min(least_phase, phase);
    std::string notches;
    for (const FilterSettings& notch : t.controller.filters)
      notches += fmt::format("{}{:.0f}", notches.empty() ? "" : ", ", notch.frequency);
    notched += fmt::format("{}joint {} {}", notched.empty() ? "" : ", ", i + 1,
                           notches.empty() ? "none" : "at " + notches + " Hz");
    table.rows.push_back({std::to_string(i + 1), fmt::format("{:.0f}", t.controller.kp),
                          fmt::format("{:.1f}", t.controller.kd), notches, fmt::format("{:.1f}", bandwidth),
                          fmt::format("{:.1f}", gain), fmt::format("{:.0f}", phase), plants[i][t.worst].posture});
    text += fmt::format("{}joint {}: {:.1f} Hz, worst at {}", text.empty() ? "" : "; ", i + 1, bandwidth,
                        plants[i][t.worst].posture);
  }
  log.tables.push_back(table);
  step.claims.push_back({"tuned margins", "from these responses a controller with known margins in all postures",
                         "\"more advanced designs become possible\"",
                         fmt::format("{:.1f} dB and {:.0f} deg at least; {}", least_gain, least_phase, text),
                         least_gain >= 6 && least_phase >= 30,
                         "PD, with notches where they help: " + notched + "; 6 dB and 30 deg are asked for"});
  say("writing with the tuned controller");
  const WritingTask task = writing_task(lab.rigid_arm());
  const ReferenceSource wanted = follow(task);
  // speeds by the same differences as the encoders', which lag by half a tick: against exact ones kd would see that as an error
  const ReferenceSource sampled = [wanted](double t, Reference& r) {
    Reference before;
    wanted(std::max(0.0, t - tick), before);
    wanted(t, r);
    r.qd = (r.q - before.q) / tick;
  };
  const auto error_of = [&](AnyController law, const ReferenceSource& reference) {
    return tip_error(lab.rigid_arm(), task, lab.run(law, reference, task.duration(), task.motion.front().q)).rms;
  };
  const double a = error_of(linearized_loop(identified, tuned_feedback(controllers)), sampled),
               b = error_of(feed_forward_pd(identified, {true, true, true, true}, weak_gains()), wanted),
               c = error_of(feed_forward_pd(identified, {false, false, false, false}, weak_gains()), wanted);
  step.claims.push_back(
      {"tuned tracking", "and with the same model it tracks the writing better than the weak PD", "—",
       fmt::format("tip error {:.3f} mm r.m.s. against {:.3f} mm of case 6, the same model with the weak PD: {:.1f} "
                   "times; the weak PD alone leaves {:.2f} mm",
                   1e3 * a, 1e3 * b, b / a, 1e3 * c),
       b >= 3 * a, "3 times is asked for"});
}

/// What the first joint shows in two postures.
void low_frequency_claims(const Judged& a, const Judged& b, Step& step) {
  const auto of_both = [](auto x, auto y) { return std::max(x, y); };
  step.claims.push_back({"rigid at low frequency", "at low frequency the linearized plant is a double integrator",
                         "slope -2, phase -180 deg (26)",
                         fmt::format("|P| goes with f^{:.2f} and f^{:.2f}, phase {:.0f} and {:.0f} deg from 2 to 10 Hz",
                                     a.trend.power, b.trend.power, a.trend.phase / deg, b.trend.phase / deg),
                         of_both(std::abs(a.trend.power + 2), std::abs(b.trend.power + 2)) < 0.15 &&
                             of_both(std::abs(a.trend.phase / deg + 180), std::abs(b.trend.phase / deg + 180)) < 12,
                         "postures (0, π/2) and (0, 0); hold included"});
  step.claims.push_back(
      {"coherence", "the indirect estimate is reliable", "\"coherences close to 1\"",
       fmt::format("{:.0f} and {:.0f} % of the lines from 2 to 250 Hz at 0.8 or more", 100 * a.reliable,
                   100 * b.reliable),
       std::min(a.reliable, b.reliable) >= 0.9,
       "90 % is asked for; four noises that repeat every 2 s, 24 periods; the other joints locked by brakes"});
}

void flagged_claim(const Flagged& strong, const Flagged& weak, Step& step) {
  step.claims.push_back(
      {"flagged lines", "a coherence below 0.7 tells which lines of the direct estimate not to believe",
       "(28), Fig. 17",
       fmt::format(
           "with a tenth of the noise {} of {} lines are flagged, off by {:.2f} dB against {:.2f} dB of the others; "
           "with all of it {}",
           weak.lines, weak.all, weak.off, weak.others_off, strong.lines),
       weak.lines > strong.lines && weak.off >= 2 * weak.others_off,
       "medians; more lines than with all the noise, and twice as far off, are asked for; posture (0, π/2). Loud "
       "noise leaves little to flag: the direct estimate is good there"});
}

void resonance_claims(const Judged& a, const Judged& b, Step& step) {
  const auto of_both = [](auto x, auto y) { return std::max(x, y); };
  step.claims.push_back({"indirect estimate", "the indirect estimate is the true plant with its hold", "(29), Fig. 17",
                         fmt::format("within {:.2f} and {:.2f} dB at every reliable line", a.worst, b.worst),
                         of_both(a.worst, b.worst) <= 1,
                         "1 dB is asked for at every line from 2 to 250 Hz with a coherence of 0.8 or more"});
  step.claims.push_back({"base mode", "the base resonates", "28 Hz",
                         fmt::format("{:.2f} and {:.2f} Hz", a.base, b.base),
                         of_both(std::abs(a.base / 28 - 1), std::abs(b.base / 28 - 1)) < 0.02, "2 % is asked for"});
  step.claims.push_back(
      {"modes above 80 Hz", "resonances above 80 Hz depend on the posture",
       "above 80 Hz, different in the two postures",
       fmt::format("{} Hz and {} Hz, found within {:.1f} and {:.1f} %; the lowest moves by {:.0f} %", a.list, b.list,
                   100 * a.worst_mode, 100 * b.worst_mode, 100 * std::abs(a.lowest / b.lowest - 1)),
       of_both(a.worst_mode, b.worst_mode) < 0.02 && std::min(a.modes, b.modes) > 0 &&
           std::abs(a.lowest / b.lowest - 1) > 0.05,
       "2 % is asked for, and that the lowest moves by 5 %; true frequencies listed"});
}

}  // namespace

Step flexible_step(const Laboratory& lab, const Arm& identified, const Say& say) {
  Step step;
  Log log;
  log.title = "Flexible dynamics of the first joint";
  const std::array<VecX<double>, 2> postures{posture(0, 0, pi / 2), posture(0, 0, 0)};
  const char* names[] = {"(q2, q3) = (0, π/2)", "(0, 0)"};
  std::array<Judged, 2> judged;
  Flagged strong, weak;
  std::vector<std::vector<PlantResponse>> plants(joints);
  for (std::size_t k = 0; k < 2; ++k) {
    say(fmt::format("flexible dynamics, posture {}", k + 1));
    const Laboratory locked({}, all_but(0));
    const Measured m = measure(locked, identified, 0, postures[k], loud, names[k]);
    const TruePlant truth(locked, identified, postures[k], 0, slow);
    judged[k] = judge(m, truth);
    if (k == 0) {
      strong = flagged(m.direct, truth);
      weak = flagged(measure(locked, identified, 0, postures[k], loud / 10, names[k]).direct, truth);
    }
    add_spectra(log, m, truth, k == 0 ? "Fig. 17(a)" : "Fig. 17(b)");
    plants[0].push_back(m.plant);
  }
  low_frequency_claims(judged[0], judged[1], step);
  flagged_claim(strong, weak, step);
  resonance_claims(judged[0], judged[1], step);
  for (int joint = 1; joint < joints; ++joint)
    for (const double q3 : {pi / 2, 0.0}) {
      say(fmt::format("flexible dynamics, joint {}", joint + 1));
      const VecX<double> at = joint == 1 ? posture(0, -pi / 2, q3) : posture(0, q3, 0);
      plants[joint].push_back(measure(Laboratory({}, all_but(joint)), identified, joint, at, loud,
                                      joint == 1 ? fmt::format("q3 = {:.2f}", q3) : fmt::format("q2 = {:.2f}", q3))
                                  .plant);
    }
  tuned_claims(lab, identified, plants, say, step, log);
  step.logs.push_back(log);
  return step;
}

}  // namespace armature::studies::kostic2004
