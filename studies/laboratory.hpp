// What studies of control share: scenarios run from their text, and numbers read out of logs.
#pragma once

#include <string>
#include <vector>

#include "armature/run/run_scenario.hpp"
#include "study.hpp"

namespace armature::studies::laboratory {

/// From now on these settings replace those of every scenario that is run below: to see which claims rest on them.
void set_in_every_scenario(Overrides settings);

/// Runs a scenario given as text. Throws Error where the run ends early, unless it may.
Log simulated(const std::string& text, const Overrides& overrides = {}, bool may_end_early = false);

double end(const Log& log, const std::string& channel);
/// Largest |value| from a time on.
double largest(const Log& log, const std::string& channel, double from = 0);
double root_mean_square(const Log& log, const std::string& channel, double from = 0);
/// RMS of the difference of two channels from a time on.
double rms_difference(const Log& log, const std::string& a, const std::string& b, double from = 0);

/// q1, q2, ... of a row; "part_pd" gives part_pd1, ...
VecX<double> joints(const Log& log, std::size_t row, const std::string& name = "q");
/// tool_x, tool_y, tool_z of a row; with "_ref" the wanted ones.
Vec3<double> tool(const Log& log, std::size_t row, const std::string& suffix = "");
inline std::size_t last_row(const Log& log) { return log.time.size() - 1; }
/// The row nearest to a time.
std::size_t row_at(const Log& log, double time);

/// The log under another title with only these channels (all where none are named).
Log kept(Log log, const std::string& title, const std::vector<std::string>& channels = {});

/// Damping ratio of a free oscillation that starts at rest at x0 and swings about `goal`: from its first overshoot.
double damping_ratio(const std::vector<double>& x, double goal);

std::string degrees(const VecX<double>& q);

}  // namespace armature::studies::laboratory
