// The manual in the language of man(7).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "help.hpp"

namespace armature::app {

namespace {

/// `text` so that it means itself: no escapes, no requests, and a minus that can be copied.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c == '\n' ? ' ' : c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}
std::string bold(const std::string& text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + plain(text) + "\\fR"; }

/// `text` with what stands between backquotes in bold.
std::string sentence(const std::string& text) {
  std::string out;
  bool quoted = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t tick = std::min(text.find('`', begin), text.size());
    const std::string part = text.substr(begin, tick - begin);
    if (!part.empty()) out += quoted ? bold(part) : plain(part);
    quoted = !quoted;
    begin = tick + 1;
  }
  return out;
}

std::string head(const ProgramHelp& program, const std::string& name, const std::string& about) {
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(".TH {} 1 \"\" \"armature {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n",
                     plain(upper), program.version, plain(name), plain(about));
}

std::string item(const std::string& term, const std::string& about) {
  return fmt::format(".TP\n{}\n{}\n", term, sentence(about));
}

std::string option_term(const OptionHelp& option) {
  std::string term;
  for (std::size_t begin = 0; begin < option.names.size();) {
    const std::size_t comma = std::min(option.names.find(',', begin), option.names.size());
    term += (term.empty() ? "" : ", ") + bold(option.names.substr(begin, comma - begin));
    begin = comma + 1;
  }
  if (option.placeholder.empty()) return term;
  const bool may_miss = option.count == OptionHelp::Count::at_most_one;
  return term + " " + (may_miss ? "[" : "") + italic(option.placeholder) + (may_miss ? "]" : "");
}

std::string examples(const Examples& examples) {
  std::string text = examples.empty() ? "" : ".SH EXAMPLES\n";
  for (const auto& [command, meaning] : examples) text += item(bold(command), meaning);
  return text;
}

constexpr const char* exit_status =
    ".SH EXIT STATUS\n"
    ".TP\n\\fB0\\fR\ndone\n"
    ".TP\n\\fB1\\fR\nthe answer is no: a check failed, a target is out of reach, a run ended early\n"
    ".TP\n\\fB2\\fR\nthe input is wrong, said with place, finding and hint\n"
    ".TP\n\\fB3\\fR\ninternal error\n";

std::string see_also(const ProgramHelp& program, const std::string& but) {
  std::string list = but.empty() ? "" : "\\fBarmature\\fR(1)";
  for (const VerbHelp& verb : program.verbs)
    if (verb.name != but) list += (list.empty() ? "" : ",\n") + bold("armature-" + verb.name) + "(1)";
  return ".SH SEE ALSO\n" + list + "\n";
}

}  // namespace

std::string man_page(const ProgramHelp& program) {
  std::string text = head(program, "armature", "from a robot arm's description to a validated, controlled machine");
  text += bold("armature") + " " + italic("VERB") + " [" + italic("ARGUMENTS") + "] [" + italic("OPTIONS") + "]\n";
  text += ".SH DESCRIPTION\n" + sentence(program.about) + "\n";
  std::string chapter;
  for (const VerbHelp& verb : program.verbs) {
    if (verb.chapter != chapter) text += ".SS " + plain(chapter = verb.chapter) + "\n";
    text += item(bold(verb.name), verb.about);
  }
  text += ".SH OPTIONS\n" + item(bold("-h") + ", " + bold("--help"), "print help and exit") +
          item(bold("--version"), "print the version and exit");
  text += examples(program.examples) + exit_status;
  text += ".SH ENVIRONMENT\n" + item(bold("NO_COLOR"), "warnings and errors without colour, where it is not empty") +
          item(bold("COLUMNS"), "the width of help, in place of the terminal's");
  return text + see_also(program, "");
}

std::string man_page(const ProgramHelp& program, const VerbHelp& verb) {
  std::string text = head(program, "armature-" + verb.name, verb.about) + bold("armature " + verb.name);
  for (const OptionHelp& argument : verb.arguments)
    text += argument.count == OptionHelp::Count::several       ? " " + italic(argument.names) + " ..."
            : argument.count == OptionHelp::Count::any         ? " [" + italic(argument.names) + " ...]"
            : argument.count == OptionHelp::Count::at_most_one ? " [" + italic(argument.names) + "]"
                                                               : " " + italic(argument.names);
  text += " [" + italic("OPTIONS") + "]\n";
  if (!verb.details.empty()) {
    text += ".SH DESCRIPTION\n";
    bool first = true;
    for (const DetailBlock& block : blocks_of(verb.details)) {
      if (!block.paragraph.empty()) text += (first ? "" : ".PP\n") + sentence(block.paragraph) + "\n";
      if (!block.words.empty()) text += ".RS 2\n" + plain(block.words) + "\n.RE\n";
      for (const auto& [word, meaning] : block.explained) text += item(bold(word), meaning);
      first = false;
    }
  }
  if (!verb.arguments.empty()) text += ".SH ARGUMENTS\n";
  for (const OptionHelp& argument : verb.arguments) text += item(italic(argument.names), argument.about);
  text += ".SH OPTIONS\n";
  for (const OptionHelp& option : verb.options) text += item(option_term(option), option.about);
  text += item(bold("-h") + ", " + bold("--help"), "print help and exit");
  return text + examples(verb.examples) + exit_status + see_also(program, verb.name);
}

}  // namespace armature::app
