#include "armature/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "armature/core/characters.hpp"

namespace armature::core {

namespace {

/// Levenshtein distance, letters compared without case; a swapped pair of neighbours costs one.
std::size_t edits(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t swap = same(a[i - 1], b[j - 1]) ? 0 : 1;
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + swap});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > 64) return std::nullopt;
  const std::size_t allowed = std::max<std::size_t>(1, word.size() / 3);
  std::optional<std::string> best;
  std::size_t fewest = allowed + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t n = edits(word, candidate);
    if (n < fewest) {
      fewest = n;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  if (const auto near = nearest_word(word, candidates)) return "did you mean '" + *near + "'?";
  return fmt::format("known: {}", fmt::join(candidates, ", "));
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    std::string_view word = text.substr(begin, comma - begin);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    words.emplace_back(word);
    if (comma == text.size()) return words;
    begin = comma + 1;
  }
}

std::string exact_text(double number) { return fmt::format("{}", number); }  // fmt: shortest, locale-free

std::string short_text(double number) { return fmt::format("{:.6g}", number == 0 ? 0.0 : number); }

std::string printable(std::string_view text, std::size_t longest) {
  std::string out = visible(text.substr(0, longest + 4));  // the cut may fall within a character
  if (text.size() <= longest && out.size() <= longest) return out;
  std::size_t cut = std::min(longest, out.size());
  while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xC0) == 0x80) --cut;
  return out.substr(0, cut) + "...";
}

}  // namespace armature::core
