// A file that is either written whole or not at all.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

#include "unfinished.hpp"

namespace armature::app {

/// Writes under a temporary name in the same folder; commit() gives the file its name. Without commit - an error, an
/// interrupt, a closed terminal - nothing is left and a file that was there before stays as it was. "-" is the standard
/// output; devices and pipes are written directly. Throws Error with the path and the system's reason.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  /// The same, under a name of its own in messages.
  OutputFile(const std::string& path, const std::string& name);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] std::FILE* stream() const { return stream_; }
  /// For messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  void write(const std::string& text);
  void commit();

 private:
  std::string name_;
  std::string path_;                     // where it goes in the end, links followed
  std::optional<Unfinished> temporary_;  // none: written directly
  std::FILE* stream_ = nullptr;
};

}  // namespace armature::app
