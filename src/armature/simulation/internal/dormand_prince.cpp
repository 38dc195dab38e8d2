#include "armature/simulation/internal/dormand_prince.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace armature::simulation {

namespace {

constexpr double a[7][6] = {{},
                            {1.0 / 5},
                            {3.0 / 40, 9.0 / 40},
                            {44.0 / 45, -56.0 / 15, 32.0 / 9},
                            {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                            {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                            {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
constexpr double c[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double e[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

constexpr double smallest = 1e-13;  // what a guard that just touches zero counts as

}  // namespace

DormandPrince::DormandPrince(int states, int guards, double relative, double absolute, Function rhs, Function guard)
    : rhs_(std::move(rhs)), guard_(std::move(guard)), relative_(relative), absolute_(absolute), y_(states) {
  for (Eigen::VectorXd& k : k_) k.resize(states);
  g0_.resize(guards);
  g_.resize(guards);
  g_middle_.resize(guards);
}

void DormandPrince::restart(double, const Eigen::VectorXd&) { fresh_ = true; }

const std::vector<int>& DormandPrince::advance(double until, double& t, Eigen::VectorXd& x) {
  crossed_.clear();
  evaluations_ = 0;
  if (fresh_) {
    evaluate(t, x, k_[0]);
    if (!g0_.empty()) guard_(t, x.data(), g0_.data());
    fresh_ = false;
  }
  if (step_ == 0) step_ = first_step(x, until - t);
  while (t < until) {
    const bool last = t + step_ * (1 + 1e-12) >= until;
    const double h = last ? until - t : step_;
    const bool too_short = !last && !(h > 1e-14 * std::max(1.0, std::abs(t)));
    if (too_short || evaluations_ > patience_) return crossed_;
    take(t, h, x);
    const double size = error(h, x);
    const double factor = std::isfinite(size) ? std::clamp(0.9 * std::pow(std::max(size, 1e-10), -0.2), 0.2, 5.0) : 0.1;
    if (!(size <= 1)) {
      step_ = h * std::min(factor, 0.9);
      continue;
    }
    if (!last || factor < 1) step_ = h * factor;
    if (const double below = g_.empty() ? 0 : length_to_event(t, h, x); below > 0) {
      t += locate(t, below, x);
      x = y_;
      for (std::size_t k = 0; k < g_.size(); ++k)
        if (g_[k] < 0) crossed_.push_back(static_cast<int>(k));
      fresh_ = true;
      return crossed_;
    }
    t = last ? until : t + h;
    x = y_;
    std::swap(k_[0], k_[6]);  // first same as last
    std::swap(g0_, g_);
  }
  return crossed_;
}

void DormandPrince::evaluate(double t, const Eigen::VectorXd& x, Eigen::VectorXd& xd) {
  ++evaluations_;
  rhs_(t, x.data(), xd.data());
}

void DormandPrince::take(double t, double h, const Eigen::VectorXd& x) {
  for (std::size_t s = 1; s < 7; ++s) {
    y_ = x;
    for (std::size_t j = 0; j < s; ++j)
      if (a[s][j] != 0) y_ += h * a[s][j] * k_[j];
    evaluate(t + c[s] * h, y_, k_[s]);
  }
}

/// Root mean square of the local error over what is allowed.
double DormandPrince::error(double h, const Eigen::VectorXd& x) const {
  double sum = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    double d = 0;
    for (std::size_t s = 0; s < 7; ++s) d += e[s] * k_[s][i];
    const double scaled = h * d / (absolute_ + relative_ * std::max(std::abs(x[i]), std::abs(y_[i])));
    sum += scaled * scaled;
  }
  return std::sqrt(sum / static_cast<double>(x.size()));
}

double DormandPrince::first_step(const Eigen::VectorXd& x, double longest) const {
  const double size = (x.array().abs() * relative_ + absolute_).matrix().norm(), speed = k_[0].norm();
  return std::min(longest, speed > 0 ? std::pow(size / speed, 0.2) * 1e-2 : longest);
}

/// The guards at the new state, each over what it was at the start of the step: the smallest.
double DormandPrince::nearest_guard(double t) {
  guard_(t, y_.data(), g_.data());
  double nearest = 1;
  for (std::size_t k = 0; k < g_.size(); ++k) nearest = std::min(nearest, g_[k] / std::max(g0_[k], smallest));
  return nearest;
}

/// A length within the step h at which a guard is below zero, with state and guards of that moment; zero: none is, and they are
/// those of the step's end.
double DormandPrince::length_to_event(double t, double h, const Eigen::VectorXd& x) {
  if (nearest_guard(t + h) < 0) return h;
  const std::vector<double> dips = possible_dips(t, h, x);
  if (dips.empty()) return 0;
  const Eigen::VectorXd end = y_, slope = k_[6];
  const std::vector<double> g = g_;
  for (const double dip : dips) {
    take(t, dip, x);
    if (nearest_guard(t + dip) < 0) return dip;
  }
  y_ = end;
  k_[6] = slope;
  g_ = g;
  return 0;
}

/// A guard that is positive at both ends of the step may have been below zero in between: a joint grazes its end stop. The lengths,
/// in order, at which parabolas through both ends and the middle, on the cubic between the two states, have their lowest points
/// below zero.
std::vector<double> DormandPrince::possible_dips(double t, double h, const Eigen::VectorXd& x) {
  middle_ = (x + y_) / 2 + h / 8 * (k_[0] - k_[6]);
  guard_(t + h / 2, middle_.data(), g_middle_.data());
  std::vector<double> dips;
  for (std::size_t k = 0; k < g_.size(); ++k) {
    const double fall = 3 * g0_[k] - 4 * g_middle_[k] + g_[k], bend = 2 * (g0_[k] - 2 * g_middle_[k] + g_[k]);
    if (fall > 0 && bend > 0 && fall < 2 * bend && fall * fall > 4 * bend * g0_[k])
      dips.push_back(h * fall / (2 * bend));
  }
  std::sort(dips.begin(), dips.end());
  return dips;
}

/// The length, up to rounding, at which the first guard falls below zero within the step h: regula falsi with the Illinois
/// weight, and a bisection where that is slow. Leaves state and guards of that moment.
double DormandPrince::locate(double t, double h, const Eigen::VectorXd& x) {
  const double close = 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), h);
  double low = 0, high = h, at_low = 1, at_high = nearest_guard(t + h);
  Eigen::VectorXd y = y_;
  std::vector<double> g = g_;
  int side = 0;
  for (int i = 0; i < 100 && high - low > close; ++i) {
    double middle = low + (high - low) * at_low / (at_low - at_high);
    if (i % 4 == 3 || !(middle > low && middle < high)) middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    take(t, middle, x);
    const double value = nearest_guard(t + middle);
    if (value < 0) {
      high = middle;
      at_high = value;
      y = y_;
      g = g_;
      if (side < 0) at_low /= 2;
      side = -1;
    } else {
      low = middle;
      at_low = value;
      if (side > 0) at_high /= 2;
      side = 1;
    }
  }
  y_ = y;
  g_ = g;
  return high;
}

}  // namespace armature::simulation
