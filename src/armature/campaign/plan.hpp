// Where the runs of a campaign lie in the unit cube of all that varies.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "armature/campaign/philox.hpp"
#include "armature/core/fields.hpp"

namespace armature::campaign {

class SobolPoints;

struct PlanSettings {
  enum class Kind {
    monte_carlo,      ///< independent runs
    latin_hypercube,  ///< every coordinate stratified [McKay1979]
    sobol,            ///< scrambled Sobol' points
    sobol_indices     ///< pairs of points and their mixtures, from which Sobol' indices follow [Saltelli2010]
  };
  Kind kind = Kind::monte_carlo;
  int runs = 1000;
  int points = 0;  // of a replicate; 0: so that there are sixteen

  void fields(Fields& f);
};

/// A plan is a sequence of runs, of which any number can be made: by itself, or in replicates that are independent of each other.
class Plan {
 public:
  static constexpr int fewest_replicates = 8;
  /// Seeds of noise there are, as many as runs at most: those of a scenario.
  static constexpr std::uint32_t most_runs = 1'000'000'000;
  /// Throws Error where there is no such plan. With `fresh_noise` the last dimension is the seed of a run's noise.
  Plan(const PlanSettings& settings, std::size_t dimensions, std::uint64_t seed, bool fresh_noise = false);
  ~Plan();
  Plan(Plan&&) noexcept;

  [[nodiscard]] PlanSettings::Kind kind() const { return kind_; }
  [[nodiscard]] std::size_t dimensions() const { return dimensions_; }
  /// In all: whole replicates, at least as many as asked for.
  [[nodiscard]] std::uint64_t runs() const { return runs_; }
  /// Runs of a replicate; 1 where every run is independent of the others.
  [[nodiscard]] std::uint64_t replicate_size() const { return size_; }
  /// Of one run, from 0: one number between 0 and 1 a dimension. Depends on seed, run and the size of a replicate alone. A seed of
  /// noise is a whole number below `most_runs` that no other run has, but for those of sobol_indices that share this coordinate.
  [[nodiscard]] std::vector<double> point(std::uint64_t run) const;

 private:
  [[nodiscard]] std::vector<double> coordinates(std::uint64_t run) const;
  [[nodiscard]] double noise_seed(std::uint64_t run) const;
  [[nodiscard]] double coordinate(std::uint64_t replicate, std::uint32_t index, std::uint32_t dimension) const;

  PlanSettings::Kind kind_;
  std::size_t dimensions_;
  RandomField random_;
  bool fresh_noise_;
  std::uint32_t points_ = 1;
  std::uint64_t size_ = 1, runs_ = 0;
  std::unique_ptr<SobolPoints> sobol_;
};

/// A random order of 0 .. count - 1 without a table: which of them stands at `index`.
std::uint32_t shuffled(const RandomField& random, std::uint64_t which, std::uint32_t dimension, std::uint32_t count,
                       std::uint32_t index);

}  // namespace armature::campaign
