// armature derive: an arm's model as source text.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <future>

#include "arm_options.hpp"
#include "armature/codegen/derive/derive.hpp"
#include "armature/codegen/emit/emit.hpp"
#include "armature/codegen/equations/equations.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/report/derive_report.hpp"
#include "armature/version.hpp"
#include "derive_ways.hpp"
#include "json_out.hpp"
#include "kostic2002/kostic2002.hpp"
#include "report_folder.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

struct DeriveOptions {
  ArmOptions arm;
  std::optional<std::string> what, language, effort, out, against, parameters, rows, page;
  bool json = false, symbolic = false, build = false;
};

std::vector<Target> targets_of(const DeriveOptions& options, const Arm& arm) {
  if (!options.what) return {Target::inverse_dynamics};
  if (*options.what == "all") return codegen::targets_of(arm);
  std::vector<std::string> known{"all"};
  for (const Target target : all_targets()) known.emplace_back(word_for(target));
  std::vector<Target> targets;
  for (const std::string& word : split_words(*options.what)) {
    const auto target = target_named(word);
    if (!target) throw Error(fmt::format("--what: cannot derive '{}'", printable(word)), suggestion(word, known));
    targets.push_back(*target);
  }
  return targets;
}

Language language_of(const DeriveOptions& options) {
  const std::string word = options.language.value_or("cpp");
  if (const auto language = language_named(word)) return *language;
  throw Error(fmt::format("--lang: unknown '{}'", printable(word)),
              suggestion(word, {"cpp", "c", "cuda", "matlab", "python", "latex"}));
}

/// Says how far the work is until all of it is done.
void show_progress(std::vector<std::future<Program>>& derived, const std::vector<std::atomic<double>>& shares,
                   const std::vector<Target>& targets) {
  ProgressLine line;
  if (!line.watched()) return;
  for (std::size_t k = 0; k < derived.size(); ++k)
    while (derived[k].wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) {
      double sum = 0;
      std::size_t open = 0;
      for (std::size_t i = 0; i < derived.size(); ++i) {
        const bool ready = derived[i].wait_for(std::chrono::seconds(0)) == std::future_status::ready;
        sum += ready ? 1 : shares[i].load(std::memory_order_relaxed);
        open += ready ? 0 : 1;
      }
      line.update(
          sum / static_cast<double>(derived.size()),
          open > 1 ? fmt::format("{} and {} more", word_for(targets[k]), open - 1) : std::string(word_for(targets[k])));
    }
}

Json operations_json(const Operations& n) {
  return {{"add", n.add}, {"mul", n.mul}, {"div", n.div}, {"functions", n.functions}, {"total", n.total()}};
}

/// The programs of an arm with their operations, one by one and together.
struct Derived {
  Module module;
  Json programs = Json::array();
  Operations sum;
};
Derived derive_all(const Arm& arm, const std::vector<Target>& targets, const DeriveSettings& settings) {
  Derived all{{arm.name(), arm.dof(), ARMATURE_VERSION, {}}};
  std::vector<std::future<Program>> derived;  // side by side: each is the same whoever else is at work
  std::vector<std::atomic<double>> shares(targets.size());
  for (std::size_t k = 0; k < targets.size(); ++k)
    derived.push_back(std::async(std::launch::async, [&, k] {
      DeriveSettings own = settings;
      own.progress = [&](double share) { shares[k].store(share, std::memory_order_relaxed); };
      return derive(arm, targets[k], own);
    }));
  show_progress(derived, shares, targets);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    all.module.programs.push_back(derived[k].get());
    const Operations n = count(all.module.programs.back().net);
    all.programs.push_back({{"what", word_for(targets[k])}, {"operations", operations_json(n)}});
    all.sum.add += n.add;
    all.sum.mul += n.mul;
    all.sum.div += n.div;
    all.sum.functions += n.functions;
  }
  return all;
}

int derive_programs(const DeriveOptions& options) {
  const Language language = language_of(options);
  DeriveSettings settings;
  if (options.effort) settings.effort = parse_quantities("--effort", *options.effort, {dimension::none}, "a number")[0];
  if (!(settings.effort >= 0 && settings.effort <= 1000))
    throw Error("--effort is not between 0 and 1000", "the default is 1; 0 does not search for fewer operations at all");
  const LoadedArm loaded = options.arm.load();
  if (options.build) {
    if (options.what || options.language.value_or("cpp") != "cpp")
      throw Error("--build compiles the functions that the other verbs use, from C++", "leave out --what and --lang");
    return derive_build(loaded, options.out, settings.effort, options.json);
  }
  const std::vector<Target> targets = targets_of(options, loaded.arm);

  const Derived derived = derive_all(loaded.arm, targets, settings);
  const std::string text = emit(derived.module, language);
  const std::string out = options.out.value_or("-");
  if (options.json) {
    Json answer{{"arm", loaded.arm.name()},
                {"operations", operations_json(derived.sum)},
                {"programs", derived.programs},
                {"warnings", loaded.warnings}};
    answer[options.out ? "out" : "text"] = options.out ? out : text;
    if (options.out) write_text_file(out, text);
    print_json(answer);
    return exit_done;
  }
  if (!options.page || options.out) write_and_say(out, text);
  if (options.page) {
    const std::string page =
        write_report(program_report(loaded.arm, derived.module, text, kostic2002::counted_inverse_dynamics(loaded.arm)),
                     *options.page);
    if (out != "-" || !options.out)
      fmt::print("{}: {} operations\n  page: {}\n", loaded.arm.name(), derived.sum.total(), page);
  }
  return exit_done;
}

/// What is derived: a comparison, singularities, equations or programs.
int derive_arm(const DeriveOptions& options) {
  if (options.against) {
    if (options.what || options.language || options.out)
      throw Error("--against compares; it takes no --what, --lang or --out", "leave them out");
    return derive_against(options.arm.load(), *options.against, options.json);
  }
  if (options.what == "singularities") {
    if (options.language || options.out)
      throw Error("--what singularities prints; it takes no --lang or --out", "leave them out");
    return derive_singularities(options.arm.load(ArmUse::kinematics), options.rows, options.json);
  }
  if (options.rows)
    throw Error("--rows chooses rows of the Jacobian for its singularities", "add --what singularities");
  if (options.symbolic)
    return derive_symbolic(options.arm.load(), {options.what, options.language, options.parameters, options.out,
                                                options.page, options.json});
  if (options.parameters) throw Error("--parameters says how equations are written", "add --symbolic");
  return derive_programs(options);
}

std::vector<std::string> targets() {
  std::vector<std::string> words{"all", "singularities"};
  for (const Target target : all_targets()) words.emplace_back(word_for(target));
  return words;
}

std::string derive_details() {
  std::string text = "WHAT is `all`, or some of\n ";
  for (const Target target : all_targets()) text += fmt::format(" {}", word_for(target));
  text +=
      "\nor `singularities`: the determinant of the Jacobian in factors, and where it vanishes. With --symbolic, some "
      "of\n ";
  for (const EquationPart part : all_equation_parts()) text += fmt::format(" {}", word_for(part));
  return text +
         "\n\nThe code needs nothing but the language's own mathematics, allocates nothing and does not branch. It "
         "says how many operations it takes and what it must give for one state. The same arm gives the same code.";
}

}  // namespace

void add_derive(CommandLine& line) {
  static DeriveOptions options;
  Verb& verb = line.verb("derive", "write an arm's model as source code with few operations");
  verb.details(derive_details());
  options.arm.add_to(verb);
  verb.option("--what", "WHAT", options.what, "what to derive, see below (default: inverse-dynamics)")
      .words(targets())
      .option("--lang", "NAME", options.language, "cpp (default), c, cuda, matlab, python or latex")
      .words({"cpp", "c", "cuda", "matlab", "python", "latex", "text", "markdown"})
      .option("--effort", "X", options.effort, "how long to search for fewer operations (default 1; 0: not at all)")
      .flag("--symbolic", options.symbolic,
            "write equations in named parameters instead; --lang text (default), latex or markdown")
      .option("--parameters", "SET", options.parameters,
              "with --symbolic: base (p1, p2, ..., default) or links (m3, mcx3, Ixx3, ...)")
      .words({"base", "links"})
      .flag("--build", options.build,
            "compile the arm's dynamics to a shared object for --kernels; needs a C++ compiler")
      .option("--rows", "LIST", options.rows, "with --what singularities: rows of the Jacobian, some of x,y,z,rx,ry,rz")
      .option("--against", "FILE", options.against, "compare the formulas in FILE with the arm's, entry by entry")
      .option("-o,--out", "FILE", options.out, "output file (default: the standard output)");
  options.arm.add_overrides_to(verb);
  verb.option("--page", "DIR", options.page,
              "folder for a page: the equations, the code, and its operation counts beside those of the literature");
  verb.flag("--json", options.json, "machine-readable output (JSON): operations, and the text unless it goes to a file")
      .example("armature derive ur5 -o ur5.hpp", "inverse dynamics as a C++ header")
      .example("armature derive panda --what all --lang python -o panda.py", "everything, on numpy arrays")
      .example("armature derive rrr --what mass-matrix,gravity --lang matlab", "for MATLAB or Octave")
      .example("armature derive rrr --symbolic --lang latex -o rrr.tex",
               "M, C, g entry by entry, base parameters, regressor")
      .example("armature derive my_arm.yaml --build -o my_arm.so",
               "then: armature compute ... my_arm.yaml --kernels my_arm.so")
      .example("armature derive rpr --what singularities", "a4*(d3 + q2)*cos(q3), and what that means")
      .example("armature derive planar3r --against my_formulas.model",
               "which lines of a hand-made model are wrong; exit code 1: some are")
      .action([] { return derive_arm(options); });
}

}  // namespace armature::app
