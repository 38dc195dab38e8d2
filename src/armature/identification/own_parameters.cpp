#include "armature/identification/own_parameters.hpp"

#include <algorithm>
#include <cmath>

#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

/// p = T x: a body whose base parameters are x has them in the columns that are kept, and nothing elsewhere.
Eigen::MatrixXd combinations(const TorqueModel& model, const ParameterColumns& columns) {
  const int links = parameters_per_link * model.dof();
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(columns.count(), model.size());
  for (int k = 0; k < model.base().count(); ++k)
    if (const int c = model.base().columns.kept[k]; c < links) T.col(k) = columns.grouping.col(c);
  return T;
}

}  // namespace

//  Given p_0 = 0:   p - S_p0 S_00⁻¹ p_0,   S - S_p0 S_00⁻¹ S_0p.
OwnParameters own_parameters(const TorqueModel& model, const Estimate& estimate, const ParameterColumns& columns,
                             const std::vector<std::string>& zero) {
  const ParameterColumns kept = columns.without(zero);
  Eigen::MatrixXd T = combinations(model, kept);
  Eigen::MatrixXd given(static_cast<Eigen::Index>(zero.size()), T.cols());
  const Eigen::MatrixXd all = combinations(model, columns);
  for (Eigen::Index i = 0; i < given.rows(); ++i)
    given.row(i) = all.row(std::find(columns.names.begin(), columns.names.end(), zero[i]) - columns.names.begin());
  OwnParameters own{kept.names, estimate};
  Eigen::VectorXd x = estimate.x;
  Eigen::MatrixXd S = estimate.covariance;
  if (given.rows() > 0) {
    const Eigen::MatrixXd gain = solved(given * S * given.transpose(), given * S).transpose();
    if (!gain.allFinite())
      throw Error("what is to be zero does not show in the log, or shows twice", "name each of --without once");
    x -= gain * (given * x);
    S -= gain * given * S;
  }
  own.estimate.x = T * x;
  own.estimate.covariance = T * S * T.transpose();
  own.estimate.determined.assign(kept.names.size(), true);
  for (Eigen::Index i = 0; i < T.rows(); ++i)
    for (Eigen::Index k = 0; k < T.cols(); ++k)
      if (std::abs(T(i, k)) > 1e-12 * T.row(i).cwiseAbs().maxCoeff() && !estimate.determined[k])
        own.estimate.determined[i] = false;
  return own;
}

}  // namespace armature::identification
