#include "armature/identification/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/algorithms/forward_kinematics.hpp"
#include "armature/algorithms/jacobian.hpp"
#include "armature/core/error.hpp"
#include "armature/identification/statistics.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::identification {

namespace {

/// The point or the plane that the tool touches: unknown, and fitted with the geometry.
struct Surface {
  Vec3<double> point = Vec3<double>::Zero();
  Vec3<double> normal = Vec3<double>::UnitZ();  // of the plane through `point`
};

int rows_per_posture(ToolMeasured measured) {
  return measured == ToolMeasured::pose ? 6 : measured == ToolMeasured::plane ? 1 : 3;
}
int surface_unknowns(ToolMeasured measured) {
  return measured == ToolMeasured::point || measured == ToolMeasured::plane ? 3 : 0;
}

/// Two directions along a plane.
Eigen::Matrix<double, 3, 2> along(const Vec3<double>& normal) { return rotation_from_z_to(normal).leftCols<2>(); }

/// residual ≈ columns * unknowns, the surface's unknowns first.
struct Linearized {
  Eigen::MatrixXd columns;
  Eigen::VectorXd residual;
};

Linearized linearized(const CalibratedGeometry& geometry, const std::vector<ToolMeasurement>& data,
                      ToolMeasured measured, const Surface& surface) {
  const int rows = rows_per_posture(measured), own = surface_unknowns(measured);
  const auto count = static_cast<Eigen::Index>(geometry.parameters().size());
  Linearized l{Eigen::MatrixXd::Zero(rows * static_cast<Eigen::Index>(data.size()), own + count),
               Eigen::VectorXd(rows * static_cast<Eigen::Index>(data.size()))};
  for (std::size_t k = 0; k < data.size(); ++k) {
    const Eigen::Index row = rows * static_cast<Eigen::Index>(k);
    const ToolSensitivity s = geometry.sensitivity(data[k].q);
    const auto position = s.columns.topRows<3>();
    switch (measured) {
      case ToolMeasured::position:
      case ToolMeasured::pose:
        l.residual.segment<3>(row) = data[k].position - s.X_WT.p;
        l.columns.block(row, 0, 3, count) = position;
        if (measured == ToolMeasured::position) break;
        l.residual.segment<3>(row + 3) = log_map(data[k].rotation * s.X_WT.R.transpose());
        l.columns.block(row + 3, 0, 3, count) = s.columns.bottomRows<3>();
        break;
      case ToolMeasured::point:
        l.residual.segment<3>(row) = surface.point - s.X_WT.p;
        l.columns.block(row, 0, 3, 3) = -Mat3<double>::Identity();
        l.columns.block(row, own, 3, count) = position;
        break;
      case ToolMeasured::plane: {
        const Vec3<double> off = surface.point - s.X_WT.p;
        l.residual[row] = surface.normal.dot(off);
        l.columns(row, 0) = -1;
        l.columns.block(row, 1, 1, 2) = -off.transpose() * along(surface.normal);
        l.columns.block(row, own, 1, count) = surface.normal.transpose() * position;
        break;
      }
    }
  }
  return l;
}

void move(Surface& surface, ToolMeasured measured, const Eigen::VectorXd& by) {
  if (measured == ToolMeasured::point) surface.point += by.head<3>();
  if (measured == ToolMeasured::plane) {
    surface.point += by[0] * surface.normal;
    surface.normal = (surface.normal + along(surface.normal) * by.segment<2>(1)).normalized();
  }
}

/// The motion of the instrument's frame that brings the tool nearest to the points measured [Horn1987].
Pose<double> alignment(const CalibratedGeometry& geometry, const std::vector<ToolMeasurement>& data) {
  Vec3<double> from = Vec3<double>::Zero(), to = from;
  std::vector<Vec3<double>> tools;
  for (const ToolMeasurement& m : data) {
    tools.push_back(geometry.tool(m.q).p);
    from += tools.back() / static_cast<double>(data.size());
    to += m.position / static_cast<double>(data.size());
  }
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(3, 3);
  for (std::size_t k = 0; k < data.size(); ++k) H += (tools[k] - from) * (data[k].position - to).transpose();
  // The quaternion of the rotation is the eigenvector of this matrix that belongs to its largest eigenvalue.
  Eigen::MatrixXd N(4, 4);
  N << H.trace(), H(1, 2) - H(2, 1), H(2, 0) - H(0, 2), H(0, 1) - H(1, 0),  //
      H(1, 2) - H(2, 1), H(0, 0) - H(1, 1) - H(2, 2), H(0, 1) + H(1, 0), H(2, 0) + H(0, 2), H(2, 0) - H(0, 2),
      H(0, 1) + H(1, 0), H(1, 1) - H(0, 0) - H(2, 2), H(1, 2) + H(2, 1), H(0, 1) - H(1, 0), H(2, 0) + H(0, 2),
      H(1, 2) + H(2, 1), H(2, 2) - H(0, 0) - H(1, 1);
  const Mat3<double> R = rotation_from_quaternion(symmetric_eigen(N).vectors.col(3));
  return {R, Vec3<double>(to - R * from)};
}

/// The point or plane nearest to where the described arm has its tool.
Surface first_surface(const CalibratedGeometry& geometry, const std::vector<ToolMeasurement>& data) {
  Surface surface;
  Eigen::MatrixXd points(data.size(), 3);
  for (std::size_t k = 0; k < data.size(); ++k) points.row(k) = geometry.tool(data[k].q).p;
  surface.point = points.colwise().mean();
  const Eigen::MatrixXd spread = points.rowwise() - points.colwise().mean();
  surface.normal = symmetric_eigen(spread.transpose() * spread).vectors.col(0);
  return surface;
}

/// Postures beside these in which the described arm touches the surface too. Of what it touches with an error, scale and direction of the arm
/// would seem to be determined: the smaller the arm, the smaller the error.
std::vector<ToolMeasurement> touching(const Arm& arm, std::vector<ToolMeasurement> data, ToolMeasured measured,
                                      const Surface& surface) {
  for (ToolMeasurement& m : data)
    for (int iteration = 0; iteration < 20; ++iteration) {
      const LinkPoses<double> poses = forward_kinematics<double>(arm, m.q);
      Eigen::MatrixXd J = tool_jacobian<double>(arm, poses).topRows<3>();
      Eigen::VectorXd off = surface.point - tool_pose(arm, poses).p;
      if (measured == ToolMeasured::plane) {
        J = surface.normal.transpose() * J;
        off = surface.normal.transpose() * off;
      }
      if (off.norm() < 1e-14) break;
      const Eigen::MatrixXd damped = J * J.transpose() + 1e-9 * Eigen::MatrixXd::Identity(J.rows(), J.rows());
      m.q += J.transpose() * solved(damped, off);
    }
  return data;
}

Eigen::MatrixXd picked(const Eigen::MatrixXd& columns, const std::vector<int>& which) {
  Eigen::MatrixXd some(columns.rows(), which.size());
  for (std::size_t k = 0; k < which.size(); ++k) some.col(k) = columns.col(which[k]);
  return some;
}

/// Positions and orientations err by different amounts: rows are divided by these.
struct NoiseLevels {
  double position = 1, orientation = 1;
};

void weigh(Linearized& l, const NoiseLevels& noise, ToolMeasured measured) {
  for (Eigen::Index row = 0; row < l.residual.size(); ++row) {
    const double level = measured == ToolMeasured::pose && row % 6 >= 3 ? noise.orientation : noise.position;
    l.columns.row(row) /= level;
    l.residual[row] /= level;
  }
}

/// Squared residuals over what each kind of row has left after the fit took its share of freedom.
NoiseLevels levels_of(const Linearized& weighted, const std::vector<int>& kept, const NoiseLevels& last,
                      ToolMeasured measured) {
  const Eigen::MatrixXd J = picked(weighted.columns, kept);
  // The diagonal of the hat matrix J (JᵀJ)⁻¹ Jᵀ is what the fit takes of each row.
  const Eigen::VectorXd share = (J * inverse(triangle_of(J))).rowwise().squaredNorm();
  double sum[2] = {0, 0}, freedom[2] = {0, 0};
  for (Eigen::Index row = 0; row < weighted.residual.size(); ++row) {
    const int kind = measured == ToolMeasured::pose && row % 6 >= 3;
    sum[kind] += weighted.residual[row] * weighted.residual[row];
    freedom[kind] += 1 - share[row];
  }
  const auto level = [&](int kind, double old) {
    return freedom[kind] > 0.5 && sum[kind] > 0 ? std::max(1e-12, old * std::sqrt(sum[kind] / freedom[kind])) : old;
  };
  return {level(0, last.position), level(1, last.orientation)};
}

ToolError error_of(const CalibratedGeometry& geometry, const std::vector<ToolMeasurement>& data, ToolMeasured measured,
                   const Surface& surface) {
  ToolError error;
  for (const ToolMeasurement& m : data) {
    const Pose<double> X = geometry.tool(m.q);
    const Vec3<double> off = (surface_unknowns(measured) ? surface.point : m.position) - X.p;
    error.position += measured == ToolMeasured::plane ? std::pow(off.dot(surface.normal), 2) : off.squaredNorm();
    if (measured == ToolMeasured::pose) error.orientation += log_map(m.rotation * X.R.transpose()).squaredNorm();
  }
  const auto count = static_cast<double>(data.size());
  return {std::sqrt(error.position / count), std::sqrt(error.orientation / count)};
}

/// A fit with its last linearization, weighted.
struct GeometryFit {
  CalibratedGeometry geometry;
  Surface surface;
  std::vector<int> kept;  // among the surface's unknowns and the parameters
  Linearized last;
  NoiseLevels noise;
};

GeometryFit fit_geometry(const Arm& arm, const std::vector<ToolMeasurement>& data, const CalibrationSettings& s) {
  GeometryFit f{CalibratedGeometry(arm, geometry_parameters(arm, s.gears, s.compliances)), {}, {}, {}, {}};
  const int own = surface_unknowns(s.measured);
  if (own)
    f.surface = first_surface(f.geometry, data);
  else
    f.geometry.move_base(alignment(f.geometry, data));
  f.kept = independent_columns(
      linearized(f.geometry, own ? touching(arm, data, s.measured, f.surface) : data, s.measured, f.surface).columns);
  const auto equations = static_cast<std::size_t>(rows_per_posture(s.measured)) * data.size();
  if (equations < f.kept.size() + f.kept.size() / 4)
    throw Error(fmt::format("{} equations from {} postures for {} unknowns", equations, data.size(), f.kept.size()),
                fmt::format("measure at least {} postures, better twice as many; --design proposes them",
                            f.kept.size() * 5 / 4 / static_cast<std::size_t>(rows_per_posture(s.measured)) + 1));
  constexpr int most_iterations = 60;
  for (int iteration = 0;; ++iteration) {
    f.last = linearized(f.geometry, data, s.measured, f.surface);
    weigh(f.last, f.noise, s.measured);
    const Eigen::VectorXd step = least_squares_solution(picked(f.last.columns, f.kept), f.last.residual);
    if (!step.allFinite() || iteration == most_iterations)
      throw Error("the geometry does not converge",
                  "are the joint readings, the units and the order of the columns right, and is it this arm?");
    if (iteration >= 4 && step.cwiseAbs().maxCoeff() < 1e-11) break;
    Eigen::VectorXd all = Eigen::VectorXd::Zero(f.last.columns.cols());
    for (std::size_t k = 0; k < f.kept.size(); ++k) all[f.kept[k]] = step[k];
    // A step of more than 0.2 (m, rad) is outside what a linearization can promise.
    const double size = all.cwiseAbs().maxCoeff();
    if (size > 0.2) all *= 0.2 / size;
    move(f.surface, s.measured, all);
    f.geometry.change(all.tail(all.size() - own));
    if (s.measured == ToolMeasured::pose) f.noise = levels_of(f.last, f.kept, f.noise, s.measured);
  }
  f.noise = levels_of(f.last, f.kept, f.noise, s.measured);
  f.last = linearized(f.geometry, data, s.measured, f.surface);
  weigh(f.last, f.noise, s.measured);
  return f;
}

/// A calibration corrects. Where lengths and angles come out far from the description the fit went astray: an arm of no length touches
/// any plane.
void refuse_another_arm(const GeometryFit& f, const Arm& arm, const ToolError& after) {
  constexpr double far = 0.1, tilted = 0.3;  // [m], [rad]
  double size = 0;
  for (const Body& body : arm.bodies()) size += body.X_PB0.p.norm();
  const Eigen::VectorXd values = f.geometry.values();
  const char* const hint = "are the joint readings, the units and the order of the columns right, and is it this arm?";
  for (std::size_t k = 0; k < f.geometry.parameters().size(); ++k) {
    const GeometryParameter& p = f.geometry.parameters()[k];
    const double change = std::abs(values[k]);
    const bool tilt = p.kind == GeometryParameter::Kind::rx || p.kind == GeometryParameter::Kind::ry;
    if (p.joint > 0 && p.joint < arm.dof() && ((p.is_length() && change > far) || (tilt && change > tilted)))
      throw Error(fmt::format("'{}' comes out {:.3g} {} away from the description", p.name(arm), change, p.unit()),
                  hint);
  }
  if (after.position > 0.05 * size)
    throw Error(fmt::format("no geometry near the description explains the measurements: {:.3g} mm remain",
                            after.position * 1e3),
                hint);
}

/// Each fifth of the measurements, as the rest predicts it.
ToolError held_out_error(const Arm& arm, const std::vector<ToolMeasurement>& data, const CalibrationSettings& s) {
  constexpr std::size_t folds = 5;
  ToolError sum;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<ToolMeasurement> rest, out;
    for (std::size_t k = 0; k < data.size(); ++k) (k % folds == fold ? out : rest).push_back(data[k]);
    if (out.empty()) continue;
    const GeometryFit f = fit_geometry(arm, rest, s);
    const ToolError e = error_of(f.geometry, out, s.measured, f.surface);
    sum.position += e.position * e.position * static_cast<double>(out.size());
    sum.orientation += e.orientation * e.orientation * static_cast<double>(out.size());
  }
  const auto count = static_cast<double>(data.size());
  return {std::sqrt(sum.position / count), std::sqrt(sum.orientation / count)};
}

ToolError error_before(const Arm& arm, const std::vector<ToolMeasurement>& data, ToolMeasured measured) {
  CalibratedGeometry described(arm, {});
  if (!surface_unknowns(measured)) described.move_base(alignment(described, data));
  return error_of(described, data, measured, surface_unknowns(measured) ? first_surface(described, data) : Surface{});
}

}  // namespace

Calibration calibrate(const Arm& arm, const std::vector<ToolMeasurement>& data, const CalibrationSettings& s) {
  const GeometryFit f = fit_geometry(arm, data, s);
  const int own = surface_unknowns(s.measured);
  const Eigen::MatrixXd J = picked(f.last.columns, f.kept);
  const double freedom = static_cast<double>(J.rows() - J.cols());
  const Eigen::MatrixXd root = inverse(triangle_of(J)), covariance = root * root.transpose();
  const double factor = student_quantile(0.5 + s.confidence / 2, freedom);
  const Eigen::VectorXd values = f.geometry.values();
  Calibration found;
  found.arm = f.geometry.description();
  std::vector<char> resolved(f.geometry.parameters().size());
  for (std::size_t k = 0; k < f.kept.size(); ++k) {
    if (f.kept[k] < own) continue;
    const auto p = static_cast<std::size_t>(f.kept[k] - own);
    const auto at = static_cast<Eigen::Index>(k);
    resolved[p] = 1;
    found.parameters.push_back(
        {f.geometry.parameters()[p], values[f.kept[k] - own], factor * std::sqrt(std::max(0.0, covariance(at, at)))});
  }
  for (std::size_t p = 0; p < resolved.size(); ++p)
    if (!resolved[p]) found.unresolved.push_back(f.geometry.parameters()[p]);
  found.before = error_before(arm, data, s.measured);
  found.after = error_of(f.geometry, data, s.measured, f.surface);
  refuse_another_arm(f, arm, found.after);
  found.held_out = held_out_error(arm, data, s);
  found.position_noise = f.noise.position;
  found.orientation_noise = s.measured == ToolMeasured::pose ? f.noise.orientation : 0;
  found.singular_values = singular_values(picked(linearized(f.geometry, data, s.measured, f.surface).columns, f.kept));
  found.condition = found.singular_values[0] / found.singular_values[found.singular_values.size() - 1];
  found.observability =
      std::exp(found.singular_values.array().log().mean()) / std::sqrt(static_cast<double>(data.size()));
  return found;
}

void CalibrationSettings::fields(Fields& f) {
  f.flag("gears", gears, "also fit a scale factor of every joint's reading");
  f.flag("compliances", compliances, "also fit the compliance of every joint under its gravity torque");
  f.number("confidence", confidence, dimension::none, "of the intervals", Range::positive);
}

}  // namespace armature::identification
