#include <fmt/format.h>

#include <atomic>
#include <memory>

#include "armature/c/boundary.hpp"
#include "armature/c/internal/handles.hpp"
#include "armature/c/internal/law.hpp"
#include "armature/c/internal/one_scenario.hpp"
#include "armature/c/internal/watch.hpp"
#include "armature/core/text.hpp"
#include "armature/run/run_report.hpp"
#include "armature/version.hpp"

using namespace armature::c;

armature_status armature_simulate(const char* scenario, const char* folder, const char* const* settings, size_t count,
                                  const armature_own_law* law, armature_progress progress, void* user,
                                  armature_result** result) {
  return guarded([&] {
    armature_result*& out = needed(result, "result");
    LoadedScenario loaded = one_scenario(scenario, folder, setting_pairs(settings, count));
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
