// Settings that keep the requirements with room to spare, whatever varies.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "armature/campaign/campaign.hpp"

namespace armature::campaign {

struct TuneSettings {
  std::vector<std::string> keys;  // of the scenario: all numbers of a key are multiplied by one factor
  double quantile = 0.05;         // of the runs' margins, which is to be as large as possible
  int runs = 100;                 // of every trial, the same for all: common random numbers
  int trials = 40;
  double most = 10;  // factors from 1/most to most
  int threads = 1;
  KernelSet kernels{};  // from which the arms of the scenario take the functions that were written for them
  std::function<void(int trial, double best)> progress;
};

struct Tuned {
  std::vector<double> factors;        // one per key
  Overrides settings;                 // what they make of the scenario: key and value
  std::vector<std::string> at_bound;  // keys whose factor is the largest or smallest that was searched
  double before = 0, after = 0;       // the quantile of the margins, on the draws that were tuned on
  int trials = 0;
};

/// How far a run stays from breaking what is required: of the requirement that is closest, the distance from its bound as a share of
/// the bound. Negative where it is broken; -1 at most for a run that ended early or breaks a bound by all of it.
double margin_of(const std::vector<Requirement>& requirements, const std::vector<double>& values, bool ended_early);

/// Searches by Nelder and Mead's simplex in the logarithms of the factors, on draws of its own: those of the campaign's seed stay fresh. Throws
/// Error where a key is not one of numbers.
Tuned tune_campaign(const std::string& file, const Overrides& overrides, const TuneSettings& settings);

}  // namespace armature::campaign
