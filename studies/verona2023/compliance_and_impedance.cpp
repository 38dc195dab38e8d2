// Section 11.1: compliance, impedance and admittance against an elastic wall.
#include <fmt/format.h>

#include <cmath>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/task_dynamics.hpp"
#include "armature/formats/catalogue.hpp"
#include "armature/numerics/decompositions.hpp"
#include "verona2023.hpp"

namespace armature::studies::verona2023 {

using namespace laboratory;

namespace {

constexpr double delta = 0.05;  // how far behind the wall's face the target lies [m]
constexpr double impedance_kp = 250, impedance_kd = 50, impedance_mass = 3, impedance_wall = 10;  // 11.1.2, printed

/// The tool, sent from below to a target behind an elastic wall across z.
std::string against(double stiffness, const std::string& law, const std::string& time) {
  const Arm arm = catalogue_arm("rpr", built_in_kernels());
  const double z = tool_pose(arm, forward_kinematics<double>(arm, VecX<double>(Vec3<double>(1, 0, -0.5)))).p.z();
  const double face = stiffness > 0 ? z - delta : z + 0.5;  // or out of the way
  const std::string wall =
      fmt::format("plant: {{walls: [{{point: [0, 0, {}], normal: [0, 0, -1], stiffness: {} N/m}}]}}\n", face,
                  stiffness > 0 ? stiffness : 150);
  return scenario("contact", "start: {q: [0.9, -50 mm, -0.4]}\nreference: {kind: hold, to: [1, 0, -0.5]}\n" + wall +
                                 "controller: {" + law + "}\nrun: {" + time + "}\n");
}

/// (75) with (74) as printed, or with the sign of J^T h_e turned: the force stands in neither y.
class ImpedanceAsPrinted : public Law {
 public:
  ImpedanceAsPrinted(Arm believed, double sign)
      : Law({.tool_reference = true, .wrench = true}),
        dynamics_(std::move(believed), {.task = TaskCoordinates::position()}),
        sign_(sign) {}
  void reset(const Measurement&) {}
  void update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
    dynamics_.observe(y, r);
    const TaskState& x = dynamics_.state();
    const TaskVector<double> a =
        x.acceleration + (impedance_kd * x.rate_error + impedance_kp * x.error) / impedance_mass;
    const TermTorques& t = dynamics_.torques(y, a);
    tau = t.inertia + t.coriolis + t.gravity + t.friction - sign_ * x.J_tool.transpose() * y.wrench;
  }

 private:
  TaskDynamics dynamics_;
  double sign_;
};

struct Rest {
  double error, force;  // of z [m], on the wall [N]
};
Rest rest_of(const Log& log) { return {end(log, "tool_z_ref") - end(log, "tool_z"), -end(log, "force_z")}; }

Claim steady(const std::string& id, const std::string& says, const std::string& paper, const Rest& r, double error,
             double force, const std::string& remark) {
  return {
      id,
      says,
      paper,
      fmt::format("z error {:.6f} m, force {:.5f} N; statics say {:.6f} m, {:.5f} N", r.error, r.force, error, force),
      std::abs(r.error / error - 1) < 0.01 && std::abs(r.force / force - 1) < 0.01,
      remark};
}

/// Position, orientation and wrench, which the report shows in three figures from this number on.
void figures(Log& log, int first) {
  add_euler_angles(log);
  const auto name = [&](int k) { return fmt::format("Fig. {}", first + k); };
  log.time_figures = {{name(0), "Position", position_channels()},
                      {name(1), "Orientation", orientation_channels()},
                      {name(2), "Force on the tool", {"force_x", "force_y", "force_z"}}};
}

void compliance(StudyResult& result) {
  const std::string pose =
      "kind: operational_pd, task: pose, orientation: zyz, kp: [550, 550, 550, 30, 30, 30], kd: [70, 70, 70, 10, 10, "
      "10], continuous: true";
  const std::string position =
      "kind: operational_pd, task: position, kp: [550, 550, 550], kd: [70, 70, 70], continuous: true";
  const std::string time = "duration: 10 s, tick: 10 ms";
  Log soft = simulated(against(150, pose, time)), hard = simulated(against(750, pose, time)),
      open = simulated(against(0, pose, time));
  result.claims.push_back(steady("11.1.1, K_e = 150", "compliance against a wall softer than the arm",
                                 "small error (Figs 31 to 33)", rest_of(soft), 0.00700541759842177, 6.449187360236741,
                                 "550 against 150 is not much greater"));
  result.claims.push_back(steady(
      "11.1.1, K_e = 750", "compliance against a stiffer wall", "larger error and force (Figs 34 to 36)", rest_of(hard),
      0.021226806816728727, 21.579894887453488, "the equilibrium with the orientation's springs, solved elsewhere"));
  for (const double k : {150.0, 750.0}) {
    const Rest r = rest_of(simulated(against(k, position, time)));
    result.claims.push_back(steady(fmt::format("11.1.1, position only, K_e = {}", k),
                                   "without orientation the springs are in series: x~ = K_e delta/(K_p + K_e)", "-", r,
                                   k * delta / (550 + k), k * 550 / (550 + k) * delta, ""));
  }
  const VecX<double> q = joints(open, last_row(open));
  result.claims.push_back({"11.1.1, free motion", "without contact it converges and the wrench is zero",
                           "perfectly converges (Figs 37 to 39)",
                           fmt::format("joint error {:.0e}, largest force {:.0e} N",
                                       (q - Vec3<double>(1, 0, -0.5)).norm(), largest(open, "force_z")),
                           (q - Vec3<double>(1, 0, -0.5)).norm() < 1e-6 && largest(open, "force_z") == 0, ""});
  figures(soft, 31);
  figures(hard, 34);
  figures(open, 37);
  result.logs.push_back(kept(std::move(soft), "11.1.1: compliance, K_e = 150 N/m"));
  result.logs.push_back(kept(std::move(hard), "11.1.1: compliance, K_e = 750 N/m"));
  result.logs.push_back(kept(std::move(open), "11.1.1: compliance, free motion"));
}

/// K_p M_d^-1 e = 2 (J B^-1 J^T) h with the printed sign: the force acts twice, through the arm's own inertia.
void impedance_as_printed(StudyResult& result) {
  const auto run = [](double sign) {
    LoadedScenario loaded = scenario_from_text(
        against(impedance_wall,
                "kind: impedance, task: position, kp: [250, 250, 250], kd: [50, 50, 50], continuous: true",
                "duration: 8 s, tick: 10 ms"),
        "study", {}, built_in_kernels());
    loaded.law = [sign](const Arm& believed) { return AnyController(ImpedanceAsPrinted(believed, sign)); };
    return run_scenario(loaded);
  };
  const Log printed = run(-1), turned = run(1);
  const Arm arm = catalogue_arm("rpr", built_in_kernels());
  const VecX<double> q = joints(printed, last_row(printed));
  const Eigen::MatrixXd J = tool_jacobian(arm, forward_kinematics<double>(arm, q)).topRows(3),
                        M = mass_matrix<double>(arm, q);
  const double yields = 2 * impedance_mass / impedance_kp * (J * solved(M, Eigen::MatrixXd(J.transpose())))(2, 2),
               share = yields * impedance_wall / (1 + yields * impedance_wall);
  result.claims.push_back(
      steady("11.1.2, as printed", "(74) and (75) as printed: the force acts twice", "z and x errors (Figs 43 to 45)",
             rest_of(printed), share * delta, impedance_wall * (1 - share) * delta,
             "K_p M_d^-1 e = 2 J B^-1 J^T h: the stiffness is that of the arm, not the one asked for"));
  const Rest r = rest_of(turned);
  result.claims.push_back({"11.1.2, sign alone",
                           "with the sign of (74) turned and nothing else the tool does not give way", "-",
                           fmt::format("z error {:.1e} m, force {:.5f} N", r.error, r.force),
                           std::abs(r.error) < 1e-5 && std::abs(r.force / (impedance_wall * delta) - 1) < 1e-3,
                           "the measured force is cancelled, and y does not know of it"});
}

void impedance(StudyResult& result) {
  Log log = simulated(against(
      10, "kind: impedance, task: position, kp: [250, 250, 250], kd: [50, 50, 50], mass: [3, 3, 3], continuous: true",
      "duration: 8 s, tick: 10 ms"));
  result.claims.push_back(steady("11.1.2", "impedance: the tool gives way like the spring it is told to be",
                                 "z and x errors (Figs 43 to 45)", rest_of(log), 0.0019230769230769162,
                                 0.4807692307692313, "with the sign of (74) and the missing h_A of (75) corrected"));
  impedance_as_printed(result);
  const Log without = simulated(against(
      10,
      "kind: impedance, task: position, kp: [250, 250, 250], kd: [50, 50, 50], force_measured: false, continuous: true",
      "duration: 8 s, tick: 10 ms"));
  result.claims.push_back(steady("11.1.2, no sensor", "without force measurement the stiffness at rest is the same",
                                 "-", rest_of(without), 0.0019230769230769162, 0.4807692307692313, ""));
  figures(log, 43);
  result.logs.push_back(kept(std::move(log), "11.1.2: impedance"));
}

void admittance(StudyResult& result) {
  Log log = simulated(against(190,
                              "kind: admittance, task: position, kp: [790, 790, 790], kd: [170, 170, 170], mass: "
                              "[0.12, 0.12, 0.12], frame_mass: [50, 50, 50], "
                              "frame_kd: [125, 125, 125], frame_kp: [350, 350, 350]",
                              "duration: 8 s, tick: 0.5 ms, log_every: 20"));
  result.claims.push_back(steady("11.1.3", "admittance: at rest as stiff as the compliant frame",
                                 "does not converge, gives way (Figs 48 to 50)", rest_of(log),
                                 0.35185185185185186 * delta, 123.14814814814815 * delta,
                                 "M_t = 50 kg makes the frame slow and lightly damped (-1.25 +- 3.04 j 1/s)"));
  figures(log, 48);
  result.logs.push_back(kept(std::move(log), "11.1.3: admittance"));
}

}  // namespace

void compliance_and_impedance(StudyResult& result) {
  compliance(result);
  impedance(result);
  admittance(result);
}

}  // namespace armature::studies::verona2023
