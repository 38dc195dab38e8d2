// The help that a terminal shows.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "help.hpp"
#include "text_table.hpp"

namespace armature::app {

namespace {

constexpr const char* exit_codes =
    "Exit codes: 0 done, 1 the answer is no, 2 the input is wrong (said with place, finding and hint), 3 internal "
    "error.";

using HelpRows = std::vector<std::pair<std::string, std::string>>;

/// The command with a backslash before each line end, so that it can be copied.
std::string broken_command(const std::string& command, std::size_t width) {
  std::string text = "  ";
  std::size_t used = 2;
  for (std::size_t begin = 0; begin < command.size();) {
    std::size_t end = begin;
    for (char quote = 0; end < command.size() && (quote != 0 || command[end] != ' '); ++end)
      if (command[end] == '"' || command[end] == '\'') quote = quote == 0 ? command[end] : '\0';
    const std::size_t length = end - begin;
    if (begin > 0 && used + 1 + length + 2 > width) {
      text += " \\\n      ";
      used = 6;
    } else if (begin > 0) {
      text += ' ';
      ++used;
    }
    text += command.substr(begin, length);
    used += length;
    begin = end + 1;
  }
  return text;
}

std::string examples_text(const Examples& examples, std::size_t width) {
  if (examples.empty()) return "";
  std::string text = "\nExamples:\n";
  for (const auto& [command, meaning] : examples)
    text += fmt::format("{}\n      {}\n", broken_command(command, width), wrapped(meaning, 6, width));
  return text;
}

std::string details_text(const std::string& details, std::size_t width) {
  std::string text;
  for (const DetailBlock& block : blocks_of(details)) {
    if (block.after_gap) text += '\n';
    if (!block.paragraph.empty()) text += wrapped(block.paragraph, 0, width) + "\n";
    if (!block.words.empty()) text += "  " + wrapped(block.words, 2, width) + "\n";
    text += explained(block.explained, width);
  }
  return text;
}

HelpRows rows_of(const std::vector<OptionHelp>& options) {
  HelpRows rows;
  for (const OptionHelp& option : options) {
    std::string names = option.names;
    if (const std::size_t comma = names.find(','); comma != std::string::npos) names.insert(comma + 1, " ");
    if (!option.placeholder.empty())
      names +=
          option.count == OptionHelp::Count::at_most_one ? " [" + option.placeholder + "]" : " " + option.placeholder;
    rows.emplace_back(names, option.about);
  }
  return rows;
}

}  // namespace

std::vector<DetailBlock> blocks_of(const std::string& details) {
  std::vector<DetailBlock> blocks;
  bool gap = false;
  const auto block = [&](auto continues) -> DetailBlock& {
    if (blocks.empty() || gap || !continues(blocks.back())) blocks.push_back({.after_gap = gap && !blocks.empty()});
    gap = false;
    return blocks.back();
  };
  std::istringstream lines(details);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      gap = true;
    } else if (!line.starts_with("  ")) {
      std::string& text = block([](const DetailBlock& last) { return !last.paragraph.empty(); }).paragraph;
      text += (text.empty() ? "" : " ") + line;
    } else {
      const std::size_t word = std::min(line.find("  ", 2), line.size());
      const std::size_t meaning = std::min(line.find_first_not_of(' ', word), line.size());
      if (meaning == line.size())
        block([](const DetailBlock&) { return false; }).words = line.substr(2);
      else
        block([](const DetailBlock& last) {
          return !last.explained.empty();
        }).explained.emplace_back(line.substr(2, word - 2), line.substr(meaning));
    }
  }
  return blocks;
}

std::string explained(const HelpRows& rows, std::size_t width) {
  std::size_t column = 0;
  for (const auto& [word, meaning] : rows) column = std::max(column, word.size() + 4);
  column = std::min(column, std::clamp(width / 3, std::size_t{12}, std::size_t{30}));
  std::string text;
  for (const auto& [word, meaning] : rows) {
    std::string line = "  " + word;
    if (line.size() + 2 > column && !meaning.empty()) {
      text += line + "\n";
      line.clear();
    }
    line.resize(std::max(line.size(), column), ' ');
    text += (meaning.empty() ? "  " + word : line + wrapped(meaning, column, width)) + "\n";
  }
  return text;
}

std::string help_text(const ProgramHelp& program, std::size_t width) {
  std::string text = wrapped(program.about, 0, width) + "\n\nUsage: armature VERB [ARGUMENTS] [OPTIONS]\n";
  HelpRows rows;
  for (std::size_t i = 0; i < program.verbs.size(); ++i) {
    const VerbHelp& verb = program.verbs[i];
    if (rows.empty()) text += fmt::format("\n{}:\n", verb.chapter);
    std::string name = verb.name;
    name.resize(std::max(name.size(), std::size_t{9}), ' ');  // the same column for every chapter
    rows.emplace_back(name, verb.about);
    if (i + 1 < program.verbs.size() && program.verbs[i + 1].chapter == verb.chapter) continue;
    text += explained(rows, width);
    rows.clear();
  }
  text += "\nOptions:\n" +
          explained({{"-h, --help", "print this help and exit"}, {"--version", "print the version and exit"}}, width);
  text += examples_text(program.examples, width);
  return text + "\n" + wrapped("`armature help VERB` or `armature VERB --help` explains a verb.", 0, width) + "\n" +
         wrapped(exit_codes, 0, width) + "\n";
}

std::string help_text(const VerbHelp& verb, std::size_t width) {
  std::string usage = "Usage: armature " + verb.name;
  for (const OptionHelp& argument : verb.arguments)
    usage += argument.count == OptionHelp::Count::several       ? " " + argument.names + " ..."
             : argument.count == OptionHelp::Count::any         ? " [" + argument.names + " ...]"
             : argument.count == OptionHelp::Count::at_most_one ? " [" + argument.names + "]"
                                                                : " " + argument.names;
  std::string text = wrapped(verb.about, 0, width) + "\n\n" + usage + " [OPTIONS]\n";
  if (!verb.arguments.empty()) {
    HelpRows rows = rows_of(verb.arguments);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (verb.arguments[i].count == OptionHelp::Count::several || verb.arguments[i].count == OptionHelp::Count::any)
        rows[i].first += " ...";
    text += "\nArguments:\n" + explained(rows, width);
  }
  HelpRows options = rows_of(verb.options);
  options.emplace_back("-h, --help", "print this help and exit");
  text += "\nOptions:\n" + explained(options, width);
  if (!verb.details.empty()) text += "\n" + details_text(verb.details, width);
  return text + examples_text(verb.examples, width);
}

}  // namespace armature::app
