#include "armature/numerics/monotone_cubic.hpp"

#include <algorithm>
#include <cstddef>

namespace armature::numerics {

//  On [x_k, x_k+1] with h = x_k+1 - x_k and s = (x - x_k)/h, from values y and slopes m (Hermite's form):
//     y = y_k + s (h m_k + s (3 d - 2 a - b) + s² (a + b - 2 d))   with a = h m_k, b = h m_k+1, d = y_k+1 - y_k          (1)
//  m is the weighted harmonic mean of the slopes d/h on both sides, zero where they differ in sign [FritschButland1984]       (2)
MonotoneCubic::MonotoneCubic(std::vector<double> x, std::vector<double> y) {
  const std::size_t n = x.size();
  const auto length = [&](std::size_t k) { return x[k + 1] - x[k]; };
  const auto secant = [&](std::size_t k) { return (y[k + 1] - y[k]) / length(k); };
  std::vector<double> m(n);
  m.front() = secant(0);
  m.back() = secant(n - 2);
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double before = secant(k - 1), after = secant(k);
    const double v = length(k - 1) + 2 * length(k), w = 2 * length(k - 1) + length(k);
    m[k] = before * after > 0 ? (v + w) / (v / before + w / after) : 0;  // (2)
  }
  integral_.push_back(0);
  for (std::size_t k = 0; k + 1 < n; ++k) {
    const double h = length(k);
    pieces_.push_back({x[k], h, y[k], y[k + 1], m[k], m[k + 1]});
    integral_.push_back(integral_.back() + h * ((y[k] + y[k + 1]) / 2 + h * (m[k] - m[k + 1]) / 12));
  }
}

const MonotoneCubic::Piece* MonotoneCubic::piece(double at) const noexcept {
  const auto next =
      std::upper_bound(pieces_.begin(), pieces_.end(), at, [](double x, const Piece& p) { return x < p.start; });
  if (next == pieces_.begin()) return nullptr;
  const Piece& p = *(next - 1);
  return at > p.start + p.length ? nullptr : &p;
}

double MonotoneCubic::value(double at) const noexcept {
  const Piece* p = piece(at);
  if (!p) return at < pieces_.front().start ? pieces_.front().left : pieces_.back().right;
  const double s = (at - p->start) / p->length, d = p->right - p->left;
  const double a = p->length * p->left_slope, b = p->length * p->right_slope;
  return p->left + s * (a + s * (3 * d - 2 * a - b + s * (a + b - 2 * d)));  // (1)
}

double MonotoneCubic::slope(double at) const noexcept {
  const Piece* p = piece(at);
  if (!p) return 0;
  const double s = (at - p->start) / p->length, d = p->right - p->left;
  const double a = p->length * p->left_slope, b = p->length * p->right_slope;
  return (a + s * (2 * (3 * d - 2 * a - b) + s * 3 * (a + b - 2 * d))) / p->length;
}

double MonotoneCubic::curvature(double at) const noexcept {
  const Piece* p = piece(at);
  if (!p) return 0;
  const double s = (at - p->start) / p->length, d = p->right - p->left;
  const double a = p->length * p->left_slope, b = p->length * p->right_slope;
  return (2 * (3 * d - 2 * a - b) + s * 6 * (a + b - 2 * d)) / (p->length * p->length);
}

double MonotoneCubic::integral(double at) const noexcept {
  const Piece* p = piece(at);
  if (!p && at < pieces_.front().start) return (at - pieces_.front().start) * pieces_.front().left;
  if (!p) return integral_.back() + (at - pieces_.back().start - pieces_.back().length) * pieces_.back().right;
  const double s = (at - p->start) / p->length, d = p->right - p->left;
  const double a = p->length * p->left_slope, b = p->length * p->right_slope;
  return integral_[static_cast<std::size_t>(p - pieces_.data())] +
         p->length * s * (p->left + s * (a / 2 + s * ((3 * d - 2 * a - b) / 3 + s * (a + b - 2 * d) / 4)));
}

}  // namespace armature::numerics
