// What a person can type: verbs with arguments, options and examples. CLI11 reads it, behind this door.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace armature {

enum ExitCode {
  exit_done = 0,
  exit_no = 1,           // the answer is no: a check failed
  exit_wrong_input = 2,  // said with place and hint
  exit_internal = 3
};

/// A verb while it is described. The variables given to it are filled before its action runs.
class Verb {
 public:
  explicit Verb(CLI::App& app) : app_(app) {}
  Verb& argument(const std::string& name, std::string& value, const std::string& help);
  /// One or more of them.
  Verb& arguments(const std::string& name, std::vector<std::string>& values, const std::string& help);
  /// `names` as in "-o,--out"; `placeholder` stands for the value in the help.
  Verb& option(const std::string& names, const std::string& placeholder, std::optional<std::string>& value,
               const std::string& help);
  /// An option that may be repeated.
  Verb& list(const std::string& names, const std::string& placeholder, std::vector<std::string>& values,
             const std::string& help);
  /// A flag that prints something and ends the program, whatever else is missing.
  Verb& immediate(const std::string& names, const std::string& help, std::function<void()> print);
  Verb& flag(const std::string& names, bool& value, const std::string& help);
  /// What the help says below the options.
  Verb& details(const std::string& text);
  Verb& example(const std::string& command, const std::string& meaning);
  Verb& action(std::function<int()> run);

 private:
  friend class CommandLine;
  CLI::App& app_;
  std::string details_, examples_;
  std::function<int()> run_;
};

class CommandLine {
 public:
  CommandLine(const std::string& version, const std::string& description);
  ~CommandLine();
  /// A new verb, kept by the command line.
  Verb& verb(const std::string& name, const std::string& help);
  /// For the help of the program itself.
  void example(const std::string& command, const std::string& meaning);
  /// Reads the arguments and runs the verb they name. Prints help and errors of its own.
  int run(int argc, char** argv);

 private:
  int parsed_verb();
  std::unique_ptr<CLI::App> app_;
  std::string examples_;
  std::vector<std::unique_ptr<Verb>> verbs_;
};

}  // namespace armature
