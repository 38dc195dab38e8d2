// Errors are sentences: a place, a finding, a hint.
#pragma once

#include <stdexcept>
#include <string>

#include "armature/rooms.hpp"

namespace armature::core {

/// Where in a text something was found. Lines and columns count from 1; 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

/// "file:line:column", without the parts that are unknown.
std::string to_string(const Place& place);

/// An error says that the input is wrong, and how to mend it. what() reads "place: finding\n  hint: hint".
class Error : public std::runtime_error {
 public:
  explicit Error(std::string finding, std::string hint = {}, Place place = {});
  [[nodiscard]] const std::string& finding() const { return finding_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }
  [[nodiscard]] const Place& place() const { return place_; }

 private:
  std::string finding_;
  std::string hint_;
  Place place_;
};

/// A description that no arm can have.
class ModelError : public Error {
  using Error::Error;
};

/// A text that cannot be read.
class FormatError : public Error {
  using Error::Error;
};

}  // namespace armature::core

namespace armature {
using core::Error;
}  // namespace armature
