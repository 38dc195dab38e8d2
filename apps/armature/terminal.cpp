#include "terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "armature/core/characters.hpp"

namespace armature::app {

namespace {

bool error_stream_is_terminal() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

/// [no-color.org]: any value that is not empty switches colour off.
bool colour_is_welcome() {
  const char* no_color = std::getenv("NO_COLOR");
  return error_stream_is_terminal() && (no_color == nullptr || *no_color == '\0');
}

void say(std::string_view kind, std::string_view colour, const std::string& text) {
  const std::string sentence = visible(text, "\n\t");  // it may name a file or quote one
  std::fflush(stdout);                                 // keep the order of what a terminal shows
  if (colour_is_welcome())
    fmt::print(stderr, "\033[{}m{}:\033[0m {}\n", colour, kind, sentence);
  else
    fmt::print(stderr, "{}: {}\n", kind, sentence);
}

std::string duration_text(double seconds) {
  const auto s = static_cast<long>(std::ceil(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s / 60 % 60);
}

/// What stdio hands over for the terminal, less a character that is cut in two: its other half comes with the next piece.
ssize_t write_visibly(void*, const char* data, std::size_t size) {
  static std::string held;
  const std::string text = held + std::string(data, size);
  std::size_t whole = text.size();
  for (std::size_t k = 1; k <= 3 && k <= text.size(); ++k) {
    const auto byte = static_cast<unsigned char>(text[text.size() - k]);
    if ((byte & 0xC0) == 0x80) continue;  // goes on a character
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    if (length > k) whole = text.size() - k;
    break;
  }
  held = text.substr(whole);
  const std::string shown = visible(std::string_view(text).substr(0, whole), "\n\t");
  for (std::size_t done = 0; done < shown.size();) {
    const ssize_t count = write(STDOUT_FILENO, shown.data() + done, shown.size() - done);
    if (count < 0 && errno != EINTR) return 0;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return static_cast<ssize_t>(size);
}

}  // namespace

void guard_terminal() {
  if (isatty(STDOUT_FILENO) == 0) return;
  cookie_io_functions_t functions{};
  functions.write = write_visibly;
  std::FILE* guarded = fopencookie(nullptr, "w", functions);
  if (guarded == nullptr) return;
  std::setvbuf(guarded, nullptr, _IOLBF, 1 << 14);
  stdout = guarded;
}

void warn(const std::string& sentence) { say("warning", "33", sentence); }
void complain(const std::string& sentence) { say("error", "31", sentence); }

std::size_t text_width() {
  const char* columns = std::getenv("COLUMNS");
  long width = columns != nullptr ? std::strtol(columns, nullptr, 10) : 0;
  winsize size{};
  if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
  return width <= 0 ? 80 : static_cast<std::size_t>(std::clamp(width, 40L, 120L));
}

bool progress_is_watched() { return error_stream_is_terminal() || std::getenv("ARMATURE_PROGRESS") != nullptr; }

std::string progress_line(double share, const std::string& what, double seconds_left) {
  if (std::isnan(share)) return visible(what);
  const double part = std::clamp(share, 0.0, 1.0);
  constexpr int width = 30;
  const int filled = static_cast<int>(part * width);
  std::string line = fmt::format("[{:#>{}}{:->{}}] {:3.0f} %   {}", "", filled, "", width - filled,
                                 std::floor(100 * part), visible(what));
  if (!std::isnan(seconds_left)) line += fmt::format("   {} left", duration_text(seconds_left));
  return line;
}

void ProgressLine::update(double share, const std::string& what) {
  const Clock::time_point now = Clock::now();
  if (!watched_ || (drawn_ && now - last_ < std::chrono::milliseconds(100))) return;
  last_ = now;
  drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r\033[K{}",
             progress_line(share, what, share > 0 ? elapsed * (1 - share) / share : std::nan("")));
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::draw(std::uint64_t done, std::uint64_t rows) {
  const double share = total_ == 0 ? std::nan("") : static_cast<double>(done) / static_cast<double>(total_);
  line_.update(share, fmt::format("{} rows", rows));
}

}  // namespace armature::app
