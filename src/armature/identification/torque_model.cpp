#include "armature/identification/torque_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/algorithms/spring.hpp"
#include "armature/core/error.hpp"

namespace armature::identification {

namespace {

double sign_of(double v, double width) {
  if (width > 0) return std::tanh(v / width);
  return (v > 0) - (v < 0);
}

/// What joints have that models lack: torques of the angle (cables, gears and sensors that are not round), friction that differs from place to
/// place, and friction that is no straight line of the speed, nor the same in both directions. All of size 1; angles of sliding joints in m.
void unmodelled_row(double q, double v, double typical, double sign, double* row) {
  const double speed = typical > 0 ? v / typical : 0;
  const std::array<double, unmodelled_functions> functions{
      std::sin(q),        std::cos(q),        std::sin(2 * q), std::cos(2 * q),
      sign * std::sin(q), sign * std::cos(q), std::abs(speed), speed * std::abs(speed)};
  std::copy(functions.begin(), functions.end(), row);
}

const char* unit_of_link_parameter(int k) { return k == 0 ? "kg" : k < 4 ? "kg m" : "kg m^2"; }

}  // namespace

std::string to_string(FrictionShape::Law law) {
  switch (law) {
    case FrictionShape::Law::none:
      return "none";
    case FrictionShape::Law::coulomb_viscous:
      return "coulomb_viscous";
    case FrictionShape::Law::asymmetric:
      return "asymmetric";
    case FrictionShape::Law::stribeck:
      return "stribeck";
    case FrictionShape::Law::load_dependent:
      return "load_dependent";
    case FrictionShape::Law::sigmoids:
      return "three_sigmoid";
  }
  return "";
}

std::vector<std::string> friction_parameter_names(const FrictionShape& shape) {
  switch (shape.law) {
    case FrictionShape::Law::none:
      return {};
    case FrictionShape::Law::coulomb_viscous:
      return {"coulomb", "viscous"};
    case FrictionShape::Law::asymmetric:
      return {"coulomb_positive", "coulomb_negative", "viscous_positive", "viscous_negative"};
    case FrictionShape::Law::stribeck:
      return {"coulomb", "stiction_excess", "viscous"};
    case FrictionShape::Law::load_dependent:
      return {"coulomb", "viscous", "load_coefficient"};
    case FrictionShape::Law::sigmoids:
      break;
  }
  std::vector<std::string> names;
  for (std::size_t k = 0; k < shape.slopes.size(); ++k)
    if (shape.slopes[k] > 0) names.push_back(fmt::format("f{}", k + 1));
  names.push_back("viscous");
  return names;
}

void friction_row(const FrictionShape& shape, double v, double* row) {
  const double s = sign_of(v, shape.width);
  switch (shape.law) {
    case FrictionShape::Law::none:
      return;
    case FrictionShape::Law::coulomb_viscous:
      row[0] = s;
      row[1] = v;
      return;
    case FrictionShape::Law::load_dependent:
      row[0] = s;
      row[1] = v;
      row[2] = 0;
      return;
    case FrictionShape::Law::asymmetric:
      row[0] = std::max(s, 0.0);
      row[1] = std::min(s, 0.0);
      row[2] = std::max(v, 0.0);
      row[3] = std::min(v, 0.0);
      return;
    case FrictionShape::Law::stribeck: {
      const double r = v / shape.stribeck_velocity;
      row[0] = s;
      row[1] = s * std::exp(-r * r);
      row[2] = v;
      return;
    }
    case FrictionShape::Law::sigmoids:
      for (const double slope : shape.slopes)
        if (slope > 0) *row++ = std::tanh(slope * v);
      *row = v;
      return;
  }
}

Friction friction_law(const FrictionShape& shape, const double* x, double offset) {
  switch (shape.law) {
    case FrictionShape::Law::none:
      if (offset == 0) return NoFriction{};
      return AsymmetricFriction{0, 0, 0, 0, offset};
    case FrictionShape::Law::coulomb_viscous:
      if (shape.width > 0)
        return ThreeSigmoid{{x[0], 0, 0}, {1 / shape.width, 1 / shape.width, 1 / shape.width}, x[1], offset};
      if (offset == 0) return CoulombViscous{x[0], x[1]};
      return AsymmetricFriction{x[0], x[0], x[1], x[1], offset};
    case FrictionShape::Law::asymmetric: {
      // Of two Coulomb torques one may be negative: what brakes is half their sum, the rest is a constant torque.
      const double shift = std::min(x[0], x[1]) < 0 ? (x[0] - x[1]) / 2 : 0;
      return AsymmetricFriction{x[0] - shift, x[1] + shift, x[2], x[3], offset + shift};
    }
    case FrictionShape::Law::stribeck:
      return Stribeck{x[0], x[0] + x[1], shape.stribeck_velocity, x[2], 2, offset};
    case FrictionShape::Law::load_dependent:
      return LoadDependent{x[0], x[1], x[2], offset};
    case FrictionShape::Law::sigmoids:
      break;
  }
  ThreeSigmoid law;
  law.w.fill(1);
  for (std::size_t k = 0; k < 3; ++k)
    if (shape.slopes[k] > 0) {
      law.f[k] = *x++;
      law.w[k] = shape.slopes[k];
    }
  law.viscous = *x;
  law.offset = offset;
  return law;
}

TorqueModel::TorqueModel(const Arm& arm, TorqueModelSettings settings) : arm_(arm), settings_(std::move(settings)) {
  const int n = arm_.dof();
  if (settings_.nothing_estimated) {
    settings_.rotors = true;  // whoever knows everything knows them too
    settings_.friction.assign(n, FrictionShape{FrictionShape::Law::none});
    base_.dof = n;
    friction_begin_.assign(static_cast<std::size_t>(n) + 1, 0);
    return;
  }
  if (settings_.friction.empty()) settings_.friction.emplace_back();
  if (settings_.friction.size() == 1) settings_.friction.resize(n, settings_.friction.front());
  if (settings_.friction.size() != static_cast<std::size_t>(n))
    throw Error(fmt::format("{} friction laws for {} joints", settings_.friction.size(), n),
                "give one per joint, or one for all");
  base_ = base_parameters(arm_, {.rotors = settings_.rotors});
  for (const int c : base_.columns.kept) {
    const bool rotor = c >= parameters_per_link * n;
    columns_.push_back({parameter_name(n, c), rotor ? "kg m^2" : unit_of_link_parameter(c % parameters_per_link),
                        ModelColumn::Kind::inertia, rotor ? c - parameters_per_link * n : c / parameters_per_link});
  }
  for (const int i : settings_.springs)
    for (const char* name : {"spring_sin", "spring_cos"})
      columns_.push_back({fmt::format("{}{}", name, i + 1), "N m", ModelColumn::Kind::spring, i});
  for (int i = 0; i < n; ++i) {
    friction_begin_.push_back(size());
    const bool turns = arm_.body(i).revolute;
    const std::string torque = turns ? "N m" : "N", viscous = turns ? "N m s/rad" : "N s/m";
    for (const std::string& name : friction_parameter_names(friction(i)))
      columns_.push_back({fmt::format("{}{}{}", name, name.back() >= '0' && name.back() <= '9' ? "_" : "", i + 1),
                          name.starts_with("viscous")  ? viscous
                          : name == "load_coefficient" ? ""
                                                       : torque,
                          ModelColumn::Kind::friction, i});
    if (settings_.offsets && friction(i).law != FrictionShape::Law::asymmetric)  // that one has two Coulomb torques
      columns_.push_back({fmt::format("offset{}", i + 1), torque, ModelColumn::Kind::offset, i});
  }
  friction_begin_.push_back(size());
  for (int k = 0; k < n && settings_.coupled_motor_friction; ++k) {
    if ((arm_.couplings().row(k).array() != 0).count() < 2) continue;
    coupled_motors_.push_back(k);
    columns_.push_back({fmt::format("motor_coulomb{}", k + 1), "N m", ModelColumn::Kind::motor_friction, k});
    columns_.push_back({fmt::format("motor_viscous{}", k + 1), "N m s/rad", ModelColumn::Kind::motor_friction, k});
  }
  by_load_ = settings_.linearized_at.size() > 0 &&
             std::any_of(settings_.friction.begin(), settings_.friction.end(),
                         [](const FrictionShape& f) { return f.law == FrictionShape::Law::load_dependent; });
  if (by_load_ && settings_.linearized_at.size() != size())
    throw Error(fmt::format("{} parameters to linearize a model of {} at", settings_.linearized_at.size(), size()),
                "one for each column");
  if (settings_.unmodelled_at.size() == 0) return;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < unmodelled_functions; ++k)
      columns_.push_back({fmt::format("unmodelled{}_{}", i + 1, k + 1), arm_.body(i).revolute ? "N m" : "N",
                          ModelColumn::Kind::unmodelled, i});
}

//     the motor k turns with (C qd)_k; what rubs there, referred to its gear's slow side, the joints feel times Cᵀ
void TorqueModel::plain_rows(const JointMotion& motion, Eigen::Ref<RowMatrix> rows) const {
  const int n = dof(), links = parameters_per_link * n;
  Regressor<double> W;
  torque_regressor<double>(arm_, motion.q, motion.qd, motion.qdd, W);
  MatX<double> D;
  if (settings_.rotors) D = rotor_regressor<double>(arm_, motion.qdd);
  for (int k = 0; k < base_.count(); ++k) {
    const int c = base_.columns.kept[k];
    if (c < links)
      rows.col(k) = W.col(c);
    else
      rows.col(k) = D.col(c - links);
  }
  int spring = base_.count();
  for (const int i : settings_.springs) {
    rows(i, spring++) = std::sin(motion.q[i]);
    rows(i, spring++) = std::cos(motion.q[i]);
  }
  for (int i = 0; i < n; ++i) {
    if (friction_count(i) == 0) continue;
    friction_row(friction(i), motion.qd[i], &rows(i, friction_begin(i)));
    const int last = friction_begin(i) + friction_count(i) - 1;
    if (columns_[last].kind == ModelColumn::Kind::offset) rows(i, last) = 1;
  }
  const MatX<double>& C = arm_.couplings();
  for (std::size_t m = 0; m < coupled_motors_.size(); ++m) {
    const int k = coupled_motors_[m], c = motor_friction_begin() + 2 * static_cast<int>(m);
    const double speed = C.row(k).dot(motion.qd);
    for (int i = 0; i < n; ++i) {
      rows(i, c) = C(k, i) * sign_of(speed, settings_.motor_friction_width);
      rows(i, c + 1) = C(k, i) * speed;
    }
  }
  for (int i = 0; settings_.unmodelled_at.size() > 0 && i < n; ++i) {
    double* own = &rows(i, unmodelled_begin() + i * unmodelled_functions);
    unmodelled_row(motion.q[i], motion.qd[i], settings_.unmodelled_at[i], sign_of(motion.qd[i], friction(i).width),
                   own);
    if (std::count(settings_.springs.begin(), settings_.springs.end(), i) > 0) own[0] = own[1] = 0;  // these it has
    if (friction(i).law == FrictionShape::Law::asymmetric) own[6] = 0;
  }
}

//  Joint i carries r = W x + k (links, rotors, springs and what is known) and its friction by load is m s |r|. About m0 and x0, with r0 = W x0 + k,
//     W x + k + m s |r| = (1 + a) W x + s |r0| m + k - a (r0 - k),      a = m0 s sgn r0                                (1)
//  up to second order: a step of Gauss and Newton is least squares with these columns, and so are its intervals.
TorqueModel::Loads TorqueModel::loads(const JointMotion& motion, const Eigen::Ref<const RowMatrix>& plain,
                                      const VecX<double>& known) const {
  Loads at{VecX<double>::Zero(dof()), VecX<double>::Zero(dof())};
  for (int i = 0; i < dof(); ++i) {
    if (friction(i).law != FrictionShape::Law::load_dependent) continue;
    const double r = plain.row(i).head(carried()).dot(settings_.linearized_at.head(carried())) + known[i];
    at.load[i] = r;
    at.share[i] =
        settings_.linearized_at[friction_begin(i) + 2] * sign_of(motion.qd[i], friction(i).width) * ((r > 0) - (r < 0));
  }
  return at;
}

void TorqueModel::rows(const JointMotion& motion, Eigen::Ref<RowMatrix> rows) const {
  rows.setZero();
  if (settings_.nothing_estimated) return;
  plain_rows(motion, rows);
  if (!by_load_) return;
  VecX<double> known;
  plain_known(motion, known);
  const Loads at = loads(motion, rows, known);
  for (int i = 0; i < dof(); ++i) {
    if (friction(i).law != FrictionShape::Law::load_dependent) continue;
    rows.row(i).head(carried()) *= 1 + at.share[i];  // (1)
    rows(i, friction_begin(i) + 2) = sign_of(motion.qd[i], friction(i).width) * std::abs(at.load[i]);
  }
}

void TorqueModel::known_torque(const JointMotion& motion, VecX<double>& tau) const {
  plain_known(motion, tau);
  if (!by_load_) return;
  RowMatrix plain = RowMatrix::Zero(dof(), size());
  plain_rows(motion, plain);
  const Loads at = loads(motion, plain, tau);
  tau -= at.share.cwiseProduct(at.load - tau);  // (1)
}

void TorqueModel::plain_known(const JointMotion& motion, VecX<double>& tau) const {
  tau = VecX<double>::Zero(dof());
  if (settings_.known) settings_.known(motion, tau);
  if (settings_.nothing_estimated) return;
  add_spring_torque<double>(arm_, motion.q, tau);
  if (!settings_.rotors) tau += rotor_torque<double>(arm_, motion.qdd);
}

Eigen::VectorXd TorqueModel::described() const {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(size());
  x.head(base_.count()) = base_parameter_values(arm_, base_);
  for (int i = 0; i < dof(); ++i) {
    double* own = x.data() + friction_begin(i);
    const Friction& law = arm_.joint(i).friction;
    const FrictionShape& shape = friction(i);
    if (const auto* f = std::get_if<CoulombViscous>(&law); f && shape.law == FrictionShape::Law::coulomb_viscous) {
      own[0] = f->coulomb;
      own[1] = f->viscous;
    } else if (const auto* s = std::get_if<Stribeck>(&law); s && shape.law == FrictionShape::Law::stribeck) {
      own[0] = s->coulomb;
      own[1] = s->stiction - s->coulomb;
      own[2] = s->viscous;
    } else if (const auto* l = std::get_if<LoadDependent>(&law); l && shape.law == FrictionShape::Law::load_dependent) {
      own[0] = l->coulomb;
      own[1] = l->viscous;
      own[2] = l->load_coefficient;
      if (settings_.offsets) own[3] = l->offset;
    } else if (const auto* a = std::get_if<AsymmetricFriction>(&law)) {
      if (shape.law == FrictionShape::Law::asymmetric) {
        own[0] = a->coulomb_positive + a->offset;
        own[1] = a->coulomb_negative - a->offset;
        own[2] = a->viscous_positive;
        own[3] = a->viscous_negative;
      } else if (shape.law == FrictionShape::Law::coulomb_viscous && a->coulomb_positive == a->coulomb_negative &&
                 a->viscous_positive == a->viscous_negative) {
        own[0] = a->coulomb_positive;
        own[1] = a->viscous_positive;
        if (settings_.offsets) own[2] = a->offset;
      }
    } else if (const auto* t = std::get_if<ThreeSigmoid>(&law);
               t && shape.law == FrictionShape::Law::sigmoids && t->w == shape.slopes) {
      own[0] = t->f[0];
      own[1] = t->f[1];
      own[2] = t->f[2];
      own[3] = t->viscous;
    }
  }
  for (std::size_t m = 0; m < coupled_motors_.size(); ++m) {
    const Drive& drive = arm_.joint(coupled_motors_[m]).drive;
    const double N = std::abs(drive.gear_ratio.value_or(1));
    const CoulombViscous shaft = shaft_friction(drive);
    double* own = x.data() + motor_friction_begin() + 2 * m;
    own[0] = N * shaft.coulomb;
    own[1] = N * N * shaft.viscous;
  }
  return x;
}

std::string TorqueModel::combination(int column) const {
  if (column >= base_.count()) return columns_[column].name;
  const std::string line = base_parameter_text(base_)[column];
  return line.substr(line.find("= ") + 2);
}

}  // namespace armature::identification
