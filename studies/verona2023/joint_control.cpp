// Section 8: joint PD with gravity compensation, inverse dynamics.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/rigid_terms.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/run/controllers.hpp"
#include "armature/run/hold_stability.hpp"
#include "verona2023.hpp"

namespace armature::studies::verona2023 {

using namespace laboratory;

namespace {

std::string joint_pd(const std::string& gravity, const std::string& reference = "") {
  return "reference: {kind: hold, to: [2.1, -0.2, 1]" + reference +
         "}\ncontroller:\n  kind: sum\n  continuous: true\n  terms:\n    - {kind: joint_pd, name: pd, kp: [150, 150, "
         "150], kd: [50, 50, 50]}\n" +
         gravity + "run: {duration: 6 s, tick: 5 ms, method: cvode}\n";
}

/// Where K_p (q_d - q) = g(q), by going round: g changes little over the sag.
VecX<double> sagged(const VecX<double>& wanted, double kp) {
  const Arm arm = catalogue_arm("rpr", built_in_kernels());
  VecX<double> q = wanted;
  for (int k = 0; k < 100; ++k) q = wanted - gravity_torque<double>(arm, q) / kp;
  return q;
}

/// RMS of all joints' distance from a posture, from a time on.
double shaking(const Log& log, const VecX<double>& about, double from) {
  double sum = 0, count = 0;
  for (std::size_t i = row_at(log, from); i < log.time.size(); ++i) {
    sum += (joints(log, i) - about).squaredNorm();
    count += static_cast<double>(about.size());
  }
  return std::sqrt(sum / count);
}

/// RMS of a loop xdd + kd xd + kp x = kp n under noise n of this deviation that is held for a tick: kp tick/(2 kd) of its variance.
double loop_noise(double deviation, double kp, double kd, double tick) {
  return deviation * std::sqrt(kp * tick / (2 * kd));
}

/// The eigenvalues of B xdd + K_d xd + K_p x = 0.
void gravity_poles(StudyResult& result) {
  const auto poles = [](const char* name) {
    const Eigen::Matrix3d B = mass_matrix<double>(catalogue_arm(name, built_in_kernels()), Vec3<double>(2.1, -0.2, 1));
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(6, 6);
    A.topRightCorner(3, 3).setIdentity();
    A.bottomLeftCorner(3, 3) = -150 * B.inverse();
    A.bottomRightCorner(3, 3) = -50 * B.inverse();
    Eigen::VectorXd real = eigenvalues(A).real();
    std::sort(real.data(), real.data() + 6);
    return real;
  };
  const Eigen::VectorXd right = poles("rpr"), printed = poles("rpr_printed");
  result.claims.push_back(
      {"8.1, poles", "the loop is overdamped and stiff", "converges slowly",
       fmt::format("slow poles {:.2f} to {:.2f}, fastest {:.0f} 1/s ({:.0f} with the printed inertia)", right[3],
                   right[5], right[0], printed[0]),
       right[3] > -3.2 && right[5] < -2.95 && std::abs(printed[0] / -1.39e4 - 1) < 0.02, ""});
}

/// The same gains with a sample and hold of 1 ms.
void held_gains(StudyResult& result) {
  const LoadedScenario held = scenario_from_text(
      scenario("8.1 held", joint_pd("    - {kind: gravity}\n")), "study",
      {{"controller.continuous", "false"}, {"run.tick", "1 ms"}, {"run.method", "auto"}, {"run.duration", "1 s"}},
      built_in_kernels());
  const Experiment e = build(held);
  AnyController law = controller_of(held);
  const HeldLoop loop = held_loop(e.plant, e.composition.to_command, law, e.loop_reference, e.start, e.loop);
  const Log diverged = run_scenario(held);
  result.claims.push_back(
      {"8.1, sampled", "held for 1 ms the printed gains are unstable", "not said (Simulink, continuous)",
       fmt::format("largest |eigenvalue| {:.1f}; the run {}", loop.radius,
                   diverged.incomplete.empty() ? "ends" : "diverges"),
       loop.unstable && !diverged.incomplete.empty(), "stable without the hold; joint 3 has 1.5 g m^2 and K_d = 50"});
}

void pd_with_gravity(StudyResult& result) {
  Log exact = simulated(scenario("8.1 exact", joint_pd("    - {kind: gravity}\n")));
  const Log constant = simulated(scenario("8.1 constant", joint_pd("    - {kind: gravity, at_reference: true}\n")));
  const Log none = simulated(scenario("8.1 none", joint_pd("")));
  const Log noise =
      simulated(scenario("8.1 noise", joint_pd("    - {kind: gravity}\n", ", noise: [0.05, 0.05 m, 0.05]")),
                {{"run.duration", "20 s"}, {"run.tolerance", "1e-6"}});  // a random motion of which the r.m.s. is asked
  VecX<double> wanted(3);
  wanted << 2.1, -0.2, 1;
  const VecX<double> e_exact = wanted - joints(exact, last_row(exact)),
                     e_constant = wanted - joints(constant, last_row(constant)),
                     e_none = wanted - joints(none, last_row(none));
  const VecX<double> expected = wanted - sagged(wanted, 150);
  result.claims.push_back({"8.1, exact gravity", "PD with g(q) converges to q_d = (2.1, -0.2, 1)", "converges (Fig. 4)",
                           fmt::format("error {:.0e} after 6 s", e_exact.norm()), e_exact.norm() < 1e-6,
                           "K_p = 150, K_d = 50 acting continuously"});
  result.claims.push_back({"8.1, constant gravity", "the constant g(q_d) does as well", "a switch of Fig. 3",
                           fmt::format("error {:.0e} after 6 s", e_constant.norm()), e_constant.norm() < 1e-6, ""});
  result.claims.push_back({"8.1, no gravity", "without gravity compensation an error g(q)/K_p stays",
                           "slight error in q1, q2 (Fig. 5)", "error " + numbers(e_none, "{:.5f}"),
                           within(e_none, expected, 0.01), "expected " + numbers(expected, "{:.5f}")});
  const double shake = shaking(noise, wanted, 3), filtered = loop_noise(0.05, 150, 50, 5e-3);
  result.claims.push_back(
      {"8.1, noise", "noise on q_d keeps the joints moving", "does not accurately reach (Fig. 6)",
       fmt::format("{:.4f} rad RMS of noise with 0.05; K_p T/(2 K_d) of its variance gives {:.4f}", shake, filtered),
       std::abs(shake / filtered - 1) < 0.2, "a new value every T = 5 ms, over 17 s; noise ours. 20 % is asked for"});
  gravity_poles(result);
  held_gains(result);
  for (const char* q : {"q1", "q2", "q3"}) {
    exact.add(std::string(q) + "_none", exact.channel(q).unit).values = none.channel(q).values;
    std::vector<double> first(noise.channel(q).values.begin(),
                              noise.channel(q).values.begin() + static_cast<std::ptrdiff_t>(exact.time.size()));
    exact.add(std::string(q) + "_noise", exact.channel(q).unit).values = std::move(first);
  }
  exact.time_figures = {
      {"Fig. 4", "With gravity compensation", {"q1", "q1_ref", "q2", "q2_ref", "q3", "q3_ref"}},
      {"Fig. 5", "Without", {"q1_none", "q1_ref", "q2_none", "q2_ref", "q3_none", "q3_ref"}},
      {"Fig. 6", "With noise on the reference", {"q1_noise", "q1_ref", "q2_noise", "q2_ref", "q3_noise", "q3_ref"}}};
  result.logs.push_back(kept(std::move(exact), "8.1: joint PD"));
}

std::string tracking(const std::string& law, const std::string& more = "") {
  return scenario("8.2",
                  "start: {on_reference: true}\nreference: {kind: spline, order: 5, times: [0, 1 s, 2 s, 3 s], "
                  "waypoints: [[0.5, 0, 0.5], [1.5, 100 mm, -0.5], [0.2, -100 mm, 1], [1, 50 mm, 0]]}\n"
                  "controller: {kind: computed_torque, kp: [200, 200, 200], kd: [30, 30, 30]" +
                      law + "}\n" + more + "run: {duration: 3.5 s, tick: 1 ms}\n");
}

double error_of(const Log& log) {
  double sum = 0;
  for (const char* q : {"q1", "q2", "q3"}) sum += std::pow(rms_difference(log, q, std::string(q) + "_ref"), 2);
  return std::sqrt(sum);
}

/// RMS error by the error equation of inverse dynamics with a model that is wrong: n are the velocity and gravity terms, ^ what is believed,
///     M edd + M^ (K_d ed + K_p e) = (M - M^) qdd_d + n - n^
/// with M and n where the arm is in the log: linear in e. By the rule of the midpoint from rest.
double predicted_error(const std::string& text, const Log& log, const DynamicTerms& terms) {
  const LoadedScenario loaded = scenario_from_text(text, "study", {}, built_in_kernels());
  const ReferenceSource reference = build(loaded).reference;
  Reference r;
  VecX<double> e = VecX<double>::Zero(3), ed = e;
  double sum = 0;
  for (std::size_t k = 0; k + 1 < log.time.size(); ++k) {
    const double h = log.time[k + 1] - log.time[k];
    const VecX<double> q = (joints(log, k) + joints(log, k + 1)) / 2,
                       v = (joints(log, k, "v") + joints(log, k + 1, "v")) / 2;
    reference(log.time[k] + h / 2, r);
    TermTorques believed;
    term_torques(loaded.believed, terms, q, v, VecX<double>::Zero(3), believed);
    const Eigen::MatrixXd M = mass_matrix<double>(loaded.arm, q),
                          guessed = terms.inertia ? Eigen::MatrixXd(mass_matrix<double>(loaded.believed, q))
                                                  : Eigen::MatrixXd::Identity(3, 3);
    const Eigen::VectorXd n = inverse_dynamics<double>(loaded.arm, q, v, VecX<double>::Zero(3)),
                          forcing = (M - guessed) * r.qdd + n - believed.coriolis - believed.gravity;
    // (M + h/2 30 M^ + h²/4 200 M^) edd = forcing - M^ (30 ed + 200 (e + h/2 ed)), edd in the middle of the step
    const Eigen::MatrixXd A = M + (15 * h + 50 * h * h) * guessed;
    const Eigen::VectorXd edd = solved(A, Eigen::VectorXd(forcing - guessed * (30 * ed + 200 * (e + h / 2 * ed))));
    e += h * ed + h * h / 2 * edd;
    ed += h * edd;
    sum += e.squaredNorm();
  }
  return std::sqrt(sum / static_cast<double>(log.time.size()));
}

/// A run of inverse dynamics with something wrong in it.
struct TrackingCase {
  const char *figure, *name;
  std::string law, more;
  DynamicTerms terms{};
  double error = 0, predicted = 0;
};

std::vector<TrackingCase> tracking_cases(const std::string& continuous) {
  const std::string& c = continuous;
  return {{"Fig. 10", "exact model", c, ""},
          {"Fig. 11", "wrong masses", c, "belief: {mass_factor: [1.3, 0.8, 1.2]}\n"},
          {"Fig. 12", "without inertia", c + ", inertia: false", "", {.inertia = false}},
          {"Fig. 13",
           "without C qd + g",
           c + ", coriolis: false, gravity: false",
           "",
           {.coriolis = false, .gravity = false}},
          {"Fig. 14",
           "without both",
           c + ", inertia: false, coriolis: false, gravity: false",
           "",
           {.inertia = false, .coriolis = false, .gravity = false}},
          {"", "noise on q_d", "", ""},
          {"Fig. 15", "torque limit of 5 N m, 5 N", "", "converter: {range: 5}\n"}};
}

void claim_models(const std::vector<TrackingCase>& cases, StudyResult& result) {
  result.claims.push_back({"8.2, exact", "with the exact model q follows a fast q_d", "converges accurately (Fig. 10)",
                           fmt::format("RMS error {:.0e}", cases[0].error), cases[0].error < 1e-6,
                           "trajectory ours; gains 200, 30"});
  double farthest = 0;
  for (int i = 1; i < 5; ++i) farthest = std::max(farthest, std::abs(cases[i].error / cases[i].predicted - 1));
  result.claims.push_back(
      {"8.2, wrong models", "wrong masses, no inertia, no C qd + g, neither: each leaves an error of its own",
       "Figs 11 to 14",
       fmt::format("RMS {:.4f}, {:.4f}, {:.4f}, {:.4f}; the error equation says {:.4f}, {:.4f}, {:.4f}, {:.4f}",
                   cases[1].error, cases[2].error, cases[3].error, cases[4].error, cases[1].predicted,
                   cases[2].predicted, cases[3].predicted, cases[4].predicted),
       farthest < 0.01, "1 % is asked for; masses times 1.3, 0.8, 1.2, ours"});
  result.claims.push_back({"8.2, which term matters", "leaving C qd + g out hurts more than leaving the inertia out",
                           "much greater error (Fig. 13)",
                           fmt::format("{:.3f} against {:.3f}", cases[3].error, cases[2].error),
                           cases[3].error > cases[2].error, ""});
}

void claim_noise(StudyResult& result) {
  const Log pd_noise = simulated(scenario(
      "8.2 PD",
      "start: {on_reference: true}\nreference: {kind: hold, from: [1, 0, 0.5], noise: [0.02, 0.02 m, 0.02]}\n"
      "controller: {kind: computed_torque, kp: [200, 200, 200], kd: [30, 30, 30]}\nrun: {duration: 15 s, tick: "
      "1 ms}\n"));
  const double still = shaking(pd_noise, Vec3<double>(1, 0, 0.5), 1), passed = loop_noise(0.02, 200, 30, 1e-3);
  result.claims.push_back(
      {"8.2, noise", "noise on q_d is filtered by the loop, not compensated", "compensates for all noise",
       fmt::format("{:.5f} rad RMS of noise with 0.02; K_p T/(2 K_d) of its variance gives {:.5f}", still, passed),
       std::abs(still / passed - 1) < 0.2,
       "the law cannot tell noise from a wanted motion: poles at -10 and -20 1/s let the slow part through; 20 % is "
       "asked for, over 14 s"});
}

void claim_poles(StudyResult& result) {
  Log step = simulated(scenario("8.2 poles",
                                "start: {q: [0.8, 50 mm, 0.3]}\nreference: {kind: hold, to: [1, 0, 0.5]}\ncontroller: "
                                "{kind: computed_torque, kp: [200, 200, 200], "
                                "kd: [30, 30, 30], continuous: true}\nrun: {duration: 1 s, tick: 2 ms}\n"));
  double off = 0;
  for (std::size_t i = 0; i < step.time.size(); ++i) {
    const double share = 2 * std::exp(-10 * step.time[i]) - std::exp(-20 * step.time[i]);
    off = std::max(off, std::abs((1 - step.channel("q1").values[i]) / 0.2 - share));
  }
  result.claims.push_back({"8.2, poles", "the error has the poles -10 and -20 1/s", "K_p = 200, K_d = 30",
                           fmt::format("step response equal to 2 exp(-10 t) - exp(-20 t) to {:.0e}", off), off < 1e-6,
                           ""});
}

void joint_inverse_dynamics(StudyResult& result) {
  const std::string c = ", continuous: true";
  std::vector<TrackingCase> cases = tracking_cases(c);
  LogTable table{"8.2: inverse dynamics, RMS error over all joints", {"case", "figure", "error"}, {}};
  Log all;
  for (TrackingCase& k : cases) {
    const bool noise = std::string_view(k.name).find("noise") == 0;
    const std::string text = tracking(k.law, k.more);
    const Log log = simulated(text, noise ? Overrides{{"reference.noise", "[0.02, 0.02 m, 0.02]"}} : Overrides{});
    k.error = error_of(log);
    if (k.law.starts_with(c)) k.predicted = predicted_error(text, log, k.terms);
    table.rows.push_back({k.name, k.figure, fmt::format("{:.2e}", k.error)});
    if (all.time.empty()) {
      all = log;
    } else {
      for (const char* q : {"q1", "q2", "q3"})
        all.add(fmt::format("{}, {}", q, k.name), log.channel(q).unit).values = log.channel(q).values;
    }
  }
  claim_models(cases, result);
  claim_noise(result);
  result.claims.push_back({"8.2, torque limit", "where the torque limit binds, part of the trajectory is lost",
                           "not visible in the report (Fig. 15)",
                           fmt::format("RMS error {:.3f} against {:.0e}", cases[6].error, cases[0].error),
                           cases[6].error > 0.01, "limit of 5 N m and 5 N, ours"});
  claim_poles(result);
  all.title = "8.2: inverse dynamics";
  all.tables.push_back(table);
  all.time_figures = {{"Fig. 10", "Exact model", {"q1", "q1_ref", "q2", "q2_ref", "q3", "q3_ref"}}};
  for (const TrackingCase& k : cases) {
    if (&k == cases.data()) continue;
    std::vector<std::string> channels;
    for (const char* q : {"q1", "q2", "q3"}) {
      channels.push_back(fmt::format("{}, {}", q, k.name));
      channels.push_back(std::string(q) + "_ref");
    }
    std::string title = k.name;
    title[0] = static_cast<char>(std::toupper(title[0]));
    all.time_figures.push_back({k.figure, title, channels});
  }
  result.logs.push_back(std::move(all));
}

}  // namespace

void joint_control(StudyResult& result) {
  pd_with_gravity(result);
  joint_inverse_dynamics(result);
}

}  // namespace armature::studies::verona2023
