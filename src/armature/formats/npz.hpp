// Logs for NumPy:
//
//   log = numpy.load("log.npz");  log["time"], log["q1"]         float64, one value a sample; NaN: not recorded
//   about = json.loads(log["_log"].item())                       title, facts, channels with units, events, incomplete
//
// The file is a ZIP archive, not compressed, of arrays in NumPy's own format (version 1.0).
#pragma once

#include <cstdio>
#include <string>

#include "armature/record/log.hpp"

namespace armature {

/// Writes the log to an open file; `file_name` is its name in messages. Throws Error where channels differ in length from the
/// time, share a name or take the names "time" or "_log", and beyond 4 GB.
void write_npz(const Log& log, std::FILE* file, const std::string& file_name);

}  // namespace armature
