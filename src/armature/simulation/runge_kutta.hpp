// Explicit Runge–Kutta steps of fixed length. Inside the room only.
#pragma once

#include <Eigen/Core>
#include <array>

namespace armature {

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

}  // namespace armature
