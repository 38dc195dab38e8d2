// What recorders write, made into a log: columns found by their names, rows put onto equal steps.
#pragma once

#include <string>
#include <vector>

#include "armature/formats/log_map.hpp"
#include "armature/record/resample.hpp"

namespace armature::formats {

struct ImportedLog {
  /// Channels q1.., v1.., tau1.. (or current1..), q1_ref..; where the file names its joints position_NAME, velocity_NAME, effort_NAME
  /// (or current_NAME), position_ref_NAME.
  Log log;
  LogMap map;                       // of the file that was read
  std::vector<std::string> joints;  // by name; empty where the file names none
  double step = 0;                  // [s]
  std::vector<std::string> notes;   // what was done, in sentences
};

/// The log at `path`, in any format that open_log() reads. Throws FormatError where no columns of positions are found.
ImportedLog import_log(const std::string& path);

}  // namespace armature::formats
