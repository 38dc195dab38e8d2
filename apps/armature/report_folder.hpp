// What a verb leaves for people: a folder with index.html, report.json and the logs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "armature/record/report.hpp"
#include "output_folder.hpp"

namespace armature::app {

/// Keeps the command line, for the pages to repeat. Call it once, at the start.
void remember_command(int argc, char** argv);
/// The program's version and the command, as facts.
std::vector<std::pair<std::string, std::string>> provenance();

/// Writes index.html, report.json and the CSV files of the logs into the folder, or under "case/" in it, adding version and
/// command to the facts. Returns where the page will be. `files` names logs that are written already, relative to the page.
std::string write_report(Report report, OutputFolder& folder, const std::string& under = "",
                         const std::vector<std::string>& files = {});
/// The same as a folder of its own: complete, or not there.
std::string write_report(Report report, const std::string& folder);

/// Writes one file whole or not at all.
void write_text_file(const std::string& path, const std::string& text);
/// The same for "-", the standard output; of a file it says where it is: "  written: path".
void write_and_say(const std::string& path, const std::string& text);

/// Whether a person watches the standard output on a terminal that shows plots in Unicode.
bool plots_are_welcome();
/// A channel as a small plot with its heading, where plots are welcome; else nothing.
void print_plot(const std::string& heading, const std::vector<double>& x, const std::vector<double>& y,
                const std::string& x_unit = "s");

}  // namespace armature::app
