// Section 10: PD with gravity compensation and inverse dynamics in the operational space.
#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "armature/algorithms/analytical_jacobian.hpp"
#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/numerics/decompositions.hpp"
#include "verona2023.hpp"

namespace armature::studies::verona2023 {

using namespace laboratory;

namespace {

const char* pd_gains = "kp: [1000, 1000, 1000, 5, 5, 5], kd: [250, 250, 250, 2, 2, 2]";

Log tool_pd(const std::string& to, const std::string& more, const std::string& from = "[0, 0, 0]") {
  return simulated(
      scenario("10.1", fmt::format("start: {{q: {}}}\nreference: {{kind: hold, to: {}}}\ncontroller: {{kind: "
                                   "operational_pd, task: pose, orientation: zyz, "
                                   "{}, continuous: true{}}}\nrun: {{duration: 12 s, tick: 10 ms, method: cvode}}\n",
                                   from, to, pd_gains, more)));
}

/// Where J_A^T K_p (x_d - x) = g(q), by Newton's method from q_d.
VecX<double> sagging(const Arm& arm, const VecX<double>& wanted) {
  const auto pose = [&](const VecX<double>& q) {
    return analytical_jacobian(arm, forward_kinematics<double>(arm, q), EulerConvention::zyz);
  };
  Vec6<double> K;
  K << 1000, 1000, 1000, 5, 5, 5;
  const Vec6<double> goal = pose(wanted).x;
  const auto residual = [&](const VecX<double>& q) {
    const AnalyticalJacobian<double> A = pose(q);
    Vec6<double> e = goal - A.x;
    for (int i = 3; i < 6; ++i) e[i] = std::remainder(e[i], 2 * pi);
    return Eigen::VectorXd(A.J.transpose() * K.cwiseProduct(e) - gravity_torque<double>(arm, q));
  };
  VecX<double> q = wanted;
  for (int k = 0; k < 50; ++k) {
    const Eigen::VectorXd f = residual(q);
    Eigen::Matrix3d slope;
    for (int i = 0; i < 3; ++i) {
      VecX<double> up = q, down = q;
      up[i] += 1e-6;
      down[i] -= 1e-6;
      slope.col(i) = (residual(up) - residual(down)) / 2e-6;
    }
    q -= solved(slope, f);
  }
  return q;
}

void pd_law(StudyResult& result) {
  const VecX<double> first = Vec3<double>(2, -0.1, -3), second = Vec3<double>(-2, 0.12, -3);
  Log one = tool_pd("[2, -0.1, -3]", "");
  Log two = tool_pd("[-2, 0.12, -3]", ""), sagged = tool_pd("[2, -0.1, -3]", ", gravity: false");
  const double e1 = (joints(one, last_row(one)) - first).norm(), e2 = (joints(two, last_row(two)) - second).norm();
  result.claims.push_back({"10.1, q_d1", "the tool reaches the pose of q_d1 = (2, -0.1, -3)", "converges (Figs 19, 20)",
                           fmt::format("joint error {:.0e} after 12 s", e1), e1 < 1e-6,
                           "consistent J_A; from q = 0; the step in phi of the report is a wrap by 2 pi"});
  result.claims.push_back(
      {"10.1, q_d2", "and that of q_d2 = (-2, 0.12, -3)", "does not converge: a singularity (Figs 23, 24)",
       fmt::format("joint error {:.0e} after 12 s; det J_P = {:.4f} there", e2, 0.16 * (0.3 + 0.12) * std::cos(-3.0)),
       e2 < 1e-6, "it is not singular; the report's analytical Jacobian mixes two frames"});
  const Arm arm = catalogue_arm("rpr", built_in_kernels());
  const VecX<double> expected = sagging(arm, first), ended = joints(sagged, last_row(sagged));
  result.claims.push_back({"10.1, no gravity", "without gravity compensation the pose is missed",
                           "does not converge (Figs 21, 22)",
                           fmt::format("joints off by {}, statics say {}", numbers(ended - first, "{:.5f}"),
                                       numbers(expected - first, "{:.5f}")),
                           within(ended - first, expected - first, 0.01), ""});
  // from psi = -174 deg to +174 deg: the short way is 12 deg, the difference of the angles 348 deg
  const Log wrapped = tool_pd("[2.8, 0, -0.3]", "", "[2.8, 0, 0.3]"),
            unwrapped = tool_pd("[2.8, 0, -0.3]", ", wrap_angles: false", "[2.8, 0, 0.3]");
  const VecX<double> third = Vec3<double>(2.8, 0, -0.3);
  const double ew = (joints(wrapped, last_row(wrapped)) - third).norm(),
               eu = (joints(unwrapped, last_row(unwrapped)) - third).norm();
  result.claims.push_back({"10.1, wrapped angles", "differences of Euler angles must be taken the short way round",
                           "a sudden step, reason unknown",
                           fmt::format("wrapped: joint error {:.0e}; unwrapped: {:.2f}", ew, eu), ew < 1e-6 && eu > 0.1,
                           "from (2.8, 0, 0.3) to (2.8, 0, -0.3), ours, where psi passes 180 deg. For q_d1 and q_d2 "
                           "with theta >= 0 both converge"});
  for (Log* log : {&one, &sagged, &two}) add_euler_angles(*log);
  for (const char* name : {"tool_x", "tool_y", "tool_z", "phi", "theta", "psi"})
    one.add(std::string(name) + "_sagged", one.channel(name).unit).values = sagged.channel(name).values;
  one.time_figures = {{"Fig. 19", "Position for q_d1", position_channels()},
                      {"Fig. 20", "Orientation for q_d1", orientation_channels()},
                      {"Fig. 21", "Position without gravity compensation", position_channels("_sagged")},
                      {"Fig. 22", "Orientation without gravity compensation", orientation_channels("_sagged")}};
  two.time_figures = {{"Fig. 23", "Position for q_d2", position_channels()},
                      {"Fig. 24", "Orientation for q_d2", orientation_channels()}};
  result.logs.push_back(kept(std::move(one), "10.1: operational PD, q_d1"));
  result.logs.push_back(kept(std::move(two), "10.1: operational PD, q_d2"));
}

Log tracked(const std::string& law, const Overrides& overrides = {}) {
  return simulated(scenario("10.2",
                            "start: {on_reference: true}\nreference: {kind: spline, order: 5, times: [0, 1 s, 2 s, 3 "
                            "s], waypoints: [[0.5, 0, 0.5], [1.2, 80 mm, -0.5], "
                            "[0.4, -60 mm, 0.9], [1, 50 mm, 0]]}\ncontroller: {kind: operational_inverse_dynamics, "
                            "task: position, kp: [280, 280, 70], "
                            "kd: [30, 30, 20], continuous: true" +
                                law + "}\nrun: {duration: 3.5 s, tick: 1 ms}\n"),
                   overrides);
}

double tool_error(const Log& log) {
  double sum = 0;
  for (const char* x : {"tool_x", "tool_y", "tool_z"})
    sum += std::pow(rms_difference(log, x, std::string(x) + "_ref"), 2);
  return std::sqrt(sum);
}

void tool_inverse_dynamics(StudyResult& result) {
  Log exact = tracked("");
  const double e = tool_error(exact), no_inertia = tool_error(tracked(", inertia: false")),
               no_coriolis = tool_error(tracked(", coriolis: false")),
               no_gravity = tool_error(tracked(", gravity: false")),
               noisy = tool_error(tracked("", {{"reference.tool_noise", "5 mm"}, {"controller.continuous", "false"}}));
  result.claims.push_back({"10.2, exact", "the tool follows its trajectory", "tracked precisely (Fig. 28)",
                           fmt::format("RMS {:.0e} m", e), e < 1e-6,
                           "position only: 3 coordinates for 3 joints; trajectory ours"});
  result.claims.push_back(
      {"10.2, minus a term", "without inertia, Coriolis terms or gravity it strays", "switches of Fig. 27",
       fmt::format("RMS {:.2f}, {:.2f}, {:.2f} mm", no_inertia * 1e3, no_coriolis * 1e3, no_gravity * 1e3),
       no_inertia > 1e3 * e && no_coriolis > 1e2 * e && no_gravity > 1e3 * e, ""});
  result.claims.push_back({"10.2, noise", "noise on x_d shakes the tool, filtered by the loop",
                           "performs well with noise",
                           fmt::format("RMS {:.2f} mm of noise with 5 mm a coordinate", noisy * 1e3),
                           noisy > 10 * e && noisy < 12e-3, "error counted from the noisy reference"});
  const Log step = simulated(
      scenario("10.2 poles",
               "start: {q: [0.9, 20 mm, 0.2]}\nreference: {kind: hold, to: [1, 0, 0.3]}\ncontroller: {kind: "
               "operational_inverse_dynamics, task: position, "
               "kp: [280, 280, 70], kd: [30, 30, 20], continuous: true}\nrun: {duration: 1 s, tick: 2 ms}\n"));
  const Vec3<double> start = tool(step, 0, "_ref") - tool(step, 0);
  double fast = 0, slow = 0;
  const double w = std::sqrt(280 - 15.0 * 15), a = 10 - std::sqrt(30.0), b = 10 + std::sqrt(30.0);
  for (std::size_t i = 0; i < step.time.size(); ++i) {
    const double t = step.time[i];
    const Vec3<double> error = tool(step, i, "_ref") - tool(step, i);
    fast = std::max(fast,
                    std::abs(error.y() / start.y() - std::exp(-15 * t) * (std::cos(w * t) + 15 / w * std::sin(w * t))));
    slow = std::max(slow, std::abs(error.z() / start.z() - (b * std::exp(-a * t) - a * std::exp(-b * t)) / (b - a)));
  }
  result.claims.push_back({"10.2, poles", "x and y have -15 +- 7.4 j, z has -4.52 and -15.5 1/s",
                           "K_p = 280, 280, 70; K_d = 30, 30, 20",
                           fmt::format("step responses equal to those poles' to {:.0e} and {:.0e}", fast, slow),
                           fast < 1e-5 && slow < 1e-5, ""});
  const Log full =
      simulated(scenario("10.2 pose",
                         "start: {q: [0.5, 0, 0.5]}\nreference: {kind: hold, to: [1, 0, 0.3]}\ncontroller: {kind: "
                         "operational_inverse_dynamics, task: pose, orientation: zyz, "
                         "kp: [280, 280, 70, 70, 70, 70], kd: [30, 30, 20, 20, 20, 20], continuous: true}\nrun: "
                         "{duration: 4 s, tick: 5 ms}\n"));
  const double posed = (joints(full, last_row(full)) - Vec3<double>(1, 0, 0.3)).norm();
  result.claims.push_back({"10.2, six coordinates",
                           "the 6-D task on three joints, by the pseudo-inverse weighted with M",
                           "J_A^-1 of a 6x3 matrix", fmt::format("joint error {:.0e} after 4 s", posed), posed < 1e-3,
                           "least squares over the six coordinates"});
  add_euler_angles(exact);
  exact.time_figures = {{"Fig. 28", "Position", position_channels()},
                        {"Fig. 29", "Orientation", orientation_channels()}};
  result.logs.push_back(kept(std::move(exact), "10.2: operational inverse dynamics"));
}

}  // namespace

void operational_control(StudyResult& result) {
  pd_law(result);
  tool_inverse_dynamics(result);
}

}  // namespace armature::studies::verona2023
