// What a verb leaves for people: a folder with index.html, report.json and the logs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "armature/record/report.hpp"

namespace armature {

/// Keeps the command line, for the pages to repeat. Call it once, at the start.
void remember_command(int argc, char** argv);
/// The program's version and the command, as facts.
std::vector<std::pair<std::string, std::string>> provenance();

/// Makes the folder where it is missing. Throws Error with the system's reason.
void make_folder(const std::string& folder);

/// Writes index.html, report.json and the CSV files of the logs into the folder, adding version and command to the facts; every
/// file is whole or not there. Returns the path of the page. `files` names logs that are written already, relative to the folder.
std::string write_report(Report report, const std::string& folder, const std::vector<std::string>& files = {});

/// Writes one file whole or not at all.
void write_text_file(const std::string& path, const std::string& text);
/// The same for "-", the standard output; of a file it says where it is: "  written: path".
void write_and_say(const std::string& path, const std::string& text);

/// Whether a person watches the standard output on a terminal that shows plots in Unicode.
bool plots_are_welcome();
/// A channel as a small plot with its heading, where plots are welcome; else nothing.
void print_plot(const std::string& heading, const std::vector<double>& x, const std::vector<double>& y,
                const std::string& x_unit = "s");

}  // namespace armature
