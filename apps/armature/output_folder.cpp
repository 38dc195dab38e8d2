#include "output_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "armature/core/error.hpp"

namespace armature::app {

namespace {

namespace fs = std::filesystem;

constexpr const char* replaced = ".replaced";  // in the staging folder: what goes, until all has come

[[noreturn]] void refuse(const std::string& folder, const char* what, int reason) {
  throw Error(fmt::format("{}: {}", what, std::strerror(reason)),
              reason == ENOSPC || reason == EDQUOT ? "the disk is full" : "choose another folder", {folder});
}
[[noreturn]] void refuse_to_make(const std::string& folder, int reason) {
  refuse(folder, "the folder cannot be made", reason);
}

/// Its entries are on the disk. A file system that cannot say so is taken at its word.
void sync_folder(const fs::path& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

/// Two programs that write into one folder do so one after the other.
class Lock {
 public:
  explicit Lock(const fs::path& folder) : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY)) {
    if (descriptor_ >= 0) flock(descriptor_, LOCK_EX);
  }
  ~Lock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int descriptor_;
};

}  // namespace

OutputFolder::OutputFolder(const std::string& folder) : name_(folder) {
  if (folder.empty()) throw Error("the name of the output folder is empty", "name a folder");
  std::error_code failed;
  target_ = fs::weakly_canonical(fs::absolute(folder), failed);
  if (failed) refuse_to_make(name_, failed.value());
  if (!target_.has_filename()) target_ = target_.parent_path();  // "out/"
  const fs::file_status status = fs::status(target_, failed);
  if (fs::exists(status) && !fs::is_directory(status)) refuse_to_make(name_, ENOTDIR);
  const bool there = fs::is_directory(status);
  std::vector<fs::path> missing;
  for (fs::path up = target_.parent_path(); !there && !fs::exists(up, failed) && up.has_relative_path();
       up = up.parent_path())
    missing.push_back(up);
  remove_unfinished_on_signals();
  const SignalsBlocked quiet;  // between making a folder and remembering it
  const auto give_up = [&] {
    const int reason = errno;
    for (; !parents_.empty(); parents_.pop_back()) rmdir(parents_.back().path().c_str());
    there ? refuse(name_, "cannot be written to", reason) : refuse_to_make(name_, reason);
  };
  for (auto up = missing.rbegin(); up != missing.rend(); ++up) {
    if (mkdir(up->c_str(), 0777) != 0) give_up();
    parents_.emplace_back(up->string());
  }
  const std::string staging = make_temporary_folder(there ? target_ : target_.parent_path());
  if (staging.empty()) give_up();
  staging_ = staging;
  staged_.emplace_back(staging);
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!staging_.empty()) fs::remove_all(staging_, ignored);
  while (!staged_.empty()) staged_.pop_back();
  for (; !parents_.empty(); parents_.pop_back()) rmdir(parents_.back().path().c_str());
}

std::string OutputFolder::path_of(const std::string& name) const { return (fs::path(name_) / name).string(); }

OutputFile OutputFolder::file(const std::string& name) {
  const fs::path path = staging_ / name;
  if (const fs::path folder = path.parent_path(); folder != staging_ && !fs::exists(folder)) {
    const SignalsBlocked quiet;
    if (mkdir(folder.c_str(), 0777) != 0)
      refuse(path_of(fs::path(name).parent_path().string()), "the folder cannot be made", errno);
    staged_.emplace_back(folder.string());
  }
  staged_.emplace_back(path.string());
  return OutputFile(path.string(), path_of(name));
}

void OutputFolder::write(const std::string& name, const std::string& text) {
  OutputFile out = file(name);
  out.write(text);
  out.commit();
}

/// A free name for something that goes.
fs::path OutputFolder::aside(Renames& back) {
  fs::create_directory(staging_ / replaced);
  return staging_ / replaced / std::to_string(back.size());
}

/// Gives a finished file or folder its name; `back` undoes it.
void OutputFolder::move_in(const fs::path& from, const fs::path& to, Renames& back) {
  struct stat old {};
  const bool replaces = lstat(to.c_str(), &old) == 0;
  std::pair<fs::path, fs::path> undo{to, from};
  if (replaces) {
    if (!S_ISREG(old.st_mode) && !S_ISLNK(old.st_mode)) refuse(to.string(), "cannot be replaced", EISDIR);
    if (access(to.c_str(), W_OK) != 0 && errno != ENOENT) refuse(to.string(), "cannot be written", errno);
    if (S_ISREG(old.st_mode)) chmod(from.c_str(), old.st_mode & 07777U);
    undo = {aside(back), to};
    if (link(to.c_str(), undo.first.c_str()) != 0) undo = {};  // a file system without: no way back from here
  }
  if (std::rename(from.c_str(), to.c_str()) != 0) refuse(to.string(), "cannot be written", errno);
  if (!undo.first.empty()) back.push_back(std::move(undo));
}

/// Folders that are there already are entered, everything else is moved in whole.
void OutputFolder::replace(const fs::path& from, const fs::path& to, Renames& back) {
  std::vector<fs::path> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  for (const fs::path& name : names) {
    if (name == replaced) continue;
    if (fs::is_directory(from / name) && fs::is_directory(to / name))
      replace(from / name, to / name, back);
    else
      move_in(from / name, to / name, back);
  }
}

void OutputFolder::commit() {
  for (const Unfinished& path : staged_)
    if (fs::is_directory(path.path())) sync_folder(path.path());
  const SignalsBlocked quiet;
  if (!fs::exists(target_) && std::rename(staging_.c_str(), target_.c_str()) == 0) {
    staging_.clear();
  } else {
    const Lock lock(target_);
    Renames back;
    try {
      for (const std::string& name : absent_)
        if (fs::is_regular_file(fs::symlink_status(target_ / name))) {
          const fs::path gone = aside(back);
          if (std::rename((target_ / name).c_str(), gone.c_str()) != 0)
            refuse(path_of(name), "cannot be replaced", errno);
          back.emplace_back(gone, target_ / name);
        }
      replace(staging_, target_, back);
    } catch (...) {
      for (auto undo = back.rbegin(); undo != back.rend(); ++undo)
        std::rename(undo->first.c_str(), undo->second.c_str());
      throw;
    }
    sync_folder(target_);
    fs::remove_all(staging_);
    staging_.clear();
  }
  sync_folder(target_.parent_path());
  staged_.clear();
  parents_.clear();
}

}  // namespace armature::app
