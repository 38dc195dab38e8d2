#include "armature/algorithms/friction.hpp"

#include <fmt/core.h>

#include <cmath>

#include "armature/algorithms/drive.hpp"
#include "armature/core/error.hpp"
#include "armature/scalar/scalars.hpp"
#include "armature/scalar/tanh_lanes.hpp"

namespace armature::algorithms {

namespace {

/// |qd| of a motion in the given direction.
template <Scalar S>
S speed(const S& qd, int direction) {
  return direction > 0 ? qd : -qd;
}

// Some builds leave out kinds of numbers.
[[maybe_unused]] double magnitude(double x) { return std::abs(x); }
[[maybe_unused]] Dual magnitude(const Dual& x) { return x.value < 0 ? -x : x; }
[[maybe_unused]] Expr magnitude(const Expr& x) { return abs(x); }
[[maybe_unused]] Pack magnitude(const Pack& x) { return sqrt(x * x); }

/// |x|^exponent. The derivative at x = 0, where there is none, is zero.
[[maybe_unused]] double power_of_magnitude(double x, double exponent) { return std::pow(std::abs(x), exponent); }
[[maybe_unused]] Dual power_of_magnitude(const Dual& x, double exponent) {
  const double value = std::pow(std::abs(x.value), exponent);
  return {value, x.value == 0 ? 0 : exponent * value / x.value * x.slope};
}
[[maybe_unused]] Pack power_of_magnitude(const Pack& x, double exponent) {
  Pack power;
  for (int lane = 0; lane < Pack::width; ++lane) power.set(lane, std::pow(std::abs(x[lane]), exponent));
  return power;
}
/// Symbols know products and roots, so the exponent must be a sum of powers of two. The root is kept off zero for the
/// sake of derivatives.
[[maybe_unused]] Expr power_of_magnitude(const Expr& x, double exponent) {
  Expr root = x * x + Expr(1e-24), power = 1;
  double rest = exponent / 2;
  for (; rest >= 1; rest -= 1) power = power * root;
  for (int bit = 0; bit < 20 && rest > 0; ++bit) {
    root = sqrt(root);
    rest *= 2;
    if (rest >= 1) {
      power = power * root;
      rest -= 1;
    }
  }
  if (rest > 0)
    throw ModelError(fmt::format("a Stribeck law with exponent {} has no closed form", exponent),
                     "symbols take exponents such as 0.5, 1, 1.5, 2; numbers take any");
  return power;
}

/// Friction magnitude above the viscous part; `v` is the speed in the direction of motion.
template <Scalar S>
S dry(const NoFriction&, const S&, int, const S&) {
  return S(0);
}
template <Scalar S>
S dry(const CoulombViscous& f, const S&, int, const S&) {
  return S(f.coulomb);
}
template <Scalar S>
S dry(const Stribeck& f, const S& v, int, const S&) {
  const S ratio = v * S(1 / f.stribeck_velocity);
  const S power = f.exponent == 2 ? S(ratio * ratio) : power_of_magnitude(ratio, f.exponent);
  return S(f.coulomb) + S(f.stiction - f.coulomb) * exp(-power);
}
template <Scalar S>
S dry(const LuGre& f, const S& v, int, const S&) {
  const S ratio = v * S(1 / f.stribeck_velocity);
  return S(f.coulomb) + S(f.stiction - f.coulomb) * exp(-(ratio * ratio));
}
template <Scalar S>
S dry(const AsymmetricFriction& f, const S&, int direction, const S&) {
  return S(direction > 0 ? f.coulomb_positive : f.coulomb_negative);
}
template <Scalar S>
S dry(const LoadDependent& f, const S&, int, const S& load) {
  return S(f.coulomb) + S(f.load_coefficient) * magnitude(load);
}

double viscous(const NoFriction&, int) { return 0; }
double viscous(const LuGre& f, int) { return f.sigma2; }
double viscous(const AsymmetricFriction& f, int direction) {
  return direction > 0 ? f.viscous_positive : f.viscous_negative;
}
template <class Law>
double viscous(const Law& f, int) {
  return f.viscous;
}

template <class Law>
double offset(const Law&) {
  return 0;
}
double offset(const AsymmetricFriction& f) { return f.offset; }
double offset(const Stribeck& f) { return f.offset; }
double offset(const LoadDependent& f) { return f.offset; }

template <Scalar S>
std::array<S, 3> three_tanh(const std::array<S, 3>& x) {
  return {tanh(x[0]), tanh(x[1]), tanh(x[2])};
}
/// Side by side: simulations spend much of their time here.
template <>
std::array<double, 3> three_tanh(const std::array<double, 3>& x) {
  using Lanes = double __attribute__((vector_size(4 * sizeof(double))));
  using Bits = std::int64_t __attribute__((vector_size(4 * sizeof(double))));
  Lanes y;
  tanh_lanes<Lanes, Bits>(Lanes{x[0], x[1], x[2], 0}, y);
  return {y[0], y[1], y[2]};
}

template <Scalar S>
S sigmoids(const ThreeSigmoid& f, const S& qd) {  // [Kostic2004, (10)], written with tanh
  const std::array<S, 3> bend = three_tanh<S>({S(f.w[0]) * qd, S(f.w[1]) * qd, S(f.w[2]) * qd});
  S sum = S(f.viscous) * qd + S(f.offset);
  for (std::size_t k = 0; k < 3; ++k) sum += S(f.f[k]) * bend[k];
  return sum;
}

}  // namespace

template <Scalar S>
S sliding_friction(const Friction& friction, const S& qd, int direction, const S& load) {
  return std::visit(
      [&](const auto& f) -> S {
        if constexpr (std::is_same_v<std::decay_t<decltype(f)>, ThreeSigmoid>)
          return sigmoids<S>(f, qd);
        else
          return S(offset(f)) + S(direction) * dry<S>(f, speed(qd, direction), direction, load) +
                 S(viscous(f, direction)) * qd;
      },
      friction);
}

double breakaway_friction(const Friction& friction, int direction, double load) {
  if (!has_jump(friction)) return 0;
  return direction * sliding_friction<double>(friction, 0.0, direction, load);
}

bool has_jump(const Friction& friction) {
  return std::holds_alternative<CoulombViscous>(friction) || std::holds_alternative<Stribeck>(friction) ||
         std::holds_alternative<AsymmetricFriction>(friction) || std::holds_alternative<LoadDependent>(friction);
}

double friction_torque(const Friction& friction, double qd, double load) {
  if (qd == 0) {  // halfway between the sides: zero but for asymmetric laws, and what the smooth form tends to
    return (sliding_friction<double>(friction, 0.0, 1, load) + sliding_friction<double>(friction, 0.0, -1, load)) / 2;
  }
  return sliding_friction<double>(friction, qd, qd > 0 ? 1 : -1, load);
}

//  With s = tanh(qd/width): (1+s)/2 of the forward law and (1-s)/2 of the backward one.
template <Scalar S>
S smooth_friction(const Friction& friction, const S& qd, const S& load, double width) {
  if (std::holds_alternative<ThreeSigmoid>(friction) || std::holds_alternative<NoFriction>(friction))
    return sliding_friction<S>(friction, qd, 1, load);
  const S s = tanh(qd * S(1 / width)), half(0.5);
  return half * ((S(1) + s) * sliding_friction<S>(friction, qd, 1, load) +
                 (S(1) - s) * sliding_friction<S>(friction, qd, -1, load));
}

namespace {

/// Adds what rubs at the motors' shafts; `law` gives the torque of a law at a speed, both at the gear's slow side.
template <Scalar S, class Law>
void add_motor_friction(const Arm& arm, const VecX<S>& qd, const Law& law, VecX<S>& tau) {
  for (int k = 0; k < arm.dof(); ++k) {
    const CoulombViscous shaft = shaft_friction(arm.joint(k).drive);
    if (shaft.coulomb == 0 && shaft.viscous == 0) continue;
    const double N = std::abs(arm.joint(k).drive.gear_ratio.value_or(1));
    S speed(0);
    for (int j = 0; j < arm.dof(); ++j)
      if (arm.couplings()(k, j) != 0) speed += S(arm.couplings()(k, j)) * qd[j];
    const S torque = law(Friction(CoulombViscous{N * shaft.coulomb, N * N * shaft.viscous}), speed);
    for (int j = 0; j < arm.dof(); ++j)
      if (arm.couplings()(k, j) != 0) tau[j] += S(arm.couplings()(k, j)) * torque;
  }
}

}  // namespace

template <Scalar S>
VecX<S> smooth_friction(const Arm& arm, const VecX<S>& qd, const VecX<S>& load, double width) {
  VecX<S> tau(arm.dof());
  for (int i = 0; i < arm.dof(); ++i) tau[i] = smooth_friction<S>(arm.joint(i).friction, qd[i], load[i], width);
  add_motor_friction<S>(
      arm, qd, [&](const Friction& law, const S& speed) { return smooth_friction<S>(law, speed, S(0), width); }, tau);
  return tau;
}

VecX<double> friction_torque(const Arm& arm, const VecX<double>& qd, const VecX<double>& load) {
  VecX<double> tau(arm.dof());
  for (int i = 0; i < arm.dof(); ++i) tau[i] = friction_torque(arm.joint(i).friction, qd[i], load[i]);
  add_motor_friction<double>(
      arm, qd, [](const Friction& law, double speed) { return friction_torque(law, speed); }, tau);
  return tau;
}

#define ARMATURE_INSTANTIATE(S)                                            \
  template S sliding_friction(const Friction&, const S&, int, const S&);   \
  template S smooth_friction(const Friction&, const S&, const S&, double); \
  template VecX<S> smooth_friction(const Arm&, const VecX<S>&, const VecX<S>&, double);
ARMATURE_FOR_EACH_SCALAR(ARMATURE_INSTANTIATE)

}  // namespace armature::algorithms
