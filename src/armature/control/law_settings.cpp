#include "armature/control/law_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/core/text.hpp"

namespace armature::control {

namespace {

Fields::Words kind_names() {
  Fields::Words names;
  for (const LawKind* kind : law_kinds()) names.emplace_back(kind->name);
  return names;
}

const LawKind* kind_called(std::string_view name) {
  for (const LawKind* kind : law_kinds())
    if (kind->name == name) return kind;
  throw Error(fmt::format("the law '{}' is not known", printable(std::string(name))),
              suggestion(std::string(name), kind_names()));
}

}  // namespace

LawContext LawContext::inside(std::size_t i) const { return {arm, tick, fmt::format("{}.terms[{}]", key, i), place}; }

void LawContext::refuse(const std::string& setting, const std::string& finding, const std::string& hint) const {
  throw FormatError(finding, hint, place ? place(setting.empty() ? key : key + "." + setting) : Place{});
}

LawSettings::LawSettings() : LawSettings("joint_pd") {}
LawSettings::LawSettings(std::string_view kind) : kind_(kind_called(kind)), held_(kind_->fresh()) {}
LawSettings::LawSettings(const LawSettings& other)
    : name(other.name), on(other.on), kind_(other.kind_), held_(other.held_->copy()) {}
LawSettings& LawSettings::operator=(const LawSettings& other) { return *this = LawSettings(other); }

std::string_view LawSettings::kind() const { return kind_->name; }

const std::vector<LawSettings>& LawSettings::terms() const {
  static const std::vector<LawSettings> none;
  const std::vector<LawSettings>* inner = held_->terms();
  return inner ? *inner : none;
}

std::vector<LawSettings*> LawSettings::every_law() {
  std::vector<LawSettings*> all{this};
  if (const std::vector<LawSettings>* inner = held_->terms())
    for (const LawSettings& term : *inner)
      for (LawSettings* law : const_cast<LawSettings&>(term).every_law()) all.push_back(law);
  return all;
}

bool LawSettings::sampled() const { return held_->sampled(); }
bool LawSettings::filtered() const {
  return held_->filtered() ||
         std::any_of(terms().begin(), terms().end(), [](const LawSettings& term) { return term.filtered(); });
}

void LawSettings::fields(Fields& f) {
  std::string chosen(kind());
  f.word("kind", chosen, kind_names(), "the law (docs/laws has a page on each)");
  if (chosen != kind()) *this = LawSettings(chosen);
  f.text("name", name, "name of a term, for switches and for the log (default: its kind)");
  f.flag("on", on, "a term that is off waits for a switch");
  if (f.every_kind()) {
    for (const LawKind* kind : law_kinds()) {
      f.of_kind(kind->name);
      kind->fresh()->fields(f);
    }
  } else {
    f.of_kind(kind());
    held_->fields(f);
  }
  f.of_kind("");
}

AnyController LawSettings::make(const LawContext& context) const {
  try {
    return kind_->make(*held_, context);
  } catch (const Error& error) {
    if (!error.place().file.empty() || !context.place) throw;
    context.refuse("", error.finding(), error.hint());
  }
}

void list_inner_law(Fields& f, std::vector<LawSettings>& terms) {
  f.groups("terms", terms,
           "laws, each with its kind and the keys of a law: added up, within the null space, or behind inverse "
           "kinematics");
}

AnyController inner_law(const std::vector<LawSettings>& terms, std::string_view kind, const LawContext& in) {
  if (terms.size() != 1)
    in.refuse("terms", fmt::format("'{}' needs exactly one law under 'terms'", kind),
              "several are written as one of kind sum");
  return terms[0].make(in.inside(0));
}

}  // namespace armature::control
