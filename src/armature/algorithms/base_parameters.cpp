#include "armature/algorithms/base_parameters.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::algorithms {

namespace {

/// Zero, or a number with few digits, where x is one to rounding: geometry is written with few digits, and so are sums
/// and products of it.
double tidy(double x) {
  constexpr double rounding = 1e-11;
  if (std::abs(x) < rounding) return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(x))) - 7);  // eight digits
  const double near = std::round(x / unit) / std::round(1 / unit);
  return std::abs(x - near) < rounding * std::max(1.0, std::abs(x)) ? near : x;
}

/// Part of `column` that is orthogonal to the orthonormal `basis`; done twice, since once is not enough.
Eigen::VectorXd orthogonal_part(Eigen::VectorXd column, const Eigen::MatrixXd& basis, Eigen::Index count) {
  for (int pass = 0; pass < 2; ++pass) column -= basis.leftCols(count) * (basis.leftCols(count).transpose() * column);
  return column;
}

Eigen::VectorXd lengths_of(const Eigen::MatrixXd& matrix) { return matrix.colwise().norm().transpose(); }

/// As independent_columns(), of columns divided by their `scale`.
ColumnGroups grouped(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& scale, std::span<const int> preferred,
                     double tolerance) {
  const Eigen::Index columns = matrix.cols();
  const Eigen::VectorXd length = lengths_of(matrix);
  const double longest = length.maxCoeff();
  ColumnGroups groups;
  Eigen::MatrixXd scaled = Eigen::MatrixXd::Zero(matrix.rows(), columns);
  for (int c = 0; c < columns; ++c) {
    if (length[c] > tolerance * longest)
      scaled.col(c) = matrix.col(c) / scale[c];
    else
      groups.zero.push_back(c);
  }

  const Eigen::VectorXd pivots = pivot_sizes(scaled);
  Eigen::Index rank = 0;
  while (rank < pivots.size() && pivots[rank] > tolerance) ++rank;
  if (rank > 0) groups.smallest_kept = pivots[rank - 1];
  if (rank < pivots.size()) groups.largest_dropped = pivots[rank];

  Eigen::MatrixXd basis(matrix.rows(), columns);
  for (const int c : preferred) {
    const Eigen::VectorXd rest = orthogonal_part(scaled.col(c), basis, static_cast<Eigen::Index>(groups.kept.size()));
    if (!(rest.norm() > tolerance)) continue;
    basis.col(groups.kept.size()) = rest.normalized();
    groups.kept.push_back(c);
  }
  if (static_cast<Eigen::Index>(groups.kept.size()) != rank)
    throw Error(fmt::format("the number of independent parameters is not clear: {} by pivoting, {} in order, at "
                            "tolerance {:g}",
                            rank, groups.kept.size(), tolerance),
                fmt::format("pivots fall from {:.1e} to {:.1e} there; choose a tolerance in a wider gap",
                            groups.smallest_kept, groups.largest_dropped));

  std::sort(groups.kept.begin(), groups.kept.end());
  Eigen::MatrixXd independent(matrix.rows(), rank);
  for (Eigen::Index k = 0; k < rank; ++k) independent.col(k) = scaled.col(groups.kept[k]);
  groups.coefficient = least_squares_solution(independent, scaled);
  for (int c = 0; c < columns; ++c) {
    const auto position = std::lower_bound(groups.kept.begin(), groups.kept.end(), c);
    if (position != groups.kept.end() && *position == c)
      groups.coefficient.col(c) = Eigen::VectorXd::Unit(rank, position - groups.kept.begin());
    else
      for (Eigen::Index k = 0; k < rank; ++k)
        groups.coefficient(k, c) = tidy(groups.coefficient(k, c) * scale[c] / scale[groups.kept[k]]);
    const bool kept = position != groups.kept.end() && *position == c;
    if (!kept && !std::binary_search(groups.zero.begin(), groups.zero.end(), c)) groups.dependent.push_back(c);
  }
  return groups;
}

}  // namespace

ColumnGroups independent_columns(const Eigen::MatrixXd& matrix, std::span<const int> preferred, double tolerance) {
  return grouped(matrix, lengths_of(matrix), preferred, tolerance);
}

BaseParameters base_parameters(const Arm& arm, const BaseParameterSettings& settings) {
  const int n = arm.dof(), links = parameters_per_link * n, columns = links + (settings.rotors ? n : 0);
  Random random(settings.seed);
  const auto vector = [&](double turning, double sliding) {
    VecX<double> x(n);
    for (int i = 0; i < n; ++i) {
      const double size = arm.body(i).revolute ? turning : sliding;
      x[i] = random.uniform(-size, size);
    }
    return x;
  };
  Eigen::MatrixXd stacked(settings.states * n, columns);
  for (int k = 0; k < settings.states; ++k) {
    const VecX<double> q = vector(pi, 1), qd = vector(3, 3), qdd = vector(10, 10);
    stacked.block(k * n, 0, n, links) = torque_regressor<double>(arm, q, qd, qdd);
    if (settings.rotors) stacked.block(k * n, links, n, n) = rotor_regressor<double>(arm, qdd);
  }

  // Of Ixx and Iyy one moves into the link before: Iyy as in [Gautier1990], but Ixx as in [Kostic2004] where the link frame
  // is the distal one, whose x axis runs along the link.
  const bool distal = arm.description().convention == DhConvention::standard;
  const int first = distal ? 6 : 4, second = distal ? 4 : 6;
  const int order[parameters_per_link] = {9, first, second, 5, 7, 8, 1, 2, 3, 0};
  std::vector<int> preferred;
  for (int i = 0; i < n; ++i)
    for (const int k : order) preferred.push_back(parameters_per_link * i + k);
  for (int c = links; c < columns; ++c) preferred.push_back(c);
  // Links are scaled alike. An arm that hangs by 3.1416 in place of pi makes a small part of a short column independent: no torque
  // worth a parameter, but the column scaled by itself would count.
  Eigen::VectorXd scale = lengths_of(stacked);
  scale.head(links).setConstant(scale.head(links).maxCoeff());
  return {n, grouped(stacked, scale, preferred, settings.tolerance)};
}

Eigen::VectorXd base_parameter_values(const Arm& arm, const BaseParameters& base) {
  Eigen::VectorXd p(base.grouping().cols());
  p.head(parameters_per_link * base.dof) = link_parameters(arm);
  for (Eigen::Index k = parameters_per_link * base.dof; k < p.size(); ++k)
    p[k] = shaft_inertia(arm.joint(static_cast<int>(k) - parameters_per_link * base.dof).drive);
  return base.grouping() * p;
}

std::string parameter_name(int dof, int column) {
  constexpr const char* names[] = {"m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"};
  if (column >= parameters_per_link * dof) return fmt::format("J{}", column - parameters_per_link * dof + 1);
  return fmt::format("{}{}", names[column % parameters_per_link], column / parameters_per_link + 1);
}

std::vector<std::string> base_parameter_text(const BaseParameters& base) {
  std::vector<std::string> lines;
  for (int k = 0; k < base.count(); ++k) {
    const int own = base.columns.kept[k];
    std::string line = fmt::format("p{} = {}", k + 1, parameter_name(base.dof, own));
    for (int c = 0; c < base.grouping().cols(); ++c) {
      const double x = base.grouping()(k, c);
      if (c == own || x == 0) continue;
      const std::string factor = std::abs(x) == 1 ? "" : fmt::format("{:.8g} ", std::abs(x));
      line += fmt::format(" {} {}{}", x < 0 ? '-' : '+', factor, parameter_name(base.dof, c));
    }
    lines.push_back(line);
  }
  return lines;
}

}  // namespace armature::algorithms
