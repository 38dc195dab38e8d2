// Explicit Runge–Kutta steps of fixed length.
#pragma once

#include <Eigen/Core>
#include <array>

#include "armature/rooms.hpp"

namespace armature::numerics {

/// What x becomes in one classical step of order 4 and length h, from its slope k1 on; slope(share, x) is the slope after that share
/// of the step. X is a vector, or whatever can be added and multiplied by its X::Scalar.
template <class X, class F>
X classical_step(const X& x, double h, const X& k1, F&& slope) {
  using S = typename X::Scalar;
  const X k2 = slope(0.5, X(x + S(h / 2) * k1));
  const X k3 = slope(0.5, X(x + S(h / 2) * k2));
  const X k4 = slope(1.0, X(x + S(h) * k3));
  return x + S(h / 6) * (k1 + S(2) * k2 + S(2) * k3 + k4);
}

/// Steps of fixed length that make no new vectors.
class RungeKutta {
 public:
  /// One step of method 0 (Euler), 1 (Heun) or 2 (the classical one of order 4).
  template <class F>
  void step(int method, double t, double h, Eigen::VectorXd& x, F&& f) {
    resize(x.size());
    f(t, x.data(), k_[0].data());
    if (method == 0) {
      x += h * k_[0];
    } else if (method == 1) {
      y_ = x + h * k_[0];
      f(t + h, y_.data(), k_[1].data());
      x += h / 2 * (k_[0] + k_[1]);
    } else {
      y_ = x + h / 2 * k_[0];
      f(t + h / 2, y_.data(), k_[1].data());
      y_ = x + h / 2 * k_[1];
      f(t + h / 2, y_.data(), k_[2].data());
      y_ = x + h * k_[2];
      f(t + h, y_.data(), k_[3].data());
      x += h / 6 * (k_[0] + 2 * k_[1] + 2 * k_[2] + k_[3]);
    }
  }

 private:
  void resize(Eigen::Index n) {
    if (y_.size() == n) return;
    y_.resize(n);
    for (Eigen::VectorXd& k : k_) k.resize(n);
  }

  std::array<Eigen::VectorXd, 4> k_;
  Eigen::VectorXd y_;
};

}  // namespace armature::numerics
