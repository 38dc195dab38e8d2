// What a shell offers when somebody presses Tab: the program answers, so that no list of words stands in two places.
#include <algorithm>

#include "armature/formats/catalogue.hpp"
#include "armature/scenario/scenario_yaml.hpp"
#include "help.hpp"

namespace armature::app {

namespace {

std::vector<std::string> split_names(const std::string& names) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t comma = std::min(names.find(',', begin), names.size());
    list.push_back(names.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return list;
}

const OptionHelp* option_called(const VerbHelp& verb, const std::string& name) {
  for (const OptionHelp& option : verb.options)
    for (const std::string& own : split_names(option.names))
      if (own == name) return &option;
  return nullptr;
}

/// Keys of a scenario up to the next dot, or what a key can be set to.
Completions settings(const std::string& typed) {
  Completions answer{.words = {}, .files = "none"};
  const std::size_t equals = typed.find('=');
  for (const SettingKey& entry : scenario_keys()) {
    if (entry.value.empty() && entry.fallback.empty()) continue;  // a block: its keys follow
    std::string key = entry.key;
    for (std::size_t hole = 0; (hole = key.find("[]")) != std::string::npos;) key.replace(hole, 2, "[0]");
    if (equals != std::string::npos) {
      if (key != typed.substr(0, equals)) continue;
      for (const std::string& word : entry.words) answer.words.emplace_back(key + "=" + word, "");
    } else if (key.starts_with(typed)) {
      const std::size_t dot = key.find('.', typed.size());
      const std::string shown = dot == std::string::npos ? key + "=" : key.substr(0, dot + 1);
      const bool known =
          std::any_of(answer.words.begin(), answer.words.end(), [&](const auto& w) { return w.first == shown; });
      if (!known) answer.words.emplace_back(shown, dot == std::string::npos ? entry.meaning : "");
    }
  }
  return answer;
}

/// What the value of an option, or an argument, can be: its own words, or by what the help calls it.
Completions values(const OptionHelp& option, const std::string& typed) {
  Completions answer{.words = {}, .files = "none"};
  const std::string& kind = option.placeholder.empty() ? option.names : option.placeholder;
  for (const std::string& word : option.words) answer.words.emplace_back(word, "");
  if (kind == "KEY=VALUE") return settings(typed);
  if (kind == "ARM")
    for (const std::string& name : catalogue_names()) answer.words.emplace_back(name, "built-in arm");
  if (kind == "PREFIX") {
    answer = settings(typed);
    for (auto& word : answer.words)
      if (word.first.ends_with('=')) word.first.pop_back();
  }
  answer.files = kind == "ARM"                                             ? "files yaml yml urdf"
                 : kind == "SCENARIO"                                      ? "files yaml yml"
                 : kind == "LOG" || kind == "LOG.csv" || kind == "FRF.csv" ? "files csv xz npz mcap db3 txt"
                 : kind == "FILE" || kind == "FROM"                        ? "files"
                 : kind == "DIR"                                           ? "folders"
                                                                           : "none";
  return answer;
}

Completions option_names(const VerbHelp& verb) {
  Completions answer{.words = {}, .files = "none"};
  for (const OptionHelp& option : verb.options)
    for (const std::string& name : split_names(option.names)) answer.words.emplace_back(name, option.about);
  answer.words.emplace_back("--help", "print this help and exit");
  return answer;
}

Completions for_verb(const ProgramHelp& program, const VerbHelp& verb, const std::vector<std::string>& words) {
  const std::string& typed = words.back();
  const OptionHelp* waiting = nullptr;  // the option whose value comes next
  std::size_t given = 0;                // arguments
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    const bool is_value = waiting != nullptr;
    waiting = is_value ? nullptr : option_called(verb, words[i]);
    if (waiting != nullptr && waiting->placeholder.empty()) waiting = nullptr;
    if (!is_value && !words[i].starts_with('-')) ++given;
  }
  if (waiting != nullptr) return values(*waiting, typed);
  if (const std::size_t equals = typed.find('='); typed.starts_with("--") && equals != std::string::npos) {
    const OptionHelp* option = option_called(verb, typed.substr(0, equals));
    Completions answer = option != nullptr ? values(*option, typed.substr(equals + 1)) : Completions{};
    for (auto& word : answer.words) word.first.insert(0, typed, 0, equals + 1);
    answer.files = "none";
    return answer;
  }
  if (typed.starts_with('-')) return option_names(verb);
  if (given < verb.arguments.size() ||
      (!verb.arguments.empty() && (verb.arguments.back().count == OptionHelp::Count::several ||
                                   verb.arguments.back().count == OptionHelp::Count::any))) {
    const OptionHelp& argument = verb.arguments[std::min(given, verb.arguments.size() - 1)];
    Completions answer = values(argument, typed);
    if (argument.names == "VERB")
      for (const VerbHelp& other : program.verbs) answer.words.emplace_back(other.name, other.about);
    return answer;
  }
  return option_names(verb);
}

}  // namespace

Completions completions(const ProgramHelp& program, const std::vector<std::string>& words) {
  Completions answer{.words = {}, .files = "none"};
  if (words.size() < 2) {
    for (const VerbHelp& verb : program.verbs) answer.words.emplace_back(verb.name, verb.about);
    answer.words.emplace_back("--help", "print help and exit");
    answer.words.emplace_back("--version", "print the version and exit");
  } else {
    for (const VerbHelp& verb : program.verbs)
      if (verb.name == words.front()) answer = for_verb(program, verb, words);
  }
  const std::string typed = words.empty() ? "" : words.back();
  std::erase_if(answer.words, [&](const auto& word) { return !word.first.starts_with(typed); });
  return answer;
}

}  // namespace armature::app
