#include "study_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "terminal.hpp"

namespace armature::app {

void StudyClock::step(const std::string& name, double elapsed) {
  const auto& marks = study_.milestones;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (!name.starts_with(marks[i].step) || marks[i].share <= from_) continue;
    from_ = marks[i].share;
    to_ = i + 1 < marks.size() ? marks[i + 1].share : 1;
    total_ = elapsed / from_;
    return;
  }
  if (from_ == 0 && !marks.empty()) to_ = marks.front().share;
}

double StudyClock::share(double elapsed) const { return std::clamp(elapsed / total_, from_, to_); }

StudyProgress::StudyProgress(const Study& study, std::string before, double later)
    : study_(study), before_(std::move(before)), later_(later), clock_(study) {
  if (!progress_is_watched()) return;
  drawer_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    do draw();
    while (!finished_.wait_for(lock, std::chrono::milliseconds(500), [&] { return done_; }));
  });
}

StudyProgress::~StudyProgress() {
  if (!drawer_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  finished_.notify_one();
  drawer_.join();
  std::fputs("\r\033[K", stderr);
}

void StudyProgress::step(const std::string& name) {
  if (!drawer_.joinable()) return;
  const std::lock_guard lock(mutex_);
  step_ = name;
  clock_.step(name, elapsed());
}

/// The bar is this study's; the time left includes those after it, as much slower or faster than announced as this one.
void StudyProgress::draw() {
  const double now = elapsed(), whole = clock_.total() + later_ * clock_.total() / study_.seconds;
  const double left = std::max(whole - now, (1 - clock_.share(now)) * clock_.total());
  fmt::print(stderr, "\r\033[K{}",
             progress_line(clock_.share(now), fmt::format("{}{}: {}", before_, study_.name, step_), left));
  std::fflush(stderr);
}

}  // namespace armature::app
