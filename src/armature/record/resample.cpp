#include "armature/record/resample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "armature/core/error.hpp"

namespace armature::record {

namespace {

constexpr double clock_set_back = 5;  // steps; less is a row out of order
constexpr double coarse = 0.02;       // share of stamps that repeat with other values: the clock is too coarse for them
constexpr double smoother = 1.02;     // how much rougher one reading of the stamps must be before the other is taken
constexpr double apart = 0.5;         // steps that the outer two of four interpolated rows keep from the inner two
constexpr double bursts = 1.5;      // times the median: a mean interval above it is that of rows that arrive in bursts
constexpr double loop_gain = 0.02;  // with which a grid of row numbers follows the stamps
constexpr double exact = 1e-9;      // of a step
constexpr double same_step = 2e-4;  // share by which a step may differ from one that is given without being resampled
constexpr std::size_t judged_rows = 100'000;  // from which the two readings are compared

/// Rows of a stretch without a gap, by their numbers in the table, with their times on it.
struct Stretch {
  std::vector<std::size_t> rows;
  std::vector<double> stamps;  // [s]
  std::vector<double> at;      // where each row lies on the grid [steps]
  int restarts = 0;
};

/// The value below which the share of `x` lies.
double quantile(std::vector<double> x, double share) {
  const auto at = x.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(x.size()));
  std::nth_element(x.begin(), at, x.end());
  return *at;
}

/// Rows that are complete and repeat nothing, cut into stretches. `coarse_clock`: rows of equal stamps are rows of their own.
std::vector<Stretch> stretches_of(const std::vector<double>& stamps, const Samples& values, double step,
                                  bool coarse_clock, Resampling& result) {
  std::vector<Stretch> stretches;
  result.repeated = result.incomplete = result.gaps = result.restarts = 0;
  for (std::size_t k = 0; k < stamps.size(); ++k) {
    const auto row = values.row(k);
    if (!std::isfinite(stamps[k]) || !row.array().isFinite().all()) {
      ++result.incomplete;
      continue;
    }
    if (!stretches.empty()) {
      const Stretch& last = stretches.back();
      const double interval = stamps[k] - last.stamps.back();
      const bool same = row == values.row(last.rows.back());
      const bool set_back = interval < -clock_set_back * step;
      if (!set_back && (interval < 0 || (interval == 0 && (same || !coarse_clock)))) {
        ++result.repeated;
        continue;
      }
      if (!set_back && interval <= (static_cast<double>(longest_hole) + 1.5) * step) {
        stretches.back().rows.push_back(k);
        stretches.back().stamps.push_back(stamps[k]);
        continue;
      }
      ++(set_back ? result.restarts : result.gaps);
    }
    stretches.push_back({{k}, {stamps[k]}, {}, static_cast<int>(result.restarts)});
  }
  return stretches;
}

bool is_regular(const Stretch& s, double step) {
  for (std::size_t i = 1; i < s.stamps.size(); ++i)
    if (std::abs(s.stamps[i] - s.stamps[i - 1] - step) > regular_share * step) return false;
  return true;
}

/// Row numbers that follow the stamps: a row that is missing leaves its number out. Where stamps jitter by more than half a step,
/// that cannot be told, and rows are counted.
std::vector<double> row_numbers(const std::vector<double>& stamps, double step) {
  std::vector<double> numbers{0}, counted{0};
  double grid = stamps.front();
  bool told = true;
  for (std::size_t k = 1; k < stamps.size(); ++k) {
    const double steps = std::round((stamps[k] - grid) / step);
    told = told && steps >= 1;
    numbers.push_back(numbers.back() + steps);
    counted.push_back(static_cast<double>(k));
    grid += steps * step;
    grid += loop_gain * (stamps[k] - grid);
  }
  return told ? numbers : counted;
}

/// Weights of the values at x[0..count) in the polynomial through them at `at`.
void lagrange(const double* x, int count, double at, double* weight) {
  for (int i = 0; i < count; ++i) {
    weight[i] = 1;
    for (int j = 0; j < count; ++j)
      if (j != i) weight[i] *= (at - x[j]) / (x[i] - x[j]);
  }
}

/// How far each value lies from the cubic through its four neighbours, as the noise of one reading: mean squares by column.
Eigen::ArrayXd roughness(const std::vector<Stretch>& stretches, const Samples& values, int judged) {
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(judged);
  double count = 0;
  for (const Stretch& s : stretches)
    for (std::size_t k = 2; k + 2 < s.rows.size() && count < judged_rows; ++k) {
      const std::array<std::size_t, 4> near{k - 2, k - 1, k + 1, k + 2};
      std::array<double, 4> x{}, weight{};
      for (std::size_t i = 0; i < 4; ++i) x[i] = s.at[near[i]];
      if (x[3] - x[0] > 8) continue;
      bool distinct = true;
      for (std::size_t i = 1; i < 4; ++i) distinct = distinct && x[i] - x[i - 1] > exact;
      if (!distinct) continue;
      lagrange(x.data(), 4, s.at[k], weight.data());
      Eigen::ArrayXd error = values.row(s.rows[k]).head(judged).transpose().array();
      double squares = 1;
      for (std::size_t i = 0; i < 4; ++i) {
        error -= weight[i] * values.row(s.rows[near[i]]).head(judged).transpose().array();
        squares += weight[i] * weight[i];
      }
      sum += error.square() / squares;
      ++count;
    }
  return count > 0 ? Eigen::ArrayXd(sum / count) : sum;
}

/// Standard deviation of the intervals from whole multiples of the step.
double jitter_of(const std::vector<Stretch>& stretches, double step) {
  double squares = 0, count = 0;
  for (const Stretch& s : stretches)
    for (std::size_t i = 1; i < s.stamps.size(); ++i, ++count) {
      const double interval = s.stamps[i] - s.stamps[i - 1];
      const double off = interval - step * std::max(1.0, std::round(interval / step));
      squares += off * off;
    }
  return count > 0 ? std::sqrt(squares / count) : 0;
}

/// The step and the offset of a grid of row numbers, by least squares over all stretches.
double fitted_step(const std::vector<Stretch>& stretches) {
  double top = 0, bottom = 0;
  for (const Stretch& s : stretches) {
    const auto n = static_cast<double>(s.at.size());
    double mean_x = 0, mean_t = 0;
    for (std::size_t i = 0; i < s.at.size(); ++i) {
      mean_x += s.at[i] / n;
      mean_t += (s.stamps[i] - s.stamps[0]) / n;
    }
    for (std::size_t i = 0; i < s.at.size(); ++i) {
      const double x = s.at[i] - mean_x;
      top += x * (s.stamps[i] - s.stamps[0] - mean_t);
      bottom += x * x;
    }
  }
  return bottom > 0 ? top / bottom : 0;
}

/// A step of three digits where one is as near as that share of it.
double rounded_step(double step, double share) {
  const double unit = std::pow(10, 2 - std::floor(std::log10(step))), round = std::round(step * unit) / unit;
  return std::abs(round - step) < share * step ? round : step;
}

/// The stretch on whole steps of its grid.
LogSegment on_grid(const Stretch& s, const Samples& values, double step, Resampling& result) {
  const auto& x = s.at;
  const auto first = static_cast<long>(std::ceil(x.front() - exact)),
             last = static_cast<long>(std::floor(x.back() + exact));
  LogSegment segment;
  double mean = 0;  // of what the stamps lie behind the grid
  for (std::size_t i = 0; i < x.size(); ++i)
    mean += (s.stamps[i] - s.stamps[0] - x[i] * step) / static_cast<double>(x.size());
  segment.start = s.stamps[0] + mean + static_cast<double>(first) * step;
  segment.restarts = s.restarts;
  segment.values.resize(last - first + 1, values.cols());
  std::size_t right = 0;  // the first row at or after the sample
  for (long k = first; k <= last; ++k) {
    const auto at = static_cast<double>(k);
    while (right + 1 < x.size() && x[right] < at - exact) ++right;
    auto to = segment.values.row(k - first);
    if (std::abs(x[right] - at) <= exact || right == 0) {
      to = values.row(s.rows[right]);
      continue;
    }
    const std::size_t left = right - 1;
    if (x[right] - x[left] > 1.5) ++result.filled;
    std::array<std::size_t, 4> near{left, right};
    int count = 2;
    std::size_t outer = left;
    while (outer > 0 && x[left] - x[outer] < apart) --outer;
    if (outer < left) near[count++] = outer;
    outer = right;
    while (outer + 1 < x.size() && x[outer] - x[right] < apart) ++outer;
    if (outer > right) near[count++] = outer;
    std::array<double, 4> nodes{}, weight{};
    for (int i = 0; i < count; ++i) nodes[i] = x[near[i]];
    lagrange(nodes.data(), count, at, weight.data());
    to.setZero();
    for (int i = 0; i < count; ++i) to += weight[i] * values.row(s.rows[near[i]]);
  }
  return segment;
}

void place_at_stamps(std::vector<Stretch>& stretches, double step) {
  for (Stretch& s : stretches) {
    s.at.clear();
    for (const double t : s.stamps) s.at.push_back((t - s.stamps.front()) / step);
  }
}

void place_at_numbers(std::vector<Stretch>& stretches, double step) {
  for (Stretch& s : stretches) s.at = row_numbers(s.stamps, step);
}

/// Places the rows on the grid by the better of the two readings, and chooses the step.
void choose_times(std::vector<Stretch>& stretches, const Samples& values, int judged, bool coarse_clock, double step,
                  double given, Resampling& result) {
  std::vector<Stretch> numbered = stretches;
  place_at_numbers(numbered, step);
  double rows = 0, time = 0;
  for (const Stretch& s : stretches) {
    rows += static_cast<double>(s.stamps.size() - 1);
    time += s.stamps.back() - s.stamps.front();
  }
  const double finest = rows > 0 ? std::min(step, time / rows) : step;
  place_at_stamps(stretches, finest);
  double ratio = 0;  // log of the roughness at the stamps over that at equal steps, mean over the columns
  const Eigen::ArrayXd at_stamps = roughness(stretches, values, judged), at_rows = roughness(numbered, values, judged);
  for (int c = 0; c < judged; ++c)
    if (at_stamps[c] > 0 && at_rows[c] > 0) ratio += std::log(at_stamps[c] / at_rows[c]) / (2 * judged);
  result.times = coarse_clock || ratio > -std::log(smoother) ? Resampling::Times::rows : Resampling::Times::stamps;
  if (result.times == Resampling::Times::stamps) {
    result.step = given > 0 ? given : rounded_step(finest, 2e-3);
    place_at_stamps(stretches, result.step);
    return;
  }
  const double fitted = fitted_step(numbered);
  result.step = given > 0 ? given : rounded_step(fitted, 2e-5);  // no clock is better
  stretches = std::move(numbered);
  if (given > 0 && std::abs(fitted / given - 1) > same_step)
    for (Stretch& s : stretches)
      for (double& x : s.at) x *= fitted / given;
}

}  // namespace

double typical_interval(const std::vector<double>& stamps) {
  std::vector<double> intervals;
  for (std::size_t i = 1; i < stamps.size(); ++i)
    if (stamps[i] > stamps[i - 1]) intervals.push_back(stamps[i] - stamps[i - 1]);
  if (intervals.size() < 2) throw Error("the time stamps do not increase", "is the column of the time the right one?");
  const double median = quantile(intervals, 0.5), longest = 3 * quantile(intervals, 0.9);
  double sum = 0, count = 0;
  for (const double t : intervals)
    if (t <= longest) {
      sum += t;
      ++count;
    }
  return sum / count > bursts * median ? sum / count : median;
}

Resampling resample(const std::vector<double>& stamps, const Samples& values, int judged, double given) {
  Resampling result;
  std::vector<double> known;
  std::size_t equal = 0;
  for (const double t : stamps) {
    if (!std::isfinite(t)) continue;
    equal += !known.empty() && known.back() == t;
    known.push_back(t);
  }
  double step = typical_interval(known);
  std::vector<Stretch> stretches = stretches_of(stamps, values, step, false, result);
  const bool coarse_clock = static_cast<double>(equal) > coarse * static_cast<double>(known.size());
  if (coarse_clock) {  // the usual interval is a tick of the clock; rows are as far apart as they are on average
    stretches = stretches_of(stamps, values, step, true, result);
    double rows = 0, time = 0;
    for (const Stretch& s : stretches) {
      rows += static_cast<double>(s.rows.size() - 1);
      time += s.stamps.back() - s.stamps.front();
    }
    if (rows > 0 && time > 0) step = time / rows;
  }
  std::size_t kept = 0;
  for (const Stretch& s : stretches) {
    if (s.rows.size() >= shortest_segment)
      stretches[kept++] = s;
    else {
      ++result.short_pieces;
      result.short_rows += s.rows.size();
    }
  }
  stretches.resize(kept);
  if (stretches.empty())
    throw Error("no stretch of the log has enough complete rows that follow each other",
                result.incomplete > 0
                    ? fmt::format("{} of {} rows have a value missing", result.incomplete, stamps.size())
                    : "is the column of the time the right one?");
  result.jitter = jitter_of(stretches, step);
  const bool regular =
      std::all_of(stretches.begin(), stretches.end(), [&](const Stretch& s) { return is_regular(s, step); });
  if (regular && !(given > 0 && std::abs(given / step - 1) > same_step)) {
    result.times = Resampling::Times::regular;
    result.step = given > 0 ? given : rounded_step(step, 1e-9);
    for (Stretch& s : stretches)
      for (std::size_t k = 0; k < s.rows.size(); ++k) s.at.push_back(static_cast<double>(k));
  } else {
    choose_times(stretches, values, judged, coarse_clock, step, given, result);
  }
  for (const Stretch& s : stretches) {
    result.segments.push_back(on_grid(s, values, result.step, result));
    if (result.times == Resampling::Times::regular) result.segments.back().start = s.stamps.front();
  }
  return result;
}

std::string rate_text(double step) {
  const double rate = 1 / step;
  return rate >= 1000 ? fmt::format("{:.5g} kHz", rate / 1000) : fmt::format("{:.5g} Hz", rate);
}

std::string describe(const Resampling& r) {
  const auto counted = [](std::size_t n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  const auto time = [](double t) {
    return t < 1e-4 ? fmt::format("{:.2g} us", 1e6 * t) : fmt::format("{:.2g} ms", 1e3 * t);
  };
  std::vector<std::string> parts;
  if (r.times == Resampling::Times::stamps)
    parts.push_back(fmt::format("time stamps jitter by {} (RMS): resampled at {}", time(r.jitter), rate_text(r.step)));
  if (r.times == Resampling::Times::rows && r.jitter > regular_share * r.step)
    parts.push_back(
        fmt::format("time stamps jitter by {} (RMS), the positions do not: rows taken as equally spaced at {}",
                    time(r.jitter), rate_text(r.step)));
  if (r.repeated > 0)
    parts.push_back(counted(r.repeated, "row that repeats", "rows that repeat") + " another or come late left out");
  if (r.incomplete > 0) parts.push_back(counted(r.incomplete, "row", "rows") + " with a missing value left out");
  if (r.filled > 0) parts.push_back(counted(r.filled, "missing sample", "missing samples") + " interpolated");
  if (r.gaps + r.restarts > 0) {
    std::string text;
    if (r.gaps > 0) text = counted(r.gaps, "gap", "gaps");
    if (r.restarts > 0)
      text += (text.empty() ? "" : " and ") + counted(r.restarts, "restart of the clock", "restarts of the clock");
    const std::size_t ends = r.gaps + r.restarts;
    parts.push_back(fmt::format("{} {} the log into {}", text, ends == 1 ? "splits" : "split",
                                counted(r.segments.size(), "segment", "segments")));
  }
  if (r.short_pieces > 0)
    parts.push_back(fmt::format("{} of fewer than {} samples left out ({})", counted(r.short_pieces, "piece", "pieces"),
                                shortest_segment, counted(r.short_rows, "row", "rows")));
  std::string text = fmt::format("{}", fmt::join(parts, "; "));
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

}  // namespace armature::record
