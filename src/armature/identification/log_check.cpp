#include "armature/identification/log_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/units.hpp"
#include "armature/record/resample.hpp"

namespace armature::identification {

namespace {

constexpr double longest_step = 0.25;    // [s]
constexpr double jump = 10;              // times the limit of the velocity, from one row to the next
constexpr int clipped_run = 5;           // equal readings in a row
constexpr double clipped_share = 0.005;  // of all rows

std::string unit(const Arm& arm, int i) { return arm.body(i).revolute ? "rad" : "m"; }

}  // namespace

double typical_step(const std::vector<double>& times, const Place& place) {
  if (times.size() < 3)
    throw FormatError(fmt::format("the log has {} rows", times.size()), "identification needs many", place);
  double step = 0;
  try {
    step = typical_interval(times);
  } catch (const Error&) {
    throw FormatError("column 'time' does not increase", "is it the column of the time? A map may name another", place);
  }
  if (step > longest_step)
    throw FormatError(
        fmt::format("column 'time' steps by {:.6g} s from row to row", step),
        step >= 0.9 ? "is it in milliseconds? write its unit into the header: time [ms]"
                    : fmt::format("motion sampled this slowly cannot be differentiated; at most {} s", longest_step),
        place);
  return step;
}

LogCheck::LogCheck(const Arm& arm, LogColumnNames names, double step, bool standing_joints)
    : arm_(arm),
      names_(std::move(names)),
      step_(step),
      standing_joints_(standing_joints),
      joints_(static_cast<std::size_t>(arm.dof())) {}

void LogCheck::refuse(const LogRow& sample, const std::string& column, const std::string& finding,
                      const std::string& hint) const {
  throw FormatError(fmt::format("column '{}': {}", column, finding), hint, sample.place);
}

void LogCheck::check_joint(const LogRow& s, int i, double interval) {
  Joint& j = joints_[i];
  const auto k = static_cast<std::size_t>(i);
  const bool turns = arm_.body(i).revolute;
  const Limits& limits = arm_.joint(i).limits;
  const double q = s.q[i], tau = s.tau[i];
  const std::string& column = names_.position[k];
  const double lower = limits.lower.value_or(turns ? -4 * pi : -20), upper = limits.upper.value_or(turns ? 4 * pi : 20);
  const double slack = 0.1 * (upper - lower) + (turns ? 0.1 : 0.01);
  if (q < lower - slack || q > upper + slack) {
    const bool degrees = turns && q * deg >= lower - slack && q * deg <= upper + slack;
    refuse(s, column,
           fmt::format("joint {} at {:.6g} {}, outside its range from {:.4g} to {:.4g}", i + 1, q, unit(arm_, i), lower,
                       upper),
           degrees
               ? fmt::format(
                     "is it in degrees? write the unit into the header: {} [deg]. Or is this the log of another arm?",
                     column)
               : "is this the log of another arm, of the motor side, or in another unit? A map says so: --map");
  }
  if (limits.torque && std::abs(tau) > 5 * *limits.torque)
    refuse(s, names_.torque[k],
           fmt::format("joint {} with {:.4g}, more than five times its limit of {:.4g}", i + 1, tau, *limits.torque),
           "is it in another unit, of the motor side, or the log of another arm?");
  if (rows_ == 0) {
    j.lowest = j.highest = j.window = q;
    j.raw_low = j.raw_high = s.raw_torque[i];
    j.last_raw = s.raw_torque[i];
    j.window_time = s.time;
  } else {
    j.lowest = std::min(j.lowest, q);
    j.highest = std::max(j.highest, q);
    j.raw_low = std::min(j.raw_low, s.raw_torque[i]);
    j.raw_high = std::max(j.raw_high, s.raw_torque[i]);
    const double speed = (q - j.last_q) / interval;
    if (interval < 2 * step_ && limits.velocity && std::abs(speed) > jump * *limits.velocity &&
        std::abs(q - j.last_q) > (turns ? 0.05 : 0.005))
      refuse(s, column,
             fmt::format("joint {} jumps from {:.6g} to {:.6g} {} within {:.4g} s, {:.3g} times what its "
                         "speed allows",
                         i + 1, j.last_q, q, unit(arm_, i), interval, std::abs(speed) / *limits.velocity),
             "a reading that went wrong, or an angle that wraps at a full turn: mend or cut the log there");
    if (s.qd != nullptr && interval < 1.5 * static_cast<double>(longest_hole) * step_) {
      const double given = (s.qd[i] + j.last_qd) / 2;  // of the half step, as the difference is
      const double counted = (q - j.last_q) / step_;   // stamps of rows that arrive in bursts say nothing of speeds
      j.speed_product += counted * given;
      j.speed_square += given * given;
      j.difference_square += counted * counted;
    }
    constexpr int window = 16;
    if (static_cast<long>(rows_) % window == 0) {
      const double mean_speed = std::abs(q - j.window) / std::max(s.time - j.window_time, window * step_);
      if (limits.velocity && mean_speed > 3 * *limits.velocity)
        refuse(s, column,
               fmt::format("joint {} moves at {:.4g} {}/s, more than three times its limit of {:.4g}", i + 1,
                           mean_speed, unit(arm_, i), *limits.velocity),
               "is the position in degrees, the time in another unit, or this the log of another arm?");
      j.window = q;
      j.window_time = s.time;
    }
  }
  const double raw = s.raw_torque[i];
  j.run = rows_ > 0 && raw == j.last_raw ? j.run + 1 : 0;
  j.largest_raw = std::max(j.largest_raw, std::abs(raw));
  if (j.run + 1 >= clipped_run && raw != 0) {
    if (std::abs(raw) > j.clipped_level) {
      j.clipped_level = std::abs(raw);
      j.clipped_rows = 0;
      j.clipped_at = s.place;
    }
    if (std::abs(raw) == j.clipped_level) j.clipped_rows += j.run + 1 == clipped_run ? clipped_run : 1;
  }
  j.last_raw = raw;
  j.last_q = q;
  if (s.qd != nullptr) j.last_qd = s.qd[i];
}

void LogCheck::row(const LogRow& s) {
  const double interval = s.time - last_time_;
  if (rows_ > 0 && interval == 0) return;  // repeated
  // A clock that is set back tells nothing of speeds; stamps that jitter make them look higher than they are.
  const bool set_back = interval < 0;
  for (int i = 0; i < arm_.dof(); ++i) {
    if (set_back) {
      joints_[i].last_q = s.q[i];
      joints_[i].window = s.q[i];
    }
    if (set_back) joints_[i].window_time = s.time;
    check_joint(s, i, set_back ? step_ : std::max(interval, step_ / 2));
  }
  last_time_ = s.time;
  last_place_ = s.place;
  ++rows_;
}

std::vector<int> LogCheck::standing() const {
  std::vector<int> list;
  for (int i = 0; i < arm_.dof(); ++i) {
    const Joint& j = joints_[i];
    if (j.highest - j.lowest < (arm_.body(i).revolute ? 2e-3 : 1e-4)) list.push_back(i);  // [rad | m]
  }
  return list;
}

void LogCheck::finish() const {
  if (rows_ < 12)
    throw FormatError(fmt::format("the log has {:.0f} rows", rows_), "identification needs many", last_place_);
  const std::vector<int> still = standing();
  for (int i = 0; i < arm_.dof(); ++i) {
    const Joint& j = joints_[i];
    const auto k = static_cast<std::size_t>(i);
    if (j.raw_low == j.raw_high && std::find(still.begin(), still.end(), i) == still.end())
      throw FormatError(
          fmt::format("column '{}': {:.6g} in every row, no reading of joint {}", names_.torque[k], j.raw_high, i + 1),
          "does the column stand for a sensor that was not connected? A map names another: --map", last_place_);
    if (j.clipped_level == j.largest_raw && j.clipped_rows >= clipped_share * rows_ && j.largest_raw > 0)
      throw FormatError(
          fmt::format(
              "column '{}': the torque of joint {} stands at its largest value, {:.6g}, in {:.0f} rows (here first)",
              names_.torque[k], i + 1, j.clipped_level, j.clipped_rows),
          "it is saturated: what the motor gave is not what the column says; move more slowly, or cut these parts out",
          j.clipped_at);
    if (j.speed_square > 0 && j.difference_square > 0) {
      const double ratio = j.speed_product / j.speed_square;  // of the differences to the velocities given
      const double likeness = j.speed_product / std::sqrt(j.speed_square * j.difference_square);
      if (likeness > 0.5 && (ratio > 1.5 || ratio < 1 / 1.5)) {
        std::string hint = "one of position, velocity and time is in another unit";
        if (std::abs(ratio * deg - 1) < 0.2)
          hint = fmt::format("is column '{}' in degrees? write the unit into the header", names_.position[k]);
        if (std::abs(ratio / deg - 1) < 0.2)
          hint =
              fmt::format("is column '{}' in degrees per second? write the unit into the header", names_.velocity[k]);
        if (std::abs(ratio * 1e3 - 1) < 0.2)
          hint = "is the time in milliseconds? write its unit into the header: time [ms]";
        throw FormatError(fmt::format("column '{}': the position changes {:.4g} times as fast as '{}' says",
                                      names_.position[k], ratio, names_.velocity[k]),
                          hint, last_place_);
      }
      if (likeness < 0.2 && rows_ > 200)
        throw FormatError(fmt::format("column '{}' is not the derivative of '{}' (correlation {:.2f})",
                                      names_.velocity[k], names_.position[k], likeness),
                          "are columns of different joints mixed up? A map says which is which: --map", last_place_);
    }
  }
  if (!still.empty() && !standing_joints_) {
    const int i = still.front();
    throw FormatError(fmt::format("column '{}': joint {} never moves (it stays within {:.2g} {})", names_.position[i],
                                  i + 1, joints_[i].highest - joints_[i].lowest, unit(arm_, i)),
                      "its own parameters cannot be found; excite it, or accept that with --standing-joints",
                      last_place_);
  }
}

}  // namespace armature::identification
