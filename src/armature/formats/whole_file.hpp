// Files that are written whole or not at all.
#pragma once

#include <cstdio>
#include <string>

#include "armature/rooms.hpp"

namespace armature::formats {

/// Writes under a temporary name in the same folder; commit() gives the file its name. Without commit nothing is left, and a file
/// that was there before stays as it was. Devices and pipes are written directly. Throws Error with the path and the system's reason.
class WholeFile {
 public:
  /// `name` stands for the path in messages.
  WholeFile(const std::string& path, std::string name);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  [[nodiscard]] std::FILE* stream() const { return stream_; }
  /// The temporary file; empty where the file is written directly.
  [[nodiscard]] const std::string& temporary() const { return temporary_; }
  void write(const std::string& text);
  void commit();

 private:
  std::string name_;
  std::string path_;  // where it goes in the end, links followed
  std::string temporary_;
  std::FILE* stream_ = nullptr;
};

/// The whole text as a file.
void write_whole_file(const std::string& path, const std::string& text);

/// A new folder with a hidden name in `parent`, with the permissions that a folder gets; empty, with errno, where it cannot be made.
std::string make_temporary_folder(const std::string& parent);

}  // namespace armature::formats
