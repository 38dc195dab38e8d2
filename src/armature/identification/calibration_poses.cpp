#include "armature/identification/calibration_poses.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/core/error.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

VecX<double> random_posture(const Arm& arm, Random& random) {
  VecX<double> q(arm.dof());
  for (int i = 0; i < arm.dof(); ++i) {
    const double far = arm.body(i).revolute ? pi : 0.5;
    const Limits& limits = arm.joint(i).limits;
    q[i] = random.uniform(std::max(-far, limits.lower.value_or(-far)), std::min(far, limits.upper.value_or(far)));
  }
  return q;
}

/// log det(M + CᵀC) - log det M = log det(1 + C M⁻¹ Cᵀ): what rows C add.
double gain(const Eigen::MatrixXd& inverse_of_M, const Eigen::MatrixXd& C) {
  const Eigen::MatrixXd small = Eigen::MatrixXd::Identity(C.rows(), C.rows()) + C * inverse_of_M * C.transpose();
  return std::log(determinant(small));
}

/// M⁻¹ after CᵀC was added (sign 1) or taken away (-1), by Woodbury's formula.
Eigen::MatrixXd updated(const Eigen::MatrixXd& inverse_of_M, const Eigen::MatrixXd& C, double sign) {
  const Eigen::MatrixXd left = inverse_of_M * C.transpose();
  const Eigen::MatrixXd small = sign * Eigen::MatrixXd::Identity(C.rows(), C.rows()) + C * left;
  return inverse_of_M - left * solved(small, left.transpose());
}

Eigen::VectorXd design_values(const std::vector<Eigen::MatrixXd>& blocks, const std::vector<std::size_t>& chosen) {
  Eigen::MatrixXd J(blocks[0].rows() * static_cast<Eigen::Index>(chosen.size()), blocks[0].cols());
  for (std::size_t k = 0; k < chosen.size(); ++k)
    J.middleRows(blocks[0].rows() * static_cast<Eigen::Index>(k), blocks[0].rows()) = blocks[chosen[k]];
  return singular_values(J);
}

double observability_of(const Eigen::VectorXd& values, int count) {
  return std::exp(values.array().log().mean()) / std::sqrt(static_cast<double>(count));
}

}  // namespace

PostureDesign design_postures(const Arm& arm, int count, const CalibrationSettings& s, std::uint64_t seed) {
  if (s.measured != ToolMeasured::position && s.measured != ToolMeasured::pose)
    throw Error("postures that touch a point or a plane cannot be designed freely",
                "design them for position or pose, or choose varied ones by hand");
  constexpr std::size_t candidates = 1500;
  if (count < 1 || static_cast<std::size_t>(count) > candidates / 2)
    throw Error(fmt::format("a design of {} postures", count), fmt::format("1 to {}", candidates / 2));
  Random random(seed);
  const CalibratedGeometry geometry(arm, geometry_parameters(arm, s.gears, s.compliances));
  std::vector<VecX<double>> postures;
  std::vector<Eigen::MatrixXd> blocks;
  const Eigen::Index rows = s.measured == ToolMeasured::pose ? 6 : 3;
  Eigen::MatrixXd all(rows * static_cast<Eigen::Index>(candidates), geometry.parameters().size());
  for (std::size_t k = 0; k < candidates; ++k) {
    postures.push_back(random_posture(arm, random));
    all.middleRows(rows * static_cast<Eigen::Index>(k), rows) =
        geometry.sensitivity(postures.back()).columns.topRows(rows);
  }
  const std::vector<int> kept = independent_columns(all);
  const auto unknowns = static_cast<int>(kept.size());
  if (rows * count < unknowns)
    throw Error(fmt::format("{} postures give {} equations for {} unknowns", count, rows * count, unknowns),
                fmt::format("at least {}, better three times as many", (unknowns + rows - 1) / rows));
  for (std::size_t k = 0; k < candidates; ++k) {
    Eigen::MatrixXd block(rows, unknowns);
    for (int j = 0; j < unknowns; ++j) block.col(j) = all.block(rows * static_cast<Eigen::Index>(k), kept[j], rows, 1);
    blocks.push_back(block);
  }
  // One after the other, from a little of everything; then each is exchanged for a better one while that helps.
  Eigen::MatrixXd inverse_of_M = Eigen::MatrixXd::Identity(unknowns, unknowns) * 1e6;
  std::vector<std::size_t> chosen;
  const auto best = [&] {
    std::size_t winner = 0;
    double most = -1;
    for (std::size_t k = 0; k < candidates; ++k)
      if (const double g = gain(inverse_of_M, blocks[k]); g > most) {
        most = g;
        winner = k;
      }
    return winner;
  };
  for (int k = 0; k < count; ++k) {
    chosen.push_back(best());
    inverse_of_M = updated(inverse_of_M, blocks[chosen.back()], 1);
  }
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    inverse_of_M = updated(inverse_of_M, blocks[chosen[k]], -1);
    chosen[k] = best();
    inverse_of_M = updated(inverse_of_M, blocks[chosen[k]], 1);
  }
  PostureDesign design;
  for (const std::size_t k : chosen) design.postures.push_back(postures[k]);
  const Eigen::VectorXd values = design_values(blocks, chosen);
  design.condition = values[0] / values[values.size() - 1];
  design.observability = observability_of(values, count);
  for (std::size_t k = 0; k < chosen.size(); ++k) chosen[k] = k;  // the first random ones
  design.random_observability = observability_of(design_values(blocks, chosen), count);
  design.unknowns = unknowns;
  return design;
}

}  // namespace armature::identification
