#include "armature/numerics/fit.hpp"

#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

#include "armature/numerics/decompositions.hpp"

namespace armature::numerics {

namespace {

/// What Eigen's method asks for.
struct ScaledResiduals {
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  const std::function<void(const Eigen::VectorXd&, Eigen::VectorXd&)>* residual;
  Eigen::VectorXd start, scale;
  Eigen::Index count;
  [[nodiscard]] int inputs() const { return static_cast<int>(start.size()); }
  [[nodiscard]] int values() const { return static_cast<int>(count); }
  int operator()(const Eigen::VectorXd& u, Eigen::VectorXd& r) const {
    (*residual)(start + scale.cwiseProduct(u), r);
    return r.allFinite() ? 0 : -1;
  }
};

}  // namespace

FitResult fit(const std::function<void(const Eigen::VectorXd&, Eigen::VectorXd&)>& residual, Eigen::Index residuals,
              const Eigen::VectorXd& start, const Eigen::VectorXd& scale) {
  const ScaledResiduals problem{&residual, start, scale, residuals};
  const Eigen::NumericalDiff<ScaledResiduals, Eigen::Central> with_slopes(problem, 1e-9);
  Eigen::LevenbergMarquardt<Eigen::NumericalDiff<ScaledResiduals, Eigen::Central>> method(
      const_cast<Eigen::NumericalDiff<ScaledResiduals, Eigen::Central>&>(with_slopes));
  Eigen::VectorXd u = Eigen::VectorXd::Zero(start.size());
  method.parameters.maxfev = 400;
  method.parameters.xtol = method.parameters.ftol = 1e-12;
  const auto status = method.minimize(u);
  FitResult result;
  result.x = start + scale.cwiseProduct(u);
  result.rms = method.fnorm / std::sqrt(static_cast<double>(residuals));
  result.evaluations = static_cast<int>(method.nfev);
  result.converged = status > 0 && status != Eigen::LevenbergMarquardtSpace::TooManyFunctionEvaluation;
  Eigen::MatrixXd J(residuals, start.size());
  with_slopes.df(u, J);
  const Eigen::Index n = start.size();
  const double variance = method.fnorm * method.fnorm / static_cast<double>(std::max<Eigen::Index>(residuals - n, 1));
  const Eigen::MatrixXd inverse = solved(J.transpose() * J, Eigen::MatrixXd::Identity(n, n));
  result.covariance = variance * scale.asDiagonal() * inverse * scale.asDiagonal();
  return result;
}

}  // namespace armature::numerics
