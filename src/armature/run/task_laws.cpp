#include "armature/control/cartesian_impedance.hpp"
#include "armature/control/ik_in_loop.hpp"
#include "armature/control/null_space.hpp"
#include "armature/control/operational_inverse_dynamics.hpp"
#include "armature/control/operational_pd.hpp"
#include "armature/run/controllers.hpp"

namespace armature {

namespace {

TaskRows rows_of(const std::string& task) {
  return task == "position" ? TaskRows::position()
         : task == "planar" ? TaskRows{0, 1, 5}
         : task == "plane"  ? TaskRows{0, 1}
                            : TaskRows::full();
}

InverseSettings inverse_of(const LawSettings& s) {
  return {.weighting = s.weighting == "moore_penrose" ? Projector::moore_penrose : Projector::dynamically_consistent,
          .threshold = s.singular_threshold,
          .damping = s.singular_damping};
}

}  // namespace

TaskCoordinates coordinates_of_law(const LawSource& source) {
  const LawSettings& s = source.law;
  TaskCoordinates task{rows_of(s.task)};
  task.orientation = s.orientation == "zyz"               ? Orientation::zyz
                     : s.orientation == "rpy"             ? Orientation::rpy
                     : s.orientation == "rotation_vector" ? Orientation::rotation_vector
                                                          : Orientation::quaternion;
  if (s.task == "planar" && s.orientation == "auto") task.orientation = Orientation::rotation_vector;
  task.wrap_angles = s.wrap_angles;
  return task;
}

TaskDynamicsSettings dynamics_of(const LawSource& source) {
  const LawSettings& s = source.law;
  TaskDynamicsSettings dynamics;
  dynamics.task = coordinates_of_law(source);
  dynamics.inverse = inverse_of(s);
  dynamics.terms = {
      .inertia = s.inertia, .coriolis = s.coriolis, .gravity = s.gravity, .friction = s.friction, .rotors = s.rotors};
  dynamics.null_damping = s.null_damping;
  return dynamics;
}

TaskVector<double> task_vector(const std::vector<double>& numbers) {
  if (numbers.empty()) return {};
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
}

namespace {

Vec6<double> six(const std::vector<double>& numbers) {
  if (numbers.empty()) return Vec6<double>::Zero();
  return Eigen::Map<const Eigen::Matrix<double, 6, 1>>(numbers.data());
}

AnyController inner_law(const LawSource& source) {
  if (source.law.terms.size() != 1)
    source.refuse("terms", "'" + source.law.kind + "' needs exactly one law under 'terms'",
                  "several are written as one of kind sum");
  return law_of({source.loaded, source.law.terms[0], source.key + ".terms[0]"});
}

}  // namespace

std::optional<AnyController> task_law(const LawSource& source) {
  const LawSettings& s = source.law;
  const Arm& arm = source.arm();
  if (s.kind == "operational_pd") {
    source.need("kp", !s.kp.empty()), source.need("kd", !s.kd.empty() || s.designed);
    OperationalPdSettings settings{
        .task = coordinates_of_law(source), .kp = task_vector(s.kp), .kd = task_vector(s.kd), .gravity = s.gravity};
    if (s.designed) settings.zeta = s.zeta;
    return AnyController(OperationalPd(arm, settings));
  }
  if (s.kind == "operational_inverse_dynamics") {
    source.need("kp", !s.kp.empty()), source.need("kd", !s.kd.empty());
    OperationalInverseDynamicsSettings settings;
    settings.dynamics = dynamics_of(source);
    settings.kp = task_vector(s.kp), settings.kd = task_vector(s.kd);
    return AnyController(OperationalInverseDynamics(arm, settings));
  }
  if (s.kind == "cartesian_impedance") {
    source.need("kp", !s.kp.empty());
    CartesianImpedanceSettings settings{.stiffness = six(s.kp), .damping = six(s.kd), .gravity = s.gravity};
    settings.zeta = s.kd.empty() ? std::optional<double>(s.zeta) : std::nullopt;
    settings.design = s.design == "square_roots" ? DampingDesign::square_roots : DampingDesign::double_diagonal;
    settings.coriolis = s.compensate_coriolis;
    return AnyController(CartesianImpedance(arm, settings));
  }
  if (s.kind == "null_space")
    return AnyController(NullSpaceTerm(arm, inner_law(source), {.rows = rows_of(s.task), .inverse = inverse_of(s)}));
  if (s.kind == "singularity_avoidance")
    return AnyController(
        SingularityAvoidance(arm, {.rows = rows_of(s.task), .threshold = s.threshold, .gain = s.gain}));
  if (s.kind == "joint_limit_avoidance") {
    source.need("kp", !s.kp.empty());
    return AnyController(JointLimitAvoidance(arm, {.margin = s.margin, .stiffness = source.joints(s.kp)}));
  }
  if (s.kind == "ik_in_loop") {
    IkInLoopSettings settings;
    settings.ik.task = s.task == "position" ? IkTask::position : s.task == "planar" ? IkTask::planar : IkTask::pose;
    settings.ik.method = s.method == "newton"                ? IkMethod::newton
                         : s.method == "transposed_jacobian" ? IkMethod::transposed_jacobian
                                                             : IkMethod::damped_least_squares;
    settings.ik.max_iterations = s.iterations;
    return AnyController(IkInLoop(arm, inner_law(source), settings));
  }
  return std::nullopt;
}

}  // namespace armature
