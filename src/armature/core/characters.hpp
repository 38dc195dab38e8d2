// Characters of text from outside, and the one rule for names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "armature/rooms.hpp"

namespace armature::core {

/// A character of UTF-8 text [RFC 3629: no overlong forms, no surrogates]; of length 0 where the bytes are none.
struct Character {
  char32_t code = 0;
  std::size_t length = 0;  // [bytes]
};
Character character_at(std::string_view text, std::size_t i);

/// Whether a character acts on the text around it instead of being seen: control characters (C0, DEL, C1), line and paragraph
/// separators, embeddings, overrides and isolates of writing direction, byte-order marks. Terminals, editors and compilers
/// disagree about what such text says.
bool is_control(char32_t code);

/// "0x1b" or "U+202E", for messages.
std::string character_name(char32_t code);

/// \x1b or \u202e: a control character as YAML and C-like strings write it.
std::string escape_of(char32_t code);

/// `text` with every control character and every byte that is not UTF-8 written out as \x1b or \u202e, but for the characters in
/// `kept`: nothing in it acts on a terminal or ends a line of a file.
std::string visible(std::string_view text, std::string_view kept = {});

inline constexpr std::size_t longest_name = 100;           // [bytes]
inline constexpr std::size_t longest_channel_name = 1000;  // of a log: made of other names

/// What is wrong with `name` as the name of an arm, a joint, a link, a channel, a scenario, a case: "holds the control character
/// 0x0a", "is empty". Empty where it is a name: at most `longest` bytes of UTF-8 without control characters, with no blank at
/// either end.
std::string flaw_of_name(std::string_view name, std::size_t longest = longest_name);

/// The hint that goes with a flaw.
inline constexpr const char* name_hint =
    "a name is 1 to 100 bytes of UTF-8 on one line, without control characters or blanks at its ends";

}  // namespace armature::core
