// armature calibrate --measured wrench: a force/torque sensor between flange and tool.
#include "calibrate_wrench.hpp"

#include <fmt/format.h>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/report/wrench_report.hpp"
#include "armature/run/measured_wrench.hpp"
#include "armature/run/wrench_answer.hpp"
#include "json_out.hpp"
#include "meshes.hpp"
#include "output_file.hpp"
#include "report_folder.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

void print_people(const WrenchCalibration& found, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print("{}\n", wrapped(note, 2));
  fmt::print("\n");
  for (const std::string& sentence : sentences(found)) fmt::print("{}\n", wrapped(sentence, 2));
  for (const LogTable& table : wrench_tables(found))
    fmt::print("\n{}\n{}", table.title, text_table(table.header, table.rows));
}

int write_contact(const WrenchOptions& options, const Arm& arm, const MeasuredWrench& measured) {
  if (!options.out) throw Error("--use writes what the surroundings do to the tool", "-o contact.csv says where");
  const Log log = contact_log(arm, read_sensor(*options.use), measured.logs, options.settings.cutoff);
  OutputFile file(*options.out);
  write_log(log, file.stream(), file.name());
  file.commit();
  if (!options.json) fmt::print("  written: {}\n", *options.out);
  return exit_done;
}

}  // namespace

int run_calibrate_wrench(const WrenchOptions& options, const ArmOptions& asked) {
  const Arm arm = asked.load(ArmUse::kinematics).arm;
  const LogMap map = options.map ? read_log_map(*options.map, arm) : LogMap{};
  const MeasuredWrench measured = read_wrench(options.logs, arm, map);
  if (options.use) return write_contact(options, arm, measured);
  const std::string names = fmt::format("{}", fmt::join(options.logs, ", "));
  const WrenchCalibration found = [&] {
    try {
      return calibrate_wrench(arm, measured.logs, options.settings, measured.channels);
    } catch (const Error& error) {
      throw Error(error.finding(), error.hint(), {names});
    }
  }();
  if (options.out && found.known_tool)
    throw Error("-o writes the arm with its tool, which is known where gains are sought", "--sensor writes the gains");
  if (options.out) {
    OutputFile file(*options.out);
    file.write(arm_yaml_for(carrying(arm, found, names), *options.out));
    file.commit();
  }
  if (options.sensor) {
    OutputFile file(*options.sensor);
    file.write(write_sensor(sensor_of(found)));
    file.commit();
  }
  const std::string page =
      options.page
          ? write_report(wrench_report(arm, found, measured.logs, options.settings.cutoff, names), *options.page)
          : "";
  if (options.json) {
    print_json(Json::parse(wrench_json(found, measured.notes)));
    return exit_done;
  }
  print_people(found, measured.notes);
  for (const auto& written : {options.out, options.sensor})
    if (written) fmt::print("\n  written: {}", *written);
  fmt::print("{}", options.out || options.sensor ? "\n" : "");
  if (options.page) fmt::print("\n  page: {}\n", page);
  return exit_done;
}

}  // namespace armature::app
