// Bags of ROS 2 that are SQLite databases (.db3), of which the joint states are read.
#pragma once

#include <string>

#include "armature/formats/byte_source.hpp"
#include "armature/record/log.hpp"

namespace armature::formats {

/// The joint states (cdr.hpp) of the bag; `file_name` is its name in messages. The database is held in memory and only read. Throws
/// FormatError where it is no such database, is damaged or larger than 1 GiB.
Log read_db3(ByteSource& source, const std::string& file_name);

}  // namespace armature::formats
