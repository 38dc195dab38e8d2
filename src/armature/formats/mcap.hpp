// Logs for the viewers that read MCAP (mcap.dev/spec): Foxglove, Rerun, PlotJuggler and others.
//
// Topic /log has one JSON message a sample: {"time": 0.001, "q1": 0.25, "tau1": null}, null where a value was not recorded.
// Its JSON schema names every channel with its unit. Topic /events has the events; the log's title and facts are metadata.
// A fact whose key repeats is called "key (2)". Chunks are not compressed, indexed by time, and every checksum is there.
#pragma once

#include <cstdio>
#include <string>

#include "armature/formats/byte_source.hpp"
#include "armature/record/log.hpp"

namespace armature::formats {

/// Writes the log to an open file; `file_name` is its name in messages. The file's clock counts nanoseconds from 0, or from
/// the first sample where that is negative; the messages keep the time as it is. Throws Error where channels differ in length
/// from the time, share a name or are called "time".
void write_mcap(const Log& log, std::FILE* file, const std::string& file_name);

/// Reads what write_mcap() writes, or the joint states of a bag of ROS 2 (cdr.hpp); `file_name` is its name in messages. Other topics
/// are passed over. Throws
/// FormatError where a record, a checksum or a message is wrong, and beyond most_held_numbers (log_source.hpp).
Log read_mcap(ByteSource& source, const std::string& file_name);

}  // namespace armature::formats
