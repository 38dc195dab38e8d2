#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "terminal.hpp"

namespace armature {

namespace {
void add_example(std::string& examples, const std::string& command, const std::string& meaning) {
  examples += fmt::format("{}  {}\n      {}", examples.empty() ? "Examples:\n" : "\n", command, meaning);
}
}  // namespace

Verb& Verb::argument(const std::string& name, std::string& value, const std::string& help) {
  app_.add_option(name, value, help)->required()->type_name("");
  return *this;
}

Verb& Verb::arguments(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  app_.add_option(name, values, help)->required()->type_name("...");
  return *this;
}

Verb& Verb::option(const std::string& names, const std::string& placeholder, std::optional<std::string>& value,
                   const std::string& help) {
  app_.add_option_function<std::string>(
          names, [&value](const std::string& text) { value = text; }, help)
      ->type_name(placeholder);
  return *this;
}

Verb& Verb::list(const std::string& names, const std::string& placeholder, std::vector<std::string>& values,
                 const std::string& help) {
  app_.add_option(names, values, help)->type_name(placeholder)->expected(1)->take_all();
  return *this;
}

Verb& Verb::immediate(const std::string& names, const std::string& help, std::function<void()> print) {
  app_.add_flag_callback(
      names,
      [print] {
        print();
        throw CLI::Success();
      },
      help);
  return *this;
}

Verb& Verb::flag(const std::string& names, bool& value, const std::string& help) {
  app_.add_flag(names, value, help);
  return *this;
}

Verb& Verb::details(const std::string& text) {
  details_ = text + "\n\n";
  return *this;
}

Verb& Verb::example(const std::string& command, const std::string& meaning) {
  add_example(examples_, command, meaning);
  app_.footer(details_ + examples_);
  return *this;
}

Verb& Verb::action(std::function<int()> run) {
  run_ = std::move(run);
  return *this;
}

namespace {

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
  const std::string help = fmt::format("`{} --help` says what it takes", command);
  if (!word.starts_with('-')) throw Error(fmt::format("'{}' is one argument too many", printable(word)), help);
  const auto near = nearest_word(word.substr(0, word.find('=')), option_names(app));
  throw Error(fmt::format("`{}` has no option '{}'", command, printable(word)),
              near ? fmt::format("did you mean '{}'?", *near) : help);
}

}  // namespace

CommandLine::CommandLine(const std::string& version, const std::string& description)
    : app_(std::make_unique<CLI::App>(description, "armature")) {
  app_->set_version_flag("--version", "armature " + version, "print the version and exit");
  app_->set_help_flag("-h,--help", "print this help and exit");
  app_->get_formatter()->column_width(28);
  app_->get_formatter()->label("SUBCOMMAND", "VERB");
  app_->get_formatter()->label("REQUIRED", "");
  app_->get_formatter()->label("Positionals", "Arguments");
  app_->require_subcommand(0, 1);
  app_->allow_extras();  // refused below, with a suggestion
}

CommandLine::~CommandLine() = default;

Verb& CommandLine::verb(const std::string& name, const std::string& help) {
  CLI::App* app = app_->add_subcommand(name, help);
  app->group("Verbs");
  app->allow_extras();
  verbs_.push_back(std::make_unique<Verb>(*app));
  return *verbs_.back();
}

void CommandLine::example(const std::string& command, const std::string& meaning) {
  add_example(examples_, command, meaning);
  app_->footer(examples_ +
               "\n\n`armature VERB --help` explains a verb.\n"
               "Exit codes: 0 done, 1 the answer is no, 2 the input is wrong, 3 internal error.");
}

int CommandLine::parsed_verb() {
  for (const auto& verb : verbs_) {
    if (!verb->app_.parsed()) continue;
    refuse_leftovers(verb->app_, "armature " + verb->app_.get_name());
    return verb->run_();
  }
  const std::vector<std::string> words = app_->remaining();
  if (!words.empty() && !words.front().starts_with('-')) {
    std::vector<std::string> names;
    for (const auto& verb : verbs_) names.push_back(verb->app_.get_name());
    throw Error(fmt::format("unknown verb '{}'", printable(words.front())), suggestion(words.front(), names));
  }
  refuse_leftovers(*app_, "armature");
  fmt::print("{}", app_->help());
  return exit_done;
}

int CommandLine::run(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
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
    complain(Error(error.what(), fmt::format("`{} --help` says what it takes", command)).what());
    return exit_wrong_input;
  }
}

}  // namespace armature
