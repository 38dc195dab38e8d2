// Measured logs as identification reads them: tables over time (formats/log_source.hpp), a map that says which column is what
// (formats/log_map.hpp), seen from the joints, on equal steps (record/resample.hpp).
#pragma once

#include <string>
#include <vector>

#include "armature/formats/log_map.hpp"
#include "armature/identification/log_check.hpp"
#include "armature/identification/motion_source.hpp"
#include "armature/record/resample.hpp"

namespace armature::run {

/// The fact of a log that says for how long the torques tau1 and so on of a row act from the row on; tau1_meas and so on are what
/// acted before it [s].
inline constexpr const char* torque_hold_fact = "torque_hold";

struct MeasuredLogSettings {
  LogMap map;                    // what differs from the usual names
  bool standing_joints = false;  // joints that never move are no fault
};

/// A measured log is one file or more about an arm, checked (log_check.hpp) and put onto equal steps. A regular log of any length is read again for each
/// pass, in constant memory; one that is short or has to be resampled is held.
class MeasuredLog {
 public:
  /// A log, or the part of one after its clock was set back, on the common axis of the time.
  struct Run {
    std::string path;
    double start = 0, end = 0;  // by the log's own time [s]
    double shift = 0;           // that is added to it: 0 for the first; runs follow each other with a pause [s]
  };

  /// Reads the logs once, with every check. Throws FormatError with the place.
  MeasuredLog(const std::vector<std::string>& paths, const Arm& arm, const MeasuredLogSettings& settings = {});
  MeasuredLog(const std::string& path, const Arm& arm, const MeasuredLogSettings& settings = {})
      : MeasuredLog(std::vector<std::string>{path}, arm, settings) {}

  /// Its samples, as often as they are asked for. The log must outlive the source.
  [[nodiscard]] MotionSource source() const;

  [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }
  /// Of the first log.
  [[nodiscard]] const LogMap& map() const { return files_.front().map; }
  [[nodiscard]] double start() const { return runs_.front().start; }  // [s]
  [[nodiscard]] double step() const { return step_; }                 // [s]
  /// How much earlier the torques of a row acted, as far as the logs say: a command that is held from its row on acts, on average,
  /// half its duration later. Zero where they say nothing [s].
  [[nodiscard]] double torque_delay() const { return torque_delay_; }
  /// Joints that did not move in any of the logs, from 0.
  [[nodiscard]] const std::vector<int>& standing() const { return standing_; }
  /// Which columns were used and what was done to the stamps, in sentences.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct File {
    std::string path;
    LogMap map;
    std::vector<LogSegment>
        segments;  // joint side, SI: positions, torques, velocities, references; one without values if streamed
    std::vector<std::size_t> runs;  // of each segment
    bool streamed = false;          // regular and long: read again each time
    double end = 0;                 // where it is streamed [s]
  };
  class Rows;
  struct Pass;
  void read(const std::string& path, const MeasuredLogSettings& settings);
  void place_runs(File& file);
  void note_columns(const Rows& rows, const LogMap& map);

  Arm arm_;
  LogMap map_;  // as given
  bool several_;
  std::vector<File> files_;
  std::vector<Run> runs_;
  bool velocities_ = false, reference_ = false;
  double step_ = 0, torque_delay_ = 0;
  std::vector<int> standing_;
  std::vector<std::string> notes_;
};

}  // namespace armature::run

namespace armature {
using run::MeasuredLog;
}  // namespace armature
