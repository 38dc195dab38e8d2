// What a page is drawn from, on disk: report.json for everything that does not run over time, log.csv (log_2.csv, ...) for what
// does. A page can be drawn again from the folder.
//
//   {"armature report": 1, "kind": "simulate", "title": "reach", "subtitle": "", "facts": [["seed", "1"]],
//    "claims": [{"id", "says", "paper", "ours", "holds", "remark"}],
//    "logs": [{"file": "log.csv", "tables": ..., "spectra": ..., "texts": ..., "figures": ..., "scene": ...}]}
//
// A number that is not there (NaN) is null. Names, units, times, facts and events of a log stand in its CSV file, or here where
// it has no rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "armature/record/report.hpp"

namespace armature::formats {

/// The CSV file of each log: "log.csv" of a report with one log, else "log_1.csv", ...; empty for a log without rows.
std::vector<std::string> log_files(const Report& report);

/// The text of report.json, whose logs stand in these files.
std::string report_json(const Report& report, const std::vector<std::string>& files);

/// Reads report.json and the logs beside it. Throws FormatError with place and hint.
Report read_report(const std::string& folder);

/// Reads the text alone; `logs` are left without their channels, `file` is named in messages.
Report parse_report(std::string_view text, const std::string& file);

}  // namespace armature::formats
