#include "armature/identification/physical_estimate.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

using Link = Eigen::Matrix<double, 10, 1>;

/// A reference that can exist: the described link, or a small ball.
Eigen::Matrix4d reference(const Link& described) {
  const BodyVerdict verdict = judge_body(inertia_from_parameters<double>(described));
  Eigen::Matrix4d P = pseudo_inertia(described);
  if (verdict.mass_positive && symmetric_eigen(P).values[0] > 0) {
    // A flat or thin body has no room to move in: thicken what is thinner than a hundredth of its mean size.
    const double size = P.topLeftCorner<3, 3>().trace() - P.col(3).head<3>().squaredNorm() / P(3, 3);
    Eigen::Matrix3d central = P.topLeftCorner<3, 3>() - P.col(3).head<3>() * P.row(3).head<3>() / P(3, 3);
    const RealEigen eigen = symmetric_eigen(central);
    const Eigen::Matrix3d axes = eigen.vectors;
    const Eigen::Vector3d thick = eigen.values.cwiseMax(1e-4 * size + 1e-9 * P(3, 3));
    central = axes * thick.asDiagonal() * axes.transpose();
    P.topLeftCorner<3, 3>() = central + P.col(3).head<3>() * P.row(3).head<3>() / P(3, 3);
    return P;
  }
  const double mass = described[0] > 0 ? described[0] : 1;  // [kg]
  constexpr double radius = 0.1;                            // [m]
  return pseudo_inertia(parameters(inertia_about_com<double>(
      mass, Vec3<double>::Zero(), Mat3<double>(Mat3<double>::Identity() * 0.4 * mass * radius * radius))));
}

/// Speeds at which friction must brake: up to the joint's limit, closer together near zero. Laws are odd in the speed.
std::vector<double> speeds(const Arm& arm, int joint) {
  const double top = arm.joint(joint).limits.velocity.value_or(arm.body(joint).revolute ? 5.0 : 2.0);
  std::vector<double> v;
  for (double s = top; s > 1e-4 * top; s *= 0.6) v.push_back(s);
  return v;
}

/// Friction that brakes at every speed, as rows over the model's columns: a sum of sigmoids as a curve, other laws number by number.
std::vector<Eigen::VectorXd> braking(const TorqueModel& model) {
  std::vector<Eigen::VectorXd> rows;
  const auto positive = [&](int column) { rows.push_back(Eigen::VectorXd::Unit(model.size(), column)); };
  for (int i = 0; i < model.dof(); ++i) {
    const FrictionShape& shape = model.friction(i);
    const int begin = model.friction_begin(i), count = static_cast<int>(friction_parameter_names(shape).size());
    if (shape.law == FrictionShape::Law::asymmetric) {  // a constant torque is part of both Coulomb torques
      rows.push_back(Eigen::VectorXd::Unit(model.size(), begin) + Eigen::VectorXd::Unit(model.size(), begin + 1));
      positive(begin + 2);
      positive(begin + 3);
      continue;
    }
    if (shape.law != FrictionShape::Law::sigmoids) {
      for (int k = 0; k < count; ++k) positive(begin + k);
      continue;
    }
    positive(begin + count - 1);
    for (const double v : speeds(model.arm(), i)) {
      Eigen::VectorXd row = Eigen::VectorXd::Zero(model.size());
      friction_row(shape, v, row.data() + begin);
      rows.push_back(row);
    }
  }
  for (int c = model.motor_friction_begin(); c < model.size(); ++c) positive(c);
  return rows;
}

/// The problem in entries p = (links, rotors, columns of springs and friction that the log shows), and what they are in the model's parameters: x = T p.
struct PhysicalProblem {
  ConsistentProblem convex;
  Eigen::MatrixXd T;
};

/// Columns of friction and springs that the equations tell apart. The others stay zero, as in the free estimate.
std::vector<int> shown_friction(const TorqueModel& model, const Eigen::MatrixXd& equations) {
  constexpr double tolerance = 1e-6;
  const int base = model.base().count();
  Eigen::MatrixXd unit = equations.middleCols(base, model.size() - base);
  const double longest = unit.size() > 0 ? unit.colwise().norm().maxCoeff() : 0;
  for (Eigen::Index c = 0; c < unit.cols(); ++c)
    if (const double length = unit.col(c).norm(); length > 1e-9 * longest)
      unit.col(c) /= length;
    else
      unit.col(c).setZero();
  std::vector<int> shown = longest > 0 ? pivot_columns(unit, tolerance) : std::vector<int>();
  for (int& c : shown) c += base;
  return shown;
}

PhysicalProblem problem_of(const TorqueModel& model, const PhysicalSettings& settings,
                           const Eigen::MatrixXd& equations) {
  PhysicalProblem problem;
  ConsistentProblem& convex = problem.convex;
  const int n = model.dof(), base = model.base().count(), rotors = model.settings().rotors ? n : 0,
            inertial = 10 * n + rotors;
  const std::vector<int> friction = shown_friction(model, equations);
  const auto size = inertial + static_cast<Eigen::Index>(friction.size());
  problem.T = Eigen::MatrixXd::Zero(model.size(), size);
  problem.T.topLeftCorner(base, inertial) = model.base().grouping();
  for (std::size_t k = 0; k < friction.size(); ++k) problem.T(friction[k], inertial + static_cast<Eigen::Index>(k)) = 1;
  convex.A = equations.leftCols(model.size()) * problem.T;
  convex.z = equations.col(model.size());
  const LinkParameters<double> described = link_parameters(model.arm());
  for (int i = 0; i < n; ++i) {
    convex.reference.push_back(reference(described.segment<10>(10 * i)));
    convex.factor.push_back(settings.link_weights.empty() ? 1 : settings.link_weights[i]);
  }
  convex.start = Eigen::VectorXd::Zero(size);
  std::vector<Eigen::VectorXd> bounds;
  for (int k = 0; k < rotors; ++k) {
    const Drive& drive = model.arm().joint(k).drive;
    const double N = drive.gear_ratio.value_or(1);
    const bool known = drive.rotor_inertia.has_value();
    const double J = std::max(known ? shaft_inertia(drive) : 0.01 / (N * N), 1e-6 / (N * N));  // [kg m²]
    convex.start[10 * n + k] = J;
    if (known)
      convex.drawn.push_back({10 * n + k, J});
    else
      bounds.push_back(Eigen::VectorXd::Unit(size, 10 * n + k));
  }
  const Eigen::VectorXd guess = least_squares_solution(equations.leftCols(model.size()), convex.z);
  for (std::size_t k = 0; k < friction.size(); ++k) {
    const ModelColumn::Kind kind = model.columns()[friction[k]].kind;
    const bool free = kind == ModelColumn::Kind::offset || kind == ModelColumn::Kind::spring;
    const double value = guess[friction[k]];
    convex.start[inertial + static_cast<Eigen::Index>(k)] = free ? value : std::max(std::abs(value), 1e-3);
  }
  for (const Eigen::VectorXd& row : braking(model)) {
    Eigen::VectorXd c = problem.T.transpose() * row;
    c.head(inertial).setZero();
    if (c.cwiseAbs().maxCoeff() > 0) bounds.push_back(c / c.norm());
  }
  convex.bounds.resize(bounds.size(), size);
  for (std::size_t k = 0; k < bounds.size(); ++k) convex.bounds.row(k) = bounds[k].transpose();
  return problem;
}

}  // namespace

Link parameters_of_log_cholesky(const Link& t) {
  Eigen::Matrix4d U = Eigen::Matrix4d::Zero();
  for (int k = 0; k < 4; ++k) U(k, k) = std::exp(t[k]);
  U(0, 1) = t[4];
  U(1, 2) = t[5];
  U(0, 2) = t[6];
  U(0, 3) = t[7];
  U(1, 3) = t[8];
  U(2, 3) = t[9];
  const Eigen::Matrix4d P = U * U.transpose();
  const Eigen::Matrix3d S = P.topLeftCorner<3, 3>();
  return parameters(
      Inertia<double>{P(3, 3), P.col(3).head<3>(), Mat3<double>(S.trace() * Eigen::Matrix3d::Identity() - S)});
}

Link log_cholesky_of_parameters(const Link& p) {
  Eigen::Matrix4d flip = Eigen::Matrix4d::Zero();  // P = U U' is the Cholesky factorization seen from the last row
  for (int k = 0; k < 4; ++k) flip(k, 3 - k) = 1;
  const Eigen::LLT<Eigen::Matrix4d> llt(flip * pseudo_inertia(p) * flip);
  if (llt.info() != Eigen::Success)
    throw Error("no body has these parameters", "its pseudo-inertia is not positive definite");
  const Eigen::Matrix4d U = flip * Eigen::Matrix4d(llt.matrixL()) * flip;
  Link t;
  t << std::log(U(0, 0)), std::log(U(1, 1)), std::log(U(2, 2)), std::log(U(3, 3)), U(0, 1), U(1, 2), U(0, 2), U(0, 3),
      U(1, 3), U(2, 3);
  return t;
}

std::vector<PhysicalEstimate> physical_estimates(const TorqueModel& model, const std::vector<Factor>& joints,
                                                 const PhysicalSettings& settings, const std::vector<double>& weights) {
  std::vector<RowMatrix> reduced;
  Eigen::Index rows = 0;
  for (const Factor& f : joints) {
    reduced.push_back(f.reduced());
    rows += reduced.back().rows();
  }
  Eigen::MatrixXd stack(rows, model.size() + 1);
  rows = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    stack.middleRows(rows, reduced[j].rows()) = reduced[j] / settings.noise[j];
    rows += reduced[j].rows();
  }
  const PhysicalProblem problem = problem_of(model, settings, triangle_of(std::move(stack)));
  const int links = 10 * model.dof(), rotors = model.settings().rotors ? model.dof() : 0;
  std::vector<PhysicalEstimate> estimates;
  for (const ConsistentFit& fit : consistent_fits(problem.convex, weights)) {
    PhysicalEstimate e;
    e.links = fit.p.head(links);
    e.rotors = fit.p.segment(links, rotors);
    e.x = problem.T * fit.p;
    e.iterations = fit.steps;
    e.gap = fit.relative_gap();
    e.converged = fit.converged();
    estimates.push_back(std::move(e));
  }
  return estimates;
}

PhysicalEstimate physical_estimate(const TorqueModel& model, const std::vector<Factor>& joints,
                                   const PhysicalSettings& settings) {
  return physical_estimates(model, joints, settings, {settings.weight}).front();
}

PhysicalEstimate physical_estimate(const TorqueModel& model, const Evidence& evidence,
                                   const PhysicalSettings& settings) {
  std::vector<Factor> joints;
  for (int j = 0; j < evidence.dof(); ++j) joints.push_back(evidence.whole(j));
  return physical_estimate(model, joints, settings);
}

ArmDescription identified_arm(const TorqueModel& model, const PhysicalEstimate& e, const std::string& source) {
  ArmDescription d = model.arm().description();
  d.unphysical.clear();
  d.payload.reset();  // part of the last link now
  int i = -1;
  for (JointDescription& joint : d.joints) {
    if (joint.type == JointType::fixed) {
      joint.link.mass.reset();  // part of the link it is welded to
      continue;
    }
    ++i;
    const Inertia<double> body = inertia_from_parameters<double>(Link(e.links.segment<10>(10 * i)));
    MassProperties mass;
    mass.mass = body.m;
    mass.position = body.h / body.m;
    mass.tensor = central_inertia(body);
    mass.source = source;
    joint.link.mass = mass;
    if (e.rotors.size() > 0) joint.drive = with_shaft_inertia(joint.drive, e.rotors[i]);
    const int begin = model.friction_begin(i), count = model.friction_count(i);
    const bool has_offset = count > static_cast<int>(friction_parameter_names(model.friction(i)).size());
    const double offset = has_offset ? e.x[begin + count - 1] : 0;
    joint.friction = friction_law(model.friction(i), e.x.data() + begin, offset);
    joint.friction_source = source;
    joint.drive = with_shaft_friction(joint.drive, {});  // part of the joint's friction now
    const std::vector<int>& springs = model.settings().springs;
    if (const auto at = std::find(springs.begin(), springs.end(), i); at != springs.end()) {
      const double* own = e.x.data() + model.base().count() + 2 * (at - springs.begin());
      if (!joint.spring) joint.spring.emplace();
      joint.spring->sine = joint.spring->sine.value_or(0) + own[0];
      joint.spring->cosine = joint.spring->cosine.value_or(0) + own[1];
      joint.spring->source = source;
    }
  }
  for (std::size_t m = 0; m < model.coupled_motors().size(); ++m) {
    const int motor = model.coupled_motors()[m], c = model.motor_friction_begin() + 2 * static_cast<int>(m);
    const double N = std::abs(model.arm().joint(motor).drive.gear_ratio.value_or(1));
    int moving = -1;
    for (JointDescription& joint : d.joints)
      if (joint.type != JointType::fixed && ++moving == motor)
        joint.drive =
            with_shaft_friction(joint.drive, {std::max(e.x[c], 0.0) / N, std::max(e.x[c + 1], 0.0) / (N * N)});
  }
  return d;
}

}  // namespace armature::identification
