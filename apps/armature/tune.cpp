// armature tune: gains and notches from frequency responses in several postures.
#include <fmt/format.h>

#include <cmath>

#include "arm_options.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/table.hpp"
#include "armature/identification/tuning.hpp"
#include "armature/run/tuned_law.hpp"
#include "json_out.hpp"
#include "output_file.hpp"
#include "setting_options.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

struct TuneOptions {
  std::vector<std::string> files, with;
  SettingOptions settings;
  std::optional<std::string> scenario, joint, out;
  bool json = false;
};

/// Which lines of the responses count.
struct LineSettings {
  double coherence = 0.7;  // the least
  void fields(Fields& f) {
    f.number("coherence", coherence, dimension::none, "leave out lines of lower coherence", Range::not_negative);
  }
};

/// The responses of one joint, by the channel in which they end.
struct TunedJoint {
  std::string output, unit;  // "q1_meas", and the unit of the command; empty: the tables do not say
  std::vector<PlantResponse> plants;
  TuningSettings settings{};
  Tuning tuning{};
};

/// "q3_meas" is joint 3; 0 where a name tells none.
int joint_in(const std::string& channel) {
  if (channel.size() < 2 || channel[0] != 'q') return 0;
  const std::string digits = channel.substr(1, channel.find_first_not_of("0123456789", 1) - 1);
  return digits.empty() || digits.size() > 2 ? 0 : std::stoi(digits);
}

/// The responses of a table as `frf -o` or `linearize --bode` writes it; one a number in its column `log`.
void read(const std::string& path, double coherence, std::vector<TunedJoint>& joints) {
  std::string input, output, unit;
  const auto comment = [&](std::string_view text, const Place&) {
    const std::string line(text);
    const auto after = [&](const std::string& word) {
      const std::size_t at = line.find(word);
      return at == std::string::npos ? "" : line.substr(at + word.size());
    };
    if (const std::string name = after("output: "); !name.empty()) output = name.substr(0, name.find(' '));
    if (const std::string name = after("input: "); name.ends_with("]") && name.find('[') != std::string::npos)
      unit = name.substr(name.find('[') + 1, name.size() - name.find('[') - 2);
  };
  TableReader table(path, {.comment = comment});
  std::vector<std::string> columns{"frequency", "re", "im"};
  const bool logs = table.has("log"), coherent = table.has("coherence");
  if (logs) columns.emplace_back("log");
  if (coherent) columns.emplace_back("coherence");
  table.select(columns);
  std::vector<double> row(columns.size());
  double current = -1;
  std::vector<PlantResponse> plants;
  while (table.next(row)) {
    if (current < 0 || (logs && row[3] != current)) {
      current = logs ? row[3] : 0;
      plants.push_back({logs ? fmt::format("{}, log {:g}", path, current) : path, {}, {}});
    }
    if (coherent && row.back() < coherence) continue;
    PlantResponse& plant = plants.back();
    if (!(row[0] > 0) || (!plant.frequency.empty() && row[0] <= plant.frequency.back()))
      throw FormatError(fmt::format("the frequency {} Hz does not increase", row[0]),
                        "one line after the other, from above zero", table.place());
    plant.frequency.push_back(row[0]);
    plant.response.emplace_back(row[1], row[2]);
  }
  for (TunedJoint& joint : joints)
    if (joint.output == output) {
      joint.plants.insert(joint.plants.end(), plants.begin(), plants.end());
      return;
    }
  joints.push_back({output, unit, std::move(plants)});
}

Json json_of_tuning(const TunedJoint& joint) {
  const LoopController& c = joint.tuning.controller;
  Json answer{{"output", joint.output},
              {"kp", c.kp},
              {"ki", c.ki},
              {"kd", c.kd},
              {"tick", c.tick},
              {"filters", Json::array()},
              {"postures", Json::array()}};
  for (const FilterSettings& f : c.filters) {
    const bool notch = f.kind == FilterSettings::Kind::notch;
    answer["filters"].push_back(
        {{"kind", notch ? "notch" : "low_pass"}, {"frequency", f.frequency}, {"damping", f.damping}});
    if (notch) answer["filters"].back()["zero_damping"] = f.zero_damping;
  }
  for (std::size_t k = 0; k < joint.plants.size(); ++k) {
    const LoopMargins& m = joint.tuning.margins[k];
    answer["postures"].push_back({{"posture", joint.plants[k].posture},
                                  {"bandwidth", m.bandwidth},
                                  {"gain_margin_db", std::min(m.gain, 1e3)},
                                  {"phase_margin", m.phase},
                                  {"sensitivity_db", m.sensitivity}});
  }
  answer["worst"] = joint.plants[joint.tuning.worst].posture;
  answer["at_highest_crossover"] = joint.tuning.at_bound;
  answer["at_limit"] = joint.tuning.at_limit;
  return answer;
}

void print_people(const TunedJoint& joint) {
  const TuningSettings& s = joint.settings;
  const LoopController& c = joint.tuning.controller;
  fmt::print(
      "{}kp {:.6g}, {}kd {:.6g}, in the unit of the command over that of the position (and s, 1/s); tick {:g} s\n",
      joint.output.empty() ? "" : joint.output + ": ", c.kp, s.integral ? fmt::format("ki {:.6g}, ", c.ki) : "", c.kd,
      c.tick);
  for (const FilterSettings& f : c.filters)
    if (f.kind == FilterSettings::Kind::notch)
      fmt::print("notch at {:.2f} Hz: (s² + 2 {:.3f} w s + w²)/(s² + 2 {:.3f} w s + w²)\n", f.frequency, f.zero_damping,
                 f.damping);
    else
      fmt::print("low-pass at {:.2f} Hz: w²/(s² + 2 {:.3f} w s + w²)\n", f.frequency, f.damping);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < joint.plants.size(); ++k) {
    const LoopMargins& m = joint.tuning.margins[k];
    rows.push_back({joint.plants[k].posture, fmt::format("{:.2f}", m.bandwidth),
                    std::isfinite(m.gain) ? fmt::format("{:.1f}", m.gain) : "-", fmt::format("{:.1f}", m.phase / deg),
                    fmt::format("{:.1f}", m.sensitivity)});
  }
  fmt::print("\n{}\n  worst posture: {}\n",
             text_table({"posture", "bandwidth Hz", "gain margin dB", "phase margin deg", "sensitivity dB"}, rows),
             joint.plants[joint.tuning.worst].posture);
  if (joint.tuning.at_bound)
    fmt::print("  {:.4g} Hz is the highest crossover tried: a faster loop may keep the margins too (--to)\n", s.to);
  if (joint.tuning.at_limit)
    fmt::print("  a faster loop keeps the margins, but asks for more than {:g} at an error of {:g}\n", s.limit, s.step);
}

/// Which joint of the arm was tuned.
int joint_of(const TuneOptions& options, const TunedJoint& joint, std::size_t count) {
  if (options.joint) {
    if (count > 1) throw Error("--joint is one joint, and the responses are of several", "leave it out");
    return static_cast<int>(parse_option("--joint", options.joint, dimension::none, 0));
  }
  if (const int number = joint_in(joint.output); number > 0) return number;
  throw Error(joint.output.empty() ? "the table does not say in which channel its responses end"
                                   : fmt::format("'{}' is no position of a joint", printable(joint.output)),
              "say which joint it is: --joint 1");
}

/// The scenario's controller with what was tuned.
void write_law(const TuneOptions& options, const LoadedScenario& loaded, const std::vector<TunedJoint>& joints) {
  ControllerSettings controller = loaded.scenario.controller;
  std::string header = "# For armature simulate SCENARIO --with this file. Tuned from frequency responses:\n";
  for (const TunedJoint& joint : joints) {
    const int number = joint_of(options, joint, joints.size());
    controller = with_tuned_joint(loaded, std::move(controller), number, joint.tuning.controller, joint.unit);
    for (std::size_t k = 0; k < joint.plants.size(); ++k)
      header += fmt::format("#   joint {}, {}: {:.4g} Hz, {:.3g} dB, {:.3g} deg\n", number,
                            printable(joint.plants[k].posture), joint.tuning.margins[k].bandwidth,
                            joint.tuning.margins[k].gain, joint.tuning.margins[k].phase / deg);
  }
  OutputFile file(*options.out);
  file.write(header + controller_yaml(loaded, controller));
  file.commit();
}

int tune(const TuneOptions& options) {
  if (options.out && !options.scenario)
    throw Error("-o needs the scenario whose controller gets the gains", "add --scenario FILE");
  std::optional<LoadedScenario> loaded;
  TuningSettings s;
  if (options.scenario) {
    Overrides with;
    for (const std::string& file : options.with) with.emplace_back("", file);
    loaded = load_scenario(*options.scenario, with, built_in_kernels());
    s.tick = loaded->scenario.run.tick;
    s.speed = loaded->scenario.run.sensors.speed;
    if (loaded->scenario.controller.observer.kind != ObserverSettings::Kind::none)
      warn(
          "the scenario has an observer between sensors and law, which the margins do not know\n  hint: tune without "
          "it");
  }
  LineSettings lines;
  options.settings.read([&](Fields& f) {
    s.fields(f);
    lines.fields(f);
  });
  if (!(s.to > s.from)) throw Error("--from is not below --to", "for example --from 1Hz --to 100Hz");
  if (loaded && s.tick != loaded->scenario.run.tick)
    throw Error(fmt::format("--tick is {:g} s, and the scenario's run.tick {:g} s", s.tick, loaded->scenario.run.tick),
                "leave --tick out");
  std::vector<TunedJoint> joints;
  for (const std::string& file : options.files) read(file, lines.coherence, joints);
  try {
    for (TunedJoint& joint : joints) {
      TuningSettings& own = joint.settings = s;
      if (loaded && own.step > 0 && own.limit == 0 && (joint.unit == "N m" || joint.unit == "N")) {
        const int number = joint_of(options, joint, joints.size());
        if (number <= loaded->arm.dof()) own.limit = loaded->arm.joint(number - 1).limits.torque.value_or(0);
        if (own.limit == 0)
          throw Error(fmt::format("the arm states no limit of torque for joint {}", number), "give --limit");
      }
      joint.tuning = armature::identification::tune(joint.plants, own);
    }
  } catch (const NoController& none) {
    complain(none.what());
    return exit_no;
  }
  if (options.out) write_law(options, *loaded, joints);
  if (!options.json && options.out != "-") {
    for (const TunedJoint& joint : joints) print_people(joint);
    if (options.out) fmt::print("  written: {}\n", *options.out);
  } else if (options.json) {
    Json all = Json::array();
    for (const TunedJoint& joint : joints) all.push_back(json_of_tuning(joint));
    print_json(all.size() == 1 ? all.front() : Json{{"joints", all}});
  }
  return exit_done;
}

}  // namespace

void add_tune(CommandLine& line) {
  static TuneOptions options;
  Verb& verb = line.verb("tune", "tune gains and notches from frequency responses, with margins in every posture");
  verb.arguments("FRF.csv", options.files,
                 "frequency responses from command to position, as frf -o or linearize --bode writes them");
  options.settings.add_to(verb, [](Fields& f) {
    TuningSettings().fields(f);
    LineSettings().fields(f);
  });
  verb.option("--scenario", "FILE", options.scenario, "take tick, speed sensor and torque limits from this scenario")
      .list("--with", "FILE", options.with, "a file whose blocks replace those of the scenario; may be repeated")
      .option("--joint", "N", options.joint,
              "joint that the responses belong to (default: that of their output, q1_meas)")
      .option("-o,--out", "FILE", options.out,
              "write the scenario's controller with these gains and filters, for armature simulate --with FILE")
      .flag("--json", options.json, "machine-readable output (JSON)")
      .details(
          "Finds the PD (or PID) controller with notches that has the highest bandwidth and keeps the margins in all "
          "responses. Responses that end at different joints are tuned one joint at a time.")
      .example("armature tune frf.csv --scenario shake.yaml -o law.yaml",
               "and then simulate shake.yaml --with law.yaml")
      .example("armature tune frf.csv --phase-margin 40deg", "all postures of one `armature frf -o frf.csv`")
      .action([] { return tune(options); });
}

}  // namespace armature::app
