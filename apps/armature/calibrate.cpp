// armature calibrate: the geometry of an arm from measurements of its tool, or the postures in which to measure.
#include "armature/identification/calibration.hpp"

#include <fmt/format.h>

#include <cmath>

#include "arm_options.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/table.hpp"
#include "armature/identification/calibration_poses.hpp"
#include "armature/run/measured_wrench.hpp"
#include "armature/spatial/rotation.hpp"
#include "calibrate_wrench.hpp"
#include "json_out.hpp"
#include "meshes.hpp"
#include "output_file.hpp"
#include "setting_options.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

struct CalibrateOptions {
  ArmOptions arm;
  std::vector<std::string> poses;
  std::optional<std::string> measured, design, out, map, sensor, use, page;
  SettingOptions settings, of_wrench;
  bool json = false;
};

std::optional<ToolMeasured> measured_named(const std::optional<std::string>& word) {
  if (!word) return std::nullopt;
  const std::vector<std::string> known{"position", "pose", "point", "plane", "wrench"};
  for (std::size_t k = 0; k + 1 < known.size(); ++k)
    if (known[k] == *word) return static_cast<ToolMeasured>(k);
  throw Error(fmt::format("--measured: unknown '{}'", printable(*word)), suggestion(*word, known));
}

/// The names under which a table holds the tool's position and orientation: those of our logs, or short ones.
std::vector<std::string> tool_columns(const TableReader& table, const std::vector<std::string>& letters) {
  for (const std::string prefix : {"tool_", ""}) {
    std::vector<std::string> names;
    for (const std::string& letter : letters) names.push_back(prefix + letter);
    if (std::all_of(names.begin(), names.end(), [&](const std::string& name) { return table.has(name); })) return names;
  }
  return {};
}

/// A force/torque sensor is meant where that is said, and where the file holds one and no place of the tool.
bool means_wrench(const CalibrateOptions& o) {
  if (o.measured) return *o.measured == "wrench";
  if (o.use) return true;
  if (o.design || o.poses.empty() || !holds_wrench(o.poses.front())) return false;
  if (o.poses.size() > 1) return true;
  const std::string& path = o.poses.front();
  return path.ends_with(".npz") || path.ends_with(".mcap") || path.ends_with(".db3") ||
         tool_columns(TableReader(path, {.recorded = true}), {"x", "y", "z"}).empty();
}

int calibrate_sensor(const CalibrateOptions& o) {
  if (o.poses.empty())
    throw Error("no readings are given",
                "armature calibrate ARM LOG.csv --measured wrench: q1.. with fx, fy, fz, tx, ty, tz");
  WrenchOptions w{o.poses, o.map, o.sensor, o.use, o.out, o.page, {}, o.json};
  o.of_wrench.read([&](Fields& f) { w.settings.fields(f); });
  return run_calibrate_wrench(w, o.arm);
}

std::vector<ToolMeasurement> read_measurements(const std::string& path, const Arm& arm,
                                               const std::optional<ToolMeasured>& asked, ToolMeasured& measured) {
  TableReader table(path);
  const std::vector<std::string> position = tool_columns(table, {"x", "y", "z"}),
                                 orientation = tool_columns(table, {"qw", "qx", "qy", "qz"});
  measured = asked.value_or(!orientation.empty() ? ToolMeasured::pose : ToolMeasured::position);
  const bool free = measured == ToolMeasured::point || measured == ToolMeasured::plane;
  if (!free && position.empty())
    throw FormatError("the table has no columns tool_x, tool_y, tool_z",
                      "where the tool was measured [m]; with --measured point or plane none are needed", {path});
  if (measured == ToolMeasured::pose && orientation.empty())
    throw FormatError("the table has no columns tool_qw, tool_qx, tool_qy, tool_qz",
                      "the tool's orientation as a quaternion, or --measured position", {path});
  std::vector<std::string> columns;
  for (int i = 1; i <= arm.dof(); ++i) columns.push_back(fmt::format("q{}", i));
  if (!free) columns.insert(columns.end(), position.begin(), position.end());
  if (measured == ToolMeasured::pose) columns.insert(columns.end(), orientation.begin(), orientation.end());
  table.select(columns);
  std::vector<ToolMeasurement> data;
  std::vector<double> row(columns.size());
  const auto n = static_cast<std::size_t>(arm.dof());
  while (table.next(row)) {
    ToolMeasurement m;
    m.q = Eigen::Map<const Eigen::VectorXd>(row.data(), arm.dof());
    if (!free) m.position = {row[n], row[n + 1], row[n + 2]};
    if (measured == ToolMeasured::pose) {
      const Quaternion q(row[n + 3], row[n + 4], row[n + 5], row[n + 6]);
      if (!(std::abs(q.norm() - 1) < 0.01))
        throw FormatError(fmt::format("a quaternion of length {:.4g}", q.norm()), "unit quaternions, w first",
                          table.place_of(n + 3));
      m.rotation = rotation_from_quaternion(q);
    }
    data.push_back(m);
  }
  return data;
}

std::string in_words(double value, const GeometryParameter& p) {
  return p.is_length()       ? fmt::format("{:.4f}", value * 1e3)
         : p.unit() == "rad" ? fmt::format("{:.5f}", value / deg)
                             : fmt::format("{:.4g}", value);
}
std::string shown_unit(const GeometryParameter& p) {
  return p.is_length() ? "mm" : p.unit() == "rad" ? "deg" : p.unit();
}

std::string in_words(const ToolError& error, bool turns) {
  return fmt::format("{:.4g} mm{}", error.position * 1e3,
                     turns ? fmt::format(" and {:.4g} deg", error.orientation / deg) : "");
}

void print_text(const Calibration& found, const Arm& arm, const CalibrationSettings& s, std::size_t postures) {
  const bool turns = s.measured == ToolMeasured::pose;
  fmt::print("Tool error over {} postures: {} as described, {} calibrated, {} on held-out postures (RMS).\n", postures,
             in_words(found.before, turns), in_words(found.after, turns), in_words(found.held_out, turns));
  fmt::print("The residuals show measurement noise of {:.3g} mm per axis{}.\n", found.position_noise * 1e3,
             turns ? fmt::format(" and {:.3g} deg", found.orientation_noise / deg) : "");
  fmt::print("{} of {} parameters are identifiable; the others act as combinations of these and stay as described.\n",
             found.parameters.size(), found.parameters.size() + found.unresolved.size());
  fmt::print("Observability index {:.3g}, condition number {:.3g}.\n\n", found.observability, found.condition);
  std::vector<std::vector<std::string>> rows;
  for (const FoundParameter& p : found.parameters)
    rows.push_back({p.parameter.name(arm), shown_unit(p.parameter), in_words(p.value, p.parameter),
                    in_words(p.interval, p.parameter), std::abs(p.value) > p.interval ? "" : "as described"});
  fmt::print("{}\n",
             text_table({"parameter", "unit", "change", fmt::format("± ({:g} %)", 100 * s.confidence), ""}, rows));
}

Json json_answer(const Calibration& found, const Arm& arm) {
  const auto error = [](const ToolError& e) { return Json{{"position", e.position}, {"orientation", e.orientation}}; };
  Json answer{{"before", error(found.before)},
              {"after", error(found.after)},
              {"held_out", error(found.held_out)},
              {"position_noise", found.position_noise},
              {"orientation_noise", found.orientation_noise},
              {"observability", found.observability},
              {"condition", found.condition},
              {"parameters", Json::array()},
              {"unresolved", Json::array()}};
  for (const FoundParameter& p : found.parameters)
    answer["parameters"].push_back(
        {{"name", p.parameter.name(arm)}, {"unit", p.parameter.unit()}, {"value", p.value}, {"interval", p.interval}});
  for (const GeometryParameter& p : found.unresolved) answer["unresolved"].push_back(p.name(arm));
  return answer;
}

int propose_postures(const CalibrateOptions& options, const Arm& arm, CalibrationSettings s) {
  s.measured = measured_named(options.measured).value_or(ToolMeasured::position);
  const double count = parse_option("--design", options.design, dimension::none, 0);
  if (!(count >= 1) || count != std::floor(count) || count > 1e6)
    throw Error("--design takes a whole number of postures", "for example --design 60");
  const PostureDesign found = design_postures(arm, static_cast<int>(count), s);
  if (options.out) {
    OutputFile file(*options.out);
    std::string text;
    for (int i = 1; i <= arm.dof(); ++i) text += fmt::format("{}q{}", i > 1 ? "," : "", i);
    for (const VecX<double>& q : found.postures)
      for (int i = 0; i < arm.dof(); ++i) text += fmt::format("{}{:.9g}", i > 0 ? "," : "\n", q[i]);
    file.write(text + "\n");
    file.commit();
  }
  if (options.json) {
    Json answer{{"unknowns", found.unknowns}, {"observability", found.observability}, {"condition", found.condition}};
    for (const VecX<double>& q : found.postures) answer["postures"].push_back(json_of(q));
    print_json(answer);
    return exit_done;
  }
  fmt::print(
      "{} postures for {} unknowns: observability index {:.3g} ({:.3g} with as many random ones), condition number "
      "{:.3g}.\nThey respect the joint limits; check them for collisions of the arm with itself and its "
      "surroundings.\n",
      found.postures.size(), found.unknowns, found.observability, found.random_observability, found.condition);
  if (options.out) fmt::print("  written: {}\n", *options.out);
  return exit_done;
}

int calibrate_verb(const CalibrateOptions& options) {
  if (means_wrench(options)) return calibrate_sensor(options);
  if (options.sensor || options.use || options.map || options.page)
    throw Error("--sensor, --use, --map and --page are for a force/torque sensor", "--measured wrench");
  CalibrationSettings s;
  options.settings.read([&](Fields& f) { s.fields(f); });
  if (!(s.confidence > 0 && s.confidence < 1)) throw Error("--confidence is not between 0 and 1", "for example 0.95");
  const Arm arm = options.arm.load(s.compliances ? ArmUse::torques : ArmUse::kinematics).arm;
  if (options.design) return propose_postures(options, arm, s);
  if (options.poses.empty())
    throw Error("no measurements are given",
                "armature calibrate ARM POSES.csv, or --design 60 for postures to measure in");
  const std::vector<ToolMeasurement> data =
      read_measurements(options.poses.front(), arm, measured_named(options.measured), s.measured);
  const Calibration found = calibrate(arm, data, s);
  if (options.out) {
    OutputFile file(*options.out);
    file.write(arm_yaml_for(found.arm, *options.out));
    file.commit();
    if (s.gears)
      warn(
          "an arm file holds no factors of joint readings\n  hint: multiply q of each joint by 1 + gear before it is "
          "used");
    if (s.compliances)
      warn("an arm file's kinematics is that of unloaded joints; what they yield is written as drive.stiffness");
  }
  if (options.json)
    print_json(json_answer(found, arm));
  else {
    print_text(found, arm, s, data.size());
    if (options.out) fmt::print("  written: {}\n", *options.out);
  }
  return exit_done;
}

}  // namespace

void add_calibrate(CommandLine& line) {
  static CalibrateOptions options;
  Verb& verb = line.verb("calibrate",
                         "find an arm's geometry from measurements of its tool, or calibrate its force/torque sensor");
  options.arm.add_to(verb);
  verb.optional_arguments(
      "POSES.csv", options.poses,
      "columns q1, q2, ... and tool_x, tool_y, tool_z [m]; for poses tool_qw to tool_qz; of a sensor "
      "fx, fy, fz [N], tx, ty, tz [N m]: postures, or logs over time");
  verb.option("--measured", "WHAT", options.measured,
              "position, pose, point, plane or wrench (default: what the columns hold)")
      .words({"position", "pose", "point", "plane", "wrench"});
  options.settings.add_to(verb, [](Fields& f) { CalibrationSettings().fields(f); });
  options.of_wrench.add_to(verb, [](Fields& f) { WrenchSettings().fields(f); }, {{"position", {"X,Y,Z"}}});
  verb.option("--design", "COUNT", options.design, "instead, propose this many postures to measure in")
      .option("-o,--out", "FILE", options.out,
              "the calibrated arm (.yaml), of a sensor with its tool as payload; with --design the postures, with "
              "--use the "
              "contact (.csv)")
      .option("--sensor", "FILE", options.sensor, "write the calibrated sensor: mounting, offsets, gains, tool (.yaml)")
      .option("--use", "FILE", options.use,
              "a sensor that was calibrated: instead, -o writes what the surroundings do to the tool in these logs")
      .option("--page", "DIR", options.page,
              "folder for a page: what the calibration of a sensor leaves of its readings")
      .option("--map", "FILE", options.map, "which column of a sensor's log is what, where names do not tell")
      .flag("--json", options.json, "machine-readable output (JSON)")
      .details(
          "Every joint frame and the tool may lie beside their described place by three lengths and three angles; what "
          "the "
          "measurements cannot tell apart stays as described. With --measured point or plane the tool touched one and "
          "the "
          "same point or plane, wherever it is. With --measured wrench a force/torque sensor between flange and tool "
          "was "
          "read: the tool's mass and centre of mass, the sensor's axes and offsets come from postures; where it sits, "
          "the "
          "tool's inertia and the drift of the offsets from motions.")
      .example("armature calibrate ur5e --design 60 -o postures.csv", "where to measure")
      .example("armature calibrate ur5e measured.csv -o calibrated.yaml", "from a laser tracker's points")
      .example("armature calibrate panda wrist.csv --measured wrench -o with_tool.yaml --sensor sensor.yaml",
               "a force/torque sensor: q1.. with fx.. tz")
      .action([] { return calibrate_verb(options); });
}

}  // namespace armature::app
