// What is thrown at every reader of text or bytes from outside. A target takes any bytes; it reads them and either gets a sentence
// (Error with a finding, and a hint where the reader can know one) or a value, for which a law must hold: what is read, written and
// read again is the same. Anything else is a finding: a crash, undefined behaviour, another exception, a broken law.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "armature/rooms.hpp"

namespace armature::fuzz {

using namespace rooms;

/// A law does not hold.
struct Broken : std::logic_error {
  using logic_error::logic_error;
};

/// Each says whether the bytes were read at all.
bool urdf(std::string_view bytes);
bool arm(std::string_view bytes);
bool scenario(std::string_view bytes);
bool table(std::string_view bytes);
bool log(std::string_view bytes);
bool log_xz(std::string_view bytes);
bool npz(std::string_view bytes);
bool mcap(std::string_view bytes);
bool db3(std::string_view bytes);
bool cdr(std::string_view bytes);
bool formula(std::string_view bytes);
bool quantity(std::string_view bytes);
bool report(std::string_view bytes);

struct Target {
  std::string_view name;
  bool (*run)(std::string_view bytes);
};
inline constexpr std::array targets{
    Target{"urdf", urdf},     Target{"arm", arm},       Target{"scenario", scenario}, Target{"table", table},
    Target{"log", log},       Target{"log_xz", log_xz}, Target{"npz", npz},           Target{"mcap", mcap},
    Target{"db3", db3},       Target{"cdr", cdr},       Target{"formula", formula},   Target{"quantity", quantity},
    Target{"report", report},
};

}  // namespace armature::fuzz
