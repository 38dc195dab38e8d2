#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "armature/c/boundary.hpp"
#include "armature/c/internal/handles.hpp"
#include "armature/c/internal/settings.hpp"
#include "armature/c/internal/watch.hpp"
#include "armature/formats/arm_yaml.hpp"
#include "armature/identification/excitation_log.hpp"
#include "armature/report/identification_report.hpp"
#include "armature/run/identify_choice.hpp"
#include "armature/version.hpp"

namespace armature::c {

namespace {

using Answer = nlohmann::ordered_json;

std::string text_of_answer(const Answer& answer) {
  return answer.dump(-1, ' ', false, Answer::error_handler_t::replace);
}

MeasuredLog open_logs(const char* const* logs, std::size_t count, const Arm& arm, bool standing_joints) {
  if (count == 0) throw Error("no log is given", "name at least one file");
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < count; ++i) paths.emplace_back(&needed((&needed(logs, "logs"))[i], "logs[i]"));
  return {paths, arm, {.map = {}, .standing_joints = standing_joints}};
}

armature_result* result_of(const char* kind, const std::string& title, Log log, const Answer& answer) {
  auto made = std::make_unique<armature_result>();
  made->report = {.kind = kind, .title = title, .facts = {{"version", ARMATURE_VERSION}}, .logs = {log}};
  take_arrays(*made, std::move(log));
  made->json = text_of_answer(answer);
  return made.release();
}

}  // namespace

}  // namespace armature::c

using namespace armature::c;

armature_status armature_identify(const armature_arm* arm, const char* const* logs, size_t log_count,
                                       const char* const* settings, size_t count, armature_progress progress,
                                       void* user, armature_result** result) {
  return guarded([&] {
    armature_result*& out = needed(result, "result");
    const Arm& a = needed(arm, "arm").arm;
    IdentifyChoice choice;
    read_pairs(setting_pairs(settings, count), [&](Fields& f) { choice.fields(f); });
    const MeasuredLog log = open_logs(logs, log_count, a, false);
    Watch watch(progress, user);
    IdentifySettings chosen = identify_settings(choice, a, log);
    chosen.progress = [&](const std::string&) {
      watch.tell(std::numeric_limits<double>::quiet_NaN());
      if (watch.stop) throw Stopped{};
    };
    const Identification found = identify(a, log, chosen);
    const Answer answer{{"arm", a.name()},
                        {"relative_error", found.prediction.relative},
                        {"sentences", sentences(found)},
                        {"warnings", found.warnings}};
    out = result_of("identify", "Identification of " + a.name(), identification_log(found), answer);
    out->text = write_arm_yaml(found.arm);
  });
}

armature_status armature_validate(const armature_arm* arm, const char* const* logs, size_t log_count,
                                       const char* const* settings, size_t count, armature_result** result) {
  return guarded([&] {
    armature_result*& out = needed(result, "result");
    const Arm& a = needed(arm, "arm").arm;
    ProcessingChoice choice;
    read_pairs(setting_pairs(settings, count), [&](Fields& f) { choice.fields(f); });
    const MeasuredLog log = open_logs(logs, log_count, a, true);
    const Prediction found = validate(a, log, processing_of(choice, log));
    Answer answer{{"arm", a.name()}, {"relative_error", found.relative}, {"joints", Answer::array()}};
    for (int i = 0; i < a.dof(); ++i) {
      const JointError& error = found.joints[static_cast<size_t>(i)];
      const bool judged = error.samples > 0;
      answer["joints"].push_back({{"name", a.joint(i).name},
                                  {"rms", judged ? Answer(error.rms) : Answer(nullptr)},
                                  {"relative", judged ? Answer(error.relative) : Answer(nullptr)}});
    }
    out = result_of("validate", "Validation of " + a.name(), found.log, answer);
  });
}

armature_status armature_excite(const armature_arm* arm, const char* const* settings, size_t count,
                                armature_progress progress, void* user, armature_result** result) {
  return guarded([&] {
    armature_result*& out = needed(result, "result");
    const Arm& a = needed(arm, "arm").arm;
    ExcitationSettings chosen;
    read_pairs(setting_pairs(settings, count), [&](Fields& f) { chosen.fields(f); });
    ExcitationTask task = excitation_task(a, base_columns(a));
    std::vector<std::string> warnings = complete_limits(a, task.limits);
    Watch watch(progress, user);
    chosen.stop = &watch.stop;
    const Excitation found = design_excitation(task, chosen, [&](const ExcitationProgress& p) { watch.tell(p.share); });
    for (const std::string& sentence : excitation_warnings(a, found)) warnings.push_back(sentence);
    const ExcitationPath path(a, found.motion, 1, task.limits, 1 / chosen.rate);
    const Answer answer{{"arm", a.name()},
                        {"condition", found.condition},
                        {"within_limits", found.within_limits()},
                        {"complete", !found.stopped},
                        {"warnings", warnings}};
    out = result_of("excite", "Excitation of " + a.name(), playable_log(a, path, found, chosen.rate, 1), answer);
  });
}
