// Intervals that hold for any distribution of what is counted.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::campaign {

struct Interval {
  double low = 0, high = 0;
  [[nodiscard]] double width() const { return high - low; }
};

inline constexpr double default_level = 0.95;

/// Of a probability, from `hits` in `runs` independent runs: exact, so at least as sure as `level` says [Clopper1934].
Interval clopper_pearson(std::uint64_t hits, std::uint64_t runs, double level);

/// Ranks, from 1, of the ordered values of `runs` independent runs between which the quantile lies: of all pairs that are at least as
/// sure as `level` those that are closest together. Rank 0 is minus infinity, rank runs + 1 infinity.
struct RankPair {
  std::uint64_t low = 0, high = 0;
  double level = 0;  // how sure they are
};
RankPair quantile_ranks(double quantile, std::uint64_t runs, double level);

/// Of the mean of independent values that are about normal: Student's.
Interval student_interval(std::span<const double> values, double level);
double mean_of(std::span<const double> values);

/// Of a rank correlation of `runs` pairs [Bonett2000].
Interval rank_correlation_interval(double correlation, std::uint64_t runs, double level);

/// The numbers of runs after which a campaign that may stop early looks at its interval: doubling, in whole replicates, the last one
/// `runs`. An interval of level 1 - (1 - level)/looks at each look is as sure as `level` whichever look is the last.
std::vector<std::uint64_t> looks(std::uint64_t runs, std::uint64_t replicate_size);
inline double level_of_a_look(std::size_t looks, double level) { return 1 - (1 - level) / static_cast<double>(looks); }

}  // namespace armature::campaign
