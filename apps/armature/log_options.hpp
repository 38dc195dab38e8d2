// What the verbs about measured logs ask for in the same words.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "armature/core/error.hpp"
#include "armature/identification/motion_source.hpp"
#include "armature/run/measured_log.hpp"
#include "command_line.hpp"

namespace armature {

struct LogOptions {
  std::string log;
  std::optional<std::string> map, cutoff, parallel, decimation, standstill, from, to, observer_noise, observer_jerk,
      torque_delay;
  bool observer = false, measured_velocity = false, no_filter = false;
  bool standing_joints = false;  // a joint that never moves is no fault

  /// LOG, --map and the settings of the processing.
  void add_to(Verb& verb);
  [[nodiscard]] std::unique_ptr<MeasuredLog> open(const Arm& arm) const;
  /// Checks every row while it is read for the first time. The log must outlive the source.
  [[nodiscard]] MotionSource source(MeasuredLog& measured) const;
  /// Unless it is asked for, the delay of the torques is what the log says of itself. `may_find`: it may be searched.
  [[nodiscard]] Processing processing(const MeasuredLog& measured, bool may_find = false) const;
  /// What `make` returns; an error of its own that has no place gets that of the log.
  template <class F>
  auto placed(F make) const {
    try {
      return make();
    } catch (const FormatError&) {
      throw;  // has its place
    } catch (const Error& error) {
      throw Error(error.finding(), error.hint(), {log});
    }
  }
};

/// A whole number at least `smallest`. Throws Error naming the option.
int parse_count(const std::string& option, const std::string& text, int smallest);

}  // namespace armature
