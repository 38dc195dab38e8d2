// armature import: what a recorder wrote, as a log.
#include "armature/formats/import_log.hpp"

#include <fmt/format.h>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/file_kind.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/mcap.hpp"
#include "armature/formats/npz.hpp"
#include "json_out.hpp"
#include "output_file.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

struct ImportOptions {
  std::string file;
  std::optional<std::string> out;
  bool json = false;
};

void write_imported(const Log& log, const std::string& path) {
  OutputFile file(path);
  const auto write = path.ends_with(".npz") ? write_npz : path.ends_with(".mcap") ? write_mcap : write_log;
  write(log, file.stream(), file.name());
  file.commit();
}

int run_import(const ImportOptions& options) {
  refuse_other_kinds(options.file, {FileKind::log}, "a log");
  if (options.file == "-")
    throw Error("a file to import is read more than once, so it cannot be the standard input", "write it into a file",
                {"standard input"});
  if (options.out == "-")
    throw Error("the log and the map cannot share the standard output", "give a file: -o log.csv");
  const ImportedLog imported = import_log(options.file);
  if (options.out) write_imported(imported.log, *options.out);
  const std::string map = write_log_map(imported.map);
  const std::size_t rows = imported.log.time.size();
  if (options.json) {
    Json answer{{"file", options.file},      {"rows", rows},
                {"rate", 1 / imported.step}, {"joints", imported.map.position.size()},
                {"names", imported.joints},  {"map", map},
                {"notes", imported.notes}};
    answer["channels"] = Json::array();
    for (const Channel& c : imported.log.channels) answer["channels"].push_back(c.name);
    if (options.out) answer["out"] = *options.out;
    print_json(answer);
    return exit_done;
  }
  fmt::print("# Columns of {}, found by their names: {} joints, {} samples at {}.\n", printable(options.file, 200),
             imported.map.position.size(), rows, rate_text(imported.step));
  for (const std::string& note : imported.notes) fmt::print("# {}.\n", printable(note, 400));
  if (options.out) fmt::print("# Written: {}; it needs no map.\n", printable(*options.out, 200));
  fmt::print("{}", map);
  return exit_done;
}

}  // namespace

void add_import(CommandLine& line) {
  static ImportOptions options;
  line.verb("import", "turn a recorder's file into a log, and say which of its columns is what")
      .argument("FILE", options.file,
                "CSV with commas, semicolons, tabs or blanks (ROS 1 tables, UR RTDE, NumPy), .npz, .mcap, or a ROS 2 "
                "bag with "
                "joint states (.mcap, .db3)")
      .option("-o,--out", "FILE", options.out, "write the log, on equal steps: .csv, .npz or .mcap")
      .flag("--json", options.json, "machine-readable output (JSON)")
      .details(
          "Prints the map of the columns as YAML to keep for --map; nothing is asked. Time stamps that jitter, repeat "
          "or are "
          "missing are put onto equal steps by the rule in docs/logs.md. identify and validate read the same files "
          "directly.")
      .example("armature import bag_0.mcap -o log.csv", "joint states of a ROS 2 bag")
      .example("armature import rtde.csv > map.yaml", "only the map, to be edited")
      .action([] { return run_import(options); });
}

}  // namespace armature::app
