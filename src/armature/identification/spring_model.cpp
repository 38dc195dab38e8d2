#include "armature/identification/spring_model.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/error.hpp"
#include "armature/core/text.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::identification {

namespace {

using Index = Eigen::Index;

bool contains(const std::vector<int>& all, int one) { return std::find(all.begin(), all.end(), one) != all.end(); }

bool driven(const PlantDescription& plant, int joint) {
  return std::any_of(plant.motors.begin(), plant.motors.end(), [&](const Motor& motor) {
    return std::any_of(motor.drives.begin(), motor.drives.end(), [&](const auto& d) { return d.first == joint; });
  });
}

/// A hundredth of the critical damping of what the joint moves in the arm's zero position.
double usual_damping(const Arm& arm, int joint, double stiffness) {
  const MatX<double> M = mass_matrix<double>(arm, VecX<double>::Zero(arm.dof()));
  return 0.02 * std::sqrt(stiffness * M(joint, joint));
}

}  // namespace

SpringModel::SpringModel(PlantDescription plant) : plant_(std::move(plant)) {
  if (!plant_.arm) throw Error("there is no arm", "springs are fitted to what an arm shows");
  const Arm& arm = *plant_.arm;
  for (Motor& motor : plant_.motors) motor.torque_limit = motor.current_limit = motor.voltage_limit = std::nullopt;
  for (std::size_t s = 0; s < plant_.springs.size(); ++s) {
    Spring& spring = plant_.springs[s];
    if (spring.driver != ground || spring.backlash > 0 || spring.driven < 0 || spring.driven >= arm.dof() ||
        driven(plant_, spring.driven))
      continue;
    const std::string& name = arm.joint(spring.driven).name;
    const bool turns = arm.body(spring.driven).revolute;
    if (!(spring.stiffness > 0))
      throw Error(fmt::format("joint '{}' has no motor and no stiffness", name),
                  "describe a stiffness from which to start, some guess that is not zero");
    if (!(spring.damping > 0)) spring.damping = usual_damping(arm, spring.driven, spring.stiffness);
    joints_.push_back(spring.driven);
    springs_.push_back(s);
    parameters_.push_back({name + "_stiffness", turns ? "N m/rad" : "N/m", spring.stiffness});
    parameters_.push_back({name + "_damping", turns ? "N m s/rad" : "N s/m", spring.damping});
  }
  if (joints_.empty())
    throw Error(
        "no joint is held by a spring alone",
        "name those without a motor in the scenario: plant: {passive: [{joint: 1, stiffness: 1e5, damping: 50}]}");
  const Plant whole(plant_);
  if (!plant_.rotors.empty() || whole.states() != 2 * whole.axes() + 2)
    throw Error("a drive or its friction has states of its own, which no encoder shows",
                "fit the springs with plant: {drives: rigid, command: torque} and friction laws without a state");
}

std::size_t SpringModel::index(const std::string& name) const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    if (parameters_[k].name == name) return k;
    names.push_back(parameters_[k].name);
  }
  throw Error(fmt::format("there is no parameter '{}'", printable(name)), suggestion(name, names));
}

Eigen::VectorXd SpringModel::described() const {
  Eigen::VectorXd values(static_cast<Index>(parameters_.size()));
  for (std::size_t k = 0; k < parameters_.size(); ++k) values[k] = parameters_[k].value;
  return values;
}

bool SpringModel::moves_by_motor(int joint) const {
  return !contains(joints_, joint) && !contains(plant_.locks, joint);
}

LinearPlant SpringModel::about(const ShakenLines& log, const Eigen::VectorXd& values) const {
  PlantDescription description = plant_;
  for (std::size_t s = 0; s < springs_.size(); ++s) {
    description.springs[springs_[s]].stiffness = values[2 * s];
    description.springs[springs_[s]].damping = values[2 * s + 1];
  }
  const Plant plant(std::move(description));
  VecX<double> q = VecX<double>::Zero(plant.dof()), v = q;
  for (std::size_t c = 0; c < log.joints.size(); ++c) {
    q[log.joints[c]] = log.position[c];
    if (moves_by_motor(log.joints[c])) v[log.joints[c]] = log.velocity[c];
  }
  Eigen::VectorXd x = plant.state_at(q, v), u = Eigen::VectorXd::Zero(plant.inputs());
  Modes modes = plant.modes_at(0, x, u.data());
  LinearPlant linear = linearize(plant, 0, x, u, modes);
  // Newton's method: accelerations of all axes that are free to move are to vanish; commands and deflections are at hand.
  const int axes = plant.axes();
  std::vector<int> free, yielding;
  for (int axis = 0; axis < axes; ++axis) {
    if (!contains(plant_.locks, axis)) free.push_back(axis);
    if (axis >= plant.dof() || contains(joints_, axis)) yielding.push_back(axis);
  }
  const auto unknowns = static_cast<Index>(yielding.size());
  Eigen::VectorXd xd(plant.states());
  for (int round = 0; round < 8; ++round) {
    Eigen::MatrixXd J(static_cast<Index>(free.size()), unknowns + u.size());
    Eigen::VectorXd a(J.rows());
    plant.derivative<double>(0, x.data(), u.data(), modes, xd.data());
    for (std::size_t i = 0; i < free.size(); ++i) {
      const auto row = static_cast<Index>(i);
      a[row] = xd[axes + free[i]];
      for (Index k = 0; k < unknowns; ++k) J(row, k) = linear.A(axes + free[i], yielding[k]);
      J.row(row).tail(u.size()) = linear.B.row(axes + free[i]);
    }
    const Eigen::VectorXd step = least_squares_solution(J, -a);
    for (Index k = 0; k < unknowns; ++k) x[yielding[k]] += step[k];
    u += step.tail(u.size());
    linear = linearize(plant, 0, x, u, modes);
    if (step.head(unknowns).cwiseAbs().maxCoeff() < 1e-12) break;
  }
  if (!linear.A.allFinite())
    throw Error("the machine finds no balance in this posture", "is the stiffness described far too low?", {log.name});
  return linear;
}

SpringLines spring_lines(const SpringModel& model, const ShakenLines& log, const Eigen::VectorXd& values,
                         const std::vector<std::size_t>& to, SpringDetail detail) {
  const bool whole = detail == SpringDetail::whole;
  const double h = 1e-5;  // the linearisation is exact to rounding, so central differences leave about 1e-10
  const HeldPlant at = held(model.about(log, values), log.step);
  std::vector<HeldPlant> slope;
  for (const std::size_t k : to) {
    Eigen::VectorXd more = values, less = values;
    more[k] *= std::exp(h);
    less[k] *= std::exp(-h);
    const HeldPlant up = held(model.about(log, more), log.step), down = held(model.about(log, less), log.step);
    slope.push_back({(up.A - down.A) / (2 * h), (up.B - down.B) / (2 * h), log.step});
  }
  const Index n = at.A.rows(), lines = static_cast<Index>(log.frequency.size());
  const auto outputs = static_cast<Index>(log.joints.size());
  const Eigen::MatrixXcd u = log.mean_commands();
  SpringLines answer{
      Eigen::MatrixXcd(outputs, lines), std::vector<Eigen::MatrixXcd>(to.size(), Eigen::MatrixXcd(outputs, lines)),
      std::vector<Eigen::MatrixXcd>(whole ? log.periods() : 0, Eigen::MatrixXcd(outputs, lines)),
      std::vector<Eigen::MatrixXcd>(whole ? static_cast<std::size_t>(n) : 0, Eigen::MatrixXcd(outputs, lines))};
  const auto shown = [&](const Eigen::VectorXcd& x, std::complex<double> late, Eigen::MatrixXcd& into, Index line) {
    for (Index c = 0; c < outputs; ++c) into(c, line) = late * x[log.joints[c]];
  };
  for (Index i = 0; i < lines; ++i) {
    const double angle = 2 * pi * log.frequency[i] * log.step;
    const std::complex<double> late = std::polar(1.0, -angle * log.delay);
    const Eigen::PartialPivLU<Eigen::MatrixXcd> lu(std::polar(1.0, angle) * Eigen::MatrixXcd::Identity(n, n) - at.A);
    const Eigen::VectorXcd x = lu.solve(at.B * u.col(i));
    shown(x, late, answer.positions, i);
    for (std::size_t k = 0; k < slope.size(); ++k)
      shown(lu.solve(slope[k].A * x + slope[k].B * u.col(i)), late, answer.slopes[k], i);
    if (!whole) continue;
    const Eigen::MatrixXcd inverse = lu.solve(Eigen::MatrixXcd::Identity(n, n)), each = inverse * at.B;
    for (std::size_t p = 0; p < log.periods(); ++p) shown(each * log.commands[p].col(i), late, answer.of_periods[p], i);
    for (Index k = 0; k < n; ++k)  // z (z - F)⁻¹ (x at the start less x at the end)
      shown(inverse.col(k), std::polar(1.0, angle) * late, answer.transients[k], i);
  }
  return answer;
}

}  // namespace armature::identification
