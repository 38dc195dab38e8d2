#include "targets.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <array>
#include <string>

namespace armature::bench {
namespace {

#ifdef __AVX512F__
constexpr bool wide_vectors = true;
#else
constexpr bool wide_vectors = false;
#endif

constexpr std::array<const char*, 3> arms{"rrr_generic", "ur5", "panda"};

// How much faster than MuJoCo's `beside`, or (share) how large a part of its time; at least, or at most, `limits`.
struct Aim {
  const char *quantity, *contender, *beside;
  bool share;
  std::array<double, 3> limits;  // one per arm
  bool wide = false;             // asked of machines with AVX-512 alone
};
constexpr Aim aims[] = {
    {"inverse dynamics", "Armature", "inverse dynamics", false, {3.0, 3.0, 3.0}},
    {"mass matrix", "Armature", "mass matrix", false, {4.0, 3.4, 3.3}},
    {"forward dynamics", "Armature", "forward dynamics", false, {1.9, 1.9, 1.9}},
    {"inverse dynamics", "generated", "inverse dynamics", false, {19, 19, 17}},
    {"mass matrix", "generated", "mass matrix", false, {8, 8, 8}},
    {"forward dynamics", "generated", "forward dynamics", false, {6, 6, 6}},
    {"inverse dynamics", "generated, 8 states at once", "inverse dynamics", false, {80, 80, 80}, true},
    {"d inverse dynamics", "generated", "inverse dynamics", true, {0.23, 0.49, 0.58}},
    {"d forward dynamics", "generated", "forward dynamics", true, {0.23, 0.53, 0.62}},
};

}  // namespace

void print_targets(const Tables& tables) {
  fmt::print("| beside MuJoCo | asked: {} | reached | |\n|---|---|---|---|\n", fmt::join(arms, ", "));
  for (const Aim& aim : aims) {
    std::string reached;
    bool all = true, any = false;
    for (std::size_t k = 0; k < arms.size(); ++k) {
      const auto ours = tables.median(aim.quantity, arms[k], aim.contender),
                 theirs = tables.median(aim.beside, arms[k], "MuJoCo");
      if (!ours || !theirs) continue;
      const double ratio = aim.share ? *ours / *theirs : *theirs / *ours;
      any = true;
      all = all && (aim.share ? ratio <= aim.limits[k] : ratio >= aim.limits[k]);
      reached += fmt::format("{}{:.{}f}", reached.empty() ? "" : ", ", ratio, aim.share ? 2 : 1);
    }
    if (any)
      fmt::print("| {}, {} | {} {} {}{} | {} | {} |\n", aim.quantity, aim.contender, aim.share ? "≤" : "≥",
                 fmt::join(aim.limits, ", "), aim.share ? fmt::format("of its {}", aim.beside) : "×",
                 aim.wide ? ", needs AVX-512" : "", reached,
                 all                         ? ""
                 : aim.wide && !wide_vectors ? "this machine has no AVX-512"
                                             : "missed");
  }
  fmt::print("\n");
}

}  // namespace armature::bench
