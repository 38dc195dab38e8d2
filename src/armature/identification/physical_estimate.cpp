#include "armature/identification/physical_estimate.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/core/error.hpp"
#include "armature/scalar/decompositions.hpp"

namespace armature {

namespace {

using Link = Eigen::Matrix<double, 10, 1>;

/// P of the k-th unit parameter.
const std::array<Eigen::Matrix4d, 10>& units() {
  static const std::array<Eigen::Matrix4d, 10> all = [] {
    std::array<Eigen::Matrix4d, 10> E;
    for (int k = 0; k < 10; ++k) E[static_cast<std::size_t>(k)] = pseudo_inertia(Link::Unit(k));
    return E;
  }();
  return all;
}

/// A reference that can exist: the described link, or a small ball.
Eigen::Matrix4d reference(const Link& described) {
  const BodyVerdict verdict = judge_body(inertia_from_parameters<double>(described));
  Eigen::Matrix4d P = pseudo_inertia(described);
  if (verdict.mass_positive && symmetric_eigen(P).values[0] > 0) {
    // A flat or thin body has no room for Newton's method: thicken what is thinner than a hundredth of its mean size.
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

/// c'p > 0, drawn to c'p = scale by pull * (r - log r), r = c'p / scale
struct Inequality {
  Eigen::VectorXd c;
  double scale;     // what counts as far inside, or the reference
  double pull = 0;  // 0: only a barrier
};

struct PhysicalProblem {
  int links = 0, rotors = 0;
  Eigen::MatrixXd T;  // x = T p,  p = (links, rotors, friction)
  std::vector<Eigen::Matrix4d> P0, P0_inverse;
  Eigen::VectorXd link_weight;
  std::vector<Inequality> inequalities;
  double barrier = 1e-3;
  Eigen::VectorXd start;
};

/// Speeds at which friction must brake: up to the joint's limit, closer together near zero.
std::vector<double> speeds(const Arm& arm, int joint) {
  const double top = arm.joint(joint).limits.velocity.value_or(arm.body(joint).revolute ? 5.0 : 2.0);
  std::vector<double> v;
  for (double s = top; s > 1e-4 * top; s *= 0.6) v.push_back(s), v.push_back(-s);
  return v;
}

void add_friction(const TorqueModel& model, const Eigen::VectorXd& guess, PhysicalProblem& problem, int first) {
  const Eigen::Index size = problem.T.cols();
  const auto positive = [&](int column) {
    problem.inequalities.push_back(
        {Eigen::VectorXd::Unit(size, first + column - model.base().count()), std::max(std::abs(guess[column]), 1e-3)});
  };
  for (int i = 0; i < model.dof(); ++i) {
    const FrictionShape& shape = model.friction(i);
    const int begin = model.friction_begin(i), count = static_cast<int>(friction_parameter_names(shape).size());
    if (shape.law == FrictionShape::Law::none) continue;
    if (shape.law != FrictionShape::Law::sigmoids) {
      for (int k = 0; k < count; ++k) positive(begin + k);
      continue;
    }
    positive(begin + count - 1);
    std::vector<double> row(static_cast<std::size_t>(count));
    for (const double v : speeds(model.arm(), i)) {
      if (v < 0) continue;  // odd in v
      friction_row(shape, v, row.data());
      Inequality q{Eigen::VectorXd::Zero(size), 0};
      double value = 0;
      for (int k = 0; k < count; ++k) {
        q.c[first + begin + k - model.base().count()] = row[static_cast<std::size_t>(k)];
        value += row[static_cast<std::size_t>(k)] * guess[begin + k];
      }
      q.scale = std::max(std::abs(value), 1e-3);
      problem.inequalities.push_back(q);
    }
  }
  for (int c = model.motor_friction_begin(); c < model.size(); ++c) positive(c);
}

PhysicalProblem problem_of(const TorqueModel& model, const PhysicalSettings& settings, const Eigen::VectorXd& guess) {
  PhysicalProblem problem;
  const int n = model.dof(), base = model.base().count(), friction = model.size() - base;
  problem.links = n;
  problem.rotors = model.settings().rotors ? n : 0;
  const int inertial = 10 * n + problem.rotors;
  problem.T = Eigen::MatrixXd::Zero(model.size(), inertial + friction);
  problem.T.topLeftCorner(base, inertial) = model.base().grouping();
  problem.T.bottomRightCorner(friction, friction).setIdentity();
  problem.link_weight = Eigen::VectorXd::Constant(n, settings.weight);
  for (std::size_t i = 0; i < settings.link_weights.size(); ++i)
    problem.link_weight[static_cast<Eigen::Index>(i)] *= settings.link_weights[i];
  problem.barrier = std::min(1e-3, settings.weight);
  problem.start = Eigen::VectorXd::Zero(inertial + friction);
  const LinkParameters<double> described = link_parameters(model.arm());
  for (int i = 0; i < n; ++i) {
    const Eigen::Matrix4d P = reference(described.segment<10>(10 * i));
    problem.P0.push_back(P), problem.P0_inverse.push_back(P.inverse());
    const Eigen::Matrix3d S = P.topLeftCorner<3, 3>();
    Inertia<double> body{P(3, 3), P.col(3).head<3>(), Mat3<double>(S.trace() * Eigen::Matrix3d::Identity() - S)};
    problem.start.segment<10>(10 * i) = parameters(body);
  }
  for (int k = 0; k < problem.rotors; ++k) {
    const Drive& drive = model.arm().joint(k).drive;
    const double N = drive.gear_ratio.value_or(1);
    const bool known = drive.rotor_inertia.has_value();
    const double J = std::max(known ? shaft_inertia(drive) : 0.01 / (N * N), 1e-6 / (N * N));  // [kg m²]
    problem.start[10 * n + k] = J;
    problem.inequalities.push_back(
        {Eigen::VectorXd::Unit(inertial + friction, 10 * n + k), J, known ? settings.weight : 0});
  }
  add_friction(model, guess, problem, inertial);
  for (int c = base; c < model.size(); ++c) {
    const ModelColumn::Kind kind = model.columns()[static_cast<std::size_t>(c)].kind;
    double value = guess[c];
    if (kind != ModelColumn::Kind::offset) value = std::max(std::abs(value), 1e-3);
    problem.start[inertial + c - base] = value;
  }
  return problem;
}

//     f(p) = ½ |A p - z|² + sum_i w_i (tr(P_0i⁻¹ P_i) - log det P_i) + sum_k pull_k r_k - (pull_k + barrier) log r_k,  r_k = c_k'p / scale_k
double value_of(const PhysicalProblem& problem, const Eigen::MatrixXd& A, const Eigen::VectorXd& z,
                const Eigen::VectorXd& p) {
  double f = 0.5 * (A * p - z).squaredNorm();
  for (int i = 0; i < problem.links; ++i) {
    const Eigen::Matrix4d P = pseudo_inertia(p.segment<10>(10 * i));
    const Eigen::LLT<Eigen::Matrix4d> llt(P);
    if (llt.info() != Eigen::Success || !(Eigen::Matrix4d(llt.matrixL()).diagonal().minCoeff() > 0)) return INFINITY;
    f += problem.link_weight[i] * ((problem.P0_inverse[static_cast<std::size_t>(i)] * P).trace() -
                                   2 * Eigen::Matrix4d(llt.matrixL()).diagonal().array().log().sum());
  }
  for (const Inequality& q : problem.inequalities) {
    const double inside = q.c.dot(p) / q.scale;
    if (!(inside > 0)) return INFINITY;
    f += q.pull * inside - (q.pull + problem.barrier) * std::log(inside);
  }
  return f;
}

}  // namespace

Eigen::Matrix4d pseudo_inertia(const Link& p) {
  const Inertia<double> a = inertia_from_parameters<double>(p);
  Eigen::Matrix4d P;
  P.topLeftCorner<3, 3>() = 0.5 * a.I_Bo.trace() * Eigen::Matrix3d::Identity() - a.I_Bo;
  P.topRightCorner<3, 1>() = a.h;
  P.bottomLeftCorner<1, 3>() = a.h.transpose();
  P(3, 3) = a.m;
  return P;
}

Link parameters_of_log_cholesky(const Link& t) {
  Eigen::Matrix4d U = Eigen::Matrix4d::Zero();
  for (int k = 0; k < 4; ++k) U(k, k) = std::exp(t[k]);
  U(0, 1) = t[4], U(1, 2) = t[5], U(0, 2) = t[6], U(0, 3) = t[7], U(1, 3) = t[8], U(2, 3) = t[9];
  const Eigen::Matrix4d P = U * U.transpose();
  const Eigen::Matrix3d S = P.topLeftCorner<3, 3>();
  return parameters(
      Inertia<double>{P(3, 3), P.col(3).head<3>(), Mat3<double>(S.trace() * Eigen::Matrix3d::Identity() - S)});
}

Link log_cholesky_of_parameters(const Link& p) {
  Eigen::Matrix4d flip = Eigen::Matrix4d::Zero();  // P = U U' is the Cholesky factorisation seen from the last row
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

PhysicalEstimate physical_estimate(const TorqueModel& model, const std::vector<Factor>& joints,
                                   const PhysicalSettings& settings) {
  const int columns = model.size();
  Eigen::Index rows = 0;
  std::vector<RowMatrix> reduced;
  for (const Factor& f : joints) reduced.push_back(f.reduced()), rows += reduced.back().rows();
  Eigen::MatrixXd stack(rows, columns + 1);
  rows = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    stack.middleRows(rows, reduced[j].rows()) = reduced[j] / settings.noise[static_cast<Eigen::Index>(j)];
    rows += reduced[j].rows();
  }
  const Eigen::VectorXd guess = least_squares_solution(stack.leftCols(columns), stack.col(columns));
  const PhysicalProblem problem = problem_of(model, settings, guess);
  const Eigen::MatrixXd A = stack.leftCols(columns) * problem.T;
  const Eigen::VectorXd z = stack.col(columns);
  const Eigen::MatrixXd H0 = A.transpose() * A;
  const Eigen::VectorXd g0 = A.transpose() * z;

  PhysicalEstimate e;
  Eigen::VectorXd p = problem.start;
  double f = value_of(problem, A, z, p);
  const Eigen::Index size = p.size();
  for (e.iterations = 0; e.iterations < 400 && !e.converged; ++e.iterations) {
    Eigen::MatrixXd H = H0;
    Eigen::VectorXd g = H0 * p - g0;
    for (int i = 0; i < problem.links; ++i) {
      const Eigen::Matrix4d inverse = pseudo_inertia(p.segment<10>(10 * i)).inverse();
      const Eigen::Matrix4d pull = problem.P0_inverse[static_cast<std::size_t>(i)] - inverse;
      std::array<Eigen::Matrix4d, 10> PE;
      for (std::size_t k = 0; k < 10; ++k) PE[k] = inverse * units()[k];
      for (int a = 0; a < 10; ++a) {
        g[10 * i + a] += problem.link_weight[i] * (pull * units()[static_cast<std::size_t>(a)]).trace();
        for (int b = 0; b < 10; ++b)
          H(10 * i + a, 10 * i + b) +=
              problem.link_weight[i] * (PE[static_cast<std::size_t>(a)] * PE[static_cast<std::size_t>(b)]).trace();
      }
    }
    for (const Inequality& q : problem.inequalities) {
      const double inside = q.c.dot(p);
      const double barrier = q.pull + problem.barrier;
      g += (q.pull / q.scale - barrier / inside) * q.c;
      H += barrier / (inside * inside) * q.c * q.c.transpose();
    }
    const Eigen::VectorXd scale = H.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();  // units do not matter
    Eigen::MatrixXd scaled = scale.asDiagonal() * H * scale.asDiagonal();
    scaled.diagonal().array() += 1e-14;
    const Eigen::VectorXd step = -(scale.asDiagonal() * solved_symmetric(scaled, scale.asDiagonal() * g));
    const double slope = g.dot(step);
    double length = 1;
    double next = INFINITY;
    for (; length > 1e-14; length *= 0.5) {
      next = value_of(problem, A, z, p + length * step);
      if (next <= f + 0.1 * length * slope) break;
    }
    if (!(next < f) || size == 0) {  // no further down in double precision
      e.converged = true;
      break;
    }
    p += length * step;
    e.converged = -slope < 1e-12 * (1 + std::abs(f));
    f = next;
  }
  e.links = p.head(10 * problem.links);
  e.rotors = p.segment(10 * problem.links, problem.rotors);
  e.x = problem.T * p;
  return e;
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
    mass.mass = body.m, mass.position = body.h / body.m, mass.tensor = central_inertia(body), mass.source = source;
    joint.link.mass = mass;
    if (e.rotors.size() > 0) joint.drive = with_shaft_inertia(joint.drive, e.rotors[i]);
    const int begin = model.friction_begin(i), count = model.friction_count(i);
    if (count == 0) continue;
    const bool has_offset = count > static_cast<int>(friction_parameter_names(model.friction(i)).size());
    const double offset = has_offset ? e.x[begin + count - 1] : 0;
    joint.friction = friction_law(model.friction(i), e.x.data() + begin, offset);
    joint.friction_source = source;
    joint.drive = with_shaft_friction(joint.drive, {});  // part of the joint's friction now
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

}  // namespace armature
