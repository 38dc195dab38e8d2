// What the program says of itself, as data. --help, the man pages and the completions of shells are made from it alone.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>
#include "names.hpp"

namespace armature::app {

/// An argument, or an option of a verb.
struct OptionHelp {
  std::string names;        // "-o,--out"; of an argument "ARM"
  std::string placeholder;  // "FILE"; empty for a flag
  std::string about;
  enum class Count { one, at_most_one, several, any } count = Count::one;
  std::vector<std::string> words = {};  // what it can be, where that is a short list
};

using Examples = std::vector<std::pair<std::string, std::string>>;  // command and meaning

/// `details` are paragraphs, with an empty line between two; lines that begin with two blanks are a list of words, or of
/// words explained: "  gravity   torques that hold the arm".
struct VerbHelp {
  std::string name, chapter, about, details = {};
  std::vector<OptionHelp> arguments = {}, options = {};
  Examples examples = {};
};

struct ProgramHelp {
  std::string version, about;
  std::deque<VerbHelp> verbs = {};  // those of one chapter follow each other
  Examples examples = {};
};

/// The verb of that name. Throws Error with a suggestion.
const VerbHelp& verb_called(const ProgramHelp& program, const std::string& name);

/// For a terminal, in lines of at most `width` characters where words allow it.
std::string help_text(const ProgramHelp& program, std::size_t width);
std::string help_text(const VerbHelp& verb, std::size_t width);
/// Words at the left, each explained at its right; as many lines as it takes.
std::string explained(const std::vector<std::pair<std::string, std::string>>& rows, std::size_t width);

/// A piece of a verb's details: one of a paragraph, a list of words, and words explained.
struct DetailBlock {
  std::string paragraph = {}, words = {};
  std::vector<std::pair<std::string, std::string>> explained = {};
  bool after_gap = false;  // an empty line stands before it
};
std::vector<DetailBlock> blocks_of(const std::string& details);

/// In the language of man(7), section 1.
std::string man_page(const ProgramHelp& program);
std::string man_page(const ProgramHelp& program, const VerbHelp& verb);

/// What may stand in place of the last of `words`, the words that follow the program's name.
struct Completions {
  std::vector<std::pair<std::string, std::string>> words = {};  // each with its meaning, perhaps empty
  std::string files = {};  // "none", "folders", "files", or with the endings that fit: "files yaml urdf"
};
Completions completions(const ProgramHelp& program, const std::vector<std::string>& words);
/// What "bash", "zsh" or "fish" must read so that it asks the program: `armature help --complete WORDS`.
std::string completion_script(const std::string& shell);

}  // namespace armature::app
