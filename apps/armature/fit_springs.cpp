#include "fit_springs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "arm_options.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/settings_yaml.hpp"
#include "armature/record/sampling.hpp"
#include "armature/report/spring_report.hpp"
#include "armature/run/plants.hpp"
#include "fit_json.hpp"
#include "output_file.hpp"
#include "report_folder.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

/// A column without gaps.
Eigen::VectorXd whole_column(const Log& log, const std::string& path, const std::string& name) {
  const std::vector<double>& v = log.channel(name).values;
  const auto missing = std::find_if(v.begin(), v.end(), [](double x) { return !std::isfinite(x); });
  if (missing != v.end())
    throw FormatError(fmt::format("column '{}' has no value at {:.6g} s", name, log.time[missing - v.begin()]),
                      "cut the log, or fill the gap", {path});
  return Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

/// The first of the names that the log has; empty: none.
std::string first_of(const Log& log, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (log.has(name)) return name;
  return "";
}

/// Which number the columns of a joint have: its own among all joints of the machine, or, in the log of a recorder that does not know
/// of joints without motors, its place among the others.
struct Numbering {
  std::vector<int> joints;   // with an encoder and a motor, from 0
  std::vector<int> numbers;  // in the names of their columns
};

std::string position_column(const Log& log, int number) {
  return first_of(log, {fmt::format("q{}_meas", number), fmt::format("q{}", number)});
}

Numbering numbering_of(const Log& log, const std::string& path, const SpringModel& model) {
  Numbering n;
  for (int joint = 0; joint < model.description().arm->dof(); ++joint)
    if (std::find(model.joints().begin(), model.joints().end(), joint) == model.joints().end())
      n.joints.push_back(joint);
  const auto complete = [&] {
    return std::all_of(n.numbers.begin(), n.numbers.end(),
                       [&](int number) { return !position_column(log, number).empty(); });
  };
  for (const int joint : n.joints) n.numbers.push_back(joint + 1);
  if (complete()) return n;
  for (std::size_t k = 0; k < n.numbers.size(); ++k) n.numbers[k] = static_cast<int>(k) + 1;
  if (complete()) return n;
  throw FormatError(
      fmt::format("it does not have the positions of the {} joints with a motor", n.joints.size()),
      fmt::format("columns q1_meas or q1 and so on, by the joint's number in the arm's file, or from 1 to "
                  "{} over the joints with a motor",
                  n.joints.size()),
      {path});
}

/// Commands of the motors: their own columns, or the joints' torques, which pass the converter afterwards (`asked`).
Eigen::MatrixXd commands_of(const Log& log, const std::string& path, const PlantDescription& plant,
                            const Eigen::MatrixXd& to_command, const Numbering& n, bool& asked) {
  const auto rows = static_cast<Eigen::Index>(log.time.size());
  Eigen::MatrixXd commands(rows, static_cast<Eigen::Index>(plant.motors.size()));
  const auto known = [&](const Motor& motor) { return log.has("u_" + motor.name); };
  asked = !std::all_of(plant.motors.begin(), plant.motors.end(), known);
  if (!asked) {
    for (std::size_t m = 0; m < plant.motors.size(); ++m)
      commands.col(static_cast<Eigen::Index>(m)) = whole_column(log, path, "u_" + plant.motors[m].name);
    return commands;
  }
  Eigen::MatrixXd torques = Eigen::MatrixXd::Zero(rows, to_command.cols());
  for (std::size_t k = 0; k < n.joints.size(); ++k) {
    const std::string name = first_of(log, {fmt::format("tau{}_ref", n.numbers[k]), fmt::format("tau{}", n.numbers[k]),
                                            fmt::format("tau{}_meas", n.numbers[k])});
    if (name.empty())
      throw FormatError(
          fmt::format("it does not have the torque of joint '{}'", plant.arm->joint(n.joints[k]).name),
          fmt::format("a column tau{}, or the motor's command u_{}", n.numbers[k], plant.arm->joint(n.joints[k]).name),
          {path});
    torques.col(n.joints[k]) = whole_column(log, path, name);
  }
  return torques * to_command.transpose();
}

ShakenLog read_shaken_log(const std::string& path, const LoadedScenario& loaded, const SpringModel& model,
                          const Eigen::MatrixXd& to_command) {
  const Log log = read_log(path);
  ShakenLog shaken{path, 0, loaded.scenario.run.sensors.delay, {}, {}, {}};
  try {
    shaken.step = regular_step(log.time);
  } catch (const Error& error) {
    throw FormatError(error.finding(), error.hint(), {path});
  }
  if (std::abs(shaken.step / loaded.scenario.run.tick - 1) > 1e-6)
    throw FormatError(
        fmt::format("it is sampled every {:g} s, the scenario's tick is {:g} s", shaken.step, loaded.scenario.run.tick),
        "commands are held for a tick: log every tick, and set run.tick to that of the machine", {path});
  const Numbering n = numbering_of(log, path, model);
  shaken.joints = n.joints;
  bool asked = false;
  shaken.commands = commands_of(log, path, model.description(), to_command, n, asked);
  if (asked) shaken.delay += loaded.scenario.run.converter.delay;
  shaken.positions.resize(shaken.commands.rows(), static_cast<Eigen::Index>(n.joints.size()));
  for (std::size_t k = 0; k < n.joints.size(); ++k)
    shaken.positions.col(static_cast<Eigen::Index>(k)) = whole_column(log, path, position_column(log, n.numbers[k]));
  return shaken;
}

/// As given, or of the scenario's inputs where they share one.
ShakenSettings shaken_settings(const LoadedScenario& loaded, const FitSpringsOptions& options) {
  ShakenSettings settings;
  settings.period = 0;
  for (const InputSettings& input : loaded.scenario.inputs) {
    if (!(input.signal.period > 0)) continue;
    if (settings.period > 0 && settings.period != input.signal.period && !options.period)
      throw Error("the scenario's inputs repeat with different periods",
                  "give --period: one that holds whole periods of all");
    settings.period = input.signal.period;
  }
  settings.period = parse_option("--period", options.period, dimension::time, settings.period);
  if (!(settings.period > 0))
    throw Error("the period of the excitation is not known", "give --period, for example --period 2s");
  settings.begin = parse_option("--begin", options.begin, dimension::time, settings.begin);
  settings.from = parse_option("--from", options.from, dimension::rate, 0);
  settings.to = parse_option("--to", options.to, dimension::rate, 0);
  return settings;
}

/// The block `plant` with the fitted springs, and in comments how sure they are.
std::string springs_block(const LoadedScenario& loaded, const SpringModel& model, const SpringFit& fit,
                          const std::string& logs) {
  struct Springs {
    std::vector<PassiveSettings> passive;
    void fields(Fields& f) { f.groups("passive", passive, "joints without a motor, held by a spring"); }
  } springs;
  std::string text = fmt::format("# Springs fitted to {}; 95 %:\n", logs);
  for (const DriveEstimate& e : fit.fit.parameters)
    text += fmt::format("#   {} {}\n", e.parameter.name,
                        !e.free         ? "held"
                        : !e.determined ? "not determined"
                                        : fmt::format("{:.4g} to {:.4g} {}", e.low(), e.high(), e.parameter.unit));
  for (std::size_t i = 0; i < model.joints().size(); ++i)
    springs.passive.push_back(
        {model.joints()[i] + 1, fit.fit.parameters[2 * i].value, fit.fit.parameters[2 * i + 1].value});
  JointKinds kinds;
  for (int i = 0; i < loaded.arm.dof(); ++i) kinds.push_back(!loaded.arm.body(i).revolute);
  return text + write_settings(kinds, [&](Fields& f) { f.group("plant", springs, ""); });
}

Json json_of_springs(const SpringModel& model, const SpringFit& fit) {
  Json answer = Json::object();
  add_estimates(fit.fit, answer);
  answer["postures"] = Json::array();
  const Arm& arm = *model.description().arm;
  for (const PostureFit& p : fit.postures) {
    Json posture{{"log", p.name}, {"held_out", p.held_out}, {"lines", p.frequency.size()}, {"outputs", Json::array()}};
    for (const PostureFit::Output& out : p.outputs)
      posture["outputs"].push_back({{"joint", arm.joint(out.joint).name},
                                    {"misfit", out.misfit},
                                    {"relative", out.share},
                                    {"expected", out.expected},
                                    {"described", out.described_share}});
    posture["modes"] = Json::array();
    for (const ModeEstimate& m : p.modes)
      posture["modes"].push_back({{"frequency", m.frequency},
                                  {"frequency_deviation", m.frequency_deviation},
                                  {"damping", m.damping},
                                  {"damping_deviation", m.damping_deviation}});
    answer["postures"].push_back(std::move(posture));
  }
  answer["sentences"] = sentences(model, fit);
  return answer;
}

}  // namespace

int fit_springs_verb(const LoadedScenario& loaded, const FitSpringsOptions& options) {
  Composition composition;
  (void)plant_of(loaded, composition);
  const SpringModel model = loaded.placed("plant.passive", [&] { return SpringModel(composition.plant); });
  const ShakenSettings shaken = shaken_settings(loaded, options);
  SpringFitSettings settings;
  if (options.free) settings.free = split_words(*options.free);
  if (options.fix) settings.held = split_words(*options.fix);
  settings.progress = [](const std::string& step) {
    if (progress_is_watched()) fmt::print(stderr, "\r\033[K{} ...", step);
  };
  const auto lines_of = [&](const std::vector<std::string>& paths) {
    std::vector<ShakenLines> lines;
    for (const std::string& path : paths)
      lines.push_back(shaken_lines(read_shaken_log(path, loaded, model, composition.to_command), shaken));
    return lines;
  };
  const SpringFit fit = fit_springs(model, lines_of(options.shaken), lines_of(options.held_out), settings);
  if (progress_is_watched()) fmt::print(stderr, "\r\033[K");
  const std::string logs = fmt::format("{}", fmt::join(options.shaken, ", "));
  if (options.out) {
    OutputFile file(*options.out);
    file.write(springs_block(loaded, model, fit, logs));
    file.commit();
  }
  std::string page;
  if (options.page) page = write_report(spring_report(model, fit, logs), *options.page);
  if (options.json) {
    print_json(json_of_springs(model, fit));
    return exit_done;
  }
  for (const std::string& sentence : sentences(model, fit)) fmt::print("{}\n", wrapped(sentence, 2));
  for (const LogTable& table : spring_tables(model, fit))
    fmt::print("\n{}\n{}", table.title, text_table(table.header, table.rows));
  if (options.out) fmt::print("\n  written: {0}; armature simulate SCENARIO --with {0} runs it\n", *options.out);
  if (options.page) fmt::print("  page: {}\n", page);
  return exit_done;
}

}  // namespace armature::app
