#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <memory>

#include "armature/c/boundary.hpp"
#include "armature/c/internal/handles.hpp"
#include "armature/c/internal/law.hpp"
#include "armature/c/internal/settings.hpp"
#include "armature/c/internal/watch.hpp"
#include "armature/core/text.hpp"
#include "armature/run/run_report.hpp"
#include "armature/version.hpp"

namespace armature::c {

namespace {

/// The one that is meant: the scenario itself, or of several cases the one that is named.
LoadedScenario chosen_case(std::vector<LoadedScenario> cases, const std::string& name, const std::string& file) {
  if (cases.size() == 1 && name.empty()) return std::move(cases.front());
  std::vector<std::string> names;
  for (LoadedScenario& loaded : cases) {
    if (loaded.name == name) return std::move(loaded);
    names.push_back(loaded.name);
  }
  if (name.empty())
    throw Error(fmt::format("the scenario has {} cases", cases.size()),
                fmt::format("set case to one of them: {}", fmt::join(names, ", ")), {file});
  throw Error(fmt::format("there is no case '{}'", printable(name)), suggestion(name, names), {file});
}

/// What `load` returns; the place of a setting that was given is its key, without the option of the command line before it.
template <class Load>
LoadedScenario without_option(Load load) {
  try {
    return load();
  } catch (const Error& error) {
    constexpr std::string_view option = "--set ";
    Place place = error.place();
    if (!place.file.starts_with(option)) throw;
    place.file.erase(0, option.size());
    place.line = place.column = 0;
    throw Error(error.finding(), error.hint(), place);
  }
}

}  // namespace

}  // namespace armature::c

using namespace armature::c;

armature_status armature_simulate(const char* scenario, const char* folder, const char* const* settings, size_t count,
                                  const armature_own_law* law, armature_progress progress, void* user,
                                  armature_result** result) {
  return guarded([&] {
    armature_result*& out = needed(result, "result");
    const std::string text = &needed(scenario, "scenario");
    Overrides overrides = setting_pairs(settings, count);
    std::string name;
    std::erase_if(overrides, [&](const auto& pair) {
      if (pair.first == "case") name = pair.second;
      return pair.first == "case";
    });
    const std::string file = folder ? (std::filesystem::path(folder) / "scenario.yaml").string() : text;
    LoadedScenario loaded = without_option([&] {
      return chosen_case(folder ? cases_from_text(text, file, overrides, built_in_kernels())
                                : load_cases(file, overrides, built_in_kernels()),
                         name, file);
    });
    Watch watch(progress, user);
    const auto fate = std::make_shared<OwnLawFate>(OwnLawFate{&watch.stop});
    if (law) {
      if (!law->update) throw Error("the law has no function `update`", "it is needed");
      loaded.law = [&](const Arm& believed) { return AnyController(OwnLaw(*law, believed.dof(), fate)); };
    }
    RunResult run = run_timed(loaded, &watch.stop, [&](double share) { watch.tell(share); });
    if (fate->gave_up) throw Error("the law ended the run", "it returned something else than 0");
    if (fate->bad_joint >= 0)
      throw Error(fmt::format("the law gave joint '{}' a torque that is not finite",
                              printable(loaded.arm.joint(fate->bad_joint).name)),
                  "one finite number per joint");
    auto made = std::make_unique<armature_result>();
    made->json = run_json(loaded, run);
    made->text = loaded.text;
    made->report = run_report(loaded, run);
    made->report.facts.emplace_back("version", ARMATURE_VERSION);
    made->metrics = metrics_of(run);
    take_arrays(*made, std::move(run.log));
    out = made.release();
  });
}

armature_status armature_compare(const armature_result* const* runs, const char* const* names, size_t count,
                                 armature_result** result) {
  return guarded([&] {
    armature_result*& out = needed(result, "result");
    if (count == 0) throw Error("no run is given", "name at least one");
    auto made = std::make_unique<armature_result>();
    made->report.kind = "compare";
    std::vector<RunMetrics> metrics;
    for (std::size_t i = 0; i < count; ++i) {
      const armature_result& run = needed((&needed(runs, "runs"))[i], "runs[i]");
      const std::string name = &needed((&needed(names, "names"))[i], "names[i]");
      if (!run.metrics)
        throw Error(fmt::format("'{}' is no run", printable(name)), "results of armature_simulate() can be compared");
      metrics.push_back(*run.metrics);
      metrics.back().name = name;
      made->report.logs.push_back(run.report.logs.front());
      made->report.logs.back().title = name;
      if (i > 0) continue;
      made->report.title = run.report.title;
      made->report.subtitle = run.report.subtitle;
    }
    made->report.facts.emplace_back("version", ARMATURE_VERSION);
    made->json = comparison_json(metrics);
    out = made.release();
  });
}
