#include "unfinished.hpp"

#include <unistd.h>

#include <utility>

namespace armature::app {

struct UnfinishedList {
  static std::atomic<Unfinished*> latest;

  static void remove_all() {
    for (const Unfinished* u = latest.load(); u != nullptr; u = u->older_)
      if (unlink(u->path_.c_str()) != 0) rmdir(u->path_.c_str());
  }
  static void forget(Unfinished* finished) {
    Unfinished* u = latest.load();
    if (u == finished) {
      latest = finished->older_;
      return;
    }
    while (u->older_ != finished) u = u->older_;
    u->older_ = finished->older_;
  }
  static void remember(Unfinished* unfinished) {
    unfinished->older_ = latest.load();
    latest = unfinished;
  }
};
std::atomic<Unfinished*> UnfinishedList::latest = nullptr;

namespace {

std::atomic<bool> interrupted = false;

extern "C" void remove_unfinished(int signal) {
  UnfinishedList::remove_all();
  std::signal(signal, SIG_DFL);
  raise(signal);  // the caller sees what ended us
}
extern "C" void note_interrupt(int) {
  interrupted = true;
  std::signal(SIGINT, remove_unfinished);
}

/// A signal that is ignored, as under nohup, stays ignored.
void handle(int signal, void (*handler)(int)) {
  if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace

Unfinished::Unfinished(std::string path) : path_(std::move(path)) {
  const SignalsBlocked quiet;
  UnfinishedList::remember(this);
}
Unfinished::~Unfinished() {
  const SignalsBlocked quiet;
  UnfinishedList::forget(this);
}

void remove_unfinished_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) handle(signal, remove_unfinished);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of write(), not the end
}

const std::atomic<bool>& keep_on_interrupt() {
  handle(SIGINT, note_interrupt);
  return interrupted;
}

}  // namespace armature::app
