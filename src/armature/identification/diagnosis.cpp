#include "armature/identification/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/internal/fault_bench.hpp"
#include "armature/identification/torque_delay.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

constexpr double convincing_share = 1.0 / 3;       // of the residual: what it has to fall to
constexpr double clearly = 0.9;                    // of another explanation's residual: what a later one has to reach
constexpr double longest_tried = 40;               // [s] of the log
constexpr Eigen::Index most_tried = 2000;          // rows of it
constexpr double small_torque = 0.05;              // of the largest: below it errors are judged against this
constexpr double shortest_fault = 0.3;             // [s] of a signal that stands still
constexpr double settling = 0.2;                   // [s] around a fault over which filters spread it
constexpr double quiet_cutoffs[] = {16, 8, 4, 2};  // [Hz]

constexpr double contradicted = 0.3;  // residual of the described arm above which the log speaks against it
constexpr double agrees = 0.2;        // and below which it speaks for it
constexpr double stands_out = 0.12;   // residual of the described arm at one joint alone that is worth a look ...
constexpr double settled = 0.25;  // ... and the share of it that a change of units, gain or column has to leave there
constexpr double suspicious_residual = 0.1;  // of bodies, above which there is something to explain
constexpr double hardly_changes = 0.01;  // spread of a torque, as a share of its size, that no motion leaves it with
constexpr double excellent = 0.03;       // residual of bodies that leaves nothing to explain
constexpr double another_arm = 0.3;      // of the torques, and above which another arm is more likely ...
constexpr double useless_description = 0.5;  // ... where the described one leaves so much

/// The longest stretch of the log without a gap in what is kept, at most 40 s of it: the time between two windows is one.
MotionBlock longest_segment(const MotionSource& source, int joints, const Processing& p) {
  std::vector<double> q_now, tau_now, q, tau;
  double start_now = 0;
  MotionBlock log;
  log.step = source.step;
  const auto take = [&] {
    if (q_now.size() > q.size()) {
      q.swap(q_now);
      tau.swap(tau_now);
      log.start = start_now;
    }
    q_now.clear();
    tau_now.clear();
  };
  const auto most = static_cast<std::size_t>(longest_tried / source.step) * static_cast<std::size_t>(joints);
  with_torque_delay(source, joints, p.torque_delay).for_each([&](const JointSample& s) {
    if (s.begins || !p.keeps(s.time)) take();
    if (!p.keeps(s.time) || q_now.size() >= most) return;
    if (q_now.empty()) start_now = s.time;
    q_now.insert(q_now.end(), s.q, s.q + joints);
    tau_now.insert(tau_now.end(), s.tau, s.tau + joints);
  });
  take();
  const auto rows = static_cast<Eigen::Index>(q.size()) / joints;
  log.q = Eigen::Map<RowMatrix>(q.data(), rows, joints);
  log.tau = Eigen::Map<RowMatrix>(tau.data(), rows, joints);
  return log;
}

MotionBlock thinned_log(const MotionBlock& log) {
  const auto every = static_cast<int>((log.samples() + most_tried - 1) / most_tried);
  if (every <= 1) return log;
  MotionBlock thin;
  thin.start = log.start;
  thin.step = log.step * every;
  const auto thin_columns = [&](const RowMatrix& x) {
    RowMatrix y;
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      const Eigen::VectorXd column = x.col(j);
      const std::vector<double> less = decimate({column.data(), static_cast<std::size_t>(column.size())}, every);
      if (j == 0) y.resize(less.size(), x.cols());
      y.col(j) = Eigen::Map<const Eigen::VectorXd>(less.data(), static_cast<Eigen::Index>(less.size()));
    }
    return y;
  };
  thin.q = thin_columns(log.q);
  thin.tau = thin_columns(log.tau);
  return thin;
}

/// Times at which `holds` is true from row to row, each at least so long.
Intervals stretches(const MotionBlock& log, const std::function<bool(Eigen::Index)>& holds, double shortest) {
  Intervals list;
  Eigen::Index begin = -1;
  const auto time = [&](Eigen::Index k) { return log.start + static_cast<double>(k) * log.step; };
  for (Eigen::Index k = 1; k <= log.samples(); ++k) {
    const bool here = k < log.samples() && holds(k);
    if (here && begin < 0) begin = k - 1;
    if (here || begin < 0) continue;
    if (static_cast<double>(k - 1 - begin) * log.step >= shortest) list.emplace_back(time(begin), time(k - 1));
    begin = -1;
  }
  return list;
}

/// Instants at which a position bends ten times as much as nearly everywhere else.
Intervals jumps(const MotionBlock& log, int j) {
  const auto q = log.q.col(j);
  const Eigen::Index n = log.samples() - 2;
  if (n < 100) return {};
  const Eigen::VectorXd bend = (q.tail(n) - 2 * q.segment(1, n) + q.head(n)).cwiseAbs();
  std::vector<double> sorted(bend.data(), bend.data() + n);
  const auto usual = sorted.begin() + n * 99 / 100;
  std::nth_element(sorted.begin(), usual, sorted.end());
  Intervals list;
  for (Eigen::Index k = 0; k < n; ++k) {
    const double t = log.start + static_cast<double>(k + 1) * log.step;
    if (bend[k] <= 10 * *usual || bend[k] < 1e-3) continue;
    if (list.empty() || t > list.back().second + settling) list.emplace_back(t, t);
    list.back().second = t;
  }
  return list.size() < 50 ? list : Intervals{};
}

void shift(RowMatrix& x, Eigen::Index column, Eigen::Index rows) {
  const Eigen::VectorXd old = x.col(column);
  for (Eigen::Index k = 0; k < x.rows(); ++k) x(k, column) = old[std::clamp<Eigen::Index>(k + rows, 0, x.rows() - 1)];
}

/// What may be wrong, the simplest first. `raw`: as recorded; `log`: what is tried, thinned; `bad`: the joints that fit worst.
class Suspicions {
 public:
  Suspicions(const Arm& arm, const MotionBlock& raw, const MotionBlock& log, const std::vector<int>& bad)
      : arm_(arm), raw_(raw), log_(log), bad_(bad), n_(arm.dof()), identity_(RowMatrix::Identity(n_, n_)) {
    exchanges();
    for (const int j : bad_) {
      signs(j);
      scales(j);
    }
    all_joints();
    for (int j = 0; j < n_; ++j) rows(j);
    for (const int j : bad_) {
      delays(j);
      offsets(j);
    }
  }
  [[nodiscard]] const std::vector<Suspicion>& list() const { return list_; }

 private:
  void torques(std::string cause, std::string trial, const RowMatrix& mix) {
    list_.push_back({std::move(cause), std::move(trial), mix, {}, {}, 0, {}, -1});
  }
  void motion(std::string cause, std::string trial, std::function<void(MotionBlock&)> change,
              const RowMatrix& mix = {}) {
    list_.push_back({std::move(cause), std::move(trial), mix, std::move(change), {}, 0, {}, -1});
  }
  [[nodiscard]] RowMatrix scaled(int j, double factor) const {
    RowMatrix mix = identity_;
    mix(j, j) = factor;
    return mix;
  }
  void exchanges() {
    const auto is_bad = [&](int j) { return std::find(bad_.begin(), bad_.end(), j) != bad_.end(); };
    for (int a = 0; a < n_; ++a)
      for (int b = a + 1; b < n_; ++b) {
        if (!is_bad(a) && !is_bad(b)) continue;
        RowMatrix mix = identity_;
        mix.row(a).swap(mix.row(b));
        const auto swap = [a, b](MotionBlock& log) { log.q.col(a).swap(log.q.col(b)); };
        torques(fmt::format("columns tau{} and tau{} seem exchanged", a + 1, b + 1), "with them exchanged", mix);
        motion(fmt::format("columns q{} and q{} seem exchanged", a + 1, b + 1), "with them exchanged", swap);
        motion(fmt::format("joints {} and {} seem exchanged, positions and torques", a + 1, b + 1),
               "with them exchanged", swap, mix);
      }
    if (n_ < 3) return;
    const RowMatrix reversed = identity_.rowwise().reverse();
    const auto reverse = [](MotionBlock& log) { log.q = log.q.rowwise().reverse().eval(); };
    torques("the torques seem to be in reverse order", "from the last joint to the first", reversed);
    motion("the joints seem to be in reverse order", "from the last to the first", reverse, reversed);
    for (int by = 1; by < n_; ++by) {
      RowMatrix mix = RowMatrix::Zero(n_, n_);
      for (int j = 0; j < n_; ++j) mix(j, (j + by) % n_) = 1;
      torques("the torques seem to be in another order than the joints",
              fmt::format("with tau{} for joint 1, and so on", 1 + by), mix);
    }
  }
  void signs(int j) {
    const auto flip = [j](MotionBlock& log) { log.q.col(j) *= -1; };
    torques(fmt::format("tau{} seems to have the wrong sign", j + 1), "with its sign changed", scaled(j, -1));
    motion(fmt::format("q{} seems to have the wrong sign", j + 1), "with its sign changed", flip);
    motion(fmt::format("q{} and tau{} seem to have the wrong sign (the axis turns the other way)", j + 1, j + 1),
           "with both signs changed", flip, scaled(j, -1));
  }
  void scales(int j) {
    for (const double factor : {10.0, 0.1, 100.0, 0.01, 1000.0, 0.001})
      torques(fmt::format("tau{} seems to be in another unit, or its sensor has another gain", j + 1),
              fmt::format("with it times {:g}", factor), scaled(j, factor));
    const double N = std::abs(arm_.joint(j).drive.gear_ratio.value_or(1));
    if (N > 1.05)
      for (const double factor : {N, 1 / N})
        torques(fmt::format("tau{} seems to be of the {} side of its gear", j + 1, factor > 1 ? "motor" : "joint"),
                fmt::format("with it times {:.4g}", factor), scaled(j, factor));
    for (const double factor : {0.5, 2.0, 0.25, 4.0, 0.2, 5.0})
      torques(fmt::format("the gear ratio or torque constant of joint {} seems to be wrong", j + 1),
              fmt::format("with tau{} times {:g}", j + 1, factor), scaled(j, factor));
    if (!arm_.body(j).revolute) return;
    motion(fmt::format("q{} seems to be in degrees", j + 1), fmt::format("with q{} [deg]", j + 1),
           [j](MotionBlock& log) { log.q.col(j) *= deg; });
  }
  void all_joints() {
    torques("all torques seem to have the wrong sign", "with their signs changed", -identity_);
    motion("all positions seem to have the wrong sign", "with their signs changed",
           [](MotionBlock& log) { log.q *= -1; });
    const double size = arm_.gravity().norm() > 0 ? arm_.gravity().norm() : 9.80665;
    for (int axis = 0; axis < 3; ++axis)
      for (const double sign : {-1.0, 1.0}) {
        const Vec3<double> other = sign * size * Vec3<double>::Unit(axis);
        if ((other - arm_.gravity()).norm() < 0.1 * size) continue;
        list_.push_back({"gravity seems to point another way (is the arm mounted as described?)",
                         fmt::format("with gravity along {}{}", sign < 0 ? "-" : "+", "xyz"[axis]),
                         {},
                         {},
                         other,
                         0,
                         {},
                         -1});
      }
    for (const Eigen::Index by : shifts())
      motion(fmt::format("the torques seem to come {} than the positions", by > 0 ? "later" : "earlier"),
             fmt::format("with --torque-delay {:.0f}ms", 1e3 * static_cast<double>(by) * log_.step),
             [by](MotionBlock& log) {
               for (Eigen::Index j = 0; j < log.tau.cols(); ++j) shift(log.tau, j, by);
             });
  }
  [[nodiscard]] std::vector<Eigen::Index> shifts() const {
    std::vector<Eigen::Index> list;
    for (const double time : {0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2}) {
      const auto by = static_cast<Eigen::Index>(std::lround(time / log_.step));
      if (by > 0 && (list.empty() || list.back() != -by)) {
        list.push_back(by);
        list.push_back(-by);
      }
    }
    return list;
  }
  void delays(int j) {
    for (const Eigen::Index by : shifts())
      motion(fmt::format("tau{} seems to come {} than the positions", j + 1, by > 0 ? "later" : "earlier"),
             fmt::format("shifted by {:.0f} ms", 1e3 * std::abs(static_cast<double>(by)) * log_.step),
             [j, by](MotionBlock& log) { shift(log.tau, j, by); });
  }
  void offsets(int j) {
    if (!arm_.body(j).revolute) return;
    for (const double angle : {90.0, -90.0, 180.0, 60.0, -60.0, 45.0, -45.0, 30.0, -30.0, 20.0, -20.0, 10.0, -10.0})
      motion(fmt::format("the encoder of joint {} seems to have an offset", j + 1),
             fmt::format("with q{} {:+g} deg", j + 1, angle),
             [j, angle](MotionBlock& log) { log.q.col(j).array() += angle * deg; });
  }
  void rows(int j) {
    const auto q = raw_.q.col(j), tau = raw_.tau.col(j);
    leave_out(fmt::format("the encoder of joint {} seems to be stuck for a while", j + 1),
              stretches(
                  raw_, [&](Eigen::Index k) { return q[k] == q[k - 1]; }, shortest_fault));
    leave_out(fmt::format("tau{} is constant for a while: the sensor seems to be dead", j + 1),
              stretches(
                  raw_, [&](Eigen::Index k) { return tau[k] == tau[k - 1]; }, shortest_fault));
    const double high = tau.maxCoeff(), low = tau.minCoeff(), band = 0.01 * (high - low);
    leave_out(fmt::format("tau{} seems to be saturated", j + 1),
              stretches(
                  raw_, [&](Eigen::Index k) { return tau[k] > high - band || tau[k] < low + band; }, 3 * raw_.step));
    leave_out(fmt::format("q{} jumps: a reading went wrong", j + 1), jumps(raw_, j));
    if (const double mean = tau.mean(); (tau.array() - mean).matrix().norm() < hardly_changes * tau.norm())
      list_.push_back({fmt::format("tau{} seems to be saturated, or its sensor dead: it hardly changes", j + 1),
                       fmt::format("without the equations of joint {}", j + 1),
                       {},
                       {},
                       {},
                       0,
                       {},
                       j});
  }
  void leave_out(std::string cause, Intervals list) {
    double length = 0;
    for (const auto& [from, to] : list) length += to - from;
    if (list.empty() || length > 0.8 * static_cast<double>(raw_.samples()) * raw_.step) return;
    std::string where = fmt::format("without {:.4g} to {:.4g} s", list.front().first, list.front().second);
    if (list.size() > 1) where += fmt::format(" and {} more such times", list.size() - 1);
    for (auto& [from, to] : list) {
      from -= settling;
      to += settling;
    }
    list_.push_back({std::move(cause), where, {}, {}, {}, 0, std::move(list), -1});
  }

  const Arm& arm_;
  const MotionBlock &raw_, &log_;
  const std::vector<int>& bad_;
  int n_;
  RowMatrix identity_;
  std::vector<Suspicion> list_;
};

/// The joint at which the described bodies fail while they are right at all others.
std::optional<int> odd_one_out(const VecX<double>& described) {
  if (described.size() < 2 || (described.array() > stands_out).count() != 1) return std::nullopt;
  int joint = 0;
  described.maxCoeff(&joint);
  return joint;
}

}  // namespace

VecX<double> judged_against(const VecX<double>& torque) {
  std::vector<double> sorted(torque.data(), torque.data() + torque.size());
  std::sort(sorted.begin(), sorted.end());
  const double least = std::min(small_torque * sorted.back(), 0.5 * sorted[(sorted.size() - 1) / 2]);
  return torque.cwiseMax(least).cwiseMax(1e-300);
}

std::string Diagnosis::sentence() const {
  if (trial.empty()) return cause;
  return fmt::format("{}: {} the {} falls from {:.1f} % to {:.1f} %", cause, trial,
                     of_the_described
                         ? "error of the described arm" + (joint < 0 ? "" : fmt::format(" at joint {}", joint + 1))
                         : "residual",
                     100 * before, 100 * after);
}

std::optional<Diagnosis> diagnose(const Arm& arm, const MotionSource& source, const Processing& processing,
                                  const TorqueModelSettings& model, bool description_counts) {
  const MotionBlock raw = longest_segment(source, arm.dof(), processing), log = thinned_log(raw);
  const FaultBench bench(arm, log, processing, model);
  const Residuals& now = bench.as_read();
  const Residual before{over_joints(now.joints), over_joints(now.described), now.described};
  const bool contradicts = description_counts && before.described > contradicted,
             badly = before.bodies > suspicious_residual;
  const std::optional<int> odd =
      description_counts && !contradicts && !badly ? odd_one_out(now.described) : std::nullopt;
  if (!contradicts && !badly && !odd) return std::nullopt;
  const VecX<double>& joints = badly ? now.joints : now.described;
  std::vector<int> bad;
  for (int j = 0; j < arm.dof(); ++j)
    if (joints[j] > 0.3 * joints.maxCoeff()) bad.push_back(j);
  std::optional<Diagnosis> best;
  double best_share = convincing_share;
  // A cause is believed if without it bodies, or the described ones, explain the log three times as well.
  const auto try_it = [&](const Suspicion& s, double margin) {
    if (odd && !s.torques_alone()) return;
    const Residual after = bench.residual(s, badly ? margin * best_share * before.bodies : 0);
    const bool worse_described = description_counts && after.described > std::max(1.2 * before.described, contradicted);
    const double bodies = badly && !worse_described && after.bodies < agrees ? after.bodies / before.bodies : 1;
    const bool as_described = contradicts && after.described < agrees && after.bodies < 1.5 * before.bodies + excellent;
    const double described = as_described ? after.described / before.described : 1;
    // ... or if the one joint at which the described ones are wrong is right without it.
    const double there = odd && after.described < before.described && after.bodies < 1.5 * before.bodies + excellent
                             ? after.described_joints[*odd] / before.described_joints[*odd]
                             : 1;
    const double at_odd = there < settled ? there : 1;
    const double share = std::min({bodies, described, at_odd});
    if (share >= margin * best_share) return;
    best_share = share;
    if (bodies < convincing_share || bodies == share)
      best = {s.cause, s.trial, before.bodies, after.bodies, false, -1, false, s.cutoff};
    else if (described == share)
      best = {s.cause, s.trial, before.described, after.described, true, -1, false, s.cutoff};
    else
      best = {s.cause, s.trial, before.described_joints[*odd], after.described_joints[*odd], true, *odd, false, 0};
  };
  const Suspicions suspicions(arm, raw, log, bad);
  for (const Suspicion& s : suspicions.list()) try_it(s, best ? clearly : 1);
  if (best) return best;
  for (const double cutoff : quiet_cutoffs)
    if (badly && !best)
      try_it({"accelerations are mostly noise of the positions",
              fmt::format("with --cutoff {:g}Hz", cutoff),
              {},
              {},
              {},
              cutoff,
              {},
              -1},
             1);
  if (best) {
    best->advice = true;
    return best;
  }
  for (const int j : bad)
    if (badly)
      try_it({fmt::format("tau{} has nothing to do with the motion (is it a sensor's reading at all, or this the log "
                          "of another arm?)",
                          j + 1),
              fmt::format("without the equations of joint {}", j + 1),
              {},
              {},
              {},
              0,
              {},
              j},
             1);
  if (best) best->advice = true;  // or its own torque is small, and noise and friction are all there is to it
  if (best || !badly) return best;
  const double described = now.total(now.described), bodies = now.total(now.joints);
  if (description_counts && described > useless_description && bodies > another_arm)
    return Diagnosis{fmt::format("it seems to be the log of another arm: the described one leaves {:.0f} % of the "
                                 "torques unexplained, and all other bodies on its joints at least {:.0f} %",
                                 100 * described, 100 * bodies),
                     "", bodies, bodies, true};
  return std::nullopt;
}

double too_fast_share(const Arm& arm, const MotionSource& source, const Processing& processing) {
  const MotionBlock log = longest_segment(source, arm.dof(), processing);
  const Eigen::Index n = log.samples() - 1;
  if (n < 20) return 0;
  const RowMatrix v = log.q.bottomRows(n) - log.q.topRows(n);
  RowMatrix slow = v;
  filter_zero_phase(butterworth(4, 0.2 / log.step, 1 / log.step), slow);
  return std::sqrt((v - slow).squaredNorm() / std::max(v.squaredNorm(), 1e-300));
}

}  // namespace armature::identification
