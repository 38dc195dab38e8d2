// A file that is either written whole or not at all.
#pragma once

#include <cstdio>
#include <string>

namespace armature {

/// Writes under a temporary name in the same folder; commit() gives the file its name. Without commit - an error, an
/// interrupt, a closed terminal - nothing is left and a file that was there before stays as it was. "-" is the standard
/// output; devices and pipes are written directly. Throws Error with the path and the system's reason.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] std::FILE* stream() const { return stream_; }
  /// For messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  void write(const std::string& text);
  void commit();

 private:
  void discard();

  std::string name_;
  std::string path_;       // where it goes in the end, links followed
  std::string temporary_;  // empty: written directly
  std::FILE* stream_ = nullptr;
  std::size_t slot_ = 0;  // in the list of what an interrupt removes
};

}  // namespace armature
