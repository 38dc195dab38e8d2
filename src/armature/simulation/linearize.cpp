#include "armature/simulation/linearize.hpp"

#include <algorithm>
#include <cmath>

#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/numerics/matrix_functions.hpp"
#include "armature/scalar/dual.hpp"

namespace armature::simulation {

namespace {

/// Cᵀ (s - A)⁻¹ b
std::complex<double> answer(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const Eigen::VectorXd& C,
                            std::complex<double> s) {
  const Eigen::MatrixXcd system = s * Eigen::MatrixXcd::Identity(A.rows(), A.rows()) - A;
  const Eigen::VectorXcd x = complex_solved(system, b.cast<std::complex<double>>());
  return C.cast<std::complex<double>>().cwiseProduct(x).sum();
}

}  // namespace

LinearPlant linearize(const Plant& plant, double t, const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                      const Modes& modes) {
  const Eigen::Index all = plant.states(), n = all - 2, m = plant.inputs();
  LinearPlant linear{
      Eigen::MatrixXd(n, n), Eigen::MatrixXd(n, m), {plant.state_names().begin(), plant.state_names().end() - 2}};
  std::vector<Dual> xs(all), us(m), xd(all);
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
  std::vector<Mode> modes;
  const Eigen::VectorXcd values = eigenvalues(balanced_for_eigenvalues(plant.A));
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
  for (const double f : frequencies) response.push_back(answer(plant.A, B, C, {0, 2 * pi * f}));
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
  const Eigen::VectorXd in = plant.B * b;
  for (const double f : frequencies)
    response.push_back(answer(plant.A, in, C, std::polar(1.0, 2 * pi * f * plant.tick)));
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
