#include "kostic2004/flexible.hpp"

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/mass_matrix.hpp"
#include "armature/core/units.hpp"
#include "armature/scalar/decompositions.hpp"

namespace armature::kostic2004 {

namespace {

/// (25): D(q) r + c(q, v) + h(q) + friction(v_r)
void linearising_torque(const Arm& arm, const VecX<double>& q, const VecX<double>& v, const VecX<double>& wanted,
                        const VecX<double>& reference_speed, VecX<double>& tau) {
  inverse_dynamics<double>(arm, q, v, wanted, tau);
  for (int i = 0; i < joints; ++i) tau[i] += smooth_friction<double>(arm.joint(i).friction, reference_speed[i], 0.0);
}

std::vector<Part> signals() {
  std::vector<Part> parts(3);
  const char* names[] = {"r", "v", "e"};
  for (std::size_t k = 0; k < 3; ++k) {
    parts[k].name = names[k], parts[k].unit = k < 2 ? "rad/s^2" : "rad";
    parts[k].value.setZero(joints);
  }
  return parts;
}

}  // namespace

LinearisedLoop::LinearisedLoop(Arm believed, const LinearisedGains& gains, int joint, std::vector<double> noise)
    : Law({.joint_reference = true}, signals()),
      believed_(std::move(believed)),
      gains_(gains),
      joint_(joint),
      noise_(std::move(noise)) {}

void LinearisedLoop::reset(const Measurement& y) { at_ = 0, last_ = y.q; }

void LinearisedLoop::update(const Measurement& y, const Reference& r, double, VecX<double>& tau) noexcept {
  const VecX<double> e = y.q - r.q;
  part(1).setZero();
  part(1)[joint_] = noise_.empty() ? 0 : noise_[at_ % noise_.size()];
  ++at_;
  part(0) = r.qdd - gains_.kp * e - gains_.kd * (y.qd - r.qd) + part(1);
  part(2) = e;
  linearising_torque(believed_, y.q, y.qd, part(0), r.qd, tau);
}

TunedLoop::TunedLoop(Arm believed, std::vector<LoopController> controllers)
    : Law({.joint_reference = true}), believed_(std::move(believed)), controllers_(std::move(controllers)) {
  for (const LoopController& c : controllers_) {
    filters_.emplace_back();
    for (const FilterSettings& filter : c.filters) filters_.back().emplace_back(filter, c.tick);
  }
  integral_ = VecX<double>::Zero(joints);
}

void TunedLoop::reset(const Measurement&) { fresh_ = true; }

void TunedLoop::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  const VecX<double> e = r.q - y.q;
  if (fresh_) last_ = e, fresh_ = false;
  VecX<double> command(joints);
  for (int i = 0; i < joints; ++i) {
    const LoopController& c = controllers_[static_cast<std::size_t>(i)];
    integral_[i] += c.ki * dt * e[i];
    double u = c.kp * e[i] + c.kd * (e[i] - last_[i]) / dt + integral_[i];
    for (SampledFilter& filter : filters_[static_cast<std::size_t>(i)]) u = filter.update(u, true);
    command[i] = r.qdd[i] + u;
  }
  last_ = e;
  linearising_torque(believed_, y.q, r.qd, command, r.qd, tau);
}

//  Sampled with the hold: x⁺ = A x + B τ. About the motion τ = D r + Nq q + Nv v̂ with v̂ = (1 - z⁻¹)/T q; so q = G (D r + F q),
//  G = C (z - A)⁻¹ B,  F = Nq + Nv (1 - z⁻¹)/T.
TruePlant::TruePlant(const Laboratory& locked, const Arm& believed, const VecX<double>& q, int joint, double speed) {
  VecX<double> v = VecX<double>::Zero(joints);
  v[joint] = speed;
  const LinearPlant plant = locked.linear(q, v);
  const HeldPlant stepped = held(plant, tick);
  A_ = stepped.A, B_ = stepped.B;
  C_ = Eigen::VectorXd::Unit(A_.rows(), locked.axis(joint));
  D_ = mass_matrix<double>(believed, q)(joint, joint);
  const double h = 1e-6;
  VecX<double> up = q, down = q, fast = v, slower = v;
  up[joint] += h, down[joint] -= h, fast[joint] += h, slower[joint] -= h;
  const VecX<double> none = VecX<double>::Zero(joints);
  const auto torque = [&](const VecX<double>& at, const VecX<double>& speeds) {
    return inverse_dynamics<double>(believed, at, speeds, none)[joint];
  };
  Nq_ = (torque(up, v) - torque(down, v)) / (2 * h);
  Nv_ = (torque(q, fast) - torque(q, slower)) / (2 * h);
}

std::complex<double> TruePlant::response(double frequency) const {
  const std::complex<double> z = std::polar(1.0, 2 * pi * frequency * tick);
  Eigen::MatrixXcd shifted = -A_.cast<std::complex<double>>();
  shifted.diagonal().array() += z;
  const std::complex<double> G = complex_solved(shifted, B_.cast<std::complex<double>>())
                                     .col(0)
                                     .cwiseProduct(C_.cast<std::complex<double>>())
                                     .sum();
  return G * D_ / (1.0 - G * (Nq_ + Nv_ * (1.0 - 1.0 / z) / tick));
}

std::vector<std::pair<double, double>> TruePlant::modes() const {
  const Eigen::Index n = A_.rows();
  Eigen::MatrixXd closed = Eigen::MatrixXd::Zero(n + 1, n + 1);
  closed.topLeftCorner(n, n) = A_ + (Nq_ + Nv_ / tick) * B_ * C_.transpose();
  closed.topRightCorner(n, 1) = -Nv_ / tick * B_;
  closed.bottomLeftCorner(1, n) = C_.transpose();
  std::vector<std::pair<double, double>> modes;
  const Eigen::VectorXcd poles = eigenvalues(closed);
  for (const std::complex<double>& z : poles)
    if (z.imag() > 1e-9) {
      const std::complex<double> s = std::log(z) / tick;
      modes.emplace_back(std::abs(s) / (2 * pi), -s.real() / std::abs(s));
    }
  std::sort(modes.begin(), modes.end());
  return modes;
}

}  // namespace armature::kostic2004
