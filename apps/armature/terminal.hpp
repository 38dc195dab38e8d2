// Talking to a person: warnings and errors on the error stream, a progress bar where somebody watches.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include "names.hpp"

namespace armature::app {

/// From here on what is printed on a terminal cannot act on it: control characters in names and texts are written out
/// (core/characters.hpp). Files and pipes get every byte as it is.
void guard_terminal();

/// "warning: sentence" on the error stream; in colour on a terminal unless NO_COLOR is set.
void warn(const std::string& sentence);
/// "error: sentence", likewise.
void complain(const std::string& sentence);

/// Characters that fit on a line of the standard output: COLUMNS, the terminal's width, or 80; at least 40, and at most
/// 120, beyond which lines are hard to read.
std::size_t text_width();

/// Whether somebody watches the error stream: on a terminal that can redraw a line, or, with ARMATURE_PROGRESS in the
/// environment, a program that shows the lines itself.
bool progress_is_watched();

/// "[########------------]  40 %   what   3 s left"; a share or a time that is not known (NaN) is left out.
std::string progress_line(double share, const std::string& what, double seconds_left);

/// Such a line on the terminal while something long goes on. Silent unless watched; gone when done.
class ProgressLine {
 public:
  ProgressLine() : watched_(progress_is_watched()) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  [[nodiscard]] bool watched() const { return watched_; }
  /// Draws at most ten times per second; `share` from 0 to 1.
  void update(double share, const std::string& what);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool watched_, drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_{};
};

/// How far a computation over rows is.
class Progress {
 public:
  /// `total` is what `done` counts up to; 0 where that is unknown.
  explicit Progress(std::uint64_t total) : total_(total) {}
  /// Cheap: call it for every row.
  void update(std::uint64_t done, std::uint64_t rows) {
    if (line_.watched() && rows % 256 == 0) draw(done, rows);
  }

 private:
  void draw(std::uint64_t done, std::uint64_t rows);

  std::uint64_t total_;
  ProgressLine line_;
};

}  // namespace armature::app
