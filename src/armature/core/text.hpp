// Small helpers for text that people typed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::core {

/// The candidate nearest to `word` by edits, if it is near enough to be a slip of the finger.
std::optional<std::string> nearest_word(std::string_view word, const std::vector<std::string>& candidates);

/// "did you mean 'x'?" or, when nothing is near, "known: a, b, c". For the hint of an Error.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// The words of "friction, rotor", without the spaces around them.
std::vector<std::string> split_words(std::string_view text);

/// The shortest decimal text that reads back as exactly this number, in any locale. "nan", "inf", "-inf" otherwise.
std::string exact_text(double number);

/// A number for people: six significant digits.
std::string short_text(double number);

/// `text` without control characters and cut to a printable length: safe to put into a message.
std::string printable(std::string_view text, std::size_t longest = 60);

}  // namespace armature::core
