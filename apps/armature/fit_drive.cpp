// armature fit-drive: an elastic drive from frequency responses and motions, with how sure it is.
#include <fmt/format.h>

#include "arm_options.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/identification/drive_chain.hpp"
#include "armature/report/drive_report.hpp"
#include "armature/run/plants.hpp"
#include "drive_logs.hpp"
#include "fit_json.hpp"
#include "fit_springs.hpp"
#include "json_out.hpp"
#include "meshes.hpp"
#include "output_file.hpp"
#include "report_folder.hpp"
#include "scenario_options.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

struct FitDriveOptions {
  ScenarioOptions scenario;
  std::vector<std::string> responses, motions, columns;
  std::optional<std::string> joint, output, free, fix, from, to, coherence, inertias, out, page;
  FitSpringsOptions springs;
  bool continuous = false, json = false;
};

/// Springs of joints without a motor, where --shaken asks for them.
int fit_springs_of(const FitDriveOptions& options, const LoadedScenario& loaded) {
  if (!options.responses.empty() || !options.motions.empty() || options.joint || options.inertias)
    throw Error(
        "--shaken fits the springs of joints without a motor, and goes with none of --frf, --step, --joint and "
        "--inertias",
        "fit the drives in a call of their own");
  if (options.springs.shaken.empty())
    throw Error("--held-out names logs that are predicted, and none is fitted", "give --shaken LOG.csv");
  FitSpringsOptions springs = options.springs;
  springs.free = options.free;
  springs.fix = options.fix;
  springs.from = options.from;
  springs.to = options.to;
  springs.out = options.out;
  springs.page = options.page;
  springs.json = options.json;
  return fit_springs_verb(loaded, springs);
}

/// By its name or its number, from 1; without either the only joint with an elastic drive.
int elastic_joint(const Arm& arm, const std::optional<std::string>& asked) {
  std::vector<std::string> names, elastic;
  int found = -1;
  for (int i = 0; i < arm.dof(); ++i) {
    names.push_back(arm.joint(i).name);
    if (asked ? *asked == names.back() || *asked == std::to_string(i + 1) : arm.joint(i).drive.stiffness.has_value()) {
      found = i;
      elastic.push_back(names.back());
    }
  }
  if (asked && found < 0)
    throw Error(fmt::format("--joint: the arm has no joint '{}'", printable(*asked)), suggestion(*asked, names));
  if (found < 0)
    throw Error(fmt::format("arm '{}': no joint has an elastic drive", arm.name()),
                "give rotor_inertia and stiffness in its file: they are where the fit starts");
  if (!asked && elastic.size() > 1)
    throw Error(fmt::format("arm '{}' has {} elastic drives", arm.name(), elastic.size()),
                fmt::format("say which: --joint {}", elastic.front()));
  return found;
}

/// The arm in the scenario's posture with the drive's options.
struct Bench {
  VecX<double> q;
  ComposeOptions options;
};
Bench bench_of(const LoadedScenario& loaded) {
  if (loaded.scenario.plant.drives != ComposeOptions::Drives::elastic)
    loaded.refuse("plant.drives",
                  fmt::format("plant.drives is '{}'",
                              loaded.scenario.plant.drives == ComposeOptions::Drives::ideal ? "ideal" : "rigid"),
                  "an elastic drive is fitted: write plant: {drives: elastic}, or --set plant.drives=elastic");
  return {build(loaded).start.head(loaded.arm.dof()), loaded.scenario.plant};
}

/// How many inertias: as asked for, or as described where that is more than rotor and load; "choose": none.
std::optional<int> inertias_of(const std::string& text) {
  if (text == "choose") return std::nullopt;
  if (text == "2" || text == "3" || text == "4") return text[0] - '0';
  throw Error(fmt::format("--inertias '{}'", printable(text)),
              "2 (rotor and load), 3, 4 (with the gear's input and a tachometer on shafts of their own) or choose");
}

Json json_of_fit(const DriveModel& model, const DriveFit& fit, const std::optional<ChainChoice>& chain) {
  Json answer{{"joint", model.joint_name()}};
  add_estimates(fit, answer);
  answer["logs"] = Json::array();
  for (const DriveLogFit& log : fit.logs) {
    Json l{{"log", log.name},    {"output", log.output}, {"kind", log.response ? "response" : "motion"},
           {"count", log.count}, {"rms", log.rms},       {"relative", log.relative}};
    if (log.expected > 0) l["expected"] = log.expected;
    answer["logs"].push_back(l);
  }
  answer["play_crossed"] = fit.play_crossed;
  answer["sentences"] = sentences(model, fit);
  if (!chain) return answer;
  answer["chains"] = Json::array();
  for (std::size_t k = 0; k < chain->trials.size(); ++k) {
    const ChainTrial& t = chain->trials[k];
    answer["chains"].push_back({{"inertias", t.shape.inertias()},
                                {"chain", to_string(t.shape)},
                                {"parameters", t.parameters},
                                {"rms", t.rms},
                                {"criterion", t.criterion},
                                {"taken", k == chain->chosen},
                                {"supported", k <= chain->best()}});
  }
  for (const std::string& sentence : sentences(*chain)) answer["sentences"].push_back(sentence);
  return answer;
}

DriveFitSettings settings_of(const FitDriveOptions& options, const DriveModel& described) {
  DriveFitSettings settings;
  if (options.free) settings.free = split_words(*options.free);
  if (options.fix) settings.held = split_words(*options.fix);
  for (const auto* names : {&settings.free, &settings.held})
    for (const std::string& name : *names)
      if (!options.inertias) (void)described.index(name);
  settings.coherence = parse_option("--coherence", options.coherence, dimension::none, settings.coherence);
  if (!(settings.coherence > 0 && settings.coherence < 1))
    throw Error("--coherence lies between 0 and 1", "the default is 0.8");
  settings.progress = [](const std::string& step) {
    if (progress_is_watched()) fmt::print(stderr, "\r\033[K{} ...", step);
  };
  return settings;
}

void print_fit(const DriveModel& model, const DriveFit& fit, const std::optional<ChainChoice>& chain) {
  std::vector<std::string> said = sentences(model, fit);
  std::vector<LogTable> tables = drive_tables(fit);
  if (chain) {
    const std::vector<std::string> more = sentences(*chain);
    said.insert(said.begin() + 1, more.begin(), more.end());
    tables.push_back(chain_table(*chain));
  }
  for (const std::string& sentence : said) fmt::print("{}\n", wrapped(sentence, 2));
  for (const LogTable& table : tables) fmt::print("\n{}\n{}", table.title, text_table(table.header, table.rows));
}

int fit_drive_verb(const FitDriveOptions& options) {
  const LoadedScenario loaded = options.scenario.load();
  if (!options.springs.shaken.empty() || !options.springs.held_out.empty()) return fit_springs_of(options, loaded);
  const int joint = elastic_joint(loaded.arm, options.joint);
  const Bench bench = bench_of(loaded);
  const DriveModel described(loaded.arm, joint, bench.q, bench.options);
  const bool shafts = shape_of(loaded.arm.joint(joint).drive).inertias() > 2;
  const std::optional<int> inertias = options.inertias ? inertias_of(*options.inertias)
                                      : shafts ? std::optional(shape_of(loaded.arm.joint(joint).drive).inertias())
                                               : std::nullopt;
  DriveFitSettings settings = settings_of(options, described);
  DriveLogOptions logs{options.output, options.columns, options.continuous};
  logs.from = parse_option("--from", options.from, dimension::rate, 0);
  logs.to = parse_option("--to", options.to, dimension::rate, 0);
  if (options.responses.empty() && options.motions.empty())
    throw Error("there is no log to fit to", "give --frf FRF.csv, --step LOG.csv, or both");
  std::vector<DriveFrf> responses;
  std::vector<std::string> files;
  for (const std::string& path : options.responses) {
    for (DriveFrf& frf : read_drive_responses(path, described, loaded.scenario, logs))
      responses.push_back(std::move(frf));
    files.push_back(path);
  }
  std::vector<DriveMotion> motions;
  for (const std::string& path : options.motions) {
    motions.push_back(read_drive_motion(path, described, loaded.scenario, logs));
    files.push_back(path);
  }
  std::optional<ChainChoice> chain;
  if (options.inertias || (shafts && !responses.empty()))
    chain = choose_chain(loaded.arm, joint, bench.q, bench.options, responses, settings, inertias);
  const DriveModel model = chain ? DriveModel(Arm(chain->arm), joint, bench.q, bench.options) : described;
  if (chain) settings.also_from = chain->values;
  const DriveFit fit = fit_drive(model, responses, motions, settings);
  if (progress_is_watched()) fmt::print(stderr, "\r\033[K");
  if (options.out) {
    OutputFile file(*options.out);
    file.write(arm_yaml_for(fitted_arm(model, fit, fmt::format("{}", fmt::join(files, ", "))), *options.out));
    file.commit();
  }
  std::string page;
  if (options.page) {
    Report report{.kind = "fit-drive",
                  .title = fmt::format("Drive of joint {}", model.joint_name()),
                  .subtitle = fmt::format("fitted to {}", fmt::join(files, ", "))};
    report.logs = drive_logs_of(model, fit, responses, motions);
    if (chain) report.logs.front().tables.push_back(chain_table(*chain));
    page = write_report(std::move(report), *options.page);
  }
  if (options.json) {
    print_json(json_of_fit(model, fit, chain));
    return exit_done;
  }
  print_fit(model, fit, chain);
  if (options.out) fmt::print("\n  written: {}\n", *options.out);
  if (options.page) fmt::print("  page: {}\n", page);
  return exit_done;
}

}  // namespace

void add_fit_drive(CommandLine& line) {
  static FitDriveOptions options;
  Verb& verb =
      line.verb("fit-drive",
                "fit an elastic drive, or the springs of joints without a motor, to logs, with confidence intervals");
  options.scenario.add_to(verb);
  verb.list("--frf", "FRF.csv", options.responses,
            "frequency response from the motor's command, as frf -o writes it; may be repeated")
      .list("--step", "LOG.csv", options.motions, "log of a motion from rest, steps back and forth; may be repeated")
      .list(
          "--shaken", "LOG.csv", options.springs.shaken,
          "log in which motors shake the arm periodically: fits stiffness and damping of plant.passive instead; one a "
          "posture")
      .list("--held-out", "LOG.csv", options.springs.held_out, "another such log, to be predicted and not fitted")
      .option("--period", "TIME", options.springs.period,
              "with which the shaking repeats (default: that of the scenario's inputs)")
      .option("--begin", "TIME", options.springs.begin, "of what is used of these logs (default: after a period)")
      .option("--joint", "NAME", options.joint, "joint whose drive is fitted (default: the only elastic one)")
      .option("--output", "COLUMN", options.output, "output of the responses, where their file does not say it")
      .list("--column", "COLUMN", options.columns,
            "column of the motions to fit to (default: what was measured of the joint); may be repeated")
      .option("--inertias", "NUMBER", options.inertias,
              "2, 3 or 4 in a row, or `choose` by an information criterion (default: as in the arm file)")
      .words({"2", "3", "4", "choose"})
      .option("--free", "NAMES", options.free, "fit only these, e.g. stiffness,damping")
      .option("--fix", "NAMES", options.fix, "keep the values of these, e.g. load_inertia")
      .option("--from", "FREQUENCY", options.from, "lowest frequency used")
      .option("--to", "FREQUENCY", options.to, "highest frequency used")
      .option("--coherence", "LEAST", options.coherence, "leave out lines of lower coherence (default 0.8)")
      .flag("--continuous", options.continuous,
            "the responses are not of sampled commands (linearize --bode, an analyser)")
      .option("-o,--out", "FILE", options.out,
              "write the arm with the fitted drive as an arm file; with --shaken a block that --with takes")
      .option("--page", "DIR", options.page, "folder for a page: measured and fitted responses and motions, intervals")
      .flag("--json", options.json, "machine-readable output (JSON)")
      .details(
          "The scenario describes the machine: its arm, whose file gives the structure and the initial values, "
          "plant.drives elastic, the motors' input, the posture and the tick. All parameters of the drive that the "
          "file gives as positive are fitted, those of the winding only if --free names them; load_inertia is what "
          "the joint carries. Motions begin at rest, with the gear in the middle of its play. docs/drives.md shows "
          "the whole procedure, docs/compliant_base.md that of --shaken: a base or a link that gives way.")
      .example("armature fit-drive drive.yaml --frf frf.csv --step step.csv -o fitted.yaml",
               "both kinds of logs; then: armature linearize drive.yaml --set robot=fitted.yaml")
      .example("armature fit-drive drive.yaml --frf frf.csv --fix load_inertia --page out",
               "what the joint carries is known")
      .example("armature fit-drive base.yaml --shaken a.csv --shaken b.csv --held-out c.csv -o springs.yaml",
               "a base that gives way, from two postures; then: armature simulate base.yaml --with springs.yaml")
      .action([] { return fit_drive_verb(options); });
}

}  // namespace armature::app
