// armature validate: how well does this model predict this log?
#include "armature/identification/validate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arm_options.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/log_csv.hpp"
#include "armature/report/identification_report.hpp"
#include "armature/run/identify_answer.hpp"
#include "json_out.hpp"
#include "log_options.hpp"
#include "meshes.hpp"
#include "output_file.hpp"
#include "report_folder.hpp"
#include "terminal.hpp"
#include "text_table.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

struct ValidateOptions {
  ArmOptions arm;
  LogOptions log;
  std::optional<std::string> out, page, require;
  bool json = false;
};

/// What the model has to reach, and where it misses that: empty where it does not.
struct Verdict {
  std::optional<double> required;  // relative error over all rows
  std::string failure;
};

/// A joint none of whose samples count.
std::string unjudged(const Arm& arm, int i, const Processing& processing) {
  const bool turns = arm.body(i).revolute;
  return fmt::format(
      "Joint {} ({}) is at rest throughout (never faster than {:.3g} {}, --standstill): static friction may hold any "
      "torque there, so its error is not judged",
      i + 1, printable(arm.joint(i).name), processing.standstill * (turns ? 1 : 0.1), turns ? "rad/s" : "m/s");
}

void print_people(const Arm& arm, const Prediction& p, const Verdict& verdict, const Processing& processing,
                  double step) {
  fmt::print(
      "{}\n",
      wrapped(verdict.failure.empty()
                  ? fmt::format(
                        "Verdict: {:.2f} % prediction error over all rows, {:.2f} % while "
                        "joints move{}.",
                        100 * p.relative_all_rows, 100 * p.relative,
                        verdict.required ? fmt::format("; at most {:.4g} % was required", 100 * *verdict.required) : "")
                  : fmt::format("Verdict: model rejected: {}.", verdict.failure),
              2));
  fmt::print("{}\n", wrapped("Processing: " + describe(processing, step) + ".", 0));
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < arm.dof(); ++i) {
    const JointError& e = p.joints[i];
    const Stretch& w = p.worst[i];
    if (e.samples == 0) {
      rows.push_back({arm.joint(i).name, arm.body(i).revolute ? "N m" : "N", "-", "-",
                      fmt::format("{:.2f}", 100 * e.relative_all_rows), "-", "-", "-", "-", "-"});
      continue;
    }
    rows.push_back({arm.joint(i).name, arm.body(i).revolute ? "N m" : "N", short_text(e.rms),
                    fmt::format("{:.2f}", 100 * e.relative), fmt::format("{:.2f}", 100 * e.relative_all_rows),
                    short_text(e.mean), short_text(e.largest), fmt::format("{:.3f}", e.largest_at),
                    fmt::format("{:.2f}-{:.2f}", w.from, w.to), fmt::format("{:.2g}", w.times)});
  }
  fmt::print("\n{}\n", text_table({"joint", "unit", "RMS error", "%", "all rows %", "mean", "largest", "at s",
                                   "worst second", "times RMS"},
                                  rows));
  const bool all = std::none_of(p.joints.begin(), p.joints.end(), [](const JointError& e) { return e.samples == 0; });
  fmt::print("  All {}joints together: {:.2f} % of the torques; over all rows, at standstill too: {:.2f} %.\n",
             all ? "" : "moving ", 100 * p.relative, 100 * p.relative_all_rows);
  for (int i = 0; i < arm.dof(); ++i)
    if (p.joints[i].samples == 0) fmt::print("{}\n", wrapped("  " + unjudged(arm, i, processing) + ".", 2));
  for (int i = 0; i < arm.dof(); ++i) {
    const JointError& e = p.joints[i];
    const Stretch& w = p.worst[i];
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

int run_validate(const ValidateOptions& options) {
  const std::optional<double> required =
      options.require ? std::optional(parse_share("--require", *options.require)) : std::nullopt;
  const LoadedArm loaded = options.arm.load();
  const std::unique_ptr<MeasuredLog> log =
      options.log.open(loaded.arm, true);  // no parameters are sought, so the other joints can be judged
  const MotionSource source = log->source();
  Processing processing = default_processing(options.log.processing(*log), source, loaded.arm.dof());
  const Prediction p = options.log.placed([&] {
    if (!options.log.choice().differences) processing = with_better_velocity(loaded.arm, source, processing);
    return validate(loaded.arm, source, processing);
  });
  if (options.out) {
    OutputFile file(*options.out);
    write_log(p.log, file.stream(), file.name());
    file.commit();
  }
  const std::string page =
      options.page ? write_report(validate_report(loaded.arm, p, options.log.names()), *options.page) : "";
  if (!options.json) print_notes(*log);
  const Verdict verdict{required, prediction_failure(loaded.arm, p, required)};
  options.json ? print_json(Json::parse(validation_json(loaded.arm, p, verdict.failure, *log)))
               : print_people(loaded.arm, p, verdict, processing, log->step());
  if (options.page && !options.json) fmt::print("  page: {}\n", page);
  return verdict.failure.empty() ? exit_done : exit_no;
}

}  // namespace

void add_validate(CommandLine& line) {
  static ValidateOptions options;
  Verb& verb =
      line.verb("validate", "measure how well an arm predicts the torques of a log, and where and when it is worst");
  options.arm.add_to(verb);
  add_mesh_options(verb);
  options.log.add_to(verb);
  verb.option("-o,--out", "FILE", options.out, "write measured and predicted torques as a log (CSV)")
      .option("--page", "DIR", options.page, "folder for a page: torques measured and predicted, and their residuals")
      .option("--require", "SHARE", options.require,
              "largest error over all rows that is accepted, e.g. 5%; above it the exit code is 1")
      .flag("--json", options.json, "machine-readable output (JSON)")
      .details(
          "The exit code is 1 where the model does not predict the log: an error of more than 60 % of the torques, or "
          "a "
          "joint that is predicted no better than by no torque at all.")
      .example("armature validate identified.yaml log.csv", "errors by joint, and the worst second of each")
      .example("armature validate identified.yaml log.csv --require 5%", "for a script: exit code 1 above 5 %")
      .example("armature validate tx40 tx40.csv.xz --map tx40_map.yaml -o errors.csv",
               "motor-side data, with a map of the columns")
      .action([] { return run_validate(options); });
}

}  // namespace armature::app
