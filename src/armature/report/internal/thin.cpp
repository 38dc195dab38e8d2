#include "armature/report/internal/thin.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace armature::report {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// First rows of the pieces between gaps, and the number of rows at the end.
std::vector<std::size_t> pieces(const std::vector<double>& time) {
  std::vector<std::size_t> starts{0};
  if (time.size() > 2) {
    std::vector<double> steps;
    const std::size_t stride = 1 + time.size() / 10000;  // a sample of the steps tells the usual one
    for (std::size_t i = 1; i < time.size(); i += stride) steps.push_back(time[i] - time[i - 1]);
    std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
    const double usual = steps[steps.size() / 2];
    for (std::size_t i = 1; i < time.size(); ++i)
      if (time[i] - time[i - 1] > 5 * usual) starts.push_back(i);
    if (starts.size() > 1 + time.size() / 20) starts.resize(1);  // sampled irregularly: these are no gaps
  }
  starts.push_back(time.size());
  return starts;
}

/// The least and the greatest of a piece of a channel, in the order in which they come.
std::pair<double, double> extremes(const std::vector<double>& values, std::size_t from, std::size_t to) {
  std::size_t least = to, greatest = to;
  for (std::size_t i = from; i < to; ++i) {
    if (!std::isfinite(values[i])) continue;
    if (least == to || values[i] < values[least]) least = i;
    if (greatest == to || values[i] > values[greatest]) greatest = i;
  }
  if (least == to) return {nan, nan};
  return least < greatest ? std::pair{values[least], values[greatest]} : std::pair{values[greatest], values[least]};
}

}  // namespace

Thinned thinned(const Log& log, std::size_t limit) {
  Thinned out;
  out.values.resize(log.channels.size());
  const std::size_t rows = log.time.size();
  out.extremes = rows > limit;
  const std::size_t length = out.extremes ? (2 * rows + limit - 1) / limit : 1;  // rows an interval
  const std::vector<std::size_t> starts = pieces(log.time);
  const auto row = [&](double time, std::size_t sample) {
    out.time.push_back(time);
    out.rows.push_back(sample);
  };
  for (std::size_t piece = 0; piece + 1 < starts.size(); ++piece) {
    const std::size_t begin = starts[piece], end = starts[piece + 1];
    if (piece > 0) {
      row((log.time[begin - 1] + log.time[begin]) / 2, begin);
      for (auto& values : out.values) values.push_back(nan);
    }
    for (std::size_t i = begin; i < end; i += length) {
      const std::size_t stop = std::min(i + length, end);
      row(log.time[i], i);
      if (stop - i > 1) row(log.time[(i + stop) / 2], (i + stop) / 2);
      for (std::size_t c = 0; c < out.values.size(); ++c) {
        const auto [first, second] = extremes(log.channels[c].values, i, stop);
        out.values[c].push_back(first);
        if (stop - i > 1) out.values[c].push_back(second);
      }
    }
  }
  return out;
}

}  // namespace armature::report
