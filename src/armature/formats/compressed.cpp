#include "armature/formats/compressed.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

extern char** environ;

namespace armature {

File open_maybe_compressed(const std::string& path) {
  File plain(std::fopen(path.c_str(), "rb"));
  if (!plain) throw FormatError(fmt::format("cannot be read: {}", std::strerror(errno)), "is the path right?", {path});
  if (!path.ends_with(".xz")) return plain;
  File unpacked(std::tmpfile());
  if (!unpacked)
    throw FormatError(fmt::format("no temporary file: {}", std::strerror(errno)), "is the disk full?", {path});
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(plain.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(unpacked.get()), STDOUT_FILENO);
  char program[] = "xz", option[] = "-dc";
  char* arguments[] = {program, option, nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, program, &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    throw FormatError(fmt::format("cannot be unpacked: {}", std::strerror(failed)),
                      "install xz-utils, or unpack it yourself", {path});
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw FormatError("cannot be unpacked", "is it complete? try xz -t", {path});
  std::rewind(unpacked.get());
  return unpacked;
}

}  // namespace armature
