#include "output_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "armature/core/error.hpp"

namespace armature::app {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, int reason) {
  const char* hint = reason == ENOENT                       ? "does the folder exist?"
                     : reason == ENOSPC || reason == EDQUOT ? "the disk is full"
                     : reason == EACCES || reason == EROFS  ? "choose a place where you may write"
                                                            : "choose another file";
  throw Error(fmt::format("cannot be written: {}", std::strerror(reason)), hint, {path});
}

/// The permissions a new file gets, or those of the file it replaces.
mode_t permissions_for(const fs::path& path) {
  struct stat existing {};
  if (stat(path.c_str(), &existing) == 0) return existing.st_mode & 07777U;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666U & ~mask;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : OutputFile(path, path) {}

OutputFile::OutputFile(const std::string& path, const std::string& name) : name_(name), path_(path) {
  if (path == "-") {
    name_ = "standard output";
    stream_ = stdout;
    return;
  }
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (path.empty()) throw Error("the name of the output file is empty", "name a file, or - for the standard output");
  if (fs::is_directory(status))
    throw Error("is a folder", fmt::format("name a file in it, e.g. {}", (fs::path(path) / "result.csv").string()),
                {path});
  if (fs::exists(status) && !fs::is_regular_file(status)) {  // a device or a pipe
    stream_ = std::fopen(path.c_str(), "wb");
    if (stream_ == nullptr) refuse(name_, errno);
    return;
  }
  if (fs::exists(status)) {
    if (access(path.c_str(), W_OK) != 0) refuse(name_, errno);
    path_ = fs::canonical(path).string();
  }
  std::string temporary = (fs::path(path_).parent_path() / ".armature-XXXXXX").string();
  remove_unfinished_on_signals();
  const SignalsBlocked quiet;  // between making the file and remembering it
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) refuse(name_, errno);
  temporary_.emplace(temporary);
  fchmod(descriptor, permissions_for(path_));
  stream_ = fdopen(descriptor, "wb");
}

OutputFile::~OutputFile() {
  if (stream_ != nullptr && stream_ != stdout) std::fclose(stream_);
  if (temporary_) unlink(temporary_->path().c_str());
}

void OutputFile::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) refuse(name_, errno);
}

void OutputFile::commit() {
  if (std::fflush(stream_) != 0) refuse(name_, errno);
  if (stream_ == stdout) return;
  if (temporary_ && fsync(fileno(stream_)) != 0 && errno != EINVAL) refuse(name_, errno);  // before it gets its name
  std::FILE* closing = std::exchange(stream_, nullptr);
  if (std::fclose(closing) != 0) refuse(name_, errno);
  if (!temporary_) return;
  if (std::rename(temporary_->path().c_str(), path_.c_str()) != 0) refuse(name_, errno);
  temporary_.reset();
}

}  // namespace armature::app
