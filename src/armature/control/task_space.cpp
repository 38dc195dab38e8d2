#include "armature/control/task_space.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "armature/algorithms/analytical_jacobian.hpp"
#include "armature/core/error.hpp"
#include "armature/scalar/dual.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::control {

namespace {

TaskVector<double> rows_of(const TaskRows& rows, const Vec6<double>& x) {
  TaskVector<double> chosen(rows.count);
  for (int i = 0; i < rows.count; ++i) chosen[i] = x[rows.row[i]];
  return chosen;
}

template <Scalar S>
Mat3<S> rate_matrix(Orientation orientation, const Vec3<S>& angles) {
  return orientation == Orientation::zyz ? zyz_rate_matrix<S>(angles) : rpy_rate_matrix<S>(angles);
}

/// Rates and accelerations of the target's angles from its angular velocity:  E ad = w,  E add = dw - Ed ad.
struct AngleMotion {
  Vec3<double> rate = Vec3<double>::Zero(), acceleration = Vec3<double>::Zero();
};
AngleMotion angle_motion(Orientation orientation, const Vec3<double>& angles, const Vec3<double>& w,
                         const Vec3<double>& dw) {
  const Mat3<double> E_inverse = rate_matrix<double>(orientation, angles).inverse();
  AngleMotion motion;
  motion.rate = E_inverse * w;
  Vec3<Dual> moving;
  for (int k = 0; k < 3; ++k) moving[k] = Dual(angles[k], motion.rate[k]);
  const Mat3<Dual> E = rate_matrix<Dual>(orientation, moving);
  Mat3<double> Ed;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) Ed(i, j) = E(i, j).slope;
  motion.acceleration = E_inverse * (dw - Ed * motion.rate);
  return motion;
}

struct NamedRows {
  const char* name;
  TaskRows rows;
};
constexpr NamedRows named_rows[] = {
    {"pose", TaskRows::full()}, {"position", TaskRows::position()}, {"planar", {0, 1, 5}}, {"plane", {0, 1}}};

bool same(const TaskRows& a, const TaskRows& b) {
  return a.count == b.count && std::equal(a.row.begin(), a.row.begin() + a.count, b.row.begin());
}

/// Whether turning is measured by the angle about an axis: a single angle, or asked for.
bool by_angle(const TaskCoordinates& task) {
  return task.orientation == Orientation::rotation_vector ||
         (task.orientation == Orientation::automatic && same(task.rows, TaskCoordinates::planar().rows));
}

double wrapped(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

}  // namespace

TaskVector<double> TaskState::force(const TaskCoordinates& task, const Vec6<double>& wrench) const noexcept {
  Vec6<double> f = wrench;
  f.tail<3>() = E.transpose() * wrench.tail<3>();
  return rows_of(task.rows, f);
}

void task_state(const Arm& arm, const TaskCoordinates& task, const VecX<double>& q, const VecX<double>& qd,
                const Reference& r, TaskState& out) noexcept {
  const LinkPoses<double> poses = forward_kinematics<double>(arm, q);
  out.X_WT = tool_pose<double>(arm, poses);
  out.J_tool = tool_jacobian<double>(arm, poses);
  out.representation_lost = false;
  out.E.setIdentity();
  Vec6<double> error, target_rate = r.twist, target_acceleration = r.acceleration;
  error.head<3>() = r.X_WT.p - out.X_WT.p;
  if (!task.euler()) {
    const Mat3<double> turn = r.X_WT.R * out.X_WT.R.transpose();
    if (by_angle(task))
      error.tail<3>() = log_map(turn);
    else
      error.tail<3>() = 2 * quaternion_from_rotation(turn).tail<3>();
    out.J = task.rows.of<double>(out.J_tool);
    out.Jd_qd = task.rows.of<double>(tool_jacobian_rate<double>(arm, poses, qd)) * qd;
  } else {
    const bool zyz = task.orientation == Orientation::zyz;
    const EulerConvention convention = zyz ? EulerConvention::zyz : EulerConvention::rpy;
    const auto here = analytical_jacobian<double>(arm, poses, convention);
    const auto drift = analytical_jacobian_rate<double>(arm, poses, qd, convention);
    const EulerAngles wanted = zyz ? zyz_from_rotation(r.X_WT.R) : rpy_from_rotation(r.X_WT.R);
    out.representation_lost = here.singular || drift.singular || wanted.singular;
    out.J = task.rows.of<double>(here.J);
    out.Jd_qd = task.rows.of<double>(drift.Jd) * qd;
    out.E = rate_matrix<double>(task.orientation, here.x.tail<3>());
    for (int k = 0; k < 3; ++k) {
      const double difference = wanted.angles[k] - here.x[3 + k];
      error[3 + k] = task.wrap_angles ? wrapped(difference) : difference;
    }
    if (wanted.singular) {
      target_rate.tail<3>().setZero();
      target_acceleration.tail<3>().setZero();
    } else {
      const AngleMotion motion =
          angle_motion(task.orientation, wanted.angles, r.twist.tail<3>(), r.acceleration.tail<3>());
      target_rate.tail<3>() = motion.rate;
      target_acceleration.tail<3>() = motion.acceleration;
    }
  }
  out.rate = out.J * qd;
  out.error = rows_of(task.rows, error);
  out.rate_error = rows_of(task.rows, target_rate) - out.rate;
  out.acceleration = rows_of(task.rows, target_acceleration);
}

TaskVector<double> task_gains(const TaskCoordinates& task, std::string_view what, const TaskVector<double>& gains,
                              double otherwise) {
  if (gains.size() == 0) return TaskVector<double>::Constant(task.rows.count, otherwise);
  if (gains.size() != task.rows.count)
    throw Error(fmt::format("{} has {} numbers, the task has {} coordinates", what, gains.size(), task.rows.count),
                "give one number a coordinate");
  if (!gains.allFinite() || gains.minCoeff() < 0)
    throw Error(fmt::format("{} has a number that is negative or not finite", what), "give zero or more");
  return gains;
}

void list_task(Fields& f, TaskRows& rows) {
  std::string name = axes_of(rows).name;
  Fields::Words words;
  for (const NamedRows& known : named_rows) words.emplace_back(known.name);
  f.word("task", name, words, "coordinates of the tool: all; x, y, z; x, y and the angle about z; x, y");
  for (const NamedRows& known : named_rows)
    if (known.name == name) rows = known.rows;
}

TaskAxes axes_of(const TaskRows& rows) {
  TaskAxes axes;
  for (const NamedRows& known : named_rows)
    if (same(known.rows, rows)) axes.name = known.name;
  for (int i = 0; i < rows.count; ++i) axes.about.push_back(rows.row[i] >= 3);
  return axes;
}

void TaskCoordinates::fields(Fields& f) {
  list_task(f, rows);
  f.word("orientation", orientation, {"auto", "quaternion", "rotation_vector", "zyz", "rpy"},
         "how turning is measured; auto: by quaternion, in a plane by its angle");
  f.flag("wrap_angles", wrap_angles, "differences of Euler angles go the short way round");
}

}  // namespace armature::control
