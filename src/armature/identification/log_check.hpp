// Whether a log can be what it claims to be: found while it is read, each fault with its row and column.
#pragma once

#include <string>
#include <vector>

#include "armature/core/error.hpp"
#include "armature/model/arm.hpp"

namespace armature {

/// Names of the columns that faults are reported in, one a joint (or motor); velocity may be empty.
struct LogColumnNames {
  std::string time = "time";
  std::vector<std::string> position, velocity, torque;
};

/// One row, seen from the joints.
struct JointSample {
  double time = 0;                     // [s]
  const double* q = nullptr;           // [rad | m]
  const double* qd = nullptr;          // null where the log has no velocities
  const double* tau = nullptr;         // [N m | N]
  const double* raw_torque = nullptr;  // as it stands in the log, before gears and units
  Place place;                         // of the row
};

/// Looks at every row once, in constant memory. Faults throw FormatError with place, column, finding and hint: steps that are
/// uneven, missing or too long for seconds; positions outside the joint's range, velocities that are not those of the positions,
/// speeds and torques far beyond the limits (units!); positions that jump; torques that stand still at their largest value
/// (saturation) or all the time; at the end: joints that never moved.
class LogCheck {
 public:
  /// `standing_joints`: joints that do not move are no fault.
  LogCheck(const Arm& arm, LogColumnNames names, double step, bool standing_joints = false);
  void row(const JointSample& sample);
  void finish() const;
  /// Joints that did not move, from 0.
  [[nodiscard]] std::vector<int> standing() const;

 private:
  struct Joint {
    double lowest = 0, highest = 0;                                     // [rad | m]
    double raw_low = 0, raw_high = 0;                                   // of the torque column
    double window = 0;                                                  // position some samples ago
    double speed_product = 0, speed_square = 0, difference_square = 0;  // of given velocities and differences
    double last_raw = 0, largest_raw = 0;                               // of the torque column
    int run = 0;                                                        // rows since it last changed
    double clipped_level = 0;  // largest size at which it stood still for some rows ...
    double clipped_rows = 0;   // ... altogether
    Place clipped_at;
    double last_q = 0, last_qd = 0;
  };
  [[noreturn]] void refuse(const JointSample& sample, const std::string& column, const std::string& finding,
                           const std::string& hint) const;
  void check_time(const JointSample& sample);
  void check_joint(const JointSample& sample, int i);

  Arm arm_;
  LogColumnNames names_;
  double step_;
  bool standing_joints_;
  double rows_ = 0, last_time_ = 0;
  Place last_place_;
  std::vector<Joint> joints_;
};

/// The usual step of a log from its first times: their median difference. Throws FormatError where there are fewer than three
/// samples.
double usual_step(const std::vector<double>& times, const Place& place);

}  // namespace armature
