#include "armature/identification/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/core/error.hpp"
#include "armature/identification/internal/torque_band.hpp"
#include "armature/identification/motion_observer.hpp"

namespace armature::identification {

namespace {

constexpr std::size_t most_logged = 20000, most_residuals = 1000000;
constexpr std::size_t first_samples = 20000;  // from which noise is estimated
constexpr double stretch_length = 1.0;        // [s]

}  // namespace

Processing default_processing(Processing p, double step) {
  const double rate = 1 / step;
  if (p.cutoff == 0) p.cutoff = std::min(100.0, rate / 5);
  if (p.parallel_cutoff == 0) p.parallel_cutoff = std::min(40.0, rate / 12.5);
  if (p.decimation <= 1 && p.parallel_cutoff > 0)
    p.decimation = std::max(1, static_cast<int>(std::lround(rate / (2.5 * p.parallel_cutoff))));
  if (p.cutoff < 0) p.cutoff = 0;
  if (p.parallel_cutoff < 0) p.parallel_cutoff = 0;
  double slowest = p.motion == Processing::Motion::filter ? p.cutoff : 0;
  if (p.parallel_cutoff > 0 && (slowest == 0 || p.parallel_cutoff < slowest)) slowest = p.parallel_cutoff;
  if (slowest > 0) p.edge = 1 / slowest;
  return p;
}

Processing default_processing(const Processing& given, const MotionSource& source, int joints) {
  Processing p = default_processing(given, source.step);
  if (given.cutoff == 0 && given.parallel_cutoff == 0 && p.parallel_cutoff > 0)
    if (const double band = torque_band(source, joints, p); band < p.parallel_cutoff) {
      p.cutoff *= band / p.parallel_cutoff;
      p.parallel_cutoff = band;
      p.edge = 1 / band;
    }
  if (p.motion != Processing::Motion::observer || (p.observer_noise > 0 && p.observer_jerk > 0)) return p;
  std::vector<double> q;
  bool over = false;
  source.for_each([&](const JointSample& s) {
    over = over || (s.begins && !q.empty());  // a jump from segment to segment is no motion to allow for
    if (over || !p.keeps(s.time)) return;     // nor is one outside the window
    if (q.size() < first_samples * static_cast<std::size_t>(joints)) q.insert(q.end(), s.q, s.q + joints);
  });
  choose_observer(Eigen::Map<const RowMatrix>(q.data(), static_cast<Eigen::Index>(q.size()) / joints, joints),
                  source.step, p);
  return p;
}

std::string describe(const Processing& p, double step) {
  std::string text =
      p.motion == Processing::Motion::observer
          ? fmt::format(
                "positions through a Kalman observer (readings with a noise of {:.3g}, jerk of density {:.3g}), "
                "forwards and backwards, which gives velocities and accelerations",
                p.observer_noise, p.observer_jerk)
      : p.cutoff > 0 ? fmt::format("positions{} through a zero-phase Butterworth filter of order {} at {:.6g} Hz, {}",
                                   p.measured_velocity ? " and measured velocities" : "", p.order, p.cutoff,
                                   p.measured_velocity ? "accelerations by central differences"
                                                       : "velocities and accelerations by central differences")
                     : "positions not filtered, velocities and accelerations by central differences";
  if (p.parallel_cutoff > 0)
    text += fmt::format("; equations through a zero-phase filter of order {} at {:.6g} Hz", p.parallel_order,
                        p.parallel_cutoff);
  text += fmt::format("; every {}{} is kept ({:.6g} Hz)", p.decimation == 1 ? "" : fmt::format("{}th ", p.decimation),
                      p.decimation == 1 ? "sample" : "equation", 1 / (step * p.decimation));
  if (p.edge > 0) text += fmt::format("; the first and last {:.3g} s of the log are left out", p.edge);
  if (p.torque_delay != 0)
    text += fmt::format("; torques are taken to act {:.4g} ms {} the time of their row", 1e3 * std::abs(p.torque_delay),
                        p.torque_delay > 0 ? "before" : "after");
  if (p.standstill > 0)
    text +=
        fmt::format("; equations of a joint are left out while it moves slower than {:.6g} rad/s (m/s)", p.standstill);
  if (p.from > -1e299 || p.to < 1e299)
    text += fmt::format("; only the time {}{}", p.from > -1e299 ? fmt::format("from {:.6g} s ", p.from) : "",
                        p.to < 1e299 ? fmt::format("until {:.6g} s", p.to) : "on");
  for (std::size_t i = 0; i < p.windows.size(); ++i)
    text +=
        fmt::format("{} {:.6g} to {:.6g} s", i == 0 ? "; only the time from" : ",", p.windows[i].from, p.windows[i].to);
  return text;
}

PredictionRecorder::PredictionRecorder(const Arm& arm, double kept_step)
    : dof_(arm.dof()),
      step_(kept_step),
      sums_(static_cast<std::size_t>(dof_)),
      residuals_(static_cast<std::size_t>(dof_)),
      window_(static_cast<std::size_t>(dof_)),
      window_count_(static_cast<std::size_t>(dof_), 0) {
  p_.joints.resize(static_cast<std::size_t>(dof_));
  p_.worst.resize(static_cast<std::size_t>(dof_));
  for (int i = 0; i < dof_; ++i) {
    const bool turns = arm.body(i).revolute;
    const std::string unit = turns ? "N m" : "N", angle = turns ? "rad" : "m", k = std::to_string(i + 1);
    p_.log.add("tau" + k, unit);
    p_.log.add("tau" + k + "_predicted", unit);
    p_.log.add("tau" + k + "_error", unit);
    p_.log.add("q" + k, angle);
    p_.log.add("v" + k, angle + "/s");
    p_.log.add("a" + k, angle + "/s^2");
    p_.worst[i].joint = i;
  }
}

void PredictionRecorder::thin() {
  const auto halve = [](std::vector<double>& x) {
    std::size_t to = 0;
    for (std::size_t i = 0; i < x.size(); i += 2) x[to++] = x[i];
    x.resize(to);
  };
  halve(p_.log.time);
  for (Channel& c : p_.log.channels) halve(c.values);
  every_ *= 2;
}

void PredictionRecorder::add(double time, const JointMotion& motion, const VecX<double>& measured,
                             const VecX<double>& predicted, const std::vector<bool>& counts) {
  if (seen_ == 0) window_from_ = time;
  const bool closes = time >= window_from_ + stretch_length;
  for (int i = 0; i < dof_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    Stretch& w = window_[k];
    if (closes) {
      if (window_count_[k] > 0) {
        w.rms = std::sqrt(w.rms / window_count_[k]);
        w.joint = i;
        w.from = window_from_;
        w.to = time;
        if (w.rms > p_.worst[k].rms) p_.worst[k] = w;
      }
      w = {};
      window_count_[k] = 0;
    }
    const double error = measured[i] - predicted[i];
    const bool here = counts[k];
    if (residuals_[k].size() < most_residuals) residuals_[k].push_back(here ? error : NAN);
    Sums& s = sums_[k];
    s.all_squares += error * error;
    s.all_torque += measured[i] * measured[i];
    if (!here) continue;
    s.squares += error * error;
    s.torque += measured[i] * measured[i];
    s.sum += error;
    ++s.count;
    s.speed += std::abs(motion.qd[i]);
    const bool slow = std::abs(motion.qd[i]) < s.speed / s.count;
    (slow ? s.slow : s.fast) += error * error, ++(slow ? s.slow_count : s.fast_count);
    JointError& j = p_.joints[k];
    if (std::abs(error) > std::abs(j.largest)) {
      j.largest = error;
      j.largest_at = time;
    }
    w.rms += error * error;
    ++window_count_[k];
    if (std::abs(error) > std::abs(w.error)) {
      w.error = error;
      w.at = time;
      w.motion = motion;
    }
  }
  if (closes) window_from_ = time;
  if (seen_++ % every_ == 0) {
    p_.log.time.push_back(time);
    for (int i = 0; i < dof_; ++i) {
      const bool here = counts[i];
      Channel* c = &p_.log.channels[6 * static_cast<std::size_t>(i)];
      const double values[] = {measured[i], predicted[i], here ? measured[i] - predicted[i] : NAN,
                               motion.q[i], motion.qd[i], motion.qdd[i]};
      for (int m = 0; m < 6; ++m) c[m].values.push_back(values[m]);
    }
    if (p_.log.time.size() >= most_logged) thin();
  }
}

Prediction PredictionRecorder::finish(const std::string& title) {
  double squares = 0, torque = 0, all_squares = 0, all_torque = 0;
  for (int i = 0; i < dof_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Sums& s = sums_[k];
    JointError& j = p_.joints[k];
    all_squares += s.all_squares;
    all_torque += s.all_torque;
    j.relative_all_rows = s.all_torque > 0 ? std::sqrt(s.all_squares / s.all_torque) : 0;
    squares += s.squares;
    torque += s.torque;
    j.samples = s.count;
    if (s.count == 0) continue;
    j.rms = std::sqrt(s.squares / s.count);
    j.relative = s.torque > 0 ? std::sqrt(s.squares / s.torque) : 0;
    j.mean = s.sum / s.count;
    j.slow = s.slow_count > 0 ? std::sqrt(s.slow / s.slow_count) : 0;
    j.fast = s.fast_count > 0 ? std::sqrt(s.fast / s.fast_count) : 0;
    j.whiteness = whiteness(residuals_[k]);
    if (window_count_[k] > 0.2 * stretch_length / step_) {  // the last, shorter one
      Stretch& w = window_[k];
      w.rms = std::sqrt(w.rms / window_count_[k]);
      w.joint = i;
      w.from = window_from_;
      w.to = window_from_ + window_count_[k] * step_;
      if (w.rms > p_.worst[k].rms) p_.worst[k] = w;
    }
    p_.worst[k].times = j.rms > 0 ? p_.worst[k].rms / j.rms : 1;
  }
  p_.relative = torque > 0 ? std::sqrt(squares / torque) : 0;
  p_.relative_all_rows = all_torque > 0 ? std::sqrt(all_squares / all_torque) : 0;
  p_.log.title = title;
  return std::move(p_);
}

Prediction validate(const Arm& arm, const MotionSource& source, const Processing& processing,
                    const std::function<void(const JointMotion&, VecX<double>&)>& extra) {
  TorqueModelSettings settings;
  settings.nothing_estimated = true;
  settings.known = [&](const JointMotion& m, VecX<double>& tau) {
    const VecX<double> load = inverse_dynamics<double>(arm, m.q, m.qd, m.qdd) + rotor_torque<double>(arm, m.qdd);
    tau = load + friction_torque(arm, m.qd, load);
    if (extra) {
      VecX<double> more = VecX<double>::Zero(arm.dof());
      extra(m, more);
      tau += more;
    }
  };
  const TorqueModel model(arm, settings);
  PredictionRecorder recorder(arm, source.step * processing.decimation);
  stream_equations(source, model, processing, [&](const SampleEquations& s) {
    recorder.add(s.time, s.motion, s.torque + s.known, s.known, s.counts);
  });
  Prediction p = recorder.finish(fmt::format("{}: predicted and measured torques", arm.name()));
  if (std::all_of(p.joints.begin(), p.joints.end(), [](const JointError& j) { return j.samples == 0; }))
    throw Error("no equation is left after processing",
                "is the time window inside the log, and does anything move faster than the standstill threshold?");
  return p;
}

Processing with_better_velocity(const Arm& arm, const MotionSource& source, Processing processing) {
  constexpr double clearly = 0.99;
  if (!source.velocities || processing.measured_velocity || processing.motion != Processing::Motion::filter)
    return processing;
  Processing measured = processing;
  measured.measured_velocity = true;
  return validate(arm, source, measured).relative_all_rows <
                 clearly * validate(arm, source, processing).relative_all_rows
             ? measured
             : processing;
}

}  // namespace armature::identification
