#include "armature/testing/every_law.hpp"

#include "armature/algorithms/mass_matrix.hpp"
#include "armature/control/adaptive.hpp"
#include "armature/control/admittance.hpp"
#include "armature/control/cartesian_impedance.hpp"
#include "armature/control/collision.hpp"
#include "armature/control/compensation.hpp"
#include "armature/control/computed_torque.hpp"
#include "armature/control/damping.hpp"
#include "armature/control/feed_forward.hpp"
#include "armature/control/force_control.hpp"
#include "armature/control/guarded.hpp"
#include "armature/control/hybrid_force_position.hpp"
#include "armature/control/ik_in_loop.hpp"
#include "armature/control/impedance.hpp"
#include "armature/control/iterative_learning.hpp"
#include "armature/control/joint_pd.hpp"
#include "armature/control/joint_pid.hpp"
#include "armature/control/kalman_motion_observer.hpp"
#include "armature/control/null_space.hpp"
#include "armature/control/operational_inverse_dynamics.hpp"
#include "armature/control/operational_pd.hpp"
#include "armature/control/payload_watch.hpp"
#include "armature/control/term_sum.hpp"
#include "armature/testing/law_by_kind.hpp"

namespace armature::testing {

std::vector<NamedLaw> every_law(const Arm& arm) {
  const int n = arm.dof();
  const bool whole = n >= 6;
  const int m = whole ? 6 : 3;
  const auto joints = [n](double x) { return VecX<double>(VecX<double>::Constant(n, x)); };
  const auto coordinates = [m](double x) { return TaskVector<double>(TaskVector<double>::Constant(m, x)); };
  const VecX<double> mass = mass_matrix<double>(arm, joints(0.3)).diagonal();
  const VecX<double> kp = 100 * mass, kd = 20 * mass;
  const TaskCoordinates task = whole ? TaskCoordinates::pose() : TaskCoordinates::position();
  const TaskDynamicsSettings dynamics{.task = task};
  const auto pd = [&] { return AnyController(JointPd{kp, kd}); };
  const auto gravity = [&] { return AnyController(GravityCompensation(arm)); };
  const auto pd_gravity = [&] {
    return AnyController(TermSum(n, terms(Term{"pd", pd()}, Term{"gravity", gravity()})));
  };

  std::vector<NamedLaw> laws;
  const auto add = [&](const char* name, auto law) { laws.push_back({name, AnyController(std::move(law))}); };
  add("joint PD", JointPd{kp, kd});
  add("joint PID", JointPid(arm, {.kp = kp, .ki = 50 * mass, .kd = kd}));
  add("joint PID with filters",
      JointPid(arm, {.kp = kp,
                     .ki = 50 * mass,
                     .kd = kd,
                     .filters = {{.frequency = 150}, {.kind = FilterSettings::Kind::low_pass, .frequency = 200}}}));
  add("gravity compensation", GravityCompensation(arm));
  add("friction compensation", FrictionCompensation(arm, {.speed = FrictionCompensationSettings::Speed::measured}));
  laws.push_back({"PD + gravity", pd_gravity()});
  add("PD + constant gravity",
      TermSum(n, terms(Term{"pd", pd()},
                       Term{"gravity", AnyController(GravityCompensation(arm, {.at_reference = true}))})));
  add("feed-forward + PD",
      TermSum(n, terms(Term{"pd", pd()}, Term{"ahead", AnyController(FeedForward(arm, {.friction = true}))})));
  add("computed torque",
      ComputedTorque(arm, {.kp = joints(100), .kd = joints(20), .terms = {.friction = true, .rotors = true}}));
  add("PD, designed damping", DesignedPd(arm, {.kp = kp}));
  add("PD, square-root damping", DesignedPd(arm, {.kp = kp, .design = DampingDesign::square_roots}));
  add("adaptive", Adaptive(arm, {.kd = kd, .lambda = joints(5), .friction = true, .dead_zone = 1e-3}));
  add("iterative learning + PD",
      TermSum(n,
              terms(Term{"pd", pd()}, Term{"learned", AnyController(IterativeLearning(
                                                          arm, {.ticks = 500, .kp = kp, .kd = kd, .smoothing = 3}))})));
  add("operational PD + gravity", OperationalPd(arm, {.task = task, .kp = coordinates(200), .kd = coordinates(20)}));
  add("translational impedance",
      OperationalPd(
          arm, {.task = TaskCoordinates::position(), .kp = TaskVector<double>::Constant(3, 200), .designed = true}));
  add("operational inverse dynamics",
      OperationalInverseDynamics(arm, {.dynamics = dynamics, .kp = coordinates(100), .kd = coordinates(20)}));
  add("operational inverse dynamics, ZYZ",
      OperationalInverseDynamics(arm, {.dynamics = {.task = TaskCoordinates::pose(Orientation::zyz)},
                                       .kp = TaskVector<double>::Constant(6, 100),
                                       .kd = TaskVector<double>::Constant(6, 20)}));
  add("Cartesian impedance",
      CartesianImpedance(arm, {.stiffness = (Vec6<double>() << 500, 500, 500, 20, 20, 20).finished()}));
  add("Cartesian impedance, square-root damping",
      CartesianImpedance(arm, {.stiffness = (Vec6<double>() << 500, 500, 500, 20, 20, 20).finished(),
                               .design = DampingDesign::square_roots,
                               .coriolis = true}));
  add("null-space damping",
      NullSpaceTerm(arm, AnyController(JointDamping{kd}), {.rows = whole ? TaskRows::position() : TaskRows{0}}));
  add("singularity avoidance", SingularityAvoidance(arm, {.rows = TaskRows::position(), .threshold = 10, .gain = 1}));
  add("joint-limit avoidance", JointLimitAvoidance(arm, {.stiffness = kp}));
  add("inverse kinematics in the loop",
      IkInLoop(arm, pd_gravity(),
               {.ik = {.task = whole ? IkTask::pose : IkTask::position, .max_iterations = 10, .restarts = 0}}));
  add("impedance",
      Impedance(arm, {.dynamics = dynamics, .mass = coordinates(3), .kd = coordinates(50), .kp = coordinates(250)}));
  add("impedance, no force sensor",
      Impedance(arm, {.dynamics = dynamics, .kd = coordinates(50), .kp = coordinates(250), .force_measured = false}));
  add("admittance", Admittance(arm, {.dynamics = dynamics,
                                     .frame_mass = coordinates(5),
                                     .frame_kd = coordinates(60),
                                     .frame_kp = coordinates(200),
                                     .mass = coordinates(1),
                                     .kd = coordinates(40),
                                     .kp = coordinates(400)}));
  const ForceControlSettings force{.dynamics = dynamics,
                                   .mass = coordinates(1),
                                   .kd = coordinates(40),
                                   .kp = coordinates(100),
                                   .force_kp = coordinates(1e-3),
                                   .force_ki = coordinates(1e-2)};
  add("force PI", ForceControl(arm, force));
  ForceControlSettings parallel = force;
  parallel.parallel = true;
  add("parallel force and position", ForceControl(arm, parallel));
  add("hybrid force and position", HybridForcePosition(arm, {.dynamics = dynamics,
                                                             .force_axes = "z",
                                                             .kd = coordinates(20),
                                                             .kp = coordinates(100),
                                                             .mass = coordinates(1),
                                                             .force_kd = coordinates(50),
                                                             .force_kp = coordinates(1),
                                                             .force_ki = coordinates(2)}));
  add("Kalman observer + computed torque",
      Observed(KalmanMotionObserver({.tick = 1e-3, .resolution = joints(1e-5), .jerk = joints(100)}),
               AnyController(ComputedTorque(arm, {.kp = joints(100), .kd = joints(20)}))));
  for (const auto& [name, method] : {std::pair{"collision monitor, momentum", ExternalTorqueMethod::momentum},
                                     std::pair{"collision monitor, measured", ExternalTorqueMethod::measured},
                                     std::pair{"collision monitor, desired", ExternalTorqueMethod::desired}})
    add(name, CollisionMonitor(
                  arm, pd_gravity(),
                  {.observer = {.method = method}, .threshold = joints(1e6), .reaction = CollisionReaction::stop}));
  add("collision monitor, reacting",
      CollisionMonitor(arm, pd_gravity(), {.threshold = joints(1e-3), .reaction = CollisionReaction::retract}));
  add("payload watch", PayloadWatch(arm, pd_gravity(), {.block = 4e-3, .notice = 4e-3, .learn = 6e-3}));
  // As files make them, with 100 for what is per s², 20 for what is per s; laws of tasks and around other laws stand above.
  const auto moderate = [&](const std::string&, const JointDimension& d, bool must) {
    const double size = d.turning.second == -2 ? 100 : d.turning.second == -1 ? 20 : 1;
    return must ? VecX<double>(size * (d.turning.kilogram ? mass : joints(1))) : VecX<double>();
  };
  ArmDescription with_windings = arm.description();  // for laws in volts
  for (JointDescription& joint : with_windings.joints) {
    joint.drive.torque_constant = joint.drive.torque_constant.value_or(0.1);
    joint.drive.resistance = joint.drive.resistance.value_or(1);
  }
  const Arm believed(with_windings);
  for (const LawKind* kind : law_kinds())
    if (is_joint_law(kind->name))
      laws.push_back({std::string(kind->name), law_by_kind(believed, kind->name, moderate)});
  return laws;
}

}  // namespace armature::testing
