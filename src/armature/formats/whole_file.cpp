#include "armature/formats/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>

#include "armature/core/error.hpp"

namespace armature::formats {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, int reason) {
  const char* hint = reason == ENOENT                       ? "does the folder exist?"
                     : reason == ENOSPC || reason == EDQUOT ? "the disk is full"
                     : reason == EACCES || reason == EROFS  ? "choose a place where you may write"
                                                            : "choose another file";
  throw Error(fmt::format("cannot be written: {}", std::strerror(reason)), hint, {path});
}

/// Calls make(path), which fails with EEXIST where something has that name already, with new names until one is free. Unlike mkstemp,
/// open and mkdir give the permissions that the user's mask asks for.
template <class Make>
int with_fresh_name(const fs::path& folder, std::string& path, Make make) {
  std::random_device random;
  int made = -1;
  do {
    path = (folder / fmt::format(".armature-{:08x}", random())).string();
    made = make(path.c_str());
  } while (made < 0 && errno == EEXIST);
  return made;
}

}  // namespace

WholeFile::WholeFile(const std::string& path, std::string name) : name_(std::move(name)), path_(path) {
  if (path.empty()) throw Error("the name of the output file is empty", "name a file, or - for the standard output");
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
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
  const int descriptor = with_fresh_name(fs::path(path_).parent_path(), temporary_, [](const char* temporary) {
    return open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  });
  if (descriptor < 0) {
    temporary_.clear();
    refuse(name_, errno);
  }
  struct stat replaced {};
  if (stat(path_.c_str(), &replaced) == 0) fchmod(descriptor, replaced.st_mode & 07777U);
  stream_ = fdopen(descriptor, "wb");
}

WholeFile::~WholeFile() {
  if (stream_ != nullptr) std::fclose(stream_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void WholeFile::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) refuse(name_, errno);
}

void WholeFile::commit() {
  if (std::fflush(stream_) != 0) refuse(name_, errno);
  if (!temporary_.empty() && fsync(fileno(stream_)) != 0 && errno != EINVAL) refuse(name_, errno);  // before its name
  if (std::fclose(std::exchange(stream_, nullptr)) != 0) refuse(name_, errno);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) refuse(name_, errno);
  temporary_.clear();
}

void write_whole_file(const std::string& path, const std::string& text) {
  WholeFile file(path, path);
  file.write(text);
  file.commit();
}

std::string make_temporary_folder(const std::string& parent) {
  std::string path;
  return with_fresh_name(parent, path, [](const char* folder) { return mkdir(folder, 0777); }) == 0 ? path : "";
}

}  // namespace armature::formats
