#include "child_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>

namespace armature::app {

namespace {

/// In the child, between fork and exec: calls that are allowed there only.
[[noreturn]] void become(char* const* words, int output, const ChildLimits& limits) {
  const auto limit = [](auto what, std::size_t most) {
    const rlimit both{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
    setrlimit(what, &both);
  };
  limit(RLIMIT_CPU, static_cast<std::size_t>(std::ceil(limits.seconds)));
  limit(RLIMIT_AS, limits.memory);
  limit(RLIMIT_FSIZE, 0);  // pipes are no files
  limit(RLIMIT_CORE, 0);
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDERR_FILENO);
  dup2(output, STDOUT_FILENO);
  execv(words[0], words);
  _exit(127);
}

}  // namespace

ChildOutput child_output(const std::vector<std::string>& command, const ChildLimits& limits) {
  ChildOutput result;
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    result.why = "could not be started";
    return result;
  }
  const pid_t child = fork();
  if (child == 0) become(words.data(), ends[1], limits);
  close(ends[1]);
  if (child < 0) return close(ends[0]), result.why = "could not be started", result;

  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(limits.seconds);
  for (char block[65536]; result.why.empty();) {
    const double left = std::chrono::duration<double>(deadline - std::chrono::steady_clock::now()).count();
    pollfd waiting{ends[0], POLLIN, 0};
    const int ready = left > 0 ? poll(&waiting, 1, static_cast<int>(std::ceil(1e3 * left))) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      result.why = fmt::format("took more than {:.3g} s", limits.seconds);
      break;
    }
    const ssize_t got = read(ends[0], block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // it is done
    result.text.append(block, static_cast<std::size_t>(got));
    if (result.text.size() > limits.output) result.why = "is too large";
  }
  close(ends[0]);
  if (!result.why.empty()) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  result.ended = result.why.empty() && WIFEXITED(status) && WEXITSTATUS(status) != 127;
  if (!result.ended && result.why.empty())
    result.why = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU
                     ? fmt::format("took more than {:.3g} s", limits.seconds)
                     : "made its reader fail";
  return result;
}

}  // namespace armature::app
