// What a run of a closed loop (rollout.hpp) is judged by: metrics from its figures, as campaign/metrics.cpp and run/comparison.cpp compute
// them from logs. Plain C++ for graphics processors, too.
#pragma once

#include "armature/codegen/compiled/rollout_layout.hpp"
#include "armature/codegen/compiled/rollout_numbers.hpp"

namespace armature_rollout {

enum class Metric {
  outcome,  // 0: complete; 1: it diverged; 2: the energy balance does not close
  tool_rms,
  tool_largest,
  tool_end,
  turn_rms,
  turn_largest,
  settling,
  overshoot,
  effort,
  peak_torque,
  energy,
  dissipated,
  saturation,
  contact_force,
  limit_margin,
  speed_share,
  torque_share,
  // of one joint
  q_rms,
  q_largest,
  q_end,
  q_settling,
  q_overshoot,
  q_limit_distance,
  tau_rms,
  tau_peak
};

/// A run that is over.
template <class T>
struct Judged {
  Layout at;
  const T *figure, *number;
  int samples;
  double sample;        // from one to the next [s]
  const double* rests;  // joint by joint and sample by sample: how far the reference goes from there on

  /// Of `joint` where it is that of one. NaN where it means nothing, infinite for what never happens.
  ARMATURE_FLAT T value(Metric metric, int joint) const {
    if (metric == Metric::outcome) return figure[Layout::ended];
    if (figure[Layout::ended] == T(1)) return T(NAN);
    const auto own = [&](Layout::Own what) { return figure[at.own(what) + joint]; };
    switch (metric) {
      case Metric::tool_rms:
        return root_mean(figure[Layout::tool_squares]);
      case Metric::tool_largest:
        return figure[Layout::tool_largest];
      case Metric::tool_end:
        return figure[Layout::tool_end];
      case Metric::turn_rms:
        return root_mean(figure[Layout::turn_squares]);
      case Metric::turn_largest:
        return figure[Layout::turn_largest];
      case Metric::settling:
        return settling();
      case Metric::overshoot:
        for (int i = 0; i < at.n; ++i)
          if (straight(i)) return figure[Layout::overshoot];
        return T(NAN);
      case Metric::effort:
        return root_mean(largest(figure + Layout::torque_squares));
      case Metric::peak_torque:
        return figure[Layout::peak];
      case Metric::energy:
        return figure[Layout::supplied];
      case Metric::dissipated:
        return figure[Layout::dissipated];
      case Metric::saturation:
        return largest(figure + at.saturated()) / T(samples);
      case Metric::limit_margin:
        return limited(Layout::margin, at.per_half_range());
      case Metric::speed_share:
        return limited(Layout::speed_share, at.per_speed());
      case Metric::torque_share:
        return limited(Layout::torque_share, at.per_torque());
      case Metric::q_rms:
        return root_mean(own(Layout::squares));
      case Metric::q_largest:
        return own(Layout::largest);
      case Metric::q_end:
        return own(Layout::end);
      case Metric::q_settling:
        return straight(joint) && at_rest(joint) + 1 < samples ? settled(at_rest(joint), own(Layout::own_unsettled))
                                                               : T(NAN);
      case Metric::q_overshoot:
        return straight(joint) ? own(Layout::own_overshoot) : T(NAN);
      case Metric::q_limit_distance:
        return own(Layout::distance) < T(1e299) ? own(Layout::distance) : T(NAN);  // limits beyond are none
      case Metric::tau_rms:
        return root_mean(figure[Layout::torque_squares + joint]);
      case Metric::tau_peak:
        return own(Layout::own_peak);
      default:  // contact_force: nothing can touch the tool
        return T(NAN);
    }
  }

 private:
  ARMATURE_DEVICE T root_mean(T squares) const { return sqrt(squares / T(samples)); }
  ARMATURE_DEVICE T largest(const T* of_joints) const {
    T most = of_joints[0];
    for (int i = 1; i < at.n; ++i) most = larger(most, of_joints[i]);
    return most;
  }
  /// Of joints that have what `limit` says.
  ARMATURE_DEVICE T limited(int which, int limit) const {
    for (int i = 0; i < at.n; ++i)
      if (number[limit + i] != T(0)) return figure[which];
    return T(NAN);
  }
  /// Whether a joint goes one way to its goal.
  ARMATURE_DEVICE bool straight(int i) const {
    const T move = number[at.goal() + i] - number[at.q() + i];
    if (!(magnitude(move) > T(1e-9))) return false;
    const T up = number[at.rise() + i] / move, down = number[at.fall() + i] / move;
    return larger(up, down) <= T(0.05) && smaller(up, down) >= T(-1.05);
  }
  /// The sample from which on the reference of a joint rests.
  ARMATURE_DEVICE int at_rest(int i) const {
    const double* far = rests + static_cast<long>(i) * samples;
    const double near = 1e-6 * static_cast<double>(magnitude(number[at.goal() + i] - number[at.q() + i]));
    int first = 0, end = samples;
    while (first < end) {
      const int middle = first + (end - first) / 2;
      if (far[middle] > near)
        first = middle + 1;
      else
        end = middle;
    }
    return first;
  }
  /// When a joint, whose reference rests from a sample on, has come to stay at its goal [s]; `last_off`: the last sample at which it was not there.
  ARMATURE_DEVICE T settled(int rest, T last_off) const {
    const int from = static_cast<int>(last_off + T(1));
    if (from == samples) return T(INFINITY);
    return T((from > rest ? from : rest) * sample);
  }
  ARMATURE_DEVICE T settling() const {
    int rest = 0;
    bool some = false;
    for (int i = 0; i < at.n; ++i) {
      if (!straight(i) || at_rest(i) + 1 >= samples) continue;
      some = true;
      rest = at_rest(i) > rest ? at_rest(i) : rest;
    }
    return some ? settled(rest, figure[Layout::unsettled]) : T(NAN);
  }
};

}  // namespace armature_rollout
