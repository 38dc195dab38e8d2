// Logs for NumPy:
//
//   log = numpy.load("log.npz");  log["time"], log["q1"]         float64, one value per sample; NaN: not recorded
//   about = json.loads(log["_log"].item())                       title, facts, channels with units, events, incomplete
//
// The file is a ZIP archive, not compressed, of arrays in NumPy's own format (version 1.0). What numpy.savez and
// numpy.savez_compressed write is read too: an array per channel, one of them `time` or `t` in seconds; an array q of n rows and 6
// columns gives the channels q1 to q6.
#pragma once

#include <cstdio>
#include <string>

#include "armature/formats/byte_source.hpp"
#include "armature/record/log.hpp"

namespace armature::formats {

/// Writes the log to an open file; `file_name` is its name in messages. Throws Error where channels differ in length from the
/// time, share a name or take the names "time" or "_log", and beyond 4 GB.
void write_npz(const Log& log, std::FILE* file, const std::string& file_name);

/// Reads the log; `file_name` is its name in messages. Throws FormatError where it is no such archive, is damaged, holds something
/// else than numbers, or more of them than most_held_numbers (log_source.hpp).
Log read_npz(ByteSource& source, const std::string& file_name);

}  // namespace armature::formats
