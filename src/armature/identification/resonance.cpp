#include "armature/identification/resonance.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/units.hpp"
#include "armature/identification/frf.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

//  With the lines scaled by guess, σ = j f/guess, denominator d(σ) = σ² + a1 σ + a0:
//     c0 + c1 x + c2 x² - H (a1 σ + a0) = H σ²      linear in c (complex) and a (real), weighted by 1/(|H| dev |d|)
//  Then ω0 = guess sqrt(a0), ζ = a1/(2 sqrt(a0)).
Resonance fit_resonance(const FrequencyResponse& frf, double guess, const ResonanceSettings& s, bool anti) {
  std::vector<std::size_t> lines;
  for (std::size_t k = 0; k < frf.frequency.size(); ++k)
    if (std::abs(frf.frequency[k] - guess) <= s.width * guess && frf.coherence[k] >= s.coherence &&
        frf.frequency[k] >= s.from && frf.frequency[k] <= s.to)
      lines.push_back(k);
  if (lines.size() < 8)
    throw Error(fmt::format("only {} reliable lines about {:.4g} Hz", lines.size(), guess),
                "longer segments give more lines, a longer log makes them reliable");
  const std::vector<double> deviation = relative_deviation(frf);
  const auto rows = static_cast<Eigen::Index>(2 * lines.size());
  constexpr int unknowns = 8;  // three complex c, a1, a0
  Eigen::MatrixXd A(rows, unknowns);
  Eigen::VectorXd b(rows);
  Eigen::VectorXd a = Eigen::Vector2d(0.02, 1);
  Eigen::MatrixXd covariance;
  for (int iteration = 0; iteration < 30; ++iteration) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::size_t k = lines[i];
      const double f = frf.frequency[k] / guess, x = f - 1;
      const std::complex<double> sigma(0, f);
      const std::complex<double> H = anti ? 1.0 / frf.response[k] : frf.response[k];
      const double relative = std::max(deviation[k], 1e-6);
      const double weight = 1 / (std::abs(H) * relative * std::abs(sigma * sigma + a[0] * sigma + a[1]));
      const std::complex<double> columns[] = {
          1.0,        x, x * x, std::complex<double>(0, 1), std::complex<double>(0, x), std::complex<double>(0, x * x),
          -H * sigma, -H};
      const auto row = static_cast<Eigen::Index>(2 * i);
      for (int c = 0; c < unknowns; ++c) {
        A(row, c) = weight * columns[c].real();
        A(row + 1, c) = weight * columns[c].imag();
      }
      const std::complex<double> right = weight * H * sigma * sigma;
      b[row] = right.real();
      b[row + 1] = right.imag();
    }
    const Eigen::VectorXd solution = least_squares_solution(A, b);
    const Eigen::Vector2d next(solution[6], solution[7]);
    const bool settled = (next - a).norm() < 1e-12 * next.norm();
    a = next;
    const Eigen::MatrixXd R_inverse = inverse(triangle_of(A));
    const double misfit = std::max(1.0, (A * solution - b).squaredNorm() / static_cast<double>(rows - unknowns));
    covariance = misfit * R_inverse * R_inverse.transpose();
    if (settled || !(a[1] > 0)) break;
  }
  if (!(a[1] > 0)) throw Error(fmt::format("the lines about {:.4g} Hz show no mode", guess), "");
  Resonance mode;
  mode.anti = anti;
  const double root = std::sqrt(a[1]);
  mode.frequency = guess * root;
  mode.damping = a[0] / (2 * root);
  mode.frequency_deviation = guess * std::sqrt(covariance(7, 7)) / (2 * root);
  const double by_a1 = 1 / (2 * root), by_a0 = -a[0] / (4 * root * a[1]);
  mode.damping_deviation = std::sqrt(by_a1 * by_a1 * covariance(6, 6) + 2 * by_a1 * by_a0 * covariance(6, 7) +
                                     by_a0 * by_a0 * covariance(7, 7));
  return mode;
}

namespace {

struct Summit {
  std::size_t at;
  double prominence;
};

/// Local maxima with at least this prominence: how far one must descend from them before one can climb higher.
std::vector<Summit> summits(const std::vector<double>& height, double least) {
  std::vector<Summit> found;
  for (std::size_t i = 1; i + 1 < height.size(); ++i) {
    if (height[i] < height[i - 1] || height[i] <= height[i + 1]) continue;
    double left = height[i], right = height[i];
    for (std::size_t k = i; k-- > 0 && height[k] <= height[i];) left = std::min(left, height[k]);
    for (std::size_t k = i + 1; k < height.size() && height[k] <= height[i]; ++k) right = std::min(right, height[k]);
    const double prominence = height[i] - std::max(left, right);
    if (prominence >= least) found.push_back({i, prominence});
  }
  return found;
}

}  // namespace

std::vector<Resonance> find_resonances(const FrequencyResponse& frf, const ResonanceSettings& s) {
  std::vector<std::size_t> lines;
  for (std::size_t k = 0; k < frf.frequency.size(); ++k)
    if (frf.frequency[k] >= s.from && frf.frequency[k] <= s.to && frf.frequency[k] > 0 &&
        frf.coherence[k] >= s.coherence)
      lines.push_back(k);
  std::vector<double> height;
  for (std::size_t i = 0; i < lines.size(); ++i) {  // the median of three lines, without the integrators' fall
    double near[3];
    for (std::size_t j = 0; j < 3; ++j) {
      const std::size_t k = lines[std::min(lines.size() - 1, i + j > 0 ? i + j - 1 : 0)];
      near[j] = 20 * std::log10(std::abs(frf.response[k]) * std::pow(frf.frequency[k], s.integrators));
    }
    std::sort(near, near + 3);
    height.push_back(near[1]);
  }
  std::vector<Resonance> modes;
  for (const bool anti : {false, true}) {
    if (anti && !s.antiresonances) break;
    std::vector<double> sense = height;
    if (anti)
      for (double& h : sense) h = -h;
    for (const Summit& summit : summits(sense, s.prominence)) {
      try {
        Resonance mode = fit_resonance(frf, frf.frequency[lines[summit.at]], s, anti);
        mode.prominence = summit.prominence;
        const bool plausible = std::abs(mode.frequency / frf.frequency[lines[summit.at]] - 1) < s.width &&
                               mode.damping > 0 && mode.damping < 0.7;
        const bool known = std::any_of(modes.begin(), modes.end(), [&](const Resonance& m) {
          return m.anti == anti && std::abs(m.frequency / mode.frequency - 1) < 0.02;
        });
        if (plausible && !known) modes.push_back(mode);
      } catch (const Error&) {  // too few reliable lines: not a mode that can be told
      }
    }
  }
  std::sort(modes.begin(), modes.end(),
            [](const Resonance& a, const Resonance& b) { return a.frequency < b.frequency; });
  return modes;
}

}  // namespace armature::identification
