// Which of the things that vary matter.
#pragma once

#include <span>
#include <vector>

#include "armature/campaign/intervals.hpp"

namespace armature::campaign {

/// The share of a metric's variance that an input explains alone, and with all that it does together with others.
struct SobolIndices {
  double first = 0, total = 0;
  Interval first_interval, total_interval;
};

/// Spearman's rank correlation; 0 where one of them does not vary. Values of the same size share the mean of their ranks; NaN
/// are the largest.
double rank_correlation(std::span<const double> x, std::span<const double> y);

/// Of every input, from the metric in a sobol_indices plan: replicates of rows A, B and A with one input of B, one base point after the other.
/// [Saltelli2010] for the first indices, [Jansen1999] for the total ones; intervals from the replicates.
std::vector<SobolIndices> sobol_indices(std::span<const double> values, std::size_t inputs,
                                        std::uint64_t replicate_size, double level);

}  // namespace armature::campaign
