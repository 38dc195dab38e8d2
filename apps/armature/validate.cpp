// armature validate: how well does this model predict this log?
#include "armature/identification/validate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arm_options.hpp"
#include "armature/core/text.hpp"
#include "armature/formats/log_csv.hpp"
#include "identification_page.hpp"
#include "json_out.hpp"
#include "log_options.hpp"
#include "meshes.hpp"
#include "output_file.hpp"
#include "report_folder.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature {

namespace {

struct ValidateOptions {
  ArmOptions arm;
  LogOptions log;
  std::optional<std::string> out, page;
  bool json = false;
};

/// A joint none of whose samples count.
std::string unjudged(const Arm& arm, int i, const Processing& processing) {
  const bool turns = arm.body(i).revolute;
  return fmt::format(
      "Joint {} ({}) is at rest throughout (never faster than {:.3g} {}, --standstill): static friction may hold any "
      "torque there, so its error is not judged",
      i + 1, printable(arm.joint(i).name), processing.standstill * (turns ? 1 : 0.1), turns ? "rad/s" : "m/s");
}

void print_people(const Arm& arm, const Prediction& p, const Processing& processing, double step) {
  fmt::print("{}\n", wrapped("Processing: " + describe(processing, step) + ".", 0));
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < arm.dof(); ++i) {
    const JointError& e = p.joints[static_cast<std::size_t>(i)];
    const Stretch& w = p.worst[static_cast<std::size_t>(i)];
    if (e.samples == 0) {
      rows.push_back({arm.joint(i).name, arm.body(i).revolute ? "N m" : "N", "-", "-", "-", "-", "-", "-", "-"});
      continue;
    }
    rows.push_back({arm.joint(i).name, arm.body(i).revolute ? "N m" : "N", short_text(e.rms),
                    fmt::format("{:.2f}", 100 * e.relative), short_text(e.mean), short_text(e.largest),
                    fmt::format("{:.3f}", e.largest_at), fmt::format("{:.2f}-{:.2f}", w.from, w.to),
                    fmt::format("{:.2g}", w.times)});
  }
  fmt::print(
      "\n{}\n",
      text_table({"joint", "unit", "RMS error", "%", "mean", "largest", "at s", "worst second", "times RMS"}, rows));
  const bool all = std::none_of(p.joints.begin(), p.joints.end(), [](const JointError& e) { return e.samples == 0; });
  fmt::print("  All {}joints together: {:.2f} % of the torques.\n", all ? "" : "moving ", 100 * p.relative);
  for (int i = 0; i < arm.dof(); ++i)
    if (p.joints[static_cast<std::size_t>(i)].samples == 0)
      fmt::print("{}\n", wrapped("  " + unjudged(arm, i, processing) + ".", 2));
  for (int i = 0; i < arm.dof(); ++i) {
    const JointError& e = p.joints[static_cast<std::size_t>(i)];
    const Stretch& w = p.worst[static_cast<std::size_t>(i)];
    std::vector<std::string> why;
    if (std::abs(e.mean) > 0.5 * e.rms)
      why.push_back(
          "the error is mostly a constant: an offset of the sensor, gravity, or friction that is not symmetric");
    if (e.slow > 1.5 * e.fast) why.push_back("it is larger at low speed: friction near standstill");
    if (e.fast > 1.5 * e.slow) why.push_back("it is larger at high speed: viscous friction, inertia or elasticity");
    if (w.times > 2 && w.motion.q.size() > i)
      why.push_back(fmt::format("it is concentrated around {:.2f} s, at q = {:.3g}, speed {:.3g}, acceleration {:.3g}",
                                w.at, w.motion.q[i], w.motion.qd[i], w.motion.qdd[i]));
    if (!why.empty()) fmt::print("{}\n", wrapped(fmt::format("  Joint {}: {}.", i + 1, fmt::join(why, "; ")), 2));
  }
}

void print_machine(const Arm& arm, const Prediction& p, const MeasuredLog& log) {
  Json answer{{"arm", arm.name()}, {"log", log.notes()}, {"relative_error", p.relative}, {"joints", Json::array()}};
  for (int i = 0; i < arm.dof(); ++i) {
    const JointError& e = p.joints[static_cast<std::size_t>(i)];
    const Stretch& w = p.worst[static_cast<std::size_t>(i)];
    if (e.samples == 0) {
      answer["joints"].push_back(
          {{"name", arm.joint(i).name}, {"rms", nullptr}, {"relative", nullptr}, {"samples", 0}});
      continue;
    }
    answer["joints"].push_back(
        {{"name", arm.joint(i).name},
         {"rms", e.rms},
         {"relative", e.relative},
         {"mean", e.mean},
         {"largest", e.largest},
         {"largest_at", e.largest_at},
         {"rms_slow", e.slow},
         {"rms_fast", e.fast},
         {"lag_one", e.whiteness.lag_one},
         {"samples", e.samples},
         {"worst", {{"from", w.from}, {"to", w.to}, {"rms", w.rms}, {"at", w.at}, {"error", w.error}}}});
  }
  print_json(answer);
}

int run_validate(const ValidateOptions& options) {
  const LoadedArm loaded = options.arm.load();
  const std::unique_ptr<MeasuredLog> log = options.log.open(loaded.arm);
  const MotionSource source = log->source();
  const Processing processing = usual_processing(options.log.processing(*log), source, loaded.arm.dof());
  const Prediction p = options.log.placed([&] { return validate(loaded.arm, source, processing); });
  if (options.out) {
    OutputFile file(*options.out);
    write_log(p.log, file.stream(), file.name());
    file.commit();
  }
  const std::string page =
      options.page ? write_report(validate_report(loaded.arm, p, options.log.names()), *options.page) : "";
  if (!options.json) print_notes(*log);
  options.json ? print_machine(loaded.arm, p, *log) : print_people(loaded.arm, p, processing, log->step());
  if (options.page && !options.json) fmt::print("  page: {}\n", page);
  return exit_done;
}

}  // namespace

void add_validate(CommandLine& line) {
  static ValidateOptions options;
  Verb& verb =
      line.verb("validate", "measure how well an arm predicts the torques of a log, and where and when it is worst");
  options.arm.add_to(verb);
  add_mesh_options(verb);
  options.log.add_to(verb);
  options.log.standing_joints = true;  // no parameters are sought, so the other joints can be judged
  verb.option("-o,--out", "FILE", options.out, "write measured and predicted torques as a log (CSV)")
      .option("--page", "DIR", options.page, "folder for a page: torques measured and predicted, and their residuals")
      .flag("--json", options.json, "machine-readable output (JSON)")
      .example("armature validate identified.yaml log.csv", "errors by joint, and the worst second of each")
      .example("armature validate tx40 tx40.csv.xz --map tx40_map.yaml -o errors.csv",
               "motor-side data, with a map of the columns")
      .action([] { return run_validate(options); });
}

}  // namespace armature
