#include "armature/report/braille.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace armature::report {

namespace {

std::string utf8(char32_t c) {
  std::string out;
  out += static_cast<char>(0xE0 | (c >> 12));
  out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
  out += static_cast<char>(0x80 | (c & 0x3F));
  return out;
}

/// Least and greatest finite value; {1, -1} where there is none.
std::pair<double, double> range(std::span<const double> values) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const double v : values)
    if (std::isfinite(v)) {
      low = std::min(low, v);
      high = std::max(high, v);
    }
  return low <= high ? std::pair{low, high} : std::pair{1.0, -1.0};
}

std::string brief(double value) { return fmt::format("{:.3g}", value == 0 ? 0.0 : value); }

/// A sheet of dots, two by four a character, y upwards.
class Sheet {
 public:
  Sheet(int width, int height) : width_(width), height_(height), cells_(static_cast<std::size_t>(width * height)) {}
  void dot(int x, int y) {
    if (x < 0 || y < 0 || x >= 2 * width_ || y >= 4 * height_) return;
    const int row = height_ - 1 - y / 4, within = 3 - y % 4;
    constexpr unsigned bits[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    cells_[row * width_ + x / 2] |= bits[x % 2][within];
  }
  void line(double x0, double y0, double x1, double y1) {
    const int steps = std::max(1, static_cast<int>(std::ceil(std::max(std::abs(x1 - x0), std::abs(y1 - y0)))));
    for (int k = 0; k <= steps; ++k) {
      const double part = static_cast<double>(k) / steps;
      dot(static_cast<int>(std::lround(x0 + part * (x1 - x0))), static_cast<int>(std::lround(y0 + part * (y1 - y0))));
    }
  }
  [[nodiscard]] std::string row(int i) const {
    std::string text;
    for (int c = 0; c < width_; ++c) text += utf8(0x2800 + cells_[i * width_ + c]);
    return text;
  }

 private:
  int width_, height_;
  std::vector<unsigned> cells_;
};

}  // namespace

std::string sparkline(std::span<const double> values, int width) {
  const auto [low, high] = range(values);
  if (low > high || width < 1) return std::string(static_cast<std::size_t>(std::max(0, width)), ' ');
  std::string text;
  const std::size_t n = values.size();
  std::vector<double> sorted;
  std::copy_if(values.begin(), values.end(), std::back_inserter(sorted), [](double v) { return std::isfinite(v); });
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  const double usual = sorted[sorted.size() / 2];
  for (int c = 0; c < width; ++c) {
    const std::size_t from = static_cast<std::size_t>(c) * n / static_cast<std::size_t>(width);
    const std::size_t to = std::max(from + 1, static_cast<std::size_t>(c + 1) * n / static_cast<std::size_t>(width));
    const auto [least, greatest] = range(values.subspan(from, std::min(to, n) - from));
    if (least > greatest) {
      text += ' ';
      continue;
    }
    const double far = greatest - usual > usual - least ? greatest : least;  // what sticks out
    const int level = high > low ? std::clamp(static_cast<int>((far - low) / (high - low) * 8), 0, 7) : 3;
    text += utf8(static_cast<char32_t>(0x2581 + level));
  }
  return text;
}

std::string braille_plot(std::span<const double> x, std::span<const double> y, const BrailleSettings& s) {
  const auto [low, high] = range(y);
  const std::size_t n = std::min(x.size(), y.size());
  if (low > high || n < 2 || !(x[n - 1] > x[0])) return {};
  Sheet sheet(s.width, s.height);
  const double span = high > low ? high - low : 1, floor = high > low ? low : low - 0.5;
  const auto column = [&](std::size_t i) { return (x[i] - x[0]) / (x[n - 1] - x[0]) * (2 * s.width - 1); };
  const auto level = [&](std::size_t i) { return (y[i] - floor) / span * (4 * s.height - 1); };
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (std::isfinite(y[i]))
      sheet.dot(static_cast<int>(std::lround(column(i))), static_cast<int>(std::lround(level(i))));
    if (std::isfinite(y[i]) && std::isfinite(y[i + 1])) sheet.line(column(i), level(i), column(i + 1), level(i + 1));
  }
  const std::string top = brief(high), bottom = brief(low);
  const std::size_t margin = std::max(top.size(), bottom.size());
  std::string text;
  for (int r = 0; r < s.height; ++r)
    text += fmt::format("{}{:>{}} {}\n", s.indent,
                        r == 0              ? top
                        : r == s.height - 1 ? bottom
                                            : "",
                        margin, sheet.row(r));
  const std::string begin = brief(x[0]), end = fmt::format("{} {}", brief(x[n - 1]), s.x_unit);
  text += fmt::format("{}{:>{}} {:<{}}{}\n", s.indent, "", margin, begin,
                      std::max<std::size_t>(begin.size() + 1, static_cast<std::size_t>(s.width) - end.size()), end);
  return text;
}

}  // namespace armature::report
