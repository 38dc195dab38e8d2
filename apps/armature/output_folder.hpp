// A folder of files that appears complete or not at all.
#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "output_file.hpp"
#include "unfinished.hpp"

namespace armature::app {

/// Files are written into a hidden folder beside the place; commit() gives it its name. Where the folder exists, its files are
/// replaced as a set, by renaming, and what else lies in it stays. Without commit - an error, a full disk, an interrupt -
/// nothing is left, and a folder that was there before stays as it was. The constructor finds out whether the place can be
/// written to: call it before long work. Throws Error with the path and the system's reason.
class OutputFolder {
 public:
  explicit OutputFolder(const std::string& folder);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// A file of this name, "log.csv" or "case/log.csv", to be written and committed.
  [[nodiscard]] OutputFile file(const std::string& name);
  void write(const std::string& name, const std::string& text);
  /// A file that belongs to the set but is not written this time: an older one of this name goes.
  void without(const std::string& name) { absent_.push_back(name); }
  /// Where a file will be.
  [[nodiscard]] std::string path_of(const std::string& name) const;
  void commit();

 private:
  using Renames = std::vector<std::pair<std::filesystem::path, std::filesystem::path>>;
  void replace(const std::filesystem::path& from, const std::filesystem::path& to, Renames& back);
  void move_in(const std::filesystem::path& from, const std::filesystem::path& to, Renames& back);
  std::filesystem::path aside(Renames& back);

  std::string name_;                // as the user wrote it
  std::filesystem::path target_;    // links followed
  std::filesystem::path staging_;   // empty once committed
  std::deque<Unfinished> parents_;  // of the target, made for it
  std::deque<Unfinished> staged_;   // the staging folder, and what is in it
  std::vector<std::string> absent_;
};

}  // namespace armature::app
