// What an interrupt must remove: files and folders that are not finished.
#pragma once

#include <atomic>
#include <csignal>
#include <string>
#include "names.hpp"

namespace armature::app {

/// A path that an interrupt removes for as long as this object lives, the latest one first: files go before their folder, and
/// a folder in which something else lies stays.
class Unfinished {
 public:
  explicit Unfinished(std::string path);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  friend struct UnfinishedList;
  std::string path_;
  Unfinished* older_ = nullptr;
};

/// From now on INT, TERM, HUP, QUIT and PIPE remove what is unfinished and then end the program as they always do.
void remove_unfinished_on_signals();

/// From now on the first Ctrl-C sets the flag that is returned, so that work can end and keep what it has; a second one ends
/// the program at once, and nothing unfinished is left.
const std::atomic<bool>& keep_on_interrupt();

/// No signal arrives on this thread while this object lives.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace armature::app
