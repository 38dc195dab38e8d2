// armature derive ARM --symbolic: the model as equations in named parameters.
#include <fmt/format.h>

#include "arm_options.hpp"
#include "armature/codegen/equations/equations.hpp"
#include "armature/codegen/equations/readable.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/report/derive_report.hpp"
#include "armature/version.hpp"
#include "derive_ways.hpp"
#include "json_out.hpp"
#include "kostic2002/kostic2002.hpp"
#include "report_folder.hpp"

namespace armature::app {
namespace {

std::vector<EquationPart> parts_of(const std::optional<std::string>& what) {
  if (!what || *what == "all") return all_equation_parts();
  std::vector<std::string> known{"all"};
  for (const EquationPart part : all_equation_parts()) known.emplace_back(word_for(part));
  std::vector<EquationPart> parts;
  for (const std::string& word : split_words(*what)) {
    const auto part = equation_part_named(word);
    if (!part)
      throw Error(fmt::format("--what: there are no equations for '{}'", printable(word)), suggestion(word, known));
    parts.push_back(*part);
  }
  return parts;
}

template <class T>
T chosen(const char* option, const std::optional<std::string>& word,
         std::initializer_list<std::pair<const char*, T>> choices, T otherwise) {
  if (!word) return otherwise;
  std::vector<std::string> known;
  for (const auto& [name, value] : choices) {
    if (*word == name) return value;
    known.emplace_back(name);
  }
  throw Error(fmt::format("{}: unknown '{}'", option, printable(*word)), suggestion(*word, known));
}

}  // namespace

int derive_symbolic(const LoadedArm& loaded, const SymbolicOptions& options) {
  const auto parts = parts_of(options.what);
  const auto style = chosen<EquationStyle>(
      "--lang with --symbolic", options.language,
      {{"text", EquationStyle::text}, {"latex", EquationStyle::latex}, {"markdown", EquationStyle::markdown}},
      EquationStyle::text);
  const auto names =
      chosen<InertiaNames>("--parameters", options.parameters,
                           {{"base", InertiaNames::base}, {"links", InertiaNames::links}}, InertiaNames::base);
  const std::vector<EquationGroup> groups = equations(loaded.arm, parts, names);
  const std::string text = emit_equations(loaded.arm, ARMATURE_VERSION, groups, style);
  if (options.json) {
    Json list = Json::array();
    for (const EquationGroup& g : groups)
      for (const Equation& e : g.equations)
        list.push_back({{"group", g.heading},
                        {"name", e.name},
                        {"formula", armature::numerics::text(*e.formula)},
                        {"latex", latex(*e.shorthand, latex_name)}});
    if (options.out) write_text_file(*options.out, text);
    print_json({{"arm", loaded.arm.name()}, {"equations", list}, {"warnings", loaded.warnings}});
    return exit_done;
  }
  if (!options.page || options.out) write_and_say(options.out.value_or("-"), text);
  if (options.page)
    fmt::print("  page: {}\n",
               write_report(equation_report(loaded.arm, groups, kostic2002::counted_inverse_dynamics(loaded.arm)),
                            *options.page));
  return exit_done;
}

}  // namespace armature::app
