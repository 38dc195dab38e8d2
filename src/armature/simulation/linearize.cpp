#include "armature/simulation/linearize.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/scalar/dual.hpp"

namespace armature::simulation {

namespace {

/// exp(X) by its series, after halving X until it is small.
Eigen::MatrixXd exponential(Eigen::MatrixXd X) {
  int halvings = 0;
  while (X.cwiseAbs().rowwise().sum().maxCoeff() > 0.5 && halvings < 60) {
    X /= 2;
    ++halvings;
  }
  Eigen::MatrixXd sum = Eigen::MatrixXd::Identity(X.rows(), X.cols()), term = sum;
  for (int k = 1; k <= 16; ++k) {
    term = term * X / k;
    sum += term;
  }
  for (; halvings > 0; --halvings) sum = sum * sum;
  return sum;
}

}  // namespace

LinearPlant linearize(const Plant& plant, double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                      const Modes& modes) {
  const Eigen::Index all = plant.states(), n = all - 2, m = plant.inputs();
  LinearPlant linear{
      Eigen::MatrixXd(n, n), Eigen::MatrixXd(n, m), {plant.state_names().begin(), plant.state_names().end() - 2}};
  std::vector<Dual> xs(static_cast<std::size_t>(all)), us(static_cast<std::size_t>(m)),
      xd(static_cast<std::size_t>(all));
  for (Eigen::Index i = 0; i < all; ++i) xs[i] = x[i];
  for (Eigen::Index i = 0; i < m; ++i) us[i] = u[i];
  const auto column = [&](Dual& variable, auto into) {
    variable.slope = 1;
    plant.derivative<Dual>(t, xs.data(), us.data(), modes, xd.data());
    variable.slope = 0;
    for (Eigen::Index i = 0; i < n; ++i) into[i] = xd[i].slope;
  };
  linear.A.setZero();
  const std::vector<int>& locks = plant.description().locks;
  const auto held_by_brake = [&](Eigen::Index state) {  // it does not vary
    return std::any_of(locks.begin(), locks.end(),
                       [&](int axis) { return state == axis || state == plant.axes() + axis; });
  };
  for (Eigen::Index j = 0; j < n; ++j)
    if (!held_by_brake(j)) column(xs[j], linear.A.col(j));
  for (Eigen::Index j = 0; j < m; ++j) column(us[j], linear.B.col(j));
  return linear;
}

std::vector<Mode> modes_of(const LinearPlant& plant) {
  // Balancing: a diagonal scaling by powers of two makes rows and columns alike, so that eigenvalues far apart come out
  // with the accuracy of each [Osborne1960].
  Eigen::MatrixXd A = plant.A;
  const Eigen::Index n = A.rows();
  for (bool changed = true; changed;) {
    changed = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      double row = A.row(i).cwiseAbs().sum() - std::abs(A(i, i)),
             column = A.col(i).cwiseAbs().sum() - std::abs(A(i, i));
      if (row == 0 || column == 0) continue;
      const double before = row + column;
      double factor = 1;
      while (column < row / 2) {
        factor *= 2;
        column *= 4;
      }
      while (column > row * 2) {
        factor /= 2;
        column /= 4;
      }
      if ((column + row) / factor < 0.95 * before) {
        A.col(i) *= factor;
        A.row(i) /= factor;
        changed = true;
      }
    }
  }
  std::vector<Mode> modes;
  const Eigen::VectorXcd values = eigenvalues(A);
  for (const std::complex<double>& value : values) {
    if (value.imag() < 0) continue;
    const double size = std::abs(value);
    modes.push_back({value, size / (2 * pi), size > 0 ? -value.real() / size : 0});
  }
  std::sort(modes.begin(), modes.end(),
            [](const Mode& a, const Mode& b) { return std::abs(a.eigenvalue) < std::abs(b.eigenvalue); });
  return modes;
}

std::vector<std::complex<double>> frequency_response(const LinearPlant& plant, const Eigen::VectorXd& B,
                                                     const Eigen::VectorXd& C, const std::vector<double>& frequencies) {
  std::vector<std::complex<double>> response;
  const Eigen::Index n = plant.A.rows();
  for (const double f : frequencies) {
    const Eigen::MatrixXcd system = std::complex<double>(0, 2 * pi * f) * Eigen::MatrixXcd::Identity(n, n) - plant.A;
    const Eigen::VectorXcd x = complex_solved(system, B.cast<std::complex<double>>());
    response.push_back(C.cast<std::complex<double>>().cwiseProduct(x).sum());
  }
  return response;
}

HeldPlant held(const LinearPlant& plant, double tick) {
  const Eigen::Index n = plant.A.rows(), m = plant.B.cols();
  Eigen::MatrixXd both = Eigen::MatrixXd::Zero(n + m, n + m);
  both.topRows(n) << plant.A, plant.B;
  const Eigen::MatrixXd grown = exponential(both * tick);
  return {grown.topLeftCorner(n, n), grown.topRightCorner(n, m), tick};
}

std::vector<std::complex<double>> frequency_response(const HeldPlant& plant, const Eigen::VectorXd& b,
                                                     const Eigen::VectorXd& C, const std::vector<double>& frequencies) {
  std::vector<std::complex<double>> response;
  const Eigen::Index n = plant.A.rows();
  const Eigen::MatrixXcd in = (plant.B * b).cast<std::complex<double>>();
  for (const double f : frequencies) {
    const Eigen::MatrixXcd system =
        std::polar(1.0, 2 * pi * f * plant.tick) * Eigen::MatrixXcd::Identity(n, n) - plant.A;
    response.push_back(C.cast<std::complex<double>>().cwiseProduct(complex_solved(system, in).col(0)).sum());
  }
  return response;
}

std::vector<Peak> peaks(const LinearPlant& plant, const Eigen::VectorXd& B, const Eigen::VectorXd& C, double from,
                        double to, bool minima) {
  const auto height = [&](double f) {
    return (minima ? -1 : 1) * 20 * std::log10(std::abs(frequency_response(plant, B, C, {f})[0]));
  };
  std::vector<double> f, h;
  const int lines = 2000;
  for (int i = 0; i <= lines; ++i) {
    f.push_back(from * std::pow(to / from, static_cast<double>(i) / lines));
    h.push_back(height(f.back()));
  }
  std::vector<Peak> found;
  for (std::size_t i = 1; i + 1 < f.size(); ++i) {
    if (!(h[i] > h[i - 1] && h[i] >= h[i + 1])) continue;
    double low = f[i - 1], high = f[i + 1];  // golden section
    const double golden = (std::sqrt(5.0) - 1) / 2;
    for (int k = 0; k < 60; ++k) {
      const double a = high - golden * (high - low), b = low + golden * (high - low);
      (height(a) > height(b) ? high : low) = height(a) > height(b) ? b : a;
    }
    found.push_back({(low + high) / 2, (minima ? -1 : 1) * height((low + high) / 2)});
  }
  return found;
}

}  // namespace armature::simulation
