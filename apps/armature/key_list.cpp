#include "key_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "help.hpp"
#include "terminal.hpp"

namespace armature::app {

namespace {

/// What a key means, its values and its default.
std::string explanation(const SettingKey& key, bool with_kinds) {
  std::string text = key.meaning;
  if (with_kinds && !key.kinds.empty()) text += fmt::format(" [{}]", fmt::join(key.kinds, ", "));
  const std::string otherwise = key.fallback.empty() ? "" : "default " + key.fallback;
  const std::string both = key.value + (key.value.empty() || otherwise.empty() ? "" : "; ") + otherwise;
  return both.empty() ? text : text + fmt::format(" ({})", both);
}

}  // namespace

void print_keys(const std::vector<SettingKey>& keys, const std::string& file, const std::string& start) {
  const auto has = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), start) != list.end();
  };
  const bool is_kind = std::any_of(keys.begin(), keys.end(), [&](const SettingKey& k) {
    return has(k.kinds) || (k.key.ends_with(".kind") && has(k.words));
  });
  std::vector<std::pair<std::string, std::string>> rows;
  std::vector<std::string> names;
  for (const SettingKey& key : keys) {
    names.push_back(key.key);
    if (is_kind ? has(key.kinds) : key.key.starts_with(start)) rows.emplace_back(key.key, explanation(key, !is_kind));
  }
  if (rows.empty() && is_kind) {
    fmt::print("'{}' has no keys of its own\n", start);
    return;
  }
  if (rows.empty()) {
    const auto near = nearest_word(start, names);
    std::erase_if(names, [](const std::string& name) { return name.find('.') != std::string::npos; });
    throw Error(
        fmt::format("no key of {} begins with '{}'", file, printable(start)),
        near ? fmt::format("did you mean '{}'?", *near) : fmt::format("they begin with {}", fmt::join(names, ", ")));
  }
  fmt::print("{}", explained(rows, text_width()));
}

}  // namespace armature::app
