#include "armature/model/spring_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "armature/core/error.hpp"
#include "armature/numerics/quadrature.hpp"
#include "armature/scalar/scalars.hpp"

namespace armature::model {

namespace {

constexpr std::size_t most_points = 10'000;

/// A function of doubles on every kind of number, by its derivative.
template <class F, class Slope>
double lifted(double q, const F& f, const Slope&) {
  return f(q);
}
template <class F, class Slope>
Dual lifted(const Dual& q, const F& f, const Slope& slope) {
  return {f(q.value), slope(q.value) * q.slope};
}
template <class F, class Slope>
Pack lifted(const Pack& q, const F& f, const Slope&) {  // lane by lane: the same bits as for one state
  Pack result;
  for (int lane = 0; lane < Pack::width; ++lane) result.set(lane, f(q[lane]));
  return result;
}
template <class F, class Slope>
Expr lifted(const Expr&, const F&, const Slope&) {
  throw ModelError("a spring's table, and the energy of a spring, have no closed form",
                   "symbols take a spring that is given by its stiffness or by a formula of its torque");
}

/// A generic function on every kind of number: symbols and dual numbers pass through it, lanes go one by one.
template <Scalar S, class F>
S passed(const S& q, const F& f) {
  if constexpr (std::is_same_v<S, Pack>)
    return lifted(q, f, 0);
  else
    return f(q);
}

MonotoneCubic curve_of(const JointSpring& spring) {
  const std::vector<double>&x = spring.positions, &y = spring.torques;
  if (x.size() != y.size())
    throw Error(fmt::format("it has {} positions and {} torques", x.size(), y.size()), "give one torque per position");
  if (x.size() < 2 || x.size() > most_points)
    throw Error(fmt::format("its table has {} point{}", x.size(), x.size() == 1 ? "" : "s"),
                fmt::format("from 2 to {}", most_points));
  for (std::size_t k = 0; k < x.size(); ++k)
    if (!std::isfinite(x[k]) || !std::isfinite(y[k]))
      throw Error(fmt::format("point {} of its table is not finite", k + 1), "write finite numbers");
  for (std::size_t k = 1; k < x.size(); ++k)
    if (!(x[k] > x[k - 1]))
      throw Error(fmt::format("position {} of its table, {:.6g}, is not beyond the one before", k + 1, x[k]),
                  "list the positions in increasing order");
  return {x, y};
}

}  // namespace

SpringLaw::Law SpringLaw::law_of(const JointSpring& spring) {
  const bool linear = spring.stiffness.has_value(), formula = !spring.torque.empty(),
             table = !spring.positions.empty() || !spring.torques.empty(), periodic = spring.sine || spring.cosine;
  if (linear + formula + table + periodic != 1)
    throw Error(
        linear + formula + table + periodic == 0 ? "it has neither stiffness nor torque nor table nor sine"
                                                 : "it has more than one of stiffness, torque, table and sine",
        "give `stiffness`, or `torque` as a formula of q, or `positions` and `torques`, or `sine` and `cosine`");
  if (spring.rest && !linear) throw Error("it has a rest position and no stiffness", "remove it, or give a stiffness");
  if (linear) return Linear{*spring.stiffness, spring.rest.value_or(0)};
  if (formula) return WrittenFunction(spring.torque, "q", "torque");
  if (periodic) return Periodic{spring.sine.value_or(0), spring.cosine.value_or(0)};
  return curve_of(spring);
}

SpringLaw::SpringLaw(const JointSpring& spring, const Limits& limits) : law_(law_of(spring)) {
  if (limits.lower) relaxed_ = std::max(relaxed_, *limits.lower);
  if (limits.upper) relaxed_ = std::min(relaxed_, *limits.upper);
}

template <Scalar S>
S SpringLaw::torque(const S& q) const {
  if (const auto* linear = std::get_if<Linear>(&law_)) return S(linear->stiffness) * (q - S(linear->rest));
  if (const auto* formula = std::get_if<WrittenFunction>(&law_))
    return passed(q, [&](const auto& x) { return formula->value<std::decay_t<decltype(x)>>(x); });
  if (const auto* p = std::get_if<Periodic>(&law_)) return passed(q, [&](const auto& x) { return p->value(x); });
  const MonotoneCubic& curve = std::get<MonotoneCubic>(law_);
  return lifted(
      q, [&](double x) { return curve.value(x); }, [&](double x) { return curve.slope(x); });
}

template <Scalar S>
S SpringLaw::stiffness(const S& q) const {
  if (const auto* linear = std::get_if<Linear>(&law_)) return S(linear->stiffness);
  if (const auto* formula = std::get_if<WrittenFunction>(&law_))
    return passed(q, [&](const auto& x) { return formula->slope<std::decay_t<decltype(x)>>(x); });
  if (const auto* p = std::get_if<Periodic>(&law_)) return passed(q, [&](const auto& x) { return p->slope(x); });
  const MonotoneCubic& curve = std::get<MonotoneCubic>(law_);
  return lifted(
      q, [&](double x) { return curve.slope(x); }, [&](double x) { return curve.curvature(x); });
}

//  A formula is integrated by the rule of Gauss and Legendre, in pieces over which it bends little.
double SpringLaw::energy_at(double q) const {
  constexpr double piece = 0.4;  // [rad | m]
  if (const auto* linear = std::get_if<Linear>(&law_)) {
    const double twist = q - linear->rest;
    return 0.5 * linear->stiffness * twist * twist;
  }
  if (const auto* curve = std::get_if<MonotoneCubic>(&law_)) return curve->integral(q);
  if (const auto* p = std::get_if<Periodic>(&law_))
    return p->sine * (std::cos(relaxed_) - std::cos(q)) + p->cosine * (std::sin(q) - std::sin(relaxed_));
  const WrittenFunction& formula = std::get<WrittenFunction>(law_);
  static const Quadrature rule = gauss_legendre(8);
  const double pieces = std::min(100.0, std::max(1.0, std::ceil(std::abs(q - relaxed_) / piece)));
  const double length = (q - relaxed_) / pieces;
  double sum = 0;
  for (int k = 0; k < static_cast<int>(pieces); ++k)
    for (std::size_t i = 0; i < rule.at.size(); ++i)
      sum += rule.weight[i] * formula.value<double>(relaxed_ + (k + rule.at[i]) * length);
  return sum * length;
}

template <Scalar S>
S SpringLaw::energy(const S& q) const {
  return lifted(
      q, [&](double x) { return energy_at(x); }, [&](double x) { return torque<double>(x); });
}

#define ARMATURE_INSTANTIATE(S)                    \
  template S SpringLaw::torque(const S&) const;    \
  template S SpringLaw::stiffness(const S&) const; \
  template S SpringLaw::energy(const S&) const;
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)
#undef ARMATURE_INSTANTIATE

}  // namespace armature::model
