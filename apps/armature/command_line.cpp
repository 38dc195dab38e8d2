#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "terminal.hpp"

namespace armature::app {

Verb& Verb::argument(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value)->required();
  words_ = &help_.arguments.emplace_back(OptionHelp{name, "", help}).words;
  return *this;
}

Verb& Verb::optional_argument(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value);
  words_ = &help_.arguments.emplace_back(OptionHelp{name, "", help, OptionHelp::Count::at_most_one}).words;
  return *this;
}

Verb& Verb::arguments(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  app_.add_option(name, values)->required();
  words_ = &help_.arguments.emplace_back(OptionHelp{name, "", help, OptionHelp::Count::several}).words;
  return *this;
}

Verb& Verb::optional_arguments(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  app_.add_option(name, values);
  words_ = &help_.arguments.emplace_back(OptionHelp{name, "", help, OptionHelp::Count::any}).words;
  return *this;
}

Verb& Verb::option(const std::string& names, const std::string& placeholder, std::optional<std::string>& value,
                   const std::string& help) {
  app_.add_option_function<std::string>(names, [&value](const std::string& text) { value = text; })
      ->type_name(placeholder);
  words_ = &help_.options.emplace_back(OptionHelp{names, placeholder, help}).words;
  return *this;
}

Verb& Verb::list(const std::string& names, const std::string& placeholder, std::vector<std::string>& values,
                 const std::string& help) {
  app_.add_option(names, values)->type_name(placeholder)->expected(1)->take_all();
  words_ = &help_.options.emplace_back(OptionHelp{names, placeholder, help, OptionHelp::Count::several}).words;
  return *this;
}

Verb& Verb::immediate(const std::string& names, const std::string& placeholder, const std::string& help,
                      std::function<void(const std::string&)> print) {
  app_.add_option_function<std::string>(names,
                                        [print = std::move(print)](const std::string& text) {
                                          print(text);
                                          throw CLI::Success();
                                        })
      ->expected(0, 1);
  words_ = &help_.options.emplace_back(OptionHelp{names, placeholder, help, OptionHelp::Count::at_most_one}).words;
  return *this;
}

Verb& Verb::flag(const std::string& names, bool& value, const std::string& help) {
  app_.add_flag(names, value);
  words_ = &help_.options.emplace_back(OptionHelp{names, "", help}).words;
  return *this;
}

Verb& Verb::words(std::vector<std::string> words) {
  *words_ = std::move(words);
  return *this;
}

Verb& Verb::details(const std::string& text) {
  help_.details = text;
  return *this;
}

Verb& Verb::example(const std::string& command, const std::string& meaning) {
  help_.examples.emplace_back(command, meaning);
  return *this;
}

Verb& Verb::action(std::function<int()> run) {
  run_ = std::move(run);
  return *this;
}

namespace {

std::string see_help(const std::string& command) { return fmt::format("see `{} --help`", command); }

/// The names of all options of a verb, "--json" and so on.
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// The first thing nobody asked for is an error, with the nearest thing that exists as a hint.
void refuse_leftovers(const CLI::App& app, const std::string& command) {
  const std::vector<std::string> leftovers = app.remaining();
  if (leftovers.empty()) return;
  const std::string& word = leftovers.front();
  if (!word.starts_with('-'))
    throw Error(fmt::format("'{}' is one argument too many", printable(word)), see_help(command));
  const auto near = nearest_word(word.substr(0, word.find('=')), option_names(app));
  throw Error(fmt::format("`{}` has no option '{}'", command, printable(word)),
              near ? fmt::format("did you mean '{}'?", *near) : see_help(command));
}

/// A word as a person would type it.
std::string typed(const std::string& word) {
  const bool simple = !word.empty() && word.find_first_of(" \t\"'\\$`*?[]{}()<>|&;#!") == std::string::npos;
  return simple ? printable(word) : "'" + printable(word) + "'";
}

/// The words as CLI11 takes them, from the last to the first. An option whose value may be left out gets the word behind
/// it here: CLI11 would keep it for an argument that is still missing.
std::vector<std::string> reversed_words(const ProgramHelp& help, const std::vector<std::string>& words) {
  std::vector<std::string> optional;
  for (const VerbHelp& verb : help.verbs)
    for (const OptionHelp& option : verb.options)
      if (!words.empty() && verb.name == words[0] && option.count == OptionHelp::Count::at_most_one)
        optional.push_back(option.names);
  std::vector<std::string> reversed;
  for (const std::string& word : words) {
    const bool is_value = !reversed.empty() && !word.starts_with('-') &&
                          std::find(optional.begin(), optional.end(), reversed.back()) != optional.end();
    if (is_value)
      reversed.back() += "=" + word;
    else
      reversed.push_back(word);
  }
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

/// One per line: first which files fit too, then words with their meanings.
void print_completions(const Completions& answer) {
  fmt::print("{}\n", answer.files);
  for (const auto& [word, meaning] : answer.words) fmt::print("{}\t{}\n", word, meaning);
}

}  // namespace

CommandLine::CommandLine(const std::string& version, const std::string& description)
    : app_(std::make_unique<CLI::App>("", "armature")), help_{version, description} {
  app_->set_version_flag("--version", "armature " + version);
  app_->set_help_flag("-h,--help");
  app_->formatter_fn(
      [this](const CLI::App*, const std::string&, CLI::AppFormatMode) { return help_text(help_, text_width()); });
  app_->require_subcommand(0, 1);
}

CommandLine::~CommandLine() = default;

Verb& CommandLine::verb(const std::string& name, const std::string& help) {
  VerbHelp& described = help_.verbs.emplace_back(VerbHelp{name, chapter_, help});
  CLI::App* app = app_->add_subcommand(name);
  app->formatter_fn([&described](const CLI::App*, const std::string&, CLI::AppFormatMode) {
    return help_text(described, text_width());
  });
  app->allow_extras();  // refused later, with a suggestion
  verbs_.push_back(std::make_unique<Verb>(*app, described));
  return *verbs_.back();
}

void CommandLine::example(const std::string& command, const std::string& meaning) {
  help_.examples.emplace_back(command, meaning);
}

bool CommandLine::knows(const std::string& verb) const {
  return std::any_of(help_.verbs.begin(), help_.verbs.end(), [&](const VerbHelp& v) { return v.name == verb; });
}

/// The verb comes first, so that nothing before it is left unread.
void CommandLine::refuse_before_verb(const std::vector<std::string>& words) const {
  const std::string& first = words.front();
  if (knows(first) || first == "--version" || first == "--help" || first == "-h") return;
  if (!first.starts_with('-')) verb_called(help_, first);  // throws
  const auto verb = std::find_if(words.begin(), words.end(), [&](const std::string& word) { return knows(word); });
  if (verb == words.end())
    throw Error(fmt::format("`armature` has no option '{}'", printable(first)),
                "a verb comes first: armature VERB ARGUMENTS OPTIONS; see `armature --help`");
  std::string right = "armature";
  for (auto word = verb; word != words.end(); ++word) right += " " + typed(*word);
  for (auto word = words.begin(); word != verb; ++word) right += " " + typed(*word);
  throw Error(fmt::format("'{}' comes before the verb '{}'", printable(first), *verb),
              fmt::format("options come after it: `{}`", right));
}

int CommandLine::parsed_verb() {
  for (const auto& verb : verbs_) {
    if (!verb->app_.parsed()) continue;
    refuse_leftovers(verb->app_, "armature " + verb->app_.get_name());
    return verb->run_();
  }
  fmt::print("{}", help_text(help_, text_width()));
  return exit_done;
}

int CommandLine::run(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.size() > 1 && words[0] == "help" && words[1] == "--complete") {  // a shell asks; the words are not for us
    print_completions(completions(help_, {words.begin() + 2, words.end()}));
    return exit_done;
  }
  if (!words.empty()) refuse_before_verb(words);
  try {
    app_->parse(reversed_words(help_, words));
    return parsed_verb();
  } catch (const CLI::Success& request) {  // --help, --version
    return app_->exit(request);
  } catch (const CLI::ParseError& error) {
    const auto verbs = app_->get_subcommands();
    const std::string command = verbs.empty() ? "armature" : "armature " + verbs.front()->get_name();
    if (!verbs.empty()) {  // an option that does not exist explains more than the argument it swallowed
      try {
        refuse_leftovers(*verbs.front(), command);
      } catch (const Error& leftover) {
        complain(leftover.what());
        return exit_wrong_input;
      }
    }
    complain(Error(error.what(), see_help(command)).what());
    return exit_wrong_input;
  }
}

}  // namespace armature::app
