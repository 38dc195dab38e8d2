#include "armature/identification/periods.hpp"

#include <fmt/format.h>

#include <cmath>

#include "armature/core/error.hpp"

namespace armature::identification {

PeriodAverage average_periods(const MotionBlock& log, double period, int skip) {
  const auto length = static_cast<Eigen::Index>(std::llround(period / log.step));
  if (length < 3 || std::abs(static_cast<double>(length) * log.step - period) > 1e-6 * period)
    throw Error(fmt::format("a period of {:.9g} s is {:.6f} samples of {:.6g} s", period, period / log.step, log.step),
                "it must be a whole number of samples; is the period right?");
  const Eigen::Index available = log.samples() / length - skip;
  if (available < 2)
    throw Error(fmt::format("the log has {} whole periods, {} of them to settle", log.samples() / length, skip),
                "two or more are needed to see how they differ");
  PeriodAverage a;
  a.periods = static_cast<int>(available);
  const Eigen::Index n = log.q.cols();
  a.mean.start = log.start + static_cast<double>(skip * length) * log.step;
  a.mean.step = log.step;
  const auto part = [&](const RowMatrix& x, Eigen::Index p) { return x.middleRows((skip + p) * length, length); };
  const auto average = [&](const RowMatrix& x) {
    RowMatrix sum = RowMatrix::Zero(length, n);
    for (Eigen::Index p = 0; p < available; ++p) sum += part(x, p);
    return RowMatrix(sum / static_cast<double>(available));
  };
  a.mean.q = average(log.q);
  a.mean.tau = average(log.tau);
  if (log.qd.rows() > 0) a.mean.qd = average(log.qd);
  const double freedom = static_cast<double>((available - 1) * length);
  Eigen::VectorXd positions = Eigen::VectorXd::Zero(n);
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index p = 0; p < available; ++p) {
    positions += (part(log.q, p) - a.mean.q).colwise().squaredNorm().transpose();
    const RowMatrix e = part(log.tau, p) - a.mean.tau;
    S += e.transpose() * e;
  }
  a.position_noise = (positions / freedom).cwiseSqrt();
  a.torque_covariance = S / freedom;
  a.torque_noise = a.torque_covariance.diagonal().cwiseSqrt();
  const Eigen::RowVectorXd change = part(log.tau, available - 1).colwise().mean() - part(log.tau, 0).colwise().mean();
  for (Eigen::Index j = 0; j < n; ++j)
    if (a.torque_noise[j] > 0)
      a.drift =
          std::max(a.drift, std::abs(change[j]) / (a.torque_noise[j] * std::sqrt(2.0 / static_cast<double>(length))));
  return a;
}

}  // namespace armature::identification
