#include "drive_logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/record/sampling.hpp"

namespace armature::app {

namespace {

/// What `make` returns; its errors get the file as their place.
template <class F>
decltype(auto) in_file(const std::string& path, F make) {
  try {
    return make();
  } catch (const Error& error) {
    if (!error.place().file.empty()) throw;
    throw FormatError(error.finding(), error.hint(), {path});
  }
}

bool measured(const std::string& column) { return column.ends_with("_meas"); }

/// Throws where the column does not belong to the drive, or is no reading of a state.
void check_column(const std::string& path, const std::string& column, const DriveModel& model, const Scenario& s) {
  in_file(path, [&] { return model.state_of(column); });
  if (measured(column) && column[0] == 'v' && s.run.sensors.speed == SensorSettings::Speed::difference)
    throw FormatError(fmt::format("'{}' is a difference of positions, as the scenario's sensors say", column),
                      "fit to the positions themselves", {path});
}

/// Throws where a line of a response cannot be: frequency, real and imaginary part, coherence.
void check_line(const TableReader& table, const std::vector<double>& row, double tick, bool coherent) {
  if (tick > 0 && row[0] * tick > 0.5 * (1 + 1e-9))
    throw FormatError(
        fmt::format("a line at {} Hz is above half the sampling rate of the scenario's tick of {} s", row[0], tick),
        "set run.tick to that of the log, or say --continuous for a response that was not sampled", table.place_of(0));
  if (row[1] == 0 && row[2] == 0) throw FormatError("the response is zero", "leave the line out", table.place_of(1));
  if (coherent && !(row[3] >= 0 && row[3] <= 1 + 1e-9))
    throw FormatError(fmt::format("a coherence of {}", row[3]), "it lies between 0 and 1", table.place_of(3));
}

}  // namespace

std::vector<DriveFrf> read_drive_responses(const std::string& path, const DriveModel& model, const Scenario& scenario,
                                           const DriveLogOptions& options) {
  std::string input, output;
  TableReader table(path, {.comment = [&](std::string_view text, const Place&) {
                      while (text.starts_with(' ')) text.remove_prefix(1);
                      for (const auto& [key, value] : {std::pair{"input: ", &input}, {"output: ", &output}})
                        if (text.starts_with(key)) {
                          text.remove_prefix(std::string_view(key).size());
                          *value = text.substr(0, text.find(" ["));  // without the unit
                        }
                    }});
  std::vector<std::string> columns{"frequency", "re", "im"};
  const bool logs = table.has("log"), coherent = table.has("coherence"), deviates = coherent && table.has("deviation");
  if (coherent) columns.emplace_back("coherence");
  if (deviates) columns.emplace_back("deviation");
  if (logs) columns.emplace_back("log");
  table.select(columns);
  std::vector<DriveFrf> responses;
  std::vector<double> row(columns.size());
  const double tick = options.continuous ? 0 : scenario.run.tick, to = options.to > 0 ? options.to : INFINITY;
  double current = NAN;
  while (table.next(row)) {
    if (responses.empty() || (logs && row.back() != current)) {
      current = row.back();
      responses.push_back({logs ? fmt::format("{}, log {:g}", path, current) : path, {}, {}, {}, {}, {}, tick});
    }
    DriveFrf& frf = responses.back();
    if (!(row[0] > 0) || (!frf.frequency.empty() && row[0] <= frf.frequency.back()))
      throw FormatError(fmt::format("the frequency {} Hz does not increase", row[0]),
                        "one line after the other, from above zero", table.place_of(0));
    if (row[0] < options.from || row[0] > to) continue;
    check_line(table, row, tick, coherent);
    frf.frequency.push_back(row[0]);
    frf.response.emplace_back(row[1], row[2]);
    if (!coherent) continue;
    const double c = std::clamp(row[3], 1e-9, 1 - 1e-12);
    frf.coherence.push_back(c);
    frf.deviation.push_back(deviates ? row[4] : std::sqrt((1 - c) / (2 * c)));
  }
  if (options.output) output = *options.output;
  if (output.empty())
    throw FormatError("the table does not say what it is a response of",
                      "give --output, for example --output q1_meas: `armature frf -o` writes it itself", {path});
  if (!input.empty() && input != model.command_column() && "u_" + input != model.command_column())
    throw FormatError(
        fmt::format("it is a response to '{}', not to the command of joint '{}'", printable(input), model.joint_name()),
        fmt::format("estimate it with armature frf --input {}", model.command_column()), {path});
  check_column(path, output, model, scenario);
  std::erase_if(responses, [](const DriveFrf& frf) { return frf.frequency.empty(); });
  if (responses.empty()) throw FormatError("no line lies between --from and --to", "widen the range", {path});
  for (DriveFrf& frf : responses) {
    frf.output = output;
    frf.delay = measured(output) ? scenario.run.sensors.delay : 0;
  }
  return responses;
}

DriveMotion read_drive_motion(const std::string& path, const DriveModel& model, const Scenario& scenario,
                              const DriveLogOptions& options) {
  const Log log = read_log(path);
  DriveMotion motion;
  motion.name = path;
  motion.step = in_file(path, [&] { return regular_step(log.time); });
  if (std::abs(motion.step / scenario.run.tick - 1) > 1e-6)
    throw FormatError(
        fmt::format("it is sampled every {:g} s, the scenario's tick is {:g} s", motion.step, scenario.run.tick),
        "commands are held for a tick: log every tick, and set run.tick to that of the machine", {path});
  const auto values = [&](const std::string& name) -> const std::vector<double>& {
    const std::vector<double>& v = in_file(path, [&]() -> const Channel& { return log.channel(name); }).values;
    const auto missing = std::find_if(v.begin(), v.end(), [](double x) { return !std::isfinite(x); });
    if (missing != v.end())
      throw FormatError(fmt::format("column '{}' has no value at {:.6g} s", name, log.time[missing - v.begin()]),
                        "cut the log, or fill the gap", {path});
    return v;
  };
  const auto column = [&](const std::string& name) {
    const std::vector<double>& v = values(name);
    return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size())));
  };
  motion.command = column(model.command_column());
  if (!(motion.command.cwiseAbs().maxCoeff() > 0))
    throw FormatError(fmt::format("the command '{}' is zero throughout", model.command_column()),
                      "a drive shows what it is when it is driven", {path});

  motion.outputs = options.columns;
  const auto of_joint = [&](const char* what, const char* suffix) {
    return fmt::format("{}{}{}", what, model.joint() + 1, suffix);
  };
  if (motion.outputs.empty()) {
    for (const char* what : {"q", "v"})
      if (const std::string name = of_joint(what, "_meas");
          log.has(name) && !(*what == 'v' && scenario.run.sensors.speed == SensorSettings::Speed::difference))
        motion.outputs.push_back(name);
    const bool of_machine = !motion.outputs.empty();
    for (const Channel& channel : log.channels)  // a log of another origin: all that it shows of the drive
      if (!of_machine && model.shows(channel.name)) motion.outputs.push_back(channel.name);
  }
  if (motion.outputs.empty())
    throw FormatError(
        fmt::format("no column shows the drive of joint '{}'", model.joint_name()),
        fmt::format("{} or {}, for example; --column names others", of_joint("q", "_meas"), of_joint("v", "")), {path});
  motion.measured.resize(motion.command.size(), motion.outputs.size());
  for (std::size_t c = 0; c < motion.outputs.size(); ++c) {
    check_column(path, motion.outputs[c], model, scenario);
    motion.measured.col(c) = column(motion.outputs[c]);
    motion.delay = measured(motion.outputs[c]) ? scenario.run.sensors.delay : 0;
  }
  motion.position = model.position();
  for (const char* suffix : {"_meas", ""})
    if (log.has(of_joint("q", suffix))) motion.position = log.channel(of_joint("q", suffix)).values.front();
  return motion;
}

}  // namespace armature::app
