// Measured logs as identification reads them: a table over time, a map that says which column is what, seen from the joints.
//
//   side: motor                  # or joint (default); position_side and torque_side where they differ
//   position: q_mot{}            # {} is the joint's number from 1; or a list of names
//   velocity: dq_mot{}           # may be left out
//   torque: tau_mot{}            # or  current: i{}  (times the torque constants of the arm's drives)
//   reference: q_ref{}           # positions that were asked for: instruments against noise in closed loops
//   torque_scale: [35.15]        # N m (or N) per unit of the torque column, one a motor
//   offset: [0, -90 deg, 0]      # added to the positions, at the joints
//   units: {position: deg, velocity: deg/s, torque: N*m}     # of columns whose header says none
// Gear ratios and couplings are the arm's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "armature/formats/log_source.hpp"
#include "armature/identification/log_check.hpp"

namespace armature {

/// The fact of a log that says for how long the torques tau1 and so on of a row act from the row on; tau1_meas and so on are what
/// acted before it [s].
inline constexpr const char* torque_hold_fact = "torque_hold";

struct LogMap {
  enum class Side { joint, motor };
  Side positions = Side::joint, torques = Side::joint;
  std::vector<std::string> position, velocity, torque,
      reference;  // one a joint or motor; velocity and reference may be empty
  bool currents = false;
  std::vector<double> torque_scale;  // empty: 1, or the torque constants for currents
  std::vector<double> offset;        // empty: 0
  std::string position_unit, velocity_unit, torque_unit;
};

/// Throws FormatError with place and hint.
LogMap parse_log_map(std::string_view text, const std::string& file, const Arm& arm);
LogMap read_log_map(const std::string& path, const Arm& arm);
/// What the columns are without a map: q1.., then v1.., qd1.. or dq1.. if they are there, then tau1.., torque1.. or torque_NAME.
LogMap usual_map(const Arm& arm, const std::vector<LogColumn>& columns, const std::string& file);

/// A log on disk, in any of its formats (formats/log_source.hpp), delivered row by row as often as it is asked for.
class MeasuredLog {
 public:
  /// Reads the header and the first rows. Throws FormatError.
  MeasuredLog(std::string path, const Arm& arm, const LogMap* map = nullptr);

  [[nodiscard]] const LogMap& map() const { return map_; }
  [[nodiscard]] bool has_velocities() const { return !map_.velocity.empty(); }
  [[nodiscard]] bool has_reference() const { return !map_.reference.empty(); }
  [[nodiscard]] double start() const { return start_; }  // [s]
  [[nodiscard]] double step() const { return step_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  /// By how much a row's torques are those of an earlier time, as far as the log itself says: commands that are held from their rows
  /// on are those of half their duration later. Zero where it says nothing [s].
  [[nodiscard]] double torque_delay() const { return torque_delay_; }
  [[nodiscard]] LogColumnNames names() const;

  struct Row : JointSample {
    const double* reference = nullptr;  // joint positions; null where the log has none
  };
  /// Calls `each` for every row. The first time through, every row is checked (log_check.hpp).
  void for_each(const std::function<void(const Row&)>& each, bool standing_joints = false);
  /// Joints that did not move, once it has been read.
  [[nodiscard]] const std::vector<int>& standing() const { return standing_; }
  [[nodiscard]] double rows() const { return rows_; }

 private:
  std::unique_ptr<LogSource> open() const;
  std::string path_;
  Arm arm_;
  LogMap map_;
  std::vector<double> position_factor_, velocity_factor_, torque_factor_, reference_factor_;  // to SI
  double start_ = 0, step_ = 0, rows_ = 0, torque_delay_ = 0;
  bool checked_ = false;
  std::vector<int> standing_;
};

}  // namespace armature
