#include "armature/identification/internal/residual_sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace armature::identification {

namespace {

/// "0.31", or "0.31 to 0.87" where the texts of the smallest and the largest differ.
template <class Text>
std::string span_of(const std::vector<double>& values, const Text& text) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::string from = text(*least), to = text(*most);
  return from == to ? from : fmt::format("{} to {}", from, to);
}

}  // namespace

std::string correlation_sentence(std::span<const Whiteness> joints) {
  constexpr double matters = 1.5;  // intervals of white residuals would be 1.2 times too narrow
  std::vector<std::size_t> which;
  std::vector<double> lag_one, counted;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (joints[i].chance >= 0.01 || joints[i].correlated_over < matters) continue;
    which.push_back(i + 1);
    lag_one.push_back(joints[i].lag_one);
    counted.push_back(joints[i].correlated_over);
  }
  if (which.empty()) return {};
  return fmt::format(
      "Residuals of joint{} {} are correlated (lag-1 autocorrelation {}): about {} samples carry as much information "
      "as one; the intervals allow for that.",
      which.size() > 1 ? "s" : "", fmt::join(which, ", "),
      span_of(lag_one, [](double r) { return fmt::format("{:.2f}", r); }),
      span_of(counted, [](double n) { return n < 100 ? fmt::format("{:.2g}", n) : fmt::format("{:.0f}", n); }));
}

}  // namespace armature::identification
