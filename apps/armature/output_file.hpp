// A file that is either written whole or not at all, whatever ends the program.
#pragma once

#include <optional>
#include <string>

#include "armature/formats/whole_file.hpp"
#include "unfinished.hpp"

namespace armature::app {

/// A WholeFile of which an interrupt or a closed terminal leaves nothing either. "-" is the standard output.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  /// The same, under a name of its own in messages.
  OutputFile(const std::string& path, const std::string& name);

  [[nodiscard]] std::FILE* stream() const { return file_ ? file_->stream() : stdout; }
  /// For messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  void write(const std::string& text);
  void commit();

 private:
  std::string name_;
  std::optional<Unfinished> temporary_;
  std::optional<WholeFile> file_;  // none: the standard output
};

}  // namespace armature::app
