#include "armature/identification/wrench_diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "armature/core/error.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

constexpr double worth_a_look = 1.5;  // of what any linear law of the motion leaves
constexpr double not_explained = 0.6;
constexpr double convinced = 1.0 / 3;  // of the misfit: what a cause has to bring it down to
constexpr double longest_lever = 1;    // [m] of a tool's centre of mass
constexpr double same_unit = 0.03;     // share by which a mass may miss that of another unit

/// What is done to the three channels of the moments: the next is the channel `from`, times `sign`.
struct SignedOrder {
  std::array<int, 3> from;
  std::array<int, 3> sign;
};

std::vector<SignedOrder> signed_orders() {
  std::vector<SignedOrder> all;
  std::array<int, 3> from{0, 1, 2};
  do
    for (int bits = 0; bits < 8; ++bits)
      all.push_back({from, {bits & 1 ? -1 : 1, bits & 2 ? -1 : 1, bits & 4 ? -1 : 1}});
  while (std::next_permutation(from.begin(), from.end()));
  // the fewer signs are changed the sooner it is tried: of equals the simplest is named
  std::stable_sort(all.begin(), all.end(), [](const SignedOrder& a, const SignedOrder& b) {
    const auto changes = [](const SignedOrder& o) {
      int count = 0;
      for (int k = 0; k < 3; ++k) count += (o.sign[k] < 0) + 2 * (o.from[k] != k);
      return count;
    };
    return changes(a) < changes(b);
  });
  return all;
}

Factor negated(const Factor& f) {
  Factor other(static_cast<int>(f.reduced().cols()) - 1);
  const RowMatrix R = f.reduced();
  for (const auto& row : R.rowwise()) {
    const Eigen::VectorXd a = row.head(R.cols() - 1).transpose();
    other.add(a.data(), -row[R.cols() - 1]);
  }
  return other;
}

/// The smallest misfit that channels leave from any start.
double best_misfit(const std::vector<Factor>& channels, const Vec3<double>& gravity, const WrenchUnknowns& unknowns) {
  const Vec6<double> spread = wrench_spread(channels);
  Vec6<double> noise;  // one of all forces, one of all moments
  noise << Vec3<double>::Constant(spread.head<3>().norm()), Vec3<double>::Constant(spread.tail<3>().norm());
  double best = 1e300;
  for (const WrenchParameters& start : wrench_starts(channels, gravity, unknowns.drift))
    best = std::min(best, misfit(channels, fit_wrench(channels, WrenchProblem(start, unknowns), noise).x()).worst());
  return best;
}

/// From the mean squares that are left of each channel.
WrenchMisfit misfit_of(const std::vector<Factor>& channels, const std::function<double(int, const Factor&)>& left_of) {
  const Vec6<double> spread = wrench_spread(channels);
  double left[2] = {0, 0}, change[2] = {0, 0};
  for (int c = 0; c < wrench_channels; ++c) {
    left[c / 3] += left_of(c, channels[c]);
    change[c / 3] += spread[c] * spread[c];
  }
  return {std::sqrt(left[0] / change[0]), std::sqrt(left[1] / change[1])};
}

/// What readings leave of any linear law of the motion, be it that of a tool or not.
WrenchMisfit linear_misfit(const std::vector<Factor>& channels) {
  return misfit_of(channels, [](int, const Factor& f) {
    const RowMatrix R = f.reduced();
    const Eigen::MatrixXd A = R.leftCols(R.cols() - 1);
    const auto unknowns = static_cast<double>(rank(A));
    return f.residual_squares(least_squares_solution(A, R.col(R.cols() - 1))) / std::max(f.rows() - unknowns, 1.0);
  });
}

std::string order_in_words(const SignedOrder& order, const std::array<std::string, 6>& names) {
  std::string text;
  for (int k = 0; k < 3; ++k)
    text += fmt::format("{}{}{}", k > 0 ? ", " : "", order.sign[k] < 0 ? "-" : "", names[3 + order.from[k]]);
  return text;
}

/// Moments in another order or with other signs; of forces the same is seen as moments, so both are named.
std::string cause_in_channels(const std::vector<Factor>& channels, const Vec3<double>& gravity,
                              const WrenchUnknowns& unknowns, const std::array<std::string, 6>& names, double target) {
  std::string cause;
  for (const SignedOrder& order : signed_orders()) {
    std::vector<Factor> tried(channels.begin(), channels.begin() + 3);
    for (int k = 0; k < 3; ++k) {
      const Factor& f = channels[3 + order.from[k]];
      tried.push_back(order.sign[k] < 0 ? negated(f) : f);
    }
    const double left = best_misfit(tried, gravity, unknowns);
    if (left > target) continue;
    target = convinced * left;  // a later one has to be as much better again
    cause = fmt::format(
        "forces and moments have different axes: with {} in the places of {}, {}, {} (or as much done to "
        "the forces) {:.2g} % is left",
        order_in_words(order, names), names[3], names[4], names[5], 100 * left);
  }
  const std::vector<Factor> exchanged{channels[3], channels[4], channels[5], channels[0], channels[1], channels[2]};
  if (const double left = best_misfit(exchanged, gravity, unknowns); left <= target)
    cause = fmt::format("forces and moments seem exchanged: the other way round {:.2g} % is left", 100 * left);
  return cause;
}

std::string cause_in_gravity(const std::vector<Factor>& channels, const Vec3<double>& gravity,
                             const WrenchUnknowns& unknowns, double target) {
  std::string cause;
  for (int axis = 0; axis < 3; ++axis)
    for (const double sign : {1.0, -1.0}) {
      const double left =
          best_misfit(channels, Vec3<double>(sign * gravity.norm() * Vec3<double>::Unit(axis)), unknowns);
      if (left > target) continue;
      target = convinced * left;
      cause =
          fmt::format("the arm seems to be mounted another way: with gravity along {}{} of its base {:.2g} % is left",
                      sign > 0 ? "+" : "-", "xyz"[axis], 100 * left);
    }
  return cause;
}

}  // namespace

WrenchMisfit misfit(const std::vector<Factor>& channels, const WrenchParameters& x) {
  const Eigen::MatrixXd X = wrench_coefficients(x);
  return misfit_of(channels, [&](int c, const Factor& f) {
    return f.residual_squares(X.row(c).transpose()) / std::max(f.rows(), 1.0);
  });
}

void refuse_misfit(const std::vector<Factor>& channels, const WrenchFit& found, const WrenchUnknowns& unknowns,
                   const std::array<std::string, 6>& names) {
  const WrenchMisfit left = misfit(channels, found.x()), linear = linear_misfit(channels);
  const bool as_good = left.force <= worth_a_look * linear.force && left.moment <= worth_a_look * linear.moment;
  if (as_good && left.force <= not_explained) return;  // a tool that is balanced about the sensor changes no moments
  const double target = convinced * left.worst();
  const Vec3<double>& gravity = found.x().gravity;
  std::string cause = cause_in_channels(channels, gravity, unknowns, names, target);
  if (cause.empty()) cause = cause_in_gravity(channels, gravity, unknowns, target);
  if (cause.empty() && left.worst() <= not_explained) return;
  const std::string finding = fmt::format(
      "the readings are not those of a tool on this arm: {:.0f} % of how forces change and {:.0f} % of how "
      "moments change are left",
      100 * left.force, 100 * left.moment);
  if (cause.empty())
    throw Error(
        finding,
        "no other order or sign of the channels and no other direction of gravity explains them: are the joints' "
        "positions of the same time, in this unit and order, did the tool touch nothing, and is it this arm?");
  throw Error(finding, cause + "; name the columns in a map (--map), or mend the arm's description");
}

void refuse_units(const WrenchParameters& x, double known) {
  const double lever = x.h.norm() / std::abs(x.m);
  if (lever > longest_lever)
    throw Error(
        fmt::format("the tool's centre of mass comes out {:.3g} m from the sensor", lever),
        fmt::format("are moments in N mm? Then it is {:.3g} mm; write the unit into the header: tx [N mm]", lever));
  if (!(known > 0)) return;
  const std::pair<double, const char*> units[] = {
      {0.1, "daN"}, {1 / 9.80665, "kgf"}, {0.2248089, "lbf"}, {1e-3, "kN"}, {1e3, "mN"}};
  const double ratio = std::abs(x.m) / known;
  for (const auto& [size, unit] : units)
    if (std::abs(ratio / size - 1) < same_unit)
      throw Error(fmt::format("the tool weighs {:.4g} kg by the forces and {:.4g} kg as the arm's payload says",
                              std::abs(x.m), known),
                  fmt::format("are forces in {}? Write the unit into the header: fx [{}]", unit, unit));
}

}  // namespace armature::identification
