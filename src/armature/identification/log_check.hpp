// Whether a log can be what it claims to be: found while it is read, each fault with its row and column.
#pragma once

#include <string>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/identification/joint_sample.hpp"
#include "armature/model/arm.hpp"

namespace armature::identification {

/// Names of the columns that faults are reported in, one per joint (or motor); velocity may be empty.
struct LogColumnNames {
  std::string time = "time";
  std::vector<std::string> position, velocity, torque;
};

/// One row of a log.
struct LogRow : JointSample {
  const double* raw_torque = nullptr;  // as it stands in the log, before gears and units
  Place place;                         // of the row
};

/// Looks at every complete row once, in constant memory, as it was recorded (stamps may jitter: record/resample.hpp). Faults throw
/// FormatError with place, column, finding and hint: positions outside the joint's range, velocities that are not those of the positions,
/// speeds and torques far beyond the limits (units!); positions that jump; torques that stand still at their largest value
/// (saturation) or all the time; at the end: joints that never moved.
class LogCheck {
 public:
  /// `standing_joints`: joints that do not move are no fault.
  LogCheck(const Arm& arm, LogColumnNames names, double step, bool standing_joints = false);
  void row(const LogRow& sample);
  void finish() const;
  /// Joints that did not move, from 0.
  [[nodiscard]] std::vector<int> standing() const;

 private:
  struct Joint {
    double lowest = 0, highest = 0;                                     // [rad | m]
    double raw_low = 0, raw_high = 0;                                   // of the torque column
    double window = 0, window_time = 0;                                 // position some samples ago
    double speed_product = 0, speed_square = 0, difference_square = 0;  // of given velocities and differences
    double last_raw = 0, largest_raw = 0;                               // of the torque column
    int run = 0;                                                        // rows since it last changed
    double clipped_level = 0;  // largest size at which it stood still for some rows ...
    double clipped_rows = 0;   // ... altogether
    Place clipped_at;
    double last_q = 0, last_qd = 0;
  };
  [[noreturn]] void refuse(const LogRow& sample, const std::string& column, const std::string& finding,
                           const std::string& hint) const;
  void check_joint(const LogRow& sample, int i, double interval);

  Arm arm_;
  LogColumnNames names_;
  double step_;
  bool standing_joints_;
  double rows_ = 0, last_time_ = 0;
  Place last_place_;
  std::vector<Joint> joints_;
};

/// The usual interval (record/resample.hpp) between the first stamps of a log. Throws FormatError where there
/// are fewer than three samples, or the step is too long for a motion in seconds.
double typical_step(const std::vector<double>& times, const Place& place);

}  // namespace armature::identification
