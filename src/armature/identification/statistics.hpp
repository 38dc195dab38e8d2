// Quantiles and tail probabilities of the distributions that intervals and tests need.
#pragma once

#include <span>
#include <vector>

#include "armature/rooms.hpp"

namespace armature::identification {

/// x below which a share `p` of Student's distribution with `freedom` degrees of freedom lies (0 < p < 1).
double student_quantile(double p, double freedom);
/// Share of a chi-square variable with `freedom` degrees of freedom that lies above x.
double chi_square_tail(double x, double freedom);

/// Whether a series looks like white noise.
struct Whiteness {
  double lag_one = 0;          // correlation of neighbours
  double correlated_over = 1;  // samples that count as one: 1 + 2 sum of the correlations up to the first below zero
  double chance = 1;           // that white noise is as correlated as this over 20 lags (Ljung–Box)
};
/// NaN marks samples that are missing.
Whiteness whiteness(std::span<const double> series, int lags = 20);

double rms(std::span<const double> series);

}  // namespace armature::identification
