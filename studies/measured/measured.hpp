// Measured machines: the same tool, rules that start alike (machine.hpp), real data.
#pragma once

#include "study.hpp"

namespace armature::studies::measured {

StudyResult run(const std::function<void(const std::string&)>& progress);

using Progress = std::function<void(const std::string&)>;
/// One file a machine; each appends its claims and logs.
void emps(const Progress& progress, StudyResult& result);
void tx40(const Progress& progress, StudyResult& result);
void kr300(const Progress& progress, StudyResult& result);
void ur10(const Progress& progress, StudyResult& result);
void daisy(const Progress& progress, StudyResult& result);

/// Where the file of a data set lies: in $ARMATURE_DATA, or in shared/data beside the working folder or above it. Empty: nowhere.
std::string data_file(const std::string& path);
/// A claim that could not be tried, and where to get the data.
Claim missing(const std::string& id, const std::string& says, const std::string& reference, const std::string& path,
              const std::string& origin);

}  // namespace armature::studies::measured
