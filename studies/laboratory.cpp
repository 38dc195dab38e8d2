#include "laboratory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/core/units.hpp"

namespace armature::studies::laboratory {

namespace {
Overrides& everywhere() {
  static Overrides settings;
  return settings;
}
}  // namespace

void set_in_every_scenario(Overrides settings) { everywhere() = std::move(settings); }

Log simulated(const std::string& text, const Overrides& overrides, bool may_end_early) {
  Overrides all = overrides;
  all.insert(all.end(), everywhere().begin(), everywhere().end());
  Log log = run_scenario(scenario_from_text(text, "study", all, built_in_kernels()));
  if (!log.incomplete.empty() && !may_end_early) throw Error(log.title + ": " + log.incomplete);
  return log;
}

double end(const Log& log, const std::string& channel) { return log.channel(channel).values.back(); }

double largest(const Log& log, const std::string& channel, double from) {
  const std::vector<double>& values = log.channel(channel).values;
  double most = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (log.time[i] >= from) most = std::max(most, std::abs(values[i]));
  return most;
}

double root_mean_square(const Log& log, const std::string& channel, double from) {
  const std::vector<double>& values = log.channel(channel).values;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (log.time[i] >= from) {
      sum += values[i] * values[i];
      ++count;
    }
  return std::sqrt(sum / count);
}

double rms_difference(const Log& log, const std::string& a, const std::string& b, double from) {
  const std::vector<double>&x = log.channel(a).values, &y = log.channel(b).values;
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (log.time[i] >= from) {
      sum += (x[i] - y[i]) * (x[i] - y[i]);
      ++count;
    }
  return std::sqrt(sum / count);
}

VecX<double> joints(const Log& log, std::size_t row, const std::string& name) {
  int n = 0;
  while (log.has(fmt::format("{}{}", name, n + 1))) ++n;
  VecX<double> q(n);
  for (int i = 0; i < n; ++i) q[i] = log.channel(fmt::format("{}{}", name, i + 1)).values[row];
  return q;
}

Vec3<double> tool(const Log& log, std::size_t row, const std::string& suffix) {
  return {log.channel("tool_x" + suffix).values[row], log.channel("tool_y" + suffix).values[row],
          log.channel("tool_z" + suffix).values[row]};
}

std::size_t row_at(const Log& log, double time) {
  const auto next = std::lower_bound(log.time.begin(), log.time.end(), time - 1e-9);
  return std::min(static_cast<std::size_t>(next - log.time.begin()), log.time.size() - 1);
}

Log kept(Log log, const std::string& title, const std::vector<std::string>& channels) {
  log.title = title;
  if (channels.empty()) return log;
  std::vector<Channel> chosen;
  for (const std::string& name : channels) chosen.push_back(std::move(log.channel(name)));
  log.channels = std::move(chosen);
  log.scene.clear();
  log.arrows.clear();
  return log;
}

//  overshoot = exp(-π ζ/√(1 - ζ²)), the peak found between the samples by a parabola.
double damping_ratio(const std::vector<double>& x, double goal) {
  const double move = goal - x.front();
  std::size_t top = 0;
  for (std::size_t i = 1; i < x.size(); ++i)
    if ((x[i] - x[top]) * move > 0) top = i;
  if (top == 0 || top + 1 >= x.size()) return 1;
  const double a = x[top - 1], b = x[top], c = x[top + 1], curvature = a - 2 * b + c;
  const double peak = curvature == 0 ? b : b - (c - a) * (c - a) / (8 * curvature);
  const double overshoot = (peak - goal) / move;
  if (!(overshoot > 0)) return 1;
  const double decay = -std::log(overshoot) / pi;
  return decay / std::sqrt(1 + decay * decay);
}

std::string degrees(const VecX<double>& q) {
  std::string text;
  for (const double angle : q) text += fmt::format("{}{:.4f}", text.empty() ? "" : ", ", angle / deg);
  return "(" + text + ") deg";
}

}  // namespace armature::studies::laboratory
