// Sections 4 to 7: kinematics, Jacobians and dynamics with their numeric examples.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "armature/algorithms/analytical_jacobian.hpp"
#include "armature/algorithms/closed_form_ik.hpp"
#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/lagrange.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/catalogue.hpp"
#include "verona2023.hpp"

namespace armature::studies::verona2023 {

namespace {

constexpr double a1 = 0.15, a2 = 0.4, a3 = 0.3, a4 = 0.16;

VecX<double> example() { return Vec3<double>(1.34, -0.2, -0.66); }

VecX<double> random_position(Random& random) {
  return Vec3<double>(random.uniform(-3, 3), random.uniform(-0.25, 0.5), random.uniform(-3, 3));
}

/// (13) to (20) for one choice of signs; `printed`: with the sine of theta1 as it stands in (19).
VecX<double> closed_form(const Vec3<double>& P, bool printed, double sign2 = 1, double sign1 = 1) {
  const double s2 = -P.x() / a4, c2 = sign2 * std::sqrt(std::max(0.0, 1 - s2 * s2)), r = a2 + a4 * c2;
  const double reach = sign1 * std::sqrt(std::max(0.0, P.y() * P.y() + (P.z() - a1) * (P.z() - a1) - r * r));
  const double d1 = reach - a3;
  const double c1 = ((P.z() - a1) * reach + r * P.y()) / (reach * reach + r * r);
  const double s1 = printed ? (P.y() * a3 * d1 + r * a1 - r * P.z()) / (r * r + reach)
                            : (r * (P.z() - a1) - P.y() * reach) / (r * r + reach * reach);
  return Vec3<double>(std::atan2(s1, c1), d1, std::atan2(s2, c2));
}

void forward(StudyResult& result, const Arm& arm) {
  const LinkPoses<double> poses = forward_kinematics<double>(arm, example());
  const Pose<double> X = tool_pose(arm, poses);
  Eigen::Matrix<double, 3, 4> H, printed;
  H << X.R, X.p;
  printed << 0, -0.7900, 0.6131, 0.0981, 0.9735, 0.1403, 0.1807, 0.0231, -0.2288, 0.5969, 0.7690, 0.6853;
  const double error = (H - printed).cwiseAbs().maxCoeff();
  result.claims.push_back({"4.1, H", "the pose at q = (1.34, -0.2, -0.66)", "printed to 4 digits",
                           fmt::format("differs by {:.1e} at most", error), error <= 5.1e-5,
                           "lengths 0.15, 0.4, 0.3, 0.16 m recovered from these numbers"});
  Eigen::Matrix<double, 6, 3> J = tool_jacobian(arm, poses), J_printed;
  J_printed << 0, 0, -0.1264, -0.5353, -0.9735, 0.0224, 0.0231, 0.2288, 0.0955, 1, 0, 0, 0, 0, -0.9735, 0, 0, 0.2288;
  const double wrong = (J - J_printed).cwiseAbs().maxCoeff();
  result.claims.push_back({"5.1, J", "the geometric Jacobian there", "printed to 4 digits",
                           fmt::format("differs by {:.1e} at most", wrong), wrong <= 5.1e-5,
                           "the numbers are right; the formula (25) has a minus too many in its third row"});
  Random random(1);
  double worst = 0;
  for (int i = 0; i < 1000; ++i) {
    const VecX<double> q = random_position(random);
    const Mat6X<double> Jq = tool_jacobian(arm, forward_kinematics<double>(arm, q));
    const double det = Eigen::Matrix3d(Jq.topRows(3)).determinant();
    worst = std::max(worst, std::abs(det - a4 * (a3 + q[1]) * std::cos(q[2])));
  }
  result.claims.push_back({"singularities", "det J_P = a4 (a3 + d1) cos(theta2)",
                           "where it vanishes the arm is singular", fmt::format("to {:.0e} over 1000 positions", worst),
                           worst < 1e-14, ""});
}

void analytical(StudyResult& result, const Arm& arm) {
  const LinkPoses<double> poses = forward_kinematics<double>(arm, example());
  const AnalyticalJacobian<double> A = analytical_jacobian(arm, poses, EulerConvention::zyz);
  // the report's angles have theta < 0 (its tool takes that branch), which turns the sign of theta's rate
  Eigen::Matrix3d ours = A.J.bottomRows(3);
  ours.row(1) *= -1;
  const Eigen::Vector3d column1(-1.1541, 0.2827, 1.5006), column3(0.5599, 0.9338, -0.4306);
  const double e1 = (ours.col(0) - column1).cwiseAbs().maxCoeff(), e3 = (ours.col(2) - column3).cwiseAbs().maxCoeff();
  Eigen::Matrix3d differences;
  for (int i = 0; i < 3; ++i) {
    VecX<double> up = example(), down = example();
    up[i] += 1e-6;
    down[i] -= 1e-6;
    const auto angles = [&](const VecX<double>& q) {
      return Eigen::Vector3d(
          analytical_jacobian(arm, forward_kinematics<double>(arm, q), EulerConvention::zyz).x.tail<3>());
    };
    differences.col(i) = (angles(up) - angles(down)) / 2e-6;
  }
  const double truth = (differences - Eigen::Matrix3d(A.J.bottomRows(3))).cwiseAbs().maxCoeff();
  result.claims.push_back(
      {"5.2, J_A", "the analytical Jacobian for ZYZ angles there", "columns (1, 0, 0) and (0.5599, 0.9338, -0.4306)",
       fmt::format("column 3 to {:.0e}; column 1 is (-1.1541, 0.2827, 1.5006) to {:.0e}; differences of the angles "
                   "agree to {:.0e}",
                   e3, e1, truth),
       e3 <= 5.1e-5 && e1 <= 5.1e-5 && truth < 1e-8,
       "the printed column 1 is that of frame 1, column 3 that of the base: the report mixes the two"});
}

void inverse(StudyResult& result, const Arm& arm) {
  const Vec3<double> P(0.0981, 0.0231, 0.6853);
  const VecX<double> q = closed_form(P, false), wrong = closed_form(P, true);
  result.claims.push_back(
      {"4.2, example", "inverse kinematics of the 4-digit position", "(1.3400, -0.2000, -0.6600)",
       "corrected (19): " + numbers(q), (q - example()).cwiseAbs().maxCoeff() < 5e-4,
       fmt::format("(19) as printed gives theta1 = {:.4f}; the report used unrounded numbers", wrong[0])});
  Random random(2);
  int printed = 0, all = 0, library = 0;
  double worst = 0;
  const int trials = 5000;
  for (int i = 0; i < trials; ++i) {
    const VecX<double> truth = random_position(random);
    const Pose<double> X = tool_pose(arm, forward_kinematics<double>(arm, truth));
    const auto miss = [&](const VecX<double>& found) {
      return (tool_pose(arm, forward_kinematics<double>(arm, found)).p - X.p).norm();
    };
    bool any = false;
    double four = 0;
    for (const double s2 : {1.0, -1.0})
      for (const double s1 : {1.0, -1.0}) {
        any = any || miss(closed_form(X.p, true, s2, s1)) < 1e-6;
        four = std::max(four, miss(closed_form(X.p, false, s2, s1)));
      }
    printed += any;
    worst = std::max(worst, four);
    // a branch that needs an imaginary root does not exist; those that do must be found
    int exist = 0, right = 0;
    for (const double s2 : {1.0, -1.0}) {
      const double sine = -X.p.x() / a4, r = a2 + a4 * s2 * std::sqrt(1 - sine * sine);
      if (X.p.y() * X.p.y() + (X.p.z() - a1) * (X.p.z() - a1) < r * r) continue;
      for (const double s1 : {1.0, -1.0}) {
        ++exist;
        right += miss(closed_form(X.p, false, s2, s1)) < 1e-9;
      }
    }
    all += exist == right && exist > 0;
    const IkSolutions solutions = closed_form_ik(arm, X);
    int good = 0;
    for (const IkSolution& s : solutions) good += miss(s.q) < 1e-9;
    library += good == exist;
  }
  result.claims.push_back(
      {"4.2, branches", "(13)-(20) give the joint positions of any position", "one solution",
       fmt::format("corrected: every branch of {} in {} targets; the library the same in {}; as printed: {}", all,
                   trials, library, printed),
       all == trials && library == trials && printed == 0,
       "corrected: both signs of both roots, and (19) = (r (P_z - a1) - P_y (a3 + d1))/(r^2 + (a3 + d1)^2)"});
}

void dynamics(StudyResult& result) {
  const Arm printed = catalogue_arm("rpr_printed", built_in_kernels()), arm = catalogue_arm("rpr", built_in_kernels());
  const Eigen::Matrix3d B = mass_matrix<double>(printed, example());
  Eigen::Matrix3d B_report;
  B_report << 0.3343, 0.2356, -0.0008, 0.2356, 0.5616, 0, -0.0008, 0, 0.0036;
  const Eigen::Vector3d eig = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(B).eigenvalues(),
                        eig_report(0.0036, 0.1864, 0.7095), g_report(1.1579, 1.2598, 0.0809);
  const Eigen::Vector3d g = gravity_torque<double>(printed, example());
  const double eB = (B - B_report).cwiseAbs().maxCoeff(), ee = (eig - eig_report).cwiseAbs().maxCoeff(),
               eg = (g - g_report).cwiseAbs().maxCoeff();
  result.claims.push_back(
      {"6, printed B and g", "B, its eigenvalues and g at the example, with the report's own inertia",
       "printed to 4 digits", fmt::format("differ by {:.0e}, {:.0e}, {:.0e} at most", eB, ee, eg),
       eB <= 5.1e-5 && ee <= 5.1e-5 && eg <= 5.1e-5, "arm rpr_printed; masses and tensors recovered"});
  const Eigen::Matrix3d right = mass_matrix<double>(arm, example());
  Eigen::Matrix3d expected;
  expected << 0.1776999, 0.2355609, -0.0008476, 0.2355609, 0.5616, 0, -0.0008476, 0, 0.0014918;
  result.claims.push_back(
      {"6, correct B", "the inertia that bars of these masses have", "(0.3343, 0.5616, 0.0036) on the diagonal",
       fmt::format("({:.4f}, {:.4f}, {:.4f}): B11 is printed {:.0f} % and B33 {:.0f} % too large", right(0, 0),
                   right(1, 1), right(2, 2), 100 * (B(0, 0) / right(0, 0) - 1), 100 * (B(2, 2) / right(2, 2) - 1)),
       (right - expected).cwiseAbs().maxCoeff() < 1e-7,
       "the report counts m r^2 twice: tensors about the joint with Jacobians of the centre of mass"});
  Random random(3);
  double worst = 0;
  for (const Arm* each : {&printed, &arm})
    for (int i = 0; i < 500; ++i) {
      VecX<double> v(3), a(3);
      for (int k = 0; k < 3; ++k) {
        v[k] = random.uniform(-3, 3);
        a[k] = random.uniform(-5, 5);
      }
      const VecX<double> q = random_position(random);
      worst =
          std::max(worst, (inverse_dynamics<double>(*each, q, v, a) - lagrange_inverse_dynamics<double>(*each, q, v, a))
                              .cwiseAbs()
                              .maxCoeff());
    }
  result.claims.push_back(
      {"7, two formulations", "Lagrange and Newton-Euler give the same torques", "(5.0834, 6.3608, 2.1520) twice",
       fmt::format("differ by {:.0e} over 1000 states", worst), worst < 1e-12,
       "both arms: that the two agree does not show the inertia right. The report's state is not given; "
       "joint 3 needs at most 0.136 N m against gravity, so its 2.152 cannot be checked"});
}

}  // namespace

void kinematics_and_dynamics(StudyResult& result) {
  const Arm arm = catalogue_arm("rpr", built_in_kernels());
  forward(result, arm);
  analytical(result, arm);
  inverse(result, arm);
  dynamics(result);
}

}  // namespace armature::studies::verona2023
