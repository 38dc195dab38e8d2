#include "output_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "armature/core/error.hpp"

namespace armature {

namespace {

namespace fs = std::filesystem;

/// Temporary files that an interrupt must remove.
std::array<std::atomic<const char*>, 8> unfinished{};

extern "C" void remove_unfinished(int signal) {
  for (const auto& file : unfinished)
    if (const char* path = file.load(); path != nullptr) unlink(path);
  std::signal(signal, SIG_DFL);
  raise(signal);  // the caller sees what ended us
}

void remove_unfinished_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
    if (std::signal(signal, remove_unfinished) == SIG_IGN) std::signal(signal, SIG_IGN);  // as with nohup
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of write(), not the end
}

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

std::size_t remember(const char* path) {
  for (std::size_t slot = 0; slot < unfinished.size(); ++slot)
    if (const char* empty = nullptr; unfinished[slot].compare_exchange_strong(empty, path)) return slot;
  throw std::logic_error("more unfinished files than slots");
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : name_(path), path_(path) {
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
    if (stream_ == nullptr) refuse(path, errno);
    return;
  }
  if (fs::exists(status)) {
    if (access(path.c_str(), W_OK) != 0) refuse(path, errno);
    path_ = fs::canonical(path).string();
  }
  temporary_ = (fs::path(path_).parent_path() / ".armature-XXXXXX").string();
  remove_unfinished_on_signals();
  sigset_t all, before;  // no signal between making the file and remembering it
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before);
  const int descriptor = mkstemp(temporary_.data());
  const int reason = errno;
  if (descriptor >= 0) slot_ = remember(temporary_.c_str());
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (descriptor < 0) {
    temporary_.clear();
    refuse(path, reason);
  }
  fchmod(descriptor, permissions_for(path_));
  stream_ = fdopen(descriptor, "wb");
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::discard() {
  if (stream_ != nullptr && stream_ != stdout) std::fclose(stream_);
  stream_ = nullptr;
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  unfinished[slot_] = nullptr;
  temporary_.clear();
}

void OutputFile::write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) refuse(name_, errno);
}

void OutputFile::commit() {
  if (std::fflush(stream_) != 0) refuse(name_, errno);
  if (stream_ == stdout) return;
  std::FILE* closing = std::exchange(stream_, nullptr);
  if (std::fclose(closing) != 0) refuse(name_, errno);
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) refuse(name_, errno);
  unfinished[slot_] = nullptr;
  temporary_.clear();
}

}  // namespace armature
