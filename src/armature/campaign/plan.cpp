#include "armature/campaign/plan.hpp"

#include <fmt/format.h>

#include <bit>

#include "armature/campaign/internal/sobol_points.hpp"
#include "armature/core/error.hpp"

namespace armature::campaign {

using Kind = PlanSettings::Kind;

void PlanSettings::fields(Fields& f) {
  f.word("kind", kind, {"monte_carlo", "latin_hypercube", "sobol", "sobol_indices"},
         "independent runs; stratified ones; scrambled Sobol' points; pairs and mixtures for Sobol' indices");
  f.integer("runs", runs, "how many, at most under --until; rounded up to whole replicates", Range::positive);
  f.integer("points", points,
            "of each replicate of a latin_hypercube, sobol or sobol_indices plan (default: so that there are sixteen)",
            Range::not_negative);
}

Plan::Plan(const PlanSettings& s, std::size_t dimensions, std::uint64_t seed, bool fresh_noise)
    : kind_(s.kind), dimensions_(dimensions), random_(seed), fresh_noise_(fresh_noise) {
  constexpr int default_replicates = 16;
  if (kind_ == Kind::monte_carlo) {
    if (s.points > 0)
      throw Error("plan.points are those of a replicate, and a monte_carlo plan has none", "leave plan.points out");
    runs_ = static_cast<std::uint64_t>(s.runs);
    return;
  }
  const bool net = kind_ != Kind::latin_hypercube;
  const std::size_t mixtures = kind_ == Kind::sobol_indices ? dimensions + 2 : 1;
  const std::size_t cube = kind_ == Kind::sobol_indices ? 2 * dimensions : dimensions;
  if (net && cube > SobolPoints::most_dimensions)
    throw Error(fmt::format("{} quantities vary, more than Sobol' points are known for", dimensions),
                "kind: monte_carlo, or fewer of them");
  const auto wanted = static_cast<std::uint32_t>(static_cast<std::size_t>(s.runs) / (default_replicates * mixtures));
  points_ = s.points > 0 ? static_cast<std::uint32_t>(s.points) : net ? std::bit_floor(wanted) : wanted;
  if (net && !std::has_single_bit(points_) && points_ > 0)
    throw Error(fmt::format("plan.points: {} is no power of two", points_), "Sobol' points are even in powers of two");
  if (points_ < 2)
    throw Error(fmt::format("a plan of {} runs has replicates of fewer than two points", s.runs),
                fmt::format("at least {} runs, or kind: monte_carlo", 2 * default_replicates * mixtures));
  size_ = points_ * mixtures;
  const auto replicates = (static_cast<std::uint64_t>(s.runs) + size_ - 1) / size_;
  if (replicates < fewest_replicates)
    throw Error(fmt::format("a plan of {} replicates: its intervals come from how these differ", replicates),
                fmt::format("at least {}: more plan.runs or fewer plan.points", fewest_replicates));
  runs_ = replicates * size_;
  if (net) sobol_ = std::make_unique<SobolPoints>(cube, random_);
}

Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;

std::uint32_t shuffled(const RandomField& random, std::uint64_t which, std::uint32_t dimension, std::uint32_t count,
                       std::uint32_t index) {
  const int half =
      (std::bit_width(count - 1) + 1) / 2;  // a Feistel network on 2 half digits, walked until it ends below count
  const std::uint32_t mask = (std::uint32_t{1} << half) - 1;
  std::uint64_t x = index;
  do {
    std::uint32_t left = static_cast<std::uint32_t>(x >> half), right = static_cast<std::uint32_t>(x) & mask;
    for (std::uint32_t round = 0; round < 6; ++round) {
      const std::uint64_t at = which * 8 + round;
      const PhiloxCounter key = random.words(RandomField::Purpose::shuffle, at, dimension);
      const std::uint32_t mixed = philox({right, round, key[0], key[1]}, {key[2], key[3]})[0] & mask;
      const std::uint32_t next = left ^ mixed;
      left = right;
      right = next;
    }
    x = std::uint64_t{left} << half | right;
  } while (x >= count);
  return static_cast<std::uint32_t>(x);
}

double Plan::coordinate(std::uint64_t replicate, std::uint32_t index, std::uint32_t dimension) const {
  if (sobol_) return sobol_->coordinate(replicate, index, dimension);
  const double within = random_.uniform(RandomField::Purpose::jitter, replicate << 32 | index, dimension);
  return (shuffled(random_, replicate, dimension, points_, index) + within) / points_;
}

/// In a random order without a table, none twice: core/random.hpp counts from the seed, and the numbers of two seeds this small are 2.9e9 or
/// more apart (plan.test.cpp).
double Plan::noise_seed(std::uint64_t run) const {
  constexpr std::uint32_t dimension = 0xffffffff;  // of the seeds' order: no coordinate has it
  std::uint64_t stream = run;
  if (kind_ == Kind::sobol_indices) {  // A's and B's noise are of their own, and the mixtures share them
    const std::uint64_t within = run % size_, mixtures = dimensions_ + 2, mixture = within % mixtures;
    const bool of_b = mixture == 1 || mixture == dimensions_ + 1;
    stream = 2 * (run / size_ * points_ + within / mixtures) + (of_b ? 1 : 0);
  }
  return shuffled(random_, 0, dimension, most_runs, static_cast<std::uint32_t>(stream % most_runs));
}

std::vector<double> Plan::point(std::uint64_t run) const {
  std::vector<double> u = coordinates(run);
  if (fresh_noise_) u.back() = noise_seed(run);
  return u;
}

std::vector<double> Plan::coordinates(std::uint64_t run) const {
  std::vector<double> u(dimensions_);
  const auto d = static_cast<std::uint32_t>(dimensions_);
  if (kind_ == Kind::monte_carlo) {
    for (std::uint32_t i = 0; i < d; ++i) u[i] = random_.uniform(RandomField::Purpose::draw, run, i);
    return u;
  }
  const std::uint64_t replicate = run / size_;
  const auto within = static_cast<std::uint32_t>(run % size_);
  if (kind_ != Kind::sobol_indices) {
    for (std::uint32_t i = 0; i < d; ++i) u[i] = coordinate(replicate, within, i);
    return u;
  }
  const std::uint32_t index = within / (d + 2), mixture = within % (d + 2);  // A, B, then A with one coordinate of B
  for (std::uint32_t i = 0; i < d; ++i)
    u[i] = coordinate(replicate, index, mixture == 1 || mixture == i + 2 ? d + i : i);
  return u;
}

}  // namespace armature::campaign
