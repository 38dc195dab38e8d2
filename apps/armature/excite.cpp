// armature excite: the motion from which an arm's parameters are best identified.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "arm_options.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/formats/text_file.hpp"
#include "armature/identification/excitation.hpp"
#include "armature/identification/excitation_log.hpp"
#include "armature/identification/excitation_path.hpp"
#include "armature/report/excitation_report.hpp"
#include "armature/simulation/scene.hpp"
#include "collisions.hpp"
#include "json_out.hpp"
#include "meshes.hpp"
#include "output_file.hpp"
#include "report_folder.hpp"
#include "setting_options.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

struct ExciteOptions {
  ArmOptions arm;
  SettingOptions settings;
  std::optional<std::string> out, page, harmonics, criterion, parameters, without, scale, noise, velocity, acceleration,
      torque, lower, upper, workspace, centre, seed, threads, periods, floor, clearance;
  bool friction = false, torque_limits = false, no_collisions = false, json = false;
};

constexpr double most_rows = 1e7;  // in a CSV: some gigabytes

int whole(const std::string& option, const std::optional<std::string>& text, int otherwise, int least,
          int most = 1000000000) {
  if (!text) return otherwise;
  const auto number = parse_double(*text);
  if (!number || *number != std::floor(*number) || *number < least || *number > most)
    throw Error(fmt::format("{}: '{}' is not a whole number from {} to {}", option, printable(*text), least, most),
                fmt::format("for example {} {}", option, otherwise));
  return static_cast<int>(*number);
}

/// One value for all joints, or one per joint.
void per_joint(const Arm& arm, const std::string& option, const std::optional<std::string>& text, Dimension turning,
               Dimension sliding, VecX<double>& values, bool positive = true) {
  if (!text) return;
  const int n = arm.dof();
  std::string words = *text;
  if (split_words(words).size() == 1)
    for (int i = 1; i < n; ++i) words += "," + *text;
  const auto numbers =
      parse_joint_quantities(option, words, arm, turning, sliding, "one value per joint, or one for all");
  for (int i = 0; i < n; ++i) {
    if (positive && !(numbers[i] > 0))
      throw Error(fmt::format("{}: {} is not positive", option, numbers[i]), "a limit is the largest magnitude");
    values[i] = numbers[i];
  }
}

ExcitationTask task_of(const ExciteOptions& options, const Arm& arm) {
  ParameterColumns columns =
      options.parameters ? columns_from_text(arm, read_text_file(*options.parameters, 1 << 20), *options.parameters)
                         : base_columns(arm);
  if (options.friction) columns = with_friction(arm, std::move(columns));
  if (options.without) columns = columns.without(split_words(*options.without));
  ExcitationTask task = excitation_task(arm, std::move(columns));
  if (options.criterion) task.criterion = excitation_criterion(*options.criterion);
  ExcitationLimits& limits = task.limits;
  per_joint(arm, "--velocity", options.velocity, dimension::rate, dimension::speed, limits.velocity);
  per_joint(arm, "--acceleration", options.acceleration, dimension::angular_acceleration, dimension::acceleration,
            limits.acceleration);
  per_joint(arm, "--lower", options.lower, dimension::angle, dimension::length, limits.lower, false);
  per_joint(arm, "--upper", options.upper, dimension::angle, dimension::length, limits.upper, false);
  if (options.torque_limits) {
    for (int i = 0; i < arm.dof(); ++i) {
      const auto limit = arm.joint(i).limits.torque;
      if (!limit)
        throw Error(fmt::format("--torque-limits: joint '{}' has none in the arm's file", arm.joint(i).name),
                    "give them with --torque");
      limits.torque[i] = *limit;
    }
  }
  per_joint(arm, "--torque", options.torque, dimension::torque, dimension::force, limits.torque);
  if (options.workspace) {
    const auto box = parse_quantities("--workspace", *options.workspace, std::vector(6, dimension::length),
                                      "xmin,xmax,ymin,ymax,zmin,zmax");
    limits.workspace = ExcitationLimits::Box{{box[0], box[2], box[4]}, {box[1], box[3], box[5]}};
    if (!(limits.workspace->upper - limits.workspace->lower).array().isFinite().all() ||
        ((limits.workspace->upper - limits.workspace->lower).array() <= 0).any())
      throw Error("--workspace: a side of the box has no length", "xmin,xmax,ymin,ymax,zmin,zmax");
  }
  per_joint(arm, "--noise", options.noise, dimension::torque, dimension::force, task.torque_scale);
  if (options.scale)
    for (const std::string& word : split_words(*options.scale)) {
      if (word == "parameters")
        scale_by_parameters(task);
      else if (word == "torques") {
        if (!options.noise)
          throw Error("--scale torques needs the standard deviation of each torque", "add --noise 0.5,0.2,0.1");
      } else
        throw Error(fmt::format("--scale: there is no '{}'", printable(word)),
                    suggestion(word, {"parameters", "torques"}));
    }
  task.threads = whole("--threads", options.threads, task.threads, 1, 256);
  return task;
}

void print_people(const ExcitationTask& task, const Excitation& e, double seconds) {
  const Arm& arm = task.arm;
  fmt::print("excitation of {}: {} parameters, {} harmonics of {:g} Hz, period {:g} s\n", arm.name(),
             task.columns.count(), e.motion.harmonics(), e.motion.base_frequency, 1 / e.motion.base_frequency);
  if (task.criterion != ExcitationCriterion::condition)
    fmt::print("  {}: {:.6g}\n", to_string(task.criterion), e.criterion);
  fmt::print("  condition number {:.4f} (singular values of the stacked regressor, by sample: {:.4g} to {:.4g})\n",
             e.condition, e.singular_values[0], e.singular_values[e.singular_values.size() - 1]);
  fmt::print("  found in {:.1f} s with {} evaluations\n\n", seconds, e.evaluations);
  std::vector<std::vector<std::string>> rows;
  const auto share = [](double used) { return used > 0 ? fmt::format("{:.1f} %", 100 * used) : std::string(); };
  for (int i = 0; i < arm.dof(); ++i) {
    const bool turns = arm.body(i).revolute;
    rows.push_back({arm.joint(i).name, turns ? "rad" : "m", short_text(e.use.largest_velocity[i]),
                    share(e.use.velocity[i]), short_text(e.use.largest_acceleration[i]), share(e.use.acceleration[i]),
                    short_text(e.use.largest_torque[i]), share(e.use.torque[i]), share(e.use.position[i])});
  }
  fmt::print("{}", text_table({"joint", "unit", "speed /s", "of limit", "acceleration /s^2", "of limit ", "torque",
                               "of limit  ", "range used"},
                              rows));
  if (task.limits.workspace) fmt::print("\n  The tool stays {:.3g} mm inside the workspace.\n", -1e3 * e.use.workspace);
  fmt::print("\n  Limits are guaranteed between samples too.\n");
}

WatchedArm watched_for(const ExciteOptions& options, const Arm& arm, double least) {
  if (!options.no_collisions) return watched_arm(arm, parse_floor(options.floor), least);
  WatchedArm nothing;
  nothing.blind = "--no-collisions";
  return nothing;
}

void print_clearance(const ExcitationTask& task, const Excitation& e, const WatchedArm& watched) {
  if (!watched.blind.empty()) {
    fmt::print("  Collisions are not watched: {}.\n", watched.blind);
    return;
  }
  fmt::print("  Links stay {:.3g} mm or more from each other{}.\n",
             1e3 * (task.limits.least_clearance - e.use.clearance),
             watched.model.floor ? fmt::format(" and above the floor, z = {:g} m", *watched.model.floor) : "");
  if (!watched.unwatched.empty())
    fmt::print("  Too near each other, in part, for that by the way the arm is built: {}.\n",
               fmt::join(watched.unwatched, "; "));
}

/// One period, at a few hundred times.
std::vector<VecX<double>> postures_of(const Excitation& e) {
  constexpr int count = 500;
  const FourierPath path = e.motion.path();
  std::vector<VecX<double>> postures;
  JointMotion m;
  for (int k = 0; k < count; ++k) {
    path.at(path.duration() * k / count, m);
    postures.push_back(m.q);
  }
  return postures;
}

/// One period of the first joint, where plots are welcome.
void print_motion(const Arm& arm, const Excitation& e) {
  const FourierPath path = e.motion.path();
  JointMotion m;
  std::vector<double> time, q;
  for (int k = 0; k <= 240; ++k) {
    time.push_back(path.duration() * k / 240);
    path.at(time.back(), m);
    q.push_back(m.q[0]);
  }
  print_plot(fmt::format("{} [{}]", arm.joint(0).name, arm.body(0).revolute ? "rad" : "m"), time, q);
}

void warn_about(const std::string& sentence, std::vector<std::string>& warnings) {
  warn(sentence);
  warnings.push_back(sentence);
}

ExcitationSettings settings_of(const ExciteOptions& options, const Arm& arm) {
  ExcitationSettings settings;
  options.settings.read([&](Fields& f) { settings.fields(f); });
  if (options.harmonics && options.harmonics->find(',') != std::string::npos) {
    for (const std::string& word : split_words(*options.harmonics))
      settings.joint_harmonics.push_back(whole("--harmonics", word, 1, 1));
    if (settings.joint_harmonics.size() != static_cast<std::size_t>(arm.dof()))
      throw Error(fmt::format("--harmonics has {} numbers", settings.joint_harmonics.size()),
                  fmt::format("one for all joints, or one value per joint: {}", arm.dof()));
    settings.harmonics = *std::max_element(settings.joint_harmonics.begin(), settings.joint_harmonics.end());
  } else {
    settings.harmonics = whole("--harmonics", options.harmonics, settings.harmonics, 1);
  }
  settings.seed = static_cast<std::uint64_t>(whole("--seed", options.seed, 1, 0));
  if (options.centre) {
    settings.centre = VecX<double>::Zero(arm.dof());
    per_joint(arm, "--centre", options.centre, dimension::angle, dimension::length, settings.centre, false);
  }
  return settings;
}

Json excitation_json(const ExcitationTask& task, const Excitation& e, double seconds,
                     const std::vector<std::string>& warnings) {
  return {{"arm", task.arm.name()},
          {"criterion", to_string(task.criterion)},
          {"value", e.criterion},
          {"condition", e.condition},
          {"parameters", task.columns.names},
          {"singular_values", json_of(e.singular_values)},
          {"base_frequency", e.motion.base_frequency},
          {"harmonics", e.motion.harmonics()},
          {"offset", json_of(e.motion.offset)},
          {"sine", json_of(e.motion.sine.transpose())},
          {"cosine", json_of(e.motion.cosine.transpose())},
          {"largest_velocity", json_of(e.use.largest_velocity)},
          {"largest_acceleration", json_of(e.use.largest_acceleration)},
          {"largest_torque", json_of(e.use.largest_torque)},
          {"within_limits", e.within_limits()},
          {"collisions_watched", task.limits.clearance.has_value()},
          {"complete", !e.stopped},
          {"seconds", seconds},
          {"warnings", warnings}};
}

int excite(const ExciteOptions& options) {
  const LoadedArm loaded = options.arm.load();
  const Arm& arm = loaded.arm;
  ExcitationTask task = task_of(options, arm);
  std::vector<std::string> warnings = loaded.warnings;
  for (const std::string& sentence : complete_limits(arm, task.limits)) warn_about(sentence, warnings);
  task.limits.least_clearance =
      parse_option("--clearance", options.clearance, dimension::length, task.limits.least_clearance);
  const WatchedArm watched = watched_for(options, arm, task.limits.least_clearance);
  if (watched.blind.empty()) task.limits.clearance = watched.model;
  if (const std::string unseen = unseen_sentence(watched); !unseen.empty())
    warn_about(unseen + "\n  hint: --packages DIR is where packages lie", warnings);
  ExcitationSettings settings = settings_of(options, arm);
  const int periods = whole("--periods", options.periods, 1, 1);
  if (const double rows = periods * settings.rate / settings.base_frequency; !(rows <= most_rows))
    throw Error(fmt::format("{} periods at {:g} samples per second are {:.3g} rows", periods, settings.rate, rows),
                fmt::format("at most {:g}: fewer --periods, or a lower --rate", most_rows));
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::optional<OutputFile> file;  // before the work, not after it
  if (options.out) file.emplace(*options.out);
  std::optional<OutputFolder> folder;
  if (options.page) folder.emplace(*options.page);
  settings.stop = &keep_on_interrupt();
  ProgressLine line;
  const Excitation e = design_excitation(task, settings, [&](const ExcitationProgress& p) {
    line.update(p.share, fmt::format("{}, best so far: {} {:.4g}", p.stage, to_string(task.criterion), p.best));
  });
  line.clear();
  const double seconds = elapsed();
  for (const std::string& sentence : excitation_warnings(arm, e)) warn_about(sentence, warnings);
  for (const std::string& sentence : overlaps_left_out(watched, arm, postures_of(e))) warn_about(sentence, warnings);
  std::string page;
  if (options.out || options.page) {
    const ExcitationPath path(arm, e.motion, periods, task.limits, 1 / settings.rate);
    const Log log = playable_log(arm, path, e, settings.rate, periods);
    if (file) {
      write_log(log, file->stream(), file->name());
      file->commit();
    }
    if (folder) {
      page = write_report(excitation_report(task, e, log), *folder);
      folder->commit();
    }
  }
  if (options.json) {
    print_json(excitation_json(task, e, seconds, warnings));
  } else if (options.out != "-") {
    print_people(task, e, seconds);
    print_clearance(task, e, watched);
    print_motion(arm, e);
    if (options.out) fmt::print("  written: {}\n", *options.out);
    if (options.page) fmt::print("  page: {}\n", page);
  }
  if (e.stopped) {
    complain("stopped by the user: this is the best motion found so far, not the end of the search");
    return exit_no;
  }
  return exit_done;
}

}  // namespace

void add_excite(CommandLine& line) {
  static ExciteOptions options;
  Verb& verb = line.verb("excite", "design the motion from which an arm's parameters are best identified");
  options.arm.add_to(verb);
  add_mesh_options(verb);
  verb.option("-o,--out", "FILE", options.out,
              "CSV that the robot can play: q, v, a and the expected torques, from rest to rest")
      .option("--page", "DIR", options.page, "folder for a page with the motion and how well it excites the parameters")
      .option("--harmonics", "N", options.harmonics,
              "harmonics of the Fourier series (default 5); N1,N2,.. for one value per joint");
  options.settings.add_to(verb, [](Fields& f) { ExcitationSettings().fields(f); });
  verb.option("--criterion", "NAME", options.criterion,
              "condition (default), frobenius, log-det, largest or smallest singular value")
      .words(excitation_criteria())
      .option("--parameters", "FILE", options.parameters,
              "base parameters to design for, one per line as compute base-parameters prints them")
      .option("--without", "P4,P15", options.without, "parameters that are known and need no column")
      .flag("--friction", options.friction, "design for Coulomb friction, viscous friction and offsets too")
      .option("--scale", "WORDS", options.scale,
              "parameters: scale columns by the arm's values; torques: divide rows by --noise")
      .option("--noise", "S1,S2,..", options.noise, "standard deviation of each torque, by which rows are divided")
      .option("--velocity", "V1,V2,..", options.velocity,
              "velocity limits, one value per joint or one for all (default: the arm's, else 90 deg/s or 250 mm/s)")
      .option("--acceleration", "A1,A2,..", options.acceleration,
              "acceleration limits (default: the arm's, else the velocity limit in 0.5 s)")
      .option("--lower", "Q1,Q2,..", options.lower, "lower position limits (default: the arm's)")
      .option("--upper", "Q1,Q2,..", options.upper, "upper position limits (default: the arm's)")
      .option("--torque", "T1,T2,..", options.torque, "torque limits (default: none)")
      .flag("--torque-limits", options.torque_limits, "keep within the arm's torque limits")
      .option("--workspace", "X,X,Y,Y,Z,Z", options.workspace,
              "box in which the tool stays: xmin,xmax,ymin,ymax,zmin,zmax")
      .option("--clearance", "LENGTH", options.clearance,
              "how far links stay from each other and from the floor, by capsules around their shapes (default 20 mm)")
      .option("--floor", "HEIGHT", options.floor, "height of the floor in the world, or none (default 0)")
      .flag("--no-collisions", options.no_collisions, "let links fold into each other and the floor")
      .option("--centre", "Q1,Q2,..", options.centre, "posture about which the random starts move")
      .option("--seed", "N", options.seed, "seed of the random starts (default 1)")
      .option("--threads", "N", options.threads,
              "number of threads, at most 256 (default: all cores); the result does not depend on it")
      .option("--periods", "N", options.periods, "number of periods in the CSV (default 1); at most 1e7 rows in all")
      .flag("--json", options.json, "machine-readable output (JSON), with all coefficients")
      .details(
          "The limits of positions, velocities and accelerations are guaranteed between samples too: they follow from "
          "bounds of a trigonometric polynomial. Torques and workspace are searched between the samples. Ctrl-C ends "
          "the search: the best motion found so far is written, marked as stopped, and the exit code is 1.")
      .example("armature excite rrr -o excitation.csv", "five harmonics of 0.1 Hz")
      .example("armature excite ur5e --harmonics 8 --criterion log-det --torque-limits -o excitation.csv",
               "D-optimal within the torque limits")
      .example(
          "armature excite rrr --harmonics 100 --parameters studies/kostic2004/base_parameters.txt --without p4,p15",
          "the experiment of a paper")
      .action([] { return excite(options); });
}

}  // namespace armature::app
