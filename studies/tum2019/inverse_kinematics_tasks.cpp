// Tasks 10 to 12: inverse kinematics by Newton's method and by the transposed Jacobian.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <array>
#include <chrono>
#include <cmath>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/inverse_kinematics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/core/units.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/spatial/rotation.hpp"
#include "tum2019.hpp"

namespace armature::studies::tum2019 {

using namespace laboratory;

namespace {

VecX<double> in_degrees(double a, double b, double c) { return Vec3<double>(a, b, c) * deg; }

const Pose<double> target{rotation_z(35 * deg), {0.93, 0.19, 0}};

struct Tried {
  IkResult result;
  std::vector<double> errors;  // before each iteration
};

Tried solve(const Arm& arm, IkMethod method, const VecX<double>& guess, double gain = 0, int most = 2000,
            IkTask task = IkTask::planar) {
  std::vector<double> history(static_cast<std::size_t>(most) + 1, std::nan(""));
  IkSettings settings{.task = task, .method = method, .tolerance = 1e-10, .max_iterations = most, .restarts = 0};
  settings.gain = gain;
  settings.keep_limits = false;
  Tried tried{inverse_kinematics(arm, target, guess, settings, history), {}};
  for (const double error : history)
    if (std::isfinite(error)) tried.errors.push_back(error);
  return tried;
}

/// The loop of problem 2.3.6, without anything clever: q += K Jᵀ e. True where it converges.
bool transposed_loop_converges(const Arm& arm, VecX<double> q, double gain) {
  for (int k = 0; k < 20000; ++k) {
    const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
    const Pose<double> X = tool_pose(arm, poses);
    const Vec3<double> e(target.p.x() - X.p.x(), target.p.y() - X.p.y(), 35 * deg - q.sum());
    if (e.norm() < 1e-10) return true;
    if (!(e.norm() < 1e3)) return false;
    const Mat6X<double> J = tool_jacobian(arm, poses);
    Eigen::Matrix3d task;
    task << J.row(0), J.row(1), J.row(5);
    q += gain * task.transpose() * e;
  }
  return false;
}

/// Length of the step J^-1 e that Newton's method takes from q.
double plain_newton_step(const Arm& arm, const VecX<double>& q) {
  const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
  const Pose<double> X = tool_pose(arm, poses);
  const Vec3<double> e(target.p.x() - X.p.x(), target.p.y() - X.p.y(), 35 * deg - q.sum());
  const Mat6X<double> J = tool_jacobian(arm, poses);
  Eigen::Matrix3d task;
  task << J.row(0), J.row(1), J.row(5);
  return (task.inverse() * e).norm();
}

double largest_stable_gain(const Arm& arm, const VecX<double>& solution) {
  double good = 0.1, bad = 2;
  VecX<double> near = solution;
  near[0] += 1e-3;
  near[1] -= 2e-3;
  near[2] += 1e-3;
  for (int i = 0; i < 30; ++i) {
    const double middle = (good + bad) / 2;
    (transposed_loop_converges(arm, near, middle) ? good : bad) = middle;
  }
  return good;
}

FigureSeries curve(const std::string& name, const std::vector<double>& errors) {
  FigureSeries series{name, {}, {}};
  const std::size_t stride = 1 + errors.size() / 400;
  for (std::size_t i = 0; i < errors.size(); i += stride) {
    series.x.push_back(static_cast<double>(i));
    series.y.push_back(std::max(errors[i], 1e-17));
  }
  return series;
}

const char* word(IkStatus status) {
  return status == IkStatus::reached ? "reached" : status == IkStatus::stuck ? "stuck" : "not reached";
}

/// Microseconds an iteration takes.
double cost(const Arm& arm, IkMethod method, double gain) {
  const auto start = std::chrono::steady_clock::now();
  long iterations = 0;
  for (int i = 0; i < 200; ++i) iterations += solve(arm, method, in_degrees(0, -15, 35), gain).result.iterations;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() * 1e6 /
         static_cast<double>(iterations);
}

constexpr double transposed_gain = 0.4;

/// All that was tried for task 11, from its two guesses.
struct Guesses {
  Arm arm = catalogue_arm("planar3r", built_in_kernels());
  VecX<double> first = in_degrees(0, -15, 35), second = in_degrees(10, 0, 45);
  VecX<double> expected = in_degrees(9.690067, -19.588079, 44.898012),
               mirrored = in_degrees(-9.898012, 19.588079, 25.309933);
  Tried newton = solve(arm, IkMethod::newton, first), plain = solve(arm, IkMethod::newton, second, 0, 100),
        damped = solve(arm, IkMethod::damped_least_squares, second);
  Tried jt1 = solve(arm, IkMethod::transposed_jacobian, first, transposed_gain, 60000),
        jt2 = solve(arm, IkMethod::transposed_jacobian, second, transposed_gain, 60000);
};

void claim_solutions(const Guesses& g, StudyResult& result) {
  result.claims.push_back(
      {"task 11, Newton", "Newton's method from (0, -15, 35) deg finds (0.93 m, 0.19 m, 35 deg)", "a joint position",
       fmt::format("{} in {} iterations", degrees(g.newton.result.q), g.newton.result.iterations),
       g.newton.result.status == IkStatus::reached && (g.newton.result.q - g.expected).norm() < 1e-7,
       "lengths of 1/3 m are ours: they give the printed pose near both guesses"});
  const double step = plain_newton_step(g.arm, g.second);
  result.claims.push_back(
      {"task 11, singular guess",
       "the second guess (10, 0, 45) deg is singular: plain Newton fails there, a pseudo-inverse or damping helps",
       "error plots of both cases",
       fmt::format(
           "det J = {:.0e} m^2, plain Newton's first step {:.0e} rad; with the pseudo-inverse {} after {}, damped {} "
           "after {} iterations at {}",
           std::sin(g.second[1]) / 9, step, word(g.plain.result.status), g.plain.result.iterations,
           word(g.damped.result.status), g.damped.result.iterations, degrees(g.damped.result.q)),
       !(step < 1e6) && g.damped.result.status == IkStatus::reached &&
           std::min((g.damped.result.q - g.expected).norm(), (g.damped.result.q - g.mirrored).norm()) < 1e-6,
       "q2 = 0 for any lengths: links 1 and 2 are in line"});
  result.claims.push_back(
      {"task 11, transposed Jacobian", "the transposed Jacobian converges from both guesses", "error plots",
       fmt::format("{} after {} iterations, {} after {} (gain {})", word(g.jt1.result.status), g.jt1.result.iterations,
                   word(g.jt2.result.status), g.jt2.result.iterations, transposed_gain),
       g.jt1.result.status == IkStatus::reached && g.jt2.result.status == IkStatus::reached, ""});
}

/// How fast the last steps of both methods converge; returns the factor of the transposed Jacobian.
double claim_rates(const Guesses& g, StudyResult& result) {
  double order = 0;  // log(e''/e')/log(e'/e) of the last errors above rounding
  for (std::size_t i = 2; i < g.newton.errors.size(); ++i)
    if (g.newton.errors[i] > 1e-13)
      order = std::log(g.newton.errors[i] / g.newton.errors[i - 1]) /
              std::log(g.newton.errors[i - 1] / g.newton.errors[i - 2]);
  const std::size_t n = g.jt1.errors.size();
  const double linear = g.jt1.errors[n - 5] / g.jt1.errors[n - 6];
  const LinkPoses<double> poses = forward_kinematics<double>(g.arm, g.expected);
  const Mat6X<double> J6 = tool_jacobian(g.arm, poses);
  Eigen::Matrix3d J;
  J << J6.row(0), J6.row(1), J6.row(5);
  const double least = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(J * J.transpose()).eigenvalues()[0];
  result.claims.push_back({"problem 2.3.5, rate", "Newton converges quadratically, the transposed Jacobian linearly",
                           "compare",
                           fmt::format("order {:.2f}; e' = {:.5f} e, where 1 - K sigma_min^2 = {:.5f}", order, linear,
                                       1 - transposed_gain * least),
                           order > 1.7 && order < 2.5 && std::abs(linear - (1 - transposed_gain * least)) < 1e-4, ""});
  return linear;
}

void task_11(StudyResult& result, Log& log) {
  const Guesses g;
  const double gain = transposed_gain;
  claim_solutions(g, result);
  const double bound = transposed_jacobian_gain_bound(g.arm, g.expected, {.task = IkTask::planar}),
               found = largest_stable_gain(g.arm, g.expected);
  result.claims.push_back(
      {"task 10, gain", "above a gain the transposed-Jacobian loop is unstable", "an upper limit exists",
       fmt::format("it converges up to {:.4f}; 2/sigma_max^2 = {:.4f}", found, bound),
       std::abs(found - 0.4725771863977822) < 5e-3 && std::abs(bound - 0.4725771863977822) < 1e-6, ""});
  const double linear = claim_rates(g, result);
  const Tried n2 = solve(g.arm, IkMethod::newton, g.first, 0, 100, IkTask::position),
              j2 = solve(g.arm, IkMethod::transposed_jacobian, g.first, gain, 60000, IkTask::position);
  result.claims.push_back({"problem 2.3.5, redundant", "both also serve a redundant arm (position only)", "compare",
                           fmt::format("Newton {} after {}, transposed {} after {} iterations", word(n2.result.status),
                                       n2.result.iterations, word(j2.result.status), j2.result.iterations),
                           n2.result.status == IkStatus::reached && j2.result.status == IkStatus::reached,
                           "Newton with the pseudo-inverse"});
  log.tables.push_back({"Problem 2.3.5: the two methods",
                        {"", "Newton", "transposed Jacobian"},
                        {{"iterations from (0, -15, 35) deg", fmt::format("{}", g.newton.result.iterations),
                          fmt::format("{}", g.jt1.result.iterations)},
                         {"time of an iteration [us]", fmt::format("{:.2f}", cost(g.arm, IkMethod::newton, 0)),
                          fmt::format("{:.2f}", cost(g.arm, IkMethod::transposed_jacobian, gain))},
                         {"rate", "quadratic", fmt::format("linear, {:.4f} an iteration", linear)},
                         {"at the singular guess", "needs a pseudo-inverse or damping",
                          fmt::format("{} after {}", word(g.jt2.result.status), g.jt2.result.iterations)},
                         {"redundant (position only)", "pseudo-inverse", "as it is"},
                         {"gain", "1", fmt::format("below {:.3f}", bound)}}});
  Figure figure{"task 11", "Error of the pose at each iteration", {"iteration", ""}, {"error", "m", true}, {}};
  figure.series = {curve("Newton, first guess", g.newton.errors), curve("Newton, second guess", g.plain.errors),
                   curve("damped, second guess", g.damped.errors), curve("transposed, first guess", g.jt1.errors),
                   curve("transposed, second guess", g.jt2.errors)};
  log.figures.push_back(figure);
}

void task_12(StudyResult& result) {
  LogTable table{"Task 12: inverse kinematics in the loop",
                 {"target", "method", "error [mm]", "error [deg]", "2 % after [s]"},
                 {}};
  double worst = 0, turned = 0;
  Log shown;
  for (const char* method : {"newton", "damped", "transposed_jacobian"})
    for (const char* where : {"[0.93, 0.19, 0]], rpy: [0, 0, 35 deg]", "[0.5, 0.5, 0]], rpy: [0, 0, 100 deg]"}) {
      Log log = simulated(scenario(
          "task 12",
          fmt::format(
              "start: {{q: [0 deg, -15 deg, 35 deg]}}\nplant: {{viscous: [0.5, 0.5, 0.5], torque_limits: "
              "false}}\nreference: {{kind: pose, points: [{}}}\ncontroller:\n  kind: ik_in_loop\n  task: "
              "planar\n  method: {}\n  terms:\n    - kind: sum\n      terms:\n        - {{kind: gravity}}\n"
              "        - {{kind: joint_pd, name: pd, kp: [120, 80, 30], kd: [24, 11, 2.5]}}\nrun: {{duration: 6 s}}\n",
              where, method)));
      const std::size_t last = last_row(log);
      const double distance = (tool(log, last) - tool(log, last, "_ref")).norm();
      const double wanted = 2 * std::atan2(end(log, "tool_qz_ref"), end(log, "tool_qw_ref"));
      const double angle = std::abs(std::remainder(joints(log, last).sum() - wanted, 2 * pi));
      worst = std::max(worst, distance);
      turned = std::max(turned, angle);
      double settled = 0;
      for (std::size_t i = 0; i < log.time.size(); ++i)
        if ((tool(log, i) - tool(log, i, "_ref")).norm() > 0.02 * (tool(log, 0) - tool(log, 0, "_ref")).norm())
          settled = log.time[i];
      table.rows.push_back({std::string_view(where).find("0.93") == 1 ? "(0.93, 0.19, 35 deg)" : "(0.5, 0.5, 100 deg)",
                            method, fmt::format("{:.2e}", distance * 1e3), fmt::format("{:.2e}", angle / deg),
                            fmt::format("{:.2f}", settled)});
      if (shown.time.empty()) shown = std::move(log);
    }
  result.claims.push_back(
      {"task 12", "inverse kinematics in the loop takes the tool to its target", "plots of joints and tool",
       fmt::format("to {:.1e} mm and {:.1e} deg, three methods, two targets", worst * 1e3, turned / deg),
       worst < 1e-5 && turned < 1e-4, "PD and gravity compensation of task 5"});
  shown.tables.push_back(table);
  shown.time_figures = {{"task 12", "Joints", {"q1", "q1_ref", "q2", "q2_ref", "q3", "q3_ref"}},
                        {"task 12", "Tool", {"tool_x", "tool_x_ref", "tool_y", "tool_y_ref"}}};
  result.logs.push_back(kept(std::move(shown), "task 12: inverse kinematics in the loop"));
}

}  // namespace

void inverse_kinematics_tasks(StudyResult& result) {
  Log log;
  log.title = "tasks 10 and 11: inverse kinematics";
  task_11(result, log);
  result.logs.push_back(std::move(log));
  task_12(result);
}

}  // namespace armature::studies::tum2019
