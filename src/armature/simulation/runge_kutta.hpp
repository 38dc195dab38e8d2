// Explicit Runge–Kutta steps. Inside the room only.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>

#include "armature/core/error.hpp"

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

  /// Forgets the step size found so far.
  void forget() { step_ = 0; }

  /// From t to `until` with steps whose local error stays below the tolerances: the pair of orders 5 and 4 [Dormand1980].
  template <class F>
  void adaptive(double& t, double until, Eigen::VectorXd& x, double relative, double absolute, F&& f) {
    static constexpr double a[7][6] = {{},
                                       {1.0 / 5},
                                       {3.0 / 40, 9.0 / 40},
                                       {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                       {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                       {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                       {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static constexpr double c[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
    static constexpr double e[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                    -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    resize(x.size());
    f(t, x.data(), k_[0].data());
    if (step_ == 0) step_ = first_step(x, relative, absolute, until - t);
    while (t < until) {
      const bool last = t + step_ * (1 + 1e-12) >= until;
      const double h = last ? until - t : step_;
      if (!(h > 1e-14 * std::max(1.0, std::abs(t))) && !last)
        throw Error("the integrator's step shrinks to nothing at " + std::to_string(t) + " s",
                    "the plant is stiff or unstable: use cvode");
      for (std::size_t s = 1; s < 7; ++s) {
        y_ = x;
        for (std::size_t j = 0; j < s; ++j)
          if (a[s][j] != 0) y_ += h * a[s][j] * k_[j];
        f(t + c[s] * h, y_.data(), k_[s].data());
      }
      double error = 0;  // y_ is the new state; root mean square of the scaled error
      for (Eigen::Index i = 0; i < x.size(); ++i) {
        double d = 0;
        for (std::size_t s = 0; s < 7; ++s) d += e[s] * k_[s][i];
        const double scaled = h * d / (absolute + relative * std::max(std::abs(x[i]), std::abs(y_[i])));
        error += scaled * scaled;
      }
      error = std::sqrt(error / static_cast<double>(x.size()));
      const double factor =
          std::isfinite(error) ? std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.2), 0.2, 5.0) : 0.1;
      if (error <= 1) {
        t = last ? until : t + h;
        x = y_;
        std::swap(k_[0], k_[6]);  // first same as last
        if (!last || factor < 1) step_ = h * factor;
      } else {
        step_ = h * std::min(factor, 0.9);
      }
    }
  }

 private:
  void resize(Eigen::Index n) {
    if (y_.size() == n) return;
    y_.resize(n);
    for (Eigen::VectorXd& k : k_) k.resize(n);
  }
  double first_step(const Eigen::VectorXd& x, double relative, double absolute, double longest) const {
    const double size = (x.array().abs() * relative + absolute).matrix().norm(), speed = k_[0].norm();
    return std::min(longest, speed > 0 ? std::pow(size / speed, 0.2) * 1e-2 : longest);
  }

  std::array<Eigen::VectorXd, 7> k_;
  Eigen::VectorXd y_;
  double step_ = 0;
};

}  // namespace armature
