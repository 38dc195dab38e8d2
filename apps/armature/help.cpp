// armature help: a verb explained, and the same texts for man and for shells.
#include "help.hpp"

#include <fmt/format.h>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "output_folder.hpp"
#include "report_folder.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace armature::app {

namespace {

struct HelpOptions {
  std::string verb;
  std::optional<std::string> man, completion;
};

void write_manual(const ProgramHelp& program, const std::string& folder) {
  OutputFolder out(folder);
  out.write("armature.1", man_page(program));
  for (const VerbHelp& verb : program.verbs) out.write("armature-" + verb.name + ".1", man_page(program, verb));
  out.commit();
}

int help(const ProgramHelp& program, const HelpOptions& options) {
  if (int{!options.verb.empty()} + int{options.man.has_value()} + int{options.completion.has_value()} > 1)
    throw Error("VERB, --man and --completion exclude each other", "give one of them");
  if (options.man) {
    write_manual(program, *options.man);
  } else if (options.completion) {
    fmt::print("{}", completion_script(*options.completion));
  } else if (options.verb.empty()) {
    fmt::print("{}", help_text(program, text_width()));
  } else {
    fmt::print("{}", help_text(verb_called(program, options.verb), text_width()));
  }
  return exit_done;
}

}  // namespace

const VerbHelp& verb_called(const ProgramHelp& program, const std::string& name) {
  std::vector<std::string> names;
  for (const VerbHelp& verb : program.verbs) {
    if (verb.name == name) return verb;
    names.push_back(verb.name);
  }
  throw Error(fmt::format("unknown verb '{}'", printable(name)), suggestion(name, names));
}

void add_help(CommandLine& line) {
  static HelpOptions options;
  line.verb("help", "explain the program or a verb; man pages and completion of shells")
      .optional_argument("VERB", options.verb, "the verb to explain; without it, the program")
      .option("--man", "DIR", options.man, "write the man pages armature.1 and armature-VERB.1 into this folder")
      .option("--completion", "SHELL", options.completion, "print the completion script for bash, zsh or fish")
      .words({"bash", "zsh", "fish"})
      .example("armature help simulate", "the same as armature simulate --help")
      .example("source <(armature help --completion bash)", "completion for this shell, without installing anything")
      .action([&line] { return help(line.help(), options); });
}

}  // namespace armature::app
