// What a person can type: verbs with arguments, options and examples. CLI11 reads it, behind this door.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "help.hpp"

namespace CLI {
class App;
}

namespace armature::app {

enum ExitCode {
  exit_done = 0,
  exit_no = 1,           // the answer is no: a check failed
  exit_wrong_input = 2,  // said with place and hint
  exit_internal = 3
};

/// A verb while it is described. The variables given to it are filled before its action runs.
class Verb {
 public:
  Verb(CLI::App& app, VerbHelp& help) : app_(app), help_(help) {}
  Verb& argument(const std::string& name, std::string& value, const std::string& help);
  Verb& optional_argument(const std::string& name, std::string& value, const std::string& help);
  /// One or more of them.
  Verb& arguments(const std::string& name, std::vector<std::string>& values, const std::string& help);
  /// None, one or more.
  Verb& optional_arguments(const std::string& name, std::vector<std::string>& values, const std::string& help);
  /// `names` as in "-o,--out"; `placeholder` stands for the value in the help.
  Verb& option(const std::string& names, const std::string& placeholder, std::optional<std::string>& value,
               const std::string& help);
  /// An option that may be repeated.
  Verb& list(const std::string& names, const std::string& placeholder, std::vector<std::string>& values,
             const std::string& help);
  /// An option that prints something and ends the program, whatever else is missing. Its value may be left out.
  Verb& immediate(const std::string& names, const std::string& placeholder, const std::string& help,
                  std::function<void(const std::string&)> print);
  Verb& flag(const std::string& names, bool& value, const std::string& help);
  /// What the argument or option described last can be, for shells that complete it.
  Verb& words(std::vector<std::string> words);
  /// What the help says below the options, see VerbHelp.
  Verb& details(const std::string& text);
  Verb& example(const std::string& command, const std::string& meaning);
  Verb& action(std::function<int()> run);

 private:
  friend class CommandLine;
  CLI::App& app_;
  VerbHelp& help_;
  std::vector<std::string>* words_ = nullptr;  // of what was described last
  std::function<int()> run_;
};

class CommandLine {
 public:
  CommandLine(const std::string& version, const std::string& description);
  ~CommandLine();
  /// The heading above the verbs that follow.
  void chapter(const std::string& title) { chapter_ = title; }
  /// A new verb, kept by the command line.
  Verb& verb(const std::string& name, const std::string& help);
  /// For the help of the program itself.
  void example(const std::string& command, const std::string& meaning);
  /// Reads the arguments and runs the verb they name. Prints help and errors of its own.
  int run(int argc, char** argv);
  /// All that was described.
  [[nodiscard]] const ProgramHelp& help() const { return help_; }

 private:
  [[nodiscard]] bool knows(const std::string& verb) const;
  void refuse_before_verb(const std::vector<std::string>& words) const;
  int parsed_verb();
  std::unique_ptr<CLI::App> app_;
  ProgramHelp help_;
  std::string chapter_;
  std::vector<std::unique_ptr<Verb>> verbs_;
};

}  // namespace armature::app
