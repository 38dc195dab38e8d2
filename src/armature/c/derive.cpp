#include "armature/codegen/derive/derive.hpp"

#include <fmt/format.h>

#include <memory>

#include "armature/c/boundary.hpp"
#include "armature/c/internal/derive_settings.hpp"
#include "armature/c/internal/handles.hpp"
#include "armature/codegen/emit/emit.hpp"
#include "armature/core/text.hpp"
#include "armature/version.hpp"

namespace armature::c {

namespace {

struct DeriveChoice {
  double effort = DeriveSettings().effort;
  void fields(Fields& f) {
    f.number("effort", effort, dimension::none, "how long to search for fewer operations", Range::not_negative);
  }
};

std::vector<Target> targets_called(std::string what, const Arm& arm) {
  if (what == "all") return targets_of(arm);
  std::replace(what.begin(), what.end(), '_', '-');
  if (const auto target = target_named(what)) return {*target};
  std::vector<std::string> known{"all"};
  for (const Target target : all_targets()) known.emplace_back(word_for(target));
  throw Error(fmt::format("cannot derive '{}'", printable(what)), suggestion(what, known));
}

}  // namespace

double effort_of(const SettingPairs& pairs) {
  DeriveChoice choice;
  read_pairs(pairs, [&](Fields& f) { choice.fields(f); });
  if (!(choice.effort <= 1000))
    throw Error("effort is not between 0 and 1000", "1 is usual, 0 does not search for fewer operations at all");
  return choice.effort;
}

}  // namespace armature::c

using namespace armature::c;

armature_status armature_derive(const armature_arm* arm, const char* what, const char* language,
                                const char* const* settings, size_t count, armature_result** result) {
  return guarded([&] {
    armature_result*& out = needed(result, "result");
    const Arm& a = needed(arm, "arm").arm;
    const std::string word = &needed(language, "language");
    const auto chosen = language_named(word);
    if (!chosen)
      throw Error(fmt::format("there is no language '{}'", printable(word)),
                  suggestion(word, {"cpp", "c", "cuda", "matlab", "python", "latex"}));
    const double effort = effort_of(setting_pairs(settings, count));
    Module module{a.name(), a.dof(), ARMATURE_VERSION, {}};
    std::string operations;
    for (const Target target : targets_called(&needed(what, "what"), a)) {
      module.programs.push_back(derive(a, target, {.effort = effort}));
      operations += fmt::format("{}\"{}\": {}", operations.empty() ? "" : ", ", word_for(target),
                                armature::codegen::count(module.programs.back().net).total());
    }
    auto made = std::make_unique<armature_result>();
    made->text = emit(module, *chosen);
    made->json = fmt::format("{{\"operations\": {{{}}}}}", operations);
    out = made.release();
  });
}
