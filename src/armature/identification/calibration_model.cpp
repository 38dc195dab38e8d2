#include "armature/identification/calibration_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/model/dh.hpp"
#include "armature/spatial/rotation.hpp"

namespace armature::identification {

using Kind = GeometryParameter::Kind;

std::string GeometryParameter::name(const Arm& arm) const {
  constexpr const char* words[] = {"x", "y", "z", "rx", "ry", "rz", "gear", "compliance"};
  return fmt::format("{}.{}", joint < arm.dof() ? arm.joint(joint).name : "tool", words[static_cast<int>(kind)]);
}

std::string GeometryParameter::unit() const {
  return is_length() ? "m" : kind == Kind::gear ? "" : kind == Kind::compliance ? "rad/(N m)" : "rad";
}

std::vector<GeometryParameter> geometry_parameters(const Arm& arm, bool gears, bool compliances) {
  std::vector<GeometryParameter> all;
  for (int i = 0; i <= arm.dof(); ++i) {
    // Of parameters that act alike the first counts: offsets and lengths between the axes before those along an axis.
    const bool slides = i < arm.dof() && !arm.body(i).revolute;
    for (const Kind kind :
         {slides ? Kind::z : Kind::rz, Kind::x, Kind::y, Kind::rx, Kind::ry, slides ? Kind::rz : Kind::z})
      all.push_back({kind, i});
    if (gears && i < arm.dof()) all.push_back({Kind::gear, i});
    if (compliances && i < arm.dof()) all.push_back({Kind::compliance, i});
  }
  return all;
}

CalibratedGeometry::CalibratedGeometry(const Arm& arm, std::vector<GeometryParameter> parameters)
    : arm_(arm),
      parameters_(std::move(parameters)),
      X_BT_(arm.X_BT()),
      gear_(VecX<double>::Zero(arm.dof())),
      compliance_(VecX<double>::Zero(arm.dof())),
      values_(Eigen::VectorXd::Zero(parameters_.size())) {
  for (const Body& body : arm.bodies()) X_PB0_.push_back(body.X_PB0);
}

void CalibratedGeometry::change(const Eigen::VectorXd& by) {
  std::vector<Vec6<double>> moved(static_cast<std::size_t>(arm_.dof()) + 1, Vec6<double>::Zero());
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const GeometryParameter& p = parameters_[k];
    const double step = by[k];
    if (p.kind == Kind::gear)
      gear_[p.joint] += step;
    else if (p.kind == Kind::compliance)
      compliance_[p.joint] += step;
    else
      moved[p.joint][static_cast<int>(p.kind)] += step;
  }
  for (std::size_t i = 0; i < moved.size(); ++i) {
    Pose<double>& X = i < X_PB0_.size() ? X_PB0_[i] : X_BT_;
    X = X * Pose<double>{exp_map(moved[i].tail<3>()), moved[i].head<3>()};
  }
  values_ += by;
}

void CalibratedGeometry::move_base(const Pose<double>& by) { X_PB0_[0] = by * X_PB0_[0]; }

Eigen::VectorXd CalibratedGeometry::values() const {
  Eigen::VectorXd all = values_;
  const Pose<double> base = arm_.body(0).X_PB0.inverse() * X_PB0_[0];  // the instrument may stand anywhere
  Vec6<double> placed;
  placed << base.p, log_map(base.R);
  for (std::size_t k = 0; k < parameters_.size(); ++k)
    if (parameters_[k].joint == 0 && parameters_[k].kind <= Kind::rz)
      all[k] = placed[static_cast<int>(parameters_[k].kind)];
  return all;
}

VecX<double> CalibratedGeometry::turned(const VecX<double>& q) const {
  VecX<double> own = q + gear_.cwiseProduct(q);
  if (compliance_.isZero()) return own;
  const VecX<double> still = VecX<double>::Zero(q.size());
  return own - compliance_.cwiseProduct(inverse_dynamics<double>(arm_, q, still, still));
}

Pose<double> CalibratedGeometry::tool(const VecX<double>& q) const {
  const VecX<double> own = turned(q);
  Pose<double> X;
  for (int i = 0; i < arm_.dof(); ++i) {
    X = X * X_PB0_[i];
    X = arm_.body(i).revolute ? X * Pose<double>{rotation_z(own[i]), {0, 0, 0}}
                              : X * Pose<double>{Mat3<double>::Identity(), {0, 0, own[i]}};
  }
  return X * X_BT_;
}

ToolSensitivity CalibratedGeometry::sensitivity(const VecX<double>& q) const {
  const int n = arm_.dof();
  const VecX<double> own = turned(q), still = VecX<double>::Zero(n);
  std::vector<Pose<double>> at;  // frames in which parameters act: the joints' before they move, and the tool
  Pose<double> X;
  for (int i = 0; i < n; ++i) {
    X = X * X_PB0_[i];
    at.push_back(X);
    X = arm_.body(i).revolute ? X * Pose<double>{rotation_z(own[i]), {0, 0, 0}}
                              : X * Pose<double>{Mat3<double>::Identity(), {0, 0, own[i]}};
  }
  X = X * X_BT_;
  at.push_back(X);
  VecX<double> load = still;
  for (const GeometryParameter& p : parameters_)
    if (p.kind == Kind::compliance) {
      load = inverse_dynamics<double>(arm_, q, still, still);
      break;
    }
  ToolSensitivity s{X, Eigen::MatrixXd(6, static_cast<Eigen::Index>(parameters_.size()))};
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const GeometryParameter& p = parameters_[k];
    const Pose<double>& F = at[p.joint];
    auto column = s.columns.col(k);
    const bool joint_motion = p.kind >= Kind::gear;
    const int axis = joint_motion ? 2 : static_cast<int>(p.kind) % 3;
    const double size = p.kind == Kind::gear ? q[p.joint] : p.kind == Kind::compliance ? -load[p.joint] : 1;
    const bool translation = joint_motion ? !arm_.body(p.joint).revolute : p.is_length();
    const Vec3<double> direction = size * F.R.col(axis);
    if (translation)
      column << direction, Vec3<double>::Zero();
    else
      column << Vec3<double>(skew(direction) * (X.p - F.p)), direction;
  }
  return s;
}

namespace {

/// Without the crumbs that rounding leaves.
Placement placement_of(const Pose<double>& X) {
  const auto clean = [](double x) { return std::abs(x) < 1e-13 ? 0.0 : x; };
  return {X.p.unaryExpr(clean), rpy_from_rotation(X.R).angles.unaryExpr(clean)};
}

/// The same body, seen from the frame in which the link's own frame is X.
MassProperties moved(const MassProperties& mass, const Pose<double>& X) {
  const Inertia<double> inertia = seen_from(X, inertia_of(mass));
  return {.mass = inertia.m,
          .position = inertia.h,
          .position_is_first_moment = true,
          .tensor = inertia.I_Bo,
          .tensor_about_origin = true,
          .source = mass.source};
}

}  // namespace

ArmDescription CalibratedGeometry::description() const {
  ArmDescription d = arm_.description();
  Pose<double> old_link = Pose<double>{rotation_from_rpy(d.base.rpy), d.base.xyz},
               new_link = old_link;  // in their body
  int body = -1;
  for (JointDescription& joint : d.joints) {
    const JointFrames frames = joint_frames(joint, d.convention);
    if (joint.type == JointType::fixed) {
      const Pose<double> link = old_link * frames.X_PB0 * frames.X_BL;
      joint.placement = OriginAxis{.origin = placement_of(new_link.inverse() * link), .axis = Vec3<double>::UnitZ()};
      old_link = new_link = link;
      continue;
    }
    ++body;
    const Pose<double>& X_PB0 = X_PB0_[body];
    if (OriginAxis* given = std::get_if<OriginAxis>(&joint.placement)) {
      given->origin = placement_of(new_link.inverse() * X_PB0 * frames.X_BL);
      new_link = frames.X_BL;
    } else {  // a link of a DH table is now described in its joint's frame
      joint.placement = OriginAxis{.origin = placement_of(new_link.inverse() * X_PB0), .axis = Vec3<double>::UnitZ()};
      if (joint.link.mass) joint.link.mass = moved(*joint.link.mass, frames.X_BL);
      new_link = {};
    }
    old_link = frames.X_BL;
    if (gear_[body] != 0 && joint.drive.gear_ratio) *joint.drive.gear_ratio /= 1 + gear_[body];
    if (compliance_[body] > 0) joint.drive.stiffness = 1 / compliance_[body];
  }
  d.tool = placement_of(new_link.inverse() * X_BT_);
  return d;
}

std::vector<int> independent_columns(const Eigen::MatrixXd& columns) {
  constexpr double tolerance =
      1e-6;  // of a column's length: what a described geometry makes dependent is so to rounding
  const double largest = columns.colwise().norm().maxCoeff();
  std::vector<int> kept;
  Eigen::MatrixXd basis(columns.rows(), std::min(columns.rows(), columns.cols()));
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    const double size = columns.col(k).norm();
    const auto have = static_cast<Eigen::Index>(kept.size());
    if (size <= 1e-9 * largest || have == columns.rows()) continue;
    Eigen::VectorXd rest = columns.col(k) / size;
    for (int pass = 0; pass < 2; ++pass)
      rest -= basis.leftCols(have) * (basis.leftCols(have).transpose() * rest).eval();
    if (rest.norm() < tolerance) continue;
    basis.col(have) = rest.normalized();
    kept.push_back(static_cast<int>(k));
  }
  return kept;
}

}  // namespace armature::identification
