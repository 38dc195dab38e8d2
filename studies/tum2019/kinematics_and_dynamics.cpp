// Tasks 1 to 3: the model of appendix A, free fall, pose and velocity of the tool.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "armature/algorithms/coriolis.hpp"
#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/random.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/catalogue.hpp"
#include "tum2019.hpp"

namespace armature::studies::tum2019 {

using namespace laboratory;

namespace {

/// Appendix A, (21) to (24), as printed or with its five misprints corrected. e_g = (0, 1, 0).
struct Appendix {
  double l[3], m[3], lc[3], I[3], g0;
  bool corrected;

  Appendix(const Arm& arm, bool correct) : g0(arm.gravity().norm()), corrected(correct) {
    for (int i = 0; i < 3; ++i) {
      const LinkDescription& link = arm.joint(i).link;
      l[i] = std::get<DhRow>(arm.joint(i).placement).a;
      m[i] = link.mass->mass;
      lc[i] = l[i] + link.mass->position.x();
      I[i] = link.mass->tensor(2, 2) + m[i] * lc[i] * lc[i];
    }
  }
  [[nodiscard]] Mat3<double> M(const VecX<double>& q) const {
    const double z1 = I[0] + m[1] * std::pow(l[corrected ? 0 : 1], 2), z2 = I[1], z3 = m[1] * l[0] * lc[1],
                 z4 = I[2] + m[2] * (l[0] * l[0] + l[1] * l[1]), z5 = m[2] * l[0] * lc[2], z6 = m[2] * l[1] * lc[2],
                 z7 = m[2] * l[0] * l[1], z8 = I[2] + m[2] * l[1] * l[1], z9 = I[2];
    const double c2 = std::cos(q[1]), c3 = std::cos(q[2]), c23 = std::cos(q[1] + q[2]);
    Mat3<double> A;
    A(0, 0) = z1 + z2 + z4 + 2 * (z3 + z7) * c2 + 2 * z5 * c23 + 2 * z6 * c3;
    A(0, 1) = corrected ? z2 + z8 + (z3 + z7) * c2 + z5 * c23 + 2 * z6 * c3
                        : z2 + z8 * (z3 + z7) * c2 + z5 * c23 + 2 * z6 * c3;
    A(0, 2) = z9 + z5 * c23 + z6 * c3;
    A(1, 1) = z2 + z8 + 2 * z6 * c3;
    A(1, 2) = z9 + z6 * c3;
    A(2, 2) = z9;
    A(1, 0) = A(0, 1);
    A(2, 0) = A(0, 2);
    A(2, 1) = A(1, 2);
    return A;
  }
  [[nodiscard]] Mat3<double> C(const VecX<double>& q, const VecX<double>& v) const {
    const double z3 = m[1] * l[0] * lc[1], z5 = m[2] * l[0] * lc[2], z6 = m[2] * l[1] * lc[2], z7 = m[2] * l[0] * l[1],
                 z8 = I[2] + m[2] * l[1] * l[1];
    const double h3 = -z5 * std::sin(q[1] + q[2]), h4 = -(corrected ? z6 : z8) * std::sin(q[2]);
    const double h5 = -(z3 + z7) * std::sin(q[1]) + h3, h6 = h3 + h4, all = v.sum();
    Mat3<double> A;
    A << (corrected ? h5 * v[1] + h6 * v[2] : h5 * v[2] + h6 * v[1]), h5 * (v[0] + v[1]) + h6 * v[2], h6 * all,
        -h5 * v[0] + h4 * v[2], h4 * v[2], h4 * all, -h6 * v[0] - h4 * v[1], -h4 * (v[0] + v[1]), 0;
    return A;
  }
  [[nodiscard]] Vec3<double> g(const VecX<double>& q) const {
    const double c1 = std::cos(q[0]), c12 = std::cos(q[0] + q[1]), c123 = std::cos(q.sum());
    const double second = corrected ? m[1] * lc[1] + m[2] * l[1] : m[1] * lc[1] * m[2] * l[1];
    return g0 * Vec3<double>((m[0] * lc[0] + m[1] * l[0] + m[2] * l[0]) * c1 + second * c12 + m[2] * lc[2] * c123,
                             (m[1] * lc[1] + m[2] * l[1]) * c12 + m[2] * lc[2] * c123, m[2] * lc[2] * c123);
  }
};

struct Distance {
  double M = 0, C = 0, g = 0, skew = 0, least = 1e9;
};

Distance from_library(const Arm& arm, bool corrected) {
  const Appendix appendix(arm, corrected);
  Random random(2019);
  Distance d;
  for (int trial = 0; trial < 1000; ++trial) {
    VecX<double> q(3), v(3);
    for (int i = 0; i < 3; ++i) {
      q[i] = random.uniform(-pi, pi);
      v[i] = random.uniform(-2, 2);
    }
    const Mat3<double> M = appendix.M(q), C = appendix.C(q, v);
    d.M = std::max(d.M, (M - mass_matrix<double>(arm, q)).cwiseAbs().maxCoeff());
    d.C = std::max(d.C, (C - coriolis_matrix<double>(arm, q, v)).cwiseAbs().maxCoeff());
    d.g = std::max(d.g, (appendix.g(q) - gravity_torque<double>(arm, q)).cwiseAbs().maxCoeff());
    const double h = 1e-6;
    const Mat3<double> N = (appendix.M(q + h * v) - appendix.M(q - h * v)) / (2 * h) - 2 * C;
    d.skew = std::max(d.skew, (N + N.transpose()).cwiseAbs().maxCoeff());
    d.least = std::min(d.least, Eigen::SelfAdjointEigenSolver<Mat3<double>>(M).eigenvalues()[0]);
  }
  return d;
}

void appendix_a(StudyResult& result) {
  const Arm arm = catalogue_arm("planar3r", built_in_kernels());
  const Distance right = from_library(arm, true), printed = from_library(arm, false);
  result.claims.push_back(
      {"task 1, model", "M, C and g of appendix A are those of the arm", "(21)-(24)",
       fmt::format("differ by {:.0e}, {:.0e}, {:.0e} with five misprints corrected", right.M, right.C, right.g),
       right.M < 1e-12 && right.C < 1e-12 && right.g < 1e-12,
       fmt::format(
           "zeta1 has l2 for l1, M12 a product for a sum, C11 two speeds swapped, h4 zeta8 for zeta6, G11 and G12 a "
           "product for a sum: as printed they are off by {:.2g}, {:.2g}, {:.2g}. 1000 random states.",
           printed.M, printed.C, printed.g)});
  result.claims.push_back(
      {"(5), (6)", "M is positive definite, dM/dt - 2C skew-symmetric", "properties that passivity needs",
       fmt::format("least eigenvalue {:.4f} kg m^2, asymmetry {:.0e}", right.least, right.skew),
       right.least > 0 && right.skew < 1e-8, fmt::format("with the printed C the asymmetry is {:.2f}", printed.skew)});
}

void free_fall(StudyResult& result) {
  Log log = simulated(scenario("task 2", R"(question: How does the arm fall when nobody holds it?
start: {q: [-60 deg, -30 deg, 20 deg]}
plant: {viscous: [0.5, 0.5, 0.5]}
controller: {kind: open_loop}
run: {duration: 50 s, tick: 2 ms, tolerance: 1e-11, method: dormand_prince}
)"));
  VecX<double> hanging(3);
  hanging << -90 * deg, 0, 0;
  const VecX<double> q = joints(log, last_row(log));
  double rise = 0;
  const std::vector<double>& stored = log.channel("energy_stored").values;
  for (std::size_t i = 1; i < stored.size(); ++i) rise = std::max(rise, stored[i] - stored[i - 1]);
  const double lost = stored.front() - stored.back(), heat = end(log, "energy_dissipated");
  result.claims.push_back({"task 2, rest", "falling from (-60, -30, 20) deg the arm comes to rest hanging down",
                           "plot and comment", "it ends at " + degrees(q), (q - hanging).norm() < 1e-3,
                           "friction K_f = 0.5 N m s/rad is ours; after 50 s"});
  result.claims.push_back(
      {"task 2, energy", "its energy never rises; friction takes what gravity gave", "tau_f = -K_f qd",
       fmt::format("{:.4f} J lost, {:.4f} J taken by friction, largest rise {:.0e} J", lost, heat, rise),
       std::abs(lost - heat) < 1e-6 * lost && rise < 1e-9, ""});

  const Arm arm = catalogue_arm("planar3r", built_in_kernels());
  double error = 0, fastest = 0, angle = 0;
  for (std::size_t i = 1; i + 1 < log.time.size(); ++i) {
    const VecX<double> qi = joints(log, i), v = joints(log, i, "v");
    const LinkPoses<double> poses = forward_kinematics<double>(arm, qi);
    const Vec6<double> twist = tool_jacobian(arm, poses) * v;
    const Vec3<double> rate = (tool(log, i + 1) - tool(log, i - 1)) / (log.time[i + 1] - log.time[i - 1]);
    error = std::max(error, (twist.head<3>() - rate).norm());
    fastest = std::max(fastest, rate.norm());
    angle = std::max(angle, std::abs(twist[5] - v.sum()));
    const double l = 1.0 / 3;
    const Vec3<double> f(l * (std::cos(qi[0]) + std::cos(qi[0] + qi[1]) + std::cos(qi.sum())),
                         l * (std::sin(qi[0]) + std::sin(qi[0] + qi[1]) + std::sin(qi.sum())), 0);
    angle = std::max(angle, (f - tool(log, i)).norm());
  }
  result.claims.push_back({"task 3", "pose (19) and velocity (20) of the tool along the fall", "(19), (20)",
                           fmt::format("pose to {:.0e}; velocity to {:.1e} m/s of its differences at up to {:.2f} m/s",
                                       angle, error, fastest),
                           angle < 1e-12 && error < 1e-3 * fastest, "differences over 4 ms"});
  log.time_figures = {{"task 2", "Joint angles in free fall", {"q1", "q2", "q3"}},
                      {"task 3", "The tool in free fall", {"tool_x", "tool_y"}},
                      {"task 2", "Energy", {"energy_stored", "energy_dissipated"}}};
  result.logs.push_back(kept(std::move(log), "tasks 2 and 3: free fall"));
}

}  // namespace

void kinematics_and_dynamics(StudyResult& result) {
  appendix_a(result);
  free_fall(result);
}

}  // namespace armature::studies::tum2019
