// Talking to a person: warnings and errors on the error stream, a progress bar where somebody watches.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace armature {

/// "warning: sentence" on the error stream; in colour on a terminal unless NO_COLOR is set.
void warn(const std::string& sentence);
/// "error: sentence", likewise.
void complain(const std::string& sentence);

/// Whether somebody watches the error stream on a terminal that can redraw a line.
bool progress_is_watched();

/// A line that says how far a long computation is and how long it will still take. Silent unless watched; gone when done.
class Progress {
 public:
  /// `total` is what `done` counts up to; 0 where that is unknown.
  explicit Progress(std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Cheap: call it for every row.
  void update(std::uint64_t done, std::uint64_t rows) {
    if (watched_ && rows % 256 == 0) draw(done, rows);
  }

 private:
  using Clock = std::chrono::steady_clock;
  void draw(std::uint64_t done, std::uint64_t rows);

  std::uint64_t total_;
  bool watched_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

/// "[########------------]  40 %   1200000 rows   3 s left"; without bar and time where the total is unknown.
std::string progress_line(std::uint64_t done, std::uint64_t total, std::uint64_t rows, double elapsed_seconds);

}  // namespace armature
