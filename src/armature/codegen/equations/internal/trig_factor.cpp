#include "armature/codegen/equations/internal/trig_factor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>

namespace armature::codegen {
namespace {

using Matrix = Eigen::Matrix<TrigPoly, Eigen::Dynamic, Eigen::Dynamic>;
using Complex = std::complex<double>;

// The terms of f as Σ F_k exp(i k·q), those along a line k0 + 2 t angle together.
struct SpectrumLine {
  TrigPoly::Powers symbols;
  TrigPoly::Angle start;
  friend auto operator<=>(const SpectrumLine&, const SpectrumLine&) = default;
};
using Spectrum = std::map<SpectrumLine, std::map<int, Complex>>;

Spectrum spectrum_of(const TrigPoly& f, const TrigPoly::Angle& angle) {
  const auto j = static_cast<std::size_t>(
      std::find_if(angle.begin(), angle.end(), [](std::int8_t k) { return k != 0; }) - angle.begin());
  Spectrum lines;
  const auto add = [&](const TrigPoly::Powers& symbols, const TrigPoly::Angle& k, Complex c) {
    const int step = 2 * angle[j];
    const int t = static_cast<int>(std::floor(static_cast<double>(k[j]) / step));
    SpectrumLine line{symbols, k};
    for (std::size_t i = 0; i < k.size(); ++i) line.start[i] = static_cast<std::int8_t>(k[i] - 2 * t * angle[i]);
    lines[line][t] += c;
  };
  for (const auto& [m, c] : f.terms()) {
    TrigPoly::Angle minus;
    for (std::size_t i = 0; i < minus.size(); ++i) minus[i] = static_cast<std::int8_t>(-m.angle[i]);
    if (minus == m.angle) {
      add(m.symbols, m.angle, c);
    } else if (m.sine) {  // sin x = (e^ix - e^-ix) / 2i
      add(m.symbols, m.angle, Complex(0, -c / 2));
      add(m.symbols, minus, Complex(0, c / 2));
    } else {
      add(m.symbols, m.angle, c / 2);
      add(m.symbols, minus, c / 2);
    }
  }
  return lines;
}

TrigPoly laplace(const Matrix& a, int row, unsigned columns, std::map<unsigned, TrigPoly>& known) {
  if (columns == 0) return TrigPoly(1);
  if (const auto it = known.find(columns); it != known.end()) return it->second;
  TrigPoly sum;
  int sign = 1;
  for (int j = 0; j < a.cols(); ++j) {
    if (!(columns >> j & 1u)) continue;
    if (!a(row, j).zero()) sum += a(row, j) * laplace(a, row + 1, columns & ~(1u << j), known) * TrigPoly(sign);
    sign = -sign;
  }
  return known[columns] = sum;
}

int inversions(const std::vector<int>& order) {
  int n = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j) n += order[i] > order[j];
  return n;
}

}  // namespace

//   F_t = (G_{t-½} - G_{t+½}) / 2i  for the sine,  F_t = (G_{t-½} + G_{t+½}) / 2  for the cosine
std::optional<TrigPoly> divided_by_turn(const TrigPoly& f, const TrigPoly::Angle& angle, bool sine) {
  TrigPoly result;
  double largest = 0;
  for (const auto& [m, c] : f.terms()) largest = std::max(largest, std::abs(c));
  for (const auto& [line, values] : spectrum_of(f, angle)) {
    Complex g = 0;
    const int first = values.begin()->first, last = values.rbegin()->first;
    for (int t = first; t <= last; ++t) {
      const auto it = values.find(t);
      const Complex F = it == values.end() ? 0 : it->second;
      g = sine ? g - Complex(0, 2) * F : 2. * F - g;
      if (t == last) break;
      TrigPoly::Monomial m{line.symbols, line.start, false};
      for (std::size_t i = 0; i < m.angle.size(); ++i)
        m.angle[i] = static_cast<std::int8_t>(m.angle[i] + (2 * t + 1) * angle[i]);
      if (std::abs(g) < 1e-11 * largest) continue;
      result.add(m, g.real());  // e^ix = cos x + i sin x; both halves of a real function arrive
      m.sine = true;
      result.add(m, -g.imag());
    }
    if (std::abs(g) > 1e-10 * largest) return {};
  }
  return result;
}

std::vector<TrigPoly> determinant_factors(const Matrix& a) {
  const int n = static_cast<int>(a.rows());
  if (n == 0) return {};
  if (n == 1) return {a(0, 0)};
  // columns S that have entries in as many rows only: the determinant is that of this block times that of the rest
  for (unsigned S = 1; S + 1 < (1u << n); ++S) {
    std::vector<int> in, out;  // rows with and without entries in S
    for (int i = 0; i < n; ++i) {
      bool any = false;
      for (int j = 0; j < n; ++j) any = any || ((S >> j & 1u) && !a(i, j).zero());
      (any ? in : out).push_back(i);
    }
    const auto size = static_cast<std::size_t>(std::popcount(S));
    if (in.size() < size) return {TrigPoly()};
    if (in.size() > size) continue;
    std::vector<int> inside, outside;
    for (int j = 0; j < n; ++j) (S >> j & 1u ? inside : outside).push_back(j);
    const auto block = [&](const std::vector<int>& rows, const std::vector<int>& columns) {
      Matrix b(static_cast<int>(rows.size()), static_cast<int>(columns.size()));
      for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < columns.size(); ++j)
          b(static_cast<int>(i), static_cast<int>(j)) = a(rows[i], columns[j]);
      return b;
    };
    std::vector<TrigPoly> factors = determinant_factors(block(in, inside));
    for (TrigPoly& f : determinant_factors(block(out, outside))) factors.push_back(std::move(f));
    in.insert(in.end(), out.begin(), out.end());
    inside.insert(inside.end(), outside.begin(), outside.end());
    if ((inversions(in) + inversions(inside)) % 2) factors.push_back(TrigPoly(-1));
    return factors;
  }
  std::map<unsigned, TrigPoly> known;
  return {laplace(a, 0, (1u << n) - 1, known)};
}

}  // namespace armature::codegen
