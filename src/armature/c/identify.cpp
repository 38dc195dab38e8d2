#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include "armature/c/boundary.hpp"
#include "armature/c/internal/handles.hpp"
#include "armature/c/internal/settings.hpp"
#include "armature/c/internal/watch.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/identification/excitation_log.hpp"
#include "armature/report/excitation_report.hpp"
#include "armature/report/identification_report.hpp"
#include "armature/run/excite_answer.hpp"
#include "armature/run/excite_choice.hpp"
#include "armature/run/identify_answer.hpp"
#include "armature/run/identify_choice.hpp"
#include "armature/version.hpp"

namespace armature::c {

namespace {

std::vector<std::string> paths_of(const char* const* logs, std::size_t count) {
  if (count == 0) throw Error("no log is given", "name at least one file");
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < count; ++i) paths.emplace_back(&needed((&needed(logs, "logs"))[i], "logs[i]"));
  return paths;
}

std::string names_of(const std::vector<std::string>& paths) { return fmt::format("{}", fmt::join(paths, ", ")); }

/// The log's channels as arrays, and the page of the report.
std::unique_ptr<armature_result> result_of(Report report, Log log, std::string json) {
  auto made = std::make_unique<armature_result>();
  made->report = std::move(report);
  made->report.facts.emplace_back("version", ARMATURE_VERSION);
  take_arrays(*made, std::move(log));
  made->json = std::move(json);
  return made;
}

std::unique_ptr<armature_result> payload_of(const Arm& arm, const MeasuredLog& log, const IdentifyChoice& choice) {
  const MotionSource source = log.source();
  const PayloadEstimate found =
      identify_payload(arm, source, default_processing(processing_of(choice.processing, log), source, arm.dof()));
  auto made = std::make_unique<armature_result>();
  made->json = payload_json(arm, found);
  made->text = write_arm_yaml(carrying(arm, found, arm.name()));
  return made;
}

std::unique_ptr<armature_result> gains_of(const Arm& arm, const MeasuredLog& log, const IdentifyChoice& choice) {
  const MeasuredLog empty = open_logs({choice.drive_gains}, arm, choice.processing, false);
  auto made = std::make_unique<armature_result>();
  made->json = drive_gains_json(arm, drive_gains_by_payload(arm, log, empty, choice.processing));
  return made;
}

std::unique_ptr<armature_result> joint_of(const Arm& arm, const MeasuredLog& log, const IdentifyChoice& choice,
                                          const std::string& from) {
  const MotionSource source = log.source();
  const JointFilter found =
      filter_joint(arm, source, default_processing(processing_of(choice.processing, log), source, arm.dof()),
                   choice.joint.empty() ? std::nullopt : std::optional(joint_called(arm, choice.joint)));
  auto made =
      result_of(joint_filter_report(arm, found, from), joint_filter_log(arm, found), joint_filter_json(arm, found));
  made->text = write_arm_yaml(found.arm);
  return made;
}

std::unique_ptr<armature_result> whole_arm_of(const Arm& arm, const MeasuredLog& log, const IdentifyChoice& choice,
                                              const std::string& from, Watch& watch) {
  const std::optional<OwnColumns> asked = own_columns(choice, arm);
  IdentifySettings chosen = identify_settings(choice, arm, log);
  MeanPeriod mean;
  const bool periodic = !std::isnan(choice.period);
  if (periodic) mean = mean_period(log, arm, choice.period, chosen.processing);
  chosen.progress = [&](const std::string&) {
    watch.tell(std::numeric_limits<double>::quiet_NaN());
    if (watch.stop) throw Stopped{};
  };
  Identification found = identify(arm, periodic ? source_of(mean.block) : log.source(), chosen);
  found.standing = log.standing();
  found.arm.notes = fmt::format("Identified from {}. {}.", from, describe(found.processing, found.step));
  std::optional<OwnAnswer> own;
  if (asked) own = own_answer(found, *asked);
  auto made = result_of(identify_report(found, from), identification_log(found), identification_json(found, log, own));
  made->text = write_arm_yaml(found.arm);
  return made;
}

}  // namespace

}  // namespace armature::c

using namespace armature::c;

armature_status armature_identify(const armature_arm* arm, const char* const* logs, size_t log_count,
                                  const char* const* settings, size_t count, armature_progress progress, void* user,
                                  armature_result** result) {
  return guarded([&] {
    armature_result*& out = needed(result, "result");
    const Arm& a = needed(arm, "arm").arm;
    IdentifyChoice choice;
    read_pairs(setting_pairs(settings, count), [&](Fields& f) { choice.fields(f); });
    const bool one_joint = choice.estimator == "ekf";
    refuse_contradictions(choice);
    const std::vector<std::string> paths = paths_of(logs, log_count);
    const MeasuredLog log = open_logs(paths, a, choice.processing, choice.standing_joints || one_joint);
    Watch watch(progress, user);
    out = (!choice.drive_gains.empty() ? gains_of(a, log, choice)
           : choice.payload            ? payload_of(a, log, choice)
           : one_joint                 ? joint_of(a, log, choice, names_of(paths))
                                       : whole_arm_of(a, log, choice, names_of(paths), watch))
              .release();
  });
}

armature_status armature_validate(const armature_arm* arm, const char* const* logs, size_t log_count,
                                  const char* const* settings, size_t count, armature_result** result) {
  return guarded([&] {
    armature_result*& out = needed(result, "result");
    const Arm& a = needed(arm, "arm").arm;
    ProcessingChoice choice;
    std::string require;
    read_pairs(setting_pairs(settings, count), [&](Fields& f) {
      choice.fields(f);
      f.text("require", require, "largest error over all rows that is accepted, 5%");
    });
    const std::vector<std::string> paths = paths_of(logs, log_count);
    const MeasuredLog log = open_logs(paths, a, choice, true);
    const Prediction found = validate(a, log, processing_of(choice, log), !choice.differences);
    const std::string failure =
        prediction_failure(a, found, require.empty() ? std::nullopt : std::optional(parse_share("require", require)));
    out = result_of(validate_report(a, found, names_of(paths)), found.log, validation_json(a, found, failure, log))
              .release();
  });
}

armature_status armature_excite(const armature_arm* arm, const char* const* settings, size_t count,
                                armature_progress progress, void* user, armature_result** result) {
  return guarded([&] {
    armature_result*& out = needed(result, "result");
    const Arm& a = needed(arm, "arm").arm;
    ExciteChoice choice;
    read_pairs(
        setting_pairs(settings, count), [&](Fields& f) { choice.fields(f); }, joint_kinds(a));
    ExcitationTask task = excitation_task(choice, a);
    std::vector<std::string> warnings = complete_limits(a, task.limits);
    ExcitationSettings chosen = excitation_settings(choice, a);
    Watch watch(progress, user);
    chosen.stop = &watch.stop;
    const auto start = std::chrono::steady_clock::now();
    const Excitation found = design_excitation(task, chosen, [&](const ExcitationProgress& p) { watch.tell(p.share); });
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    for (const std::string& sentence : excitation_warnings(a, found)) warnings.push_back(sentence);
    const ExcitationPath path(a, found.motion, choice.periods, task.limits, 1 / chosen.rate);
    Log played = playable_log(a, path, found, chosen.rate, choice.periods);
    Report report = excitation_report(task, found, played);
    out = result_of(std::move(report), std::move(played), excitation_json(task, found, elapsed.count(), warnings))
              .release();
  });
}
