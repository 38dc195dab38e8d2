// The parameters of a force/torque sensor and its tool that readings are best explained by.
#pragma once

#include <optional>

#include "armature/identification/wrench_log.hpp"

namespace armature::identification {

/// What is found; the rest stays as it is. Offsets always are.
struct WrenchUnknowns {
  bool tool = true;       // mass and first moment
  bool inertia = false;   // of the tool
  bool position = false;  // of the sensor
  bool mounting = true;   // its axes
  bool drift = false;     // of the offsets
  bool gravity = false;   // its direction
  bool gains = false;     // of each channel
  bool matrix = false;    // a gain of each channel for each part of the wrench
};

/// A point in the space of the parameters, and steps away from it.
class WrenchProblem {
 public:
  /// `tool`: of a known body, about T's origin; where it is given, mass and first moment follow from it.
  WrenchProblem(WrenchParameters start, const WrenchUnknowns& unknowns,
                std::optional<InertiaParameters<double>> tool = {});
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] WrenchParameters at(const Eigen::VectorXd& step) const;
  [[nodiscard]] const WrenchParameters& start() const { return start_; }
  /// Of readings per quantity (row by row) per step, by central differences.
  [[nodiscard]] Eigen::MatrixXd slopes() const;
  /// Pulls towards what is known beforehand, in standard deviations: of the sensor's position.
  [[nodiscard]] Eigen::VectorXd pull(const WrenchParameters& x) const;
  void restart(const Eigen::VectorXd& step) { start_ = at(step); }

 private:
  void take_tool(WrenchParameters& x) const;
  WrenchParameters start_;
  WrenchUnknowns unknowns_;
  std::optional<InertiaParameters<double>> tool_;
  Vec3<double> usual_position_;
  int size_ = 0;
};

struct WrenchFit {
  WrenchProblem problem;        // at the minimum
  Vec6<double> noise;           // residual of each channel, standard deviation [N] [N m]
  double cost = 0;              // squared residuals over the noise of the channels that the fit was given
  bool determined = true;       // false: some combination of the unknowns shows in no reading
  Eigen::MatrixXd information;  // of the steps, for residuals of this noise

  [[nodiscard]] const WrenchParameters& x() const { return problem.start(); }
};

/// Of six channels, from `start`. `noise`: weights; found from the residuals where none is given.
WrenchFit fit_wrench(const std::vector<Factor>& channels, WrenchProblem start,
                     const std::optional<Vec6<double>>& noise = {});

/// Where a fit may start, tool and mounting from forces and moments by linear least squares; one start per sign of the readings, the better first.
///     reading = offset + drift t + M u,   u = a - g:   M = m R_TSᵀ for forces, R_TSᵀ [h]× for moments
/// The rotation nearest to ±M is that of its singular vectors; with readings that span all directions, the determinant of M has m's sign.
std::vector<WrenchParameters> wrench_starts(const std::vector<Factor>& channels, const Vec3<double>& gravity,
                                            bool drift);

/// How far gravity leaves a plane in the tool's frame: the least of its deviations about its mean, over all directions, as a share of it.
double direction_spread(const std::vector<Factor>& channels, const Vec3<double>& gravity);

/// Standard deviation of the readings of each channel about their means in each run.
Vec6<double> wrench_spread(const std::vector<Factor>& channels);

}  // namespace armature::identification
