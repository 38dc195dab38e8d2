#include "armature/control/payload_observer.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/algorithms/friction.hpp"
#include "armature/algorithms/inverse_dynamics.hpp"
#include "armature/algorithms/regressor.hpp"
#include "armature/control/internal/settings.hpp"
#include "armature/core/error.hpp"
#include "armature/core/units.hpp"

namespace armature::control {

namespace {

constexpr double settling = 2;      // after which an arm that is meant to stand does [s]
constexpr double noise_memory = 5;  // of the learned noise [s]
constexpr double most_of_one_block =
    9;                          // of a squared innovation over its variance: what is beyond teaches the noise nothing
constexpr double shaken = 1.4;  // of variances: Phi follows the disturbances that are in y; found on simulated motions
constexpr double careful = 3;   // factor on the first guess of a variance, which few blocks make
constexpr double highest_correlation = 0.9;
constexpr double quiet_probability = 0.05;  // of the statistic without a change: below that quantile nothing shows
constexpr double still_the_same = 0.25;     // after a change, in which the test finds its rest and not another one [s]

/// How many correlated innovations count as one, and what disturbances make the arm do besides.
double correction(double product, double square) {
  if (!(square > 0)) return shaken;
  const double r = std::clamp(product / square, 0.0, highest_correlation);
  return shaken * (1 + r) / (1 - r);
}

}  // namespace

double chi_squared_quantile(int even_freedom, double probability) {
  const auto beyond = [&](double x) {  // exp(-x/2) sum of (x/2)^k/k!, k < freedom/2
    double term = std::exp(-x / 2), sum = 0;
    for (int k = 0; k < even_freedom / 2; ++k) {
      sum += term;
      term *= x / 2 / (k + 1);
    }
    return sum;
  };
  double low = 0, high = 1400;
  for (int k = 0; k < 200; ++k) {
    const double middle = (low + high) / 2;
    (beyond(middle) > probability ? low : high) = middle;
  }
  return high;
}

double PayloadGuess::mass_deviation() const { return std::sqrt(std::max(0.0, covariance(0, 0))); }

Vec3<double> PayloadGuess::com() const {
  const double m = mass();
  return parameters.segment<3>(1) * (m / std::max(m * m + covariance(0, 0), 1e-12));
}

Vec3<double> PayloadGuess::com_deviation() const {
  const Vec3<double> c = com();
  const double size = std::sqrt(std::max(mass() * mass() + covariance(0, 0), 1e-12));
  Vec3<double> deviation;  // of mc - c m, over the mass
  for (int i = 0; i < 3; ++i)
    deviation[i] = std::sqrt(std::max(0.0, covariance(1 + i, 1 + i) - 2 * c[i] * covariance(0, 1 + i) +
                                               c[i] * c[i] * covariance(0, 0))) /
                   size;
  return deviation;
}

PayloadObserver::PayloadObserver(Arm believed, const PayloadObserverSettings& s)
    : believed_(std::move(believed)), settings_(s) {
  if (believed_.dof() == 0) throw Error("a payload watch needs an arm with a joint", "describe one");
  for (const auto& [name, value] : {std::pair{"block", s.block},
                                    {"memory", s.memory},
                                    {"notice", s.notice},
                                    {"learn", s.learn},
                                    {"between_alarms", s.between_alarms},
                                    {"largest_mass", s.largest_mass},
                                    {"largest_radius", s.largest_radius}})
    number_at_least(name, value, 1e-6);
  number_at_least("model_error", s.model_error, 0);
  number_at_least("friction_error", s.friction_error, 0);
  if (s.notice < s.block || s.memory < s.notice)
    throw Error("a payload watch looks for changes over a time shorter than a block, or longer than its memory",
                "block <= notice <= memory");
  number_at_least("standstill", s.standstill, 1e-9);
  const VecX<double> creeping = VecX<double>::Constant(believed_.dof(), s.standstill),
                     none = VecX<double>::Zero(believed_.dof());
  stuck_ = friction_torque(believed_, creeping, none)
               .cwiseAbs()
               .cwiseMax(friction_torque(believed_, VecX<double>(-creeping), none).cwiseAbs());
  // no less than a thousandth of what the largest payload weighs: torques without any noise would leave nothing but rounding to learn from
  const double least = 1e-3 * s.largest_mass * 9.81 * s.largest_radius;
  floor_ = joint_gains(believed_, "noise", s.noise).cwiseMax(least).cwiseAbs2();
  const auto& payload = believed_.description().payload;
  carried_ = payload ? parameters(inertia_of(*payload)) : InertiaParameters<double>(InertiaParameters<double>::Zero());
  const double m = s.largest_mass, r = s.largest_radius;
  unit_ << m, m * r, m * r, m * r, Eigen::Matrix<double, 6, 1>::Constant(m * r * r);
  to_link_ = tool_to_link(believed_) * unit_.asDiagonal();
  threshold_ = chi_squared_quantile(10, std::min(quiet_probability, s.block / 2 / s.between_alarms));
  quiet_ = chi_squared_quantile(10, quiet_probability);
  reset({VecX<double>::Zero(believed_.dof()), VecX<double>::Zero(believed_.dof())});
}

void PayloadObserver::begin_anew() noexcept {
  p_.setZero();
  b_.setZero();
  V_.setZero();
  A_.setIdentity();
  S_.setIdentity();
}

void PayloadObserver::begin(Block& block, double elapsed) noexcept {
  const int n = believed_.dof();
  block.Phi.setZero(n, 10);
  block.y = block.doubt = block.q = block.qd = VecX<double>::Zero(n);
  block.weight = 0;
  block.stands = true;
  block.elapsed = elapsed;
}

void PayloadObserver::begin_blocks(const Measurement& y) noexcept {
  q_ = y.q;
  qd_ = y.qd;
  torque_ = y.torque;
  begin(blocks_[0], 0);
  begin(blocks_[1], -settings_.block / 2);
  missed_ = false;
}

void PayloadObserver::reset(const Measurement& y) {
  begin_blocks(y);
  begin_anew();
  standing_at_ = noise_ = last_y_ = last_e_ = VecX<double>::Zero(believed_.dof());
  meant_to_stand_ = time_ = quiet_at_ = follows_ = squares_ = evidence_ = changed_at_ = noticed_at_ = 0;
  ended_ = changes_ = standing_ = 0;
  guessed_ = false;
  tell();
}

void PayloadObserver::update(const Measurement& y, const Reference& r, const VecX<double>& tau, double dt) noexcept {
  if (!(dt > 0)) return;
  time_ += dt;
  const int n = believed_.dof();
  const bool sensed = settings_.measured && y.torque.size() == n && torque_.size() == n;
  if (!y.q.allFinite() || !y.qd.allFinite() || !tau.allFinite() || (sensed && !y.torque.allFinite())) {
    missed_ = true;
    return;
  }
  if (missed_ || (settings_.measured && !sensed)) return begin_blocks(y);
  const VecX<double> q = (q_ + y.q) / 2, qd = (qd_ + y.qd) / 2, qdd = (y.qd - qd_) / dt;
  Regressor<double> W;
  torque_regressor<double>(believed_, q, qd, qdd, W);
  const auto columns = W.rightCols<parameters_per_link>();
  VecX<double> rigid, friction = VecX<double>::Zero(n);
  inverse_dynamics(believed_, q, qd, qdd, rigid);
  if (settings_.friction)
    friction = smooth_friction<double>(believed_, qd, VecX<double>(rigid + columns.lazyProduct(to_link_ * p_)));
  VecX<double> doubt = settings_.model_error * rigid.cwiseAbs();
  if (settings_.friction)
    doubt += settings_.friction_error * friction.cwiseAbs() +
             stuck_.cwiseProduct((1 - qd.cwiseAbs().array() / settings_.standstill).cwiseMax(0).matrix());
  if (settings_.rotors) rigid += rotor_torque<double>(believed_, qdd);
  const VecX<double> y_now = (sensed ? VecX<double>((torque_ + y.torque) / 2) : tau) - rigid - friction;
  q_ = y.q;
  qd_ = y.qd;
  torque_ = y.torque;
  if (!columns.allFinite() || !y_now.allFinite()) return begin_blocks(y);
  const bool stands = r.qd.size() == n && r.qd.cwiseAbs().maxCoeff() < settings_.standstill;
  meant_to_stand_ = stands ? meant_to_stand_ + dt : 0;
  for (Block& block : blocks_) {
    block.elapsed += dt;
    if (block.elapsed < dt / 2) continue;
    const double share = (block.elapsed - dt / 2) / settings_.block, weight = dt * (1 - std::cos(2 * pi * share));
    block.Phi += weight * columns;
    block.y += weight * y_now;
    block.doubt += weight * doubt;
    block.stands = block.stands && meant_to_stand_ > settling;
    block.q += weight * q;
    block.qd += weight * qd;
    block.weight += weight;
    if (block.elapsed < settings_.block - dt / 2) continue;
    if (!(block.weight > 0) || end(block)) {
      begin(block, 0);
    } else {  // the other block has seen what was before the change
      begin(blocks_[0], 0);
      begin(blocks_[1], -settings_.block / 2);
      return;
    }
  }
}

/// Second differences of the blocks, of white noise six times its variance: what does not change slowly.
void PayloadObserver::guess_noise(const VecX<double>& y) noexcept {
  if (ended_ > 2) noise_ += ((y - 2 * last_y_ + last_e_).cwiseAbs2() / 6 - noise_) / (ended_ - 2);
  last_e_ = last_y_;
  last_y_ = y;
}

PayloadObserver::Columns PayloadObserver::columns_of(const Block& block) noexcept {
  if (!block.stands && block.qd.cwiseAbs().maxCoeff() > settings_.standstill * block.weight) {
    standing_ = 0;
    return (block.Phi / block.weight).lazyProduct(to_link_);
  }
  const VecX<double> q = block.q / block.weight, still = VecX<double>::Zero(believed_.dof());
  if (standing_++ == 0) standing_at_ = q;
  standing_at_ += (q - standing_at_) / standing_;
  Regressor<double> W;
  torque_regressor<double>(believed_, standing_at_, still, still, W);
  return W.rightCols<parameters_per_link>().lazyProduct(to_link_);
}

/// False where the payload has changed.
bool PayloadObserver::end(const Block& block) noexcept {
  const Columns Phi = columns_of(block);
  const VecX<double> y = block.y / block.weight;
  ++ended_;
  if (ended_ < 4 || time_ < settings_.learn) {
    guess_noise(y);
    return true;
  }
  if (!guessed_) {
    noise_ *= careful;
    last_e_.setZero();
  }
  guessed_ = true;
  const VecX<double> R = noise_.cwiseMax(floor_) + (block.doubt / block.weight).cwiseAbs2();
  const VecX<double> e = y - Phi.lazyProduct(p_);
  MatX<double> cov_e = Phi.lazyProduct(S_).lazyProduct(Phi.transpose());
  cov_e.diagonal() = cov_e.diagonal().cwiseMax(0) + R;
  const Weighted weighted = Phi.transpose() * R.cwiseInverse().asDiagonal();
  if (!e.allFinite() || !Phi.allFinite()) return true;
  if (changed(weighted, e, cov_e)) {
    if (changes_ == 0 || time_ - noticed_at_ > still_the_same) {
      ++changes_;
      changed_at_ = quiet_at_;
    }
    noticed_at_ = time_;
    begin_anew();
    tell();
    return false;
  }
  learn(Phi, weighted, e);
  learn_noise(e, cov_e);
  tell();
  return true;
}

void PayloadObserver::learn(const Columns& Phi, const Weighted& weighted, const VecX<double>& e) noexcept {
  const double l = std::exp(-settings_.block / 2 / settings_.memory);
  const Matrix10 kept = l * A_ + (1 - l) * Matrix10::Identity(), gained = weighted.lazyProduct(Phi);
  A_ = kept + gained;
  const Matrix10 P = A_.llt().solve(Matrix10::Identity()), F = P * kept;
  p_ += P * weighted.lazyProduct(e);
  const Matrix10 next = F * S_ * F.transpose() + P * gained * P;
  S_ = (next + next.transpose()) / 2;
}

/// R grows where the innovations are larger than they should be, and falls where they are smaller, as far as they tell of it. At standstill, which
/// does not show the noise of motion, it does not fall.
void PayloadObserver::learn_noise(const VecX<double>& e, const MatX<double>& cov_e) noexcept {
  const int n = believed_.dof();
  const double share = std::max(1.0 / ended_, settings_.block / 2 / noise_memory);
  double product = 0, square = 0;
  for (int j = 0; j < n; ++j) {
    const double now = e[j] / std::sqrt(cov_e(j, j)), ratio = std::min(now * now, most_of_one_block);
    if (standing_ == 0 || ratio > 1) noise_[j] *= 1 + share * (noise_[j] / cov_e(j, j)) * (ratio - 1);
    product += now * last_e_[j] / n;
    square += ratio / n;
    last_e_[j] = std::clamp(now, -3.0, 3.0);
  }
  if (standing_ > 0) return;
  follows_ += share * (product - follows_);
  squares_ += share * (square - squares_);
}

bool PayloadObserver::changed(const Weighted& weighted, const VecX<double>& e, const MatX<double>& cov_e) noexcept {
  const double m = std::exp(-settings_.block / 2 / settings_.notice);
  b_ = (m * b_ + weighted.lazyProduct(e)).eval();
  V_ = (m * m * V_ + weighted.lazyProduct(cov_e).lazyProduct(weighted.transpose())).eval();
  const Matrix10 known = V_ + Matrix10::Identity();
  const double statistic = b_.dot(known.llt().solve(b_)) / correction(follows_, squares_);
  if (!std::isfinite(statistic)) {
    b_.setZero();
    V_.setZero();
    return false;
  }
  evidence_ = statistic / threshold_;
  if (statistic < quiet_) quiet_at_ = time_;
  return statistic > threshold_;
}

void PayloadObserver::tell() noexcept {
  told_.parameters = carried_ + unit_.cwiseProduct(p_);
  told_.covariance = correction(follows_, squares_) * unit_.asDiagonal() * S_ * unit_.asDiagonal();
}

void PayloadObserverSettings::fields(Fields& f) {
  f.number("block", block, dimension::time, "over which the equations of motion are averaged", Range::positive);
  f.number("memory", memory, dimension::time, "time constant in which what was learned loses its weight",
           Range::positive);
  f.number("notice", notice, dimension::time, "over which a change has to show: longer sees smaller ones, later",
           Range::positive);
  f.number("learn", learn, dimension::time, "at the start, in which the noise is estimated and no change is looked for",
           Range::positive);
  f.number("between_alarms", between_alarms, dimension::time, "mean time between two false alarms, at least",
           Range::positive);
  f.number("largest_mass", largest_mass, dimension::mass,
           "of what may be carried: the standard deviation of the first guess", Range::positive);
  f.number("largest_radius", largest_radius, dimension::length,
           "of gyration of what may be carried, and distance of its centre", Range::positive);
  f.number("model_error", model_error, dimension::none, "what the believed torques may be wrong by, as a share of them",
           Range::not_negative);
  f.number("friction_error", friction_error, dimension::none, "the same of the believed friction", Range::not_negative);
  f.number("standstill", standstill, dimension::rate,
           "speed below which friction may be anything up to what it is there", Range::positive);
  f.joints("noise", noise, joint_dimension::torque, "least standard deviation of a block's torque; default: as learned",
           Range::not_negative);
  f.flag("friction", friction, "the believed friction is part of the model");
  f.flag("rotors", rotors, "the drives' rotors are accelerated too");
  f.flag("measured", measured, "torques are those of joint torque sensors; else the command");
}

}  // namespace armature::control
