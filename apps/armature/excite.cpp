// armature excite: the motion from which an arm's parameters are best identified.
#include <fmt/format.h>

#include <chrono>

#include "arm_options.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/identification/excitation.hpp"
#include "armature/identification/excitation_log.hpp"
#include "armature/identification/excitation_path.hpp"
#include "armature/report/excitation_report.hpp"
#include "armature/run/excite_answer.hpp"
#include "armature/run/excite_choice.hpp"
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

/// Whether links may touch.
struct CollisionChoice {
  double clearance = ExcitationLimits().least_clearance;  // [m]
  std::string floor;                                      // height [m], or none
  bool no_collisions = false;

  void fields(Fields& f) {
    f.number("clearance", clearance, dimension::length,
             "how far links stay from each other and from the floor, by capsules around their shapes");
    f.text("floor", floor, "height of the floor in the world, or none (default 0)");
    f.flag("no_collisions", no_collisions, "let links fold into each other and the floor");
  }
};

struct ExciteOptions {
  ArmOptions arm;
  SettingOptions settings;
  std::optional<std::string> out, page;
  bool json = false;
};

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

WatchedArm watched_for(const CollisionChoice& choice, const Arm& arm) {
  if (!choice.no_collisions)
    return watched_arm(arm, parse_floor(choice.floor.empty() ? std::nullopt : std::optional(choice.floor)),
                       choice.clearance);
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

/// Where the results go; made before the work, not after it.
struct ExciteOutput {
  explicit ExciteOutput(const ExciteOptions& options) {
    if (options.out) file.emplace(*options.out);
    if (options.page) folder.emplace(*options.page);
  }
  /// What the robot plays, as a table and as a page; returns where the page is.
  std::string write(const ExcitationTask& task, const Excitation& e, double rate, int periods) {
    if (!file && !folder) return "";
    const ExcitationPath path(task.arm, e.motion, periods, task.limits, 1 / rate);
    const Log log = playable_log(task.arm, path, e, rate, periods);
    if (file) {
      write_log(log, file->stream(), file->name());
      file->commit();
    }
    if (!folder) return "";
    std::string page = write_report(excitation_report(task, e, log), *folder);
    folder->commit();
    return page;
  }
  std::optional<OutputFile> file;
  std::optional<OutputFolder> folder;
};

int excite(const ExciteOptions& options) {
  const LoadedArm loaded = options.arm.load();
  const Arm& arm = loaded.arm;
  ExciteChoice choice;
  CollisionChoice collisions;
  const auto list = [&](Fields& f) {
    choice.fields(f);
    collisions.fields(f);
  };
  options.settings.read(list, &arm);
  ExcitationTask task = excitation_task(choice, arm);
  std::vector<std::string> warnings = loaded.warnings;
  for (const std::string& sentence : complete_limits(arm, task.limits)) warn_about(sentence, warnings);
  task.limits.least_clearance = collisions.clearance;
  const WatchedArm watched = watched_for(collisions, arm);
  if (watched.blind.empty()) task.limits.clearance = watched.model;
  if (const std::string unseen = unseen_sentence(watched); !unseen.empty())
    warn_about(unseen + "\n  hint: --packages DIR is where packages lie", warnings);
  ExcitationSettings settings = excitation_settings(choice, arm);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  ExciteOutput output(options);
  settings.stop = &keep_on_interrupt();
  ProgressLine line;
  const Excitation e = design_excitation(task, settings, [&](const ExcitationProgress& p) {
    line.update(p.share, fmt::format("{}, best so far: {} {:.4g}", p.stage, to_string(task.criterion), p.best));
  });
  line.clear();
  const double seconds = elapsed();
  for (const std::string& sentence : excitation_warnings(arm, e)) warn_about(sentence, warnings);
  for (const std::string& sentence : overlaps_left_out(watched, arm, postures_of(e))) warn_about(sentence, warnings);
  const std::string page = output.write(task, e, settings.rate, choice.periods);
  if (options.json) {
    print_json(Json::parse(excitation_json(task, e, seconds, warnings)));
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
      .option("--page", "DIR", options.page,
              "folder for a page with the motion and how well it excites the parameters");
  options.settings.add_to(verb,
                          [](Fields& f) {
                            ExciteChoice().fields(f);
                            CollisionChoice().fields(f);
                          },
                          {{"harmonics", {"N"}},
                           {"parameters", {"FILE"}},
                           {"without", {"P4,P15"}},
                           {"scale", {"WORDS", {"parameters", "torques", "parameters,torques"}}},
                           {"noise", {"S1,S2,.."}},
                           {"velocity", {"V1,V2,.."}},
                           {"acceleration", {"A1,A2,.."}},
                           {"lower", {"Q1,Q2,.."}},
                           {"upper", {"Q1,Q2,.."}},
                           {"torque", {"T1,T2,.."}},
                           {"workspace", {"X,X,Y,Y,Z,Z"}},
                           {"centre", {"Q1,Q2,.."}},
                           {"floor", {"HEIGHT", {"none"}}}});
  verb.flag("--json", options.json, "machine-readable output (JSON), with all coefficients")
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
