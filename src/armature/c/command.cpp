// A verb of the program in a process of its own: the library is a program too (cmake/c_library.cmake), which the dynamic linker that
// loaded it runs a second time.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "armature/c/boundary.hpp"
#include "armature/c/internal/handles.hpp"
#include "armature/core/units.hpp"

extern char** environ;

namespace armature::c {

namespace {

constexpr int error_descriptor = 3;  // of the child, behind its standard streams

[[noreturn]] void refuse_start(int reason) {
  throw Error(std::string("the program cannot be started: ") + std::strerror(reason),
              "are there too many processes or open files?");
}

class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { end(); }
  void take(int number) {  // made before the old one ends
    end();
    number_ = number;
  }
  void end() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = -1;
};

/// What the child writes into one of its descriptors.
struct Stream {
  Descriptor reading, writing;
  std::string text;

  Stream() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) refuse_start(errno);
    reading.take(ends[0]);
    writing.take(ends[1]);
    writing.take(fcntl(ends[1], F_DUPFD_CLOEXEC, error_descriptor + 1));  // out of the way of those of the child
    if (writing.number() < 0) refuse_start(errno);
  }
  /// False behind the end.
  bool read_some() {
    char piece[4096];
    const ssize_t count = read(reading.number(), piece, sizeof piece);
    if (count < 0) return errno == EINTR || errno == EAGAIN;
    text.append(piece, static_cast<std::size_t>(count));
    return count > 0;
  }
};

/// The file that an address belongs to, and where that lies in memory.
Dl_info file_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0) info = {};
  return info;
}

/// The words that start the program: the dynamic linker and this library.
std::vector<std::string> program() {
  const Dl_info here = file_of(reinterpret_cast<const void*>(&armature_command));
  const Dl_info host = file_of(reinterpret_cast<const void*>(getauxval(AT_PHDR)));
  const Dl_info linker = file_of(reinterpret_cast<const void*>(getauxval(AT_BASE)));
  if (!here.dli_fname || !linker.dli_fname || here.dli_fbase == host.dli_fbase)
    throw Error("verbs are run by libarmature.so, and this is a program that holds it",
                "link the shared library, or call armature_main()");
  return {linker.dli_fname, here.dli_fname};
}

/// The child, which is ended where nobody waits for it any more.
class Child {
 public:
  Child(std::vector<std::string> words, std::array<Stream, 3>& streams, bool watched) {
    std::vector<std::string> variables{"ARMATURE_ERROR=" + std::to_string(error_descriptor)};
    if (watched) variables.emplace_back("ARMATURE_PROGRESS=1");
    std::vector<char*> arguments, environment;
    for (std::string& word : words) arguments.push_back(word.data());
    for (char** variable = environ; variable && *variable; ++variable)
      if (std::strncmp(*variable, "ARMATURE_ERROR=", 15) != 0 && std::strncmp(*variable, "ARMATURE_PROGRESS=", 18) != 0)
        environment.push_back(*variable);
    for (std::string& variable : variables) environment.push_back(variable.data());
    arguments.push_back(nullptr);
    environment.push_back(nullptr);

    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    for (int k = 0; k < 3; ++k)
      posix_spawn_file_actions_adddup2(&files, streams[k].writing.number(), STDOUT_FILENO + k);
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&usual, signal);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    // a session of its own: Ctrl-C is heard by the caller alone, who passes it on
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int failure =
        posix_spawn(&id_, words.front().c_str(), &files, &attributes, arguments.data(), environment.data());
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (failure != 0) {
      id_ = 0;
      refuse_start(failure);
    }
    for (Stream& stream : streams) stream.writing.end();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (id_ == 0) return;
    kill(id_, SIGKILL);
    (void)wait();
  }
  void tell(int signal) const { kill(id_, signal); }
  /// Its exit code; -1 where a signal ended it.
  int wait() {
    int status = 0;
    while (waitpid(id_, &status, 0) < 0)
      if (errno != EINTR) {  // the host takes its children itself
        status = 0;
        break;
      }
    id_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t id_ = 0;
};

/// What stands on the error stream: sentences, each with the lines that go on below it, and how far the work is.
class Messages {
 public:
  void read(const std::string& text) {
    for (; next_ < text.size(); ++next_) {
      const char c = text[next_];
      if (c != '\n' && c != '\r') {
        line_ += c;
        continue;
      }
      end_line();
    }
    if (line_.starts_with(clear)) note_share();
  }
  void end_line() {
    if (line_.starts_with(clear)) {
      note_share();
      line_.erase(0, clear.size());  // a sentence may stand where a bar was
      if (line_.starts_with('[')) line_.clear();
    }
    if (line_.empty()) return;
    if (line_.starts_with("  ") && !sentences.empty()) {
      sentences.back() += "\n" + line_;
    } else {
      sentences.push_back(line_);
    }
    line_.clear();
  }
  std::vector<std::string> sentences;
  double share = std::numeric_limits<double>::quiet_NaN();

 private:
  static constexpr std::string_view clear = "\033[K";
  /// "[####----]  43 %   what"
  void note_share() {
    const std::size_t bracket = line_.find(']'), percent = line_.find(" %");
    if (bracket == std::string::npos || percent == std::string::npos || percent < bracket) return;
    if (const auto number = parse_double(trimmed(line_.substr(bracket + 1, percent - bracket - 1))))
      share = *number / 100;
  }
  static std::string trimmed(std::string text) {
    text.erase(0, text.find_first_not_of(' '));
    return text;
  }
  std::size_t next_ = 0;
  std::string line_;
};

std::string without(const std::string& prefix, const std::string& sentence) { return sentence.substr(prefix.size()); }

/// The error that the child told of, by its parts.
Error told_error(const std::string& parts) {
  const auto told = nlohmann::json::parse(parts, nullptr, false);
  const auto part = [&](const char* name) {
    return told.is_object() && told.contains(name) && told[name].is_string() ? told[name].get<std::string>() : "";
  };
  return Error(part("finding"), part("hint"), Place{part("place")});
}

}  // namespace

}  // namespace armature::c

using namespace armature::c;

armature_status armature_command(const char* const* words, size_t count, armature_progress progress, void* user,
                                 armature_result** result) {
  return guarded([&] {
    armature_result*& out = needed(result, "result");
    std::vector<std::string> command = program();
    for (std::size_t i = 0; i < count; ++i) command.emplace_back(&needed((&needed(words, "words"))[i], "words[i]"));
    std::array<Stream, 3> streams;
    auto& [printed, said, error] = streams;
    Child child(std::move(command), streams, progress != nullptr);
    Messages messages;
    int wish = 0;
    for (int open = 3; open > 0;) {
      std::array<pollfd, 3> ends{};
      for (std::size_t k = 0; k < 3; ++k) ends[k] = {streams[k].reading.number(), POLLIN, 0};
      const int ready = poll(ends.data(), ends.size(), 100);
      if (ready < 0 && errno != EINTR) refuse_start(errno);
      for (std::size_t k = 0; ready > 0 && k < 3; ++k)
        if (ends[k].revents != 0 && !streams[k].read_some()) {
          streams[k].reading.end();
          --open;
        }
      messages.read(said.text);
      const int asked = progress ? progress(user, messages.share) : 0;
      if (asked > wish) child.tell(asked > 1 ? SIGKILL : SIGINT);
      wish = std::max(wish, asked != 0 ? std::max(asked, 1) : 0);
    }
    messages.end_line();
    const int code = child.wait();

    std::vector<std::string> warnings, complaints;
    for (const std::string& sentence : messages.sentences) {
      if (sentence.starts_with("warning: ")) warnings.push_back(without("warning: ", sentence));
      if (sentence.starts_with("error: ")) complaints.push_back(without("error: ", sentence));
    }
    const bool silent = printed.text.find_first_not_of(" \n") == std::string::npos;
    if (wish != 0 && silent) throw Stopped{};
    if (code == 2 && wish == 0 && !error.text.empty()) throw told_error(error.text);
    if (code != 0 && silent) {
      const std::string sentence = complaints.empty() ? "" : complaints.back();
      if (code != 1 && code != 2)
        throw std::runtime_error(sentence.empty() ? "the program ended before its time" : sentence);
      constexpr std::string_view hint = "\n  hint: ";
      const std::size_t at = std::min(sentence.find(hint), sentence.size());
      throw Error(sentence.substr(0, at), at < sentence.size() ? sentence.substr(at + hint.size()) : "");
    }
    if (code == 1) warnings.insert(warnings.end(), complaints.begin(), complaints.end());
    auto made = std::make_unique<armature_result>();
    made->text = std::move(printed.text);
    const nlohmann::ordered_json answer{{"code", code}, {"complete", wish == 0}, {"warnings", warnings}};
    made->json = answer.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    out = made.release();
  });
}
