#include "armature/identification/internal/grey_box.hpp"

#include <algorithm>

#include "armature/core/error.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

double correlated(const Eigen::VectorXd& residuals, Eigen::Index width) {
  const Eigen::Index n = residuals.size();
  const double power = std::max(residuals.squaredNorm(), 1e-300);
  double sum = 1;
  for (Eigen::Index lag = width; lag < n / 10; lag += width) {
    const double correlation = residuals.head(n - lag).dot(residuals.tail(n - lag)) / power;
    if (correlation < 0.1) break;
    sum += 2 * correlation;
  }
  return sum;
}

std::vector<DriveFit::Open> open_directions(const std::vector<std::string>& names, const Eigen::MatrixXd& covariance) {
  std::vector<DriveFit::Open> open;
  const RealEigen eigen = symmetric_eigen(covariance);
  for (Eigen::Index d = eigen.values.size() - 1; d >= 0; --d) {
    const double spread = std::sqrt(std::max(eigen.values[d], 0.0));
    if (spread < open_spread) break;
    Eigen::VectorXd v = eigen.vectors.col(d);
    Eigen::Index largest = 0;
    v.cwiseAbs().maxCoeff(&largest);
    v /= v[largest];
    DriveFit::Open direction{spread * std::abs(eigen.vectors(largest, d)), {}};
    for (Eigen::Index k = 0; k < v.size(); ++k)
      if (std::abs(v[k]) > 0.2) direction.share.emplace_back(names[k], v[k]);
    std::stable_sort(direction.share.begin(), direction.share.end(),
                     [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
    open.push_back(std::move(direction));
  }
  return open;
}

std::vector<std::size_t> free_parameters(const std::vector<DriveParameter>& parameters,
                                         const std::vector<std::string>& free, const std::vector<std::string>& held,
                                         const std::function<std::size_t(const std::string&)>& index) {
  std::vector<std::size_t> places;
  for (const std::string& name : free) places.push_back(index(name));
  if (free.empty())
    for (std::size_t k = 0; k < parameters.size(); ++k)
      if (parameters[k].usual) places.push_back(k);
  for (const std::string& name : held) std::erase(places, index(name));
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  if (places.empty()) throw Error("no parameter is left to be fitted", "hold fewer of them");
  return places;
}

}  // namespace armature::identification
