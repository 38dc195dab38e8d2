#include "armature/spatial/inertia.hpp"

#include <Eigen/Eigenvalues>

namespace armature::spatial {

BodyVerdict judge_body(const Inertia<double>& inertia) {
  BodyVerdict verdict;
  verdict.mass_positive = inertia.m > 0;
  if (!verdict.mass_positive) return verdict;
  const Mat3<double> I = central_inertia(inertia);
  verdict.principal_moments = Eigen::SelfAdjointEigenSolver<Mat3<double>>(I, Eigen::EigenvaluesOnly).eigenvalues();
  const Vec3<double>& e = verdict.principal_moments;
  // Both tests are judged against the rounding of the shift from the frame's origin to the centre of mass.
  const double rounding = 1e-12 * inertia.I_Bo.cwiseAbs().maxCoeff();
  verdict.positive_definite = e[0] > rounding;
  verdict.triangle_inequality = e[0] + e[1] >= e[2] - 1e-9 * e[2] - rounding;
  return verdict;
}

}  // namespace armature::spatial
