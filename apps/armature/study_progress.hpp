// How far a study is, and how long it and those after it will still take.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "names.hpp"
#include "study.hpp"

namespace armature::app {

/// How much of a study is done, from what it took to come to its last milestone.
class StudyClock {
 public:
  explicit StudyClock(const Study& study) : study_(study), total_(study.seconds) {}
  /// A step begins after so many seconds.
  void step(const std::string& name, double elapsed);
  /// Between the last milestone and the next one, by the time that has gone.
  [[nodiscard]] double share(double elapsed) const;
  /// How long it takes in all, as far as that can be said now [s].
  [[nodiscard]] double total() const { return total_; }

 private:
  const Study& study_;
  double total_;
  double from_ = 0, to_ = 1;
};

/// Draws the line on a terminal, at once and then twice a second, while the study computes. Silent unless watched.
class StudyProgress {
 public:
  /// `before` says which of how many: "2 of 6"; `later` is what the studies after this one take by their own account [s].
  StudyProgress(const Study& study, std::string before, double later);
  ~StudyProgress();
  StudyProgress(const StudyProgress&) = delete;
  StudyProgress& operator=(const StudyProgress&) = delete;
  void step(const std::string& name);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void draw();

  const Study& study_;
  std::string before_, step_ = "begins";
  double later_;
  Clock::time_point start_ = Clock::now();
  std::mutex mutex_;  // the lines below, and the terminal
  StudyClock clock_;
  bool done_ = false;
  std::condition_variable finished_;
  std::thread drawer_;
};

}  // namespace armature::app
