#include "armature/simulation/describing_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "armature/algorithms/friction.hpp"
#include "armature/core/units.hpp"
#include "armature/numerics/decompositions.hpp"
#include "armature/numerics/quadrature.hpp"

namespace armature::simulation {

namespace {

using Complex = std::complex<double>;

/// An element that is not linear, as a function of the plant's states.
struct Element {
  std::string name;
  Eigen::VectorXd of_states;  // twist, or speed
  int spring = -1, friction = -1, motor = -1;
  double smallest = 1e-5, span = 1e7;  // swings that are looked at, from `smallest` on: of a speed [rad/s]
};

bool is_nonlinear(const Spring& s) { return !s.is_end_stop() && (s.backlash > 0 || s.hardening > 0); }
bool is_nonlinear(const Friction& law) {
  return breakaway_friction(law, 1, 1) > 0 || breakaway_friction(law, -1, 1) > 0 ||
         std::holds_alternative<LuGre>(law) || std::holds_alternative<ThreeSigmoid>(law);
}

std::vector<Element> elements_of(const PlantDescription& d, int axes) {
  const Eigen::Index n = 2 * axes;
  std::vector<Element> all;
  for (std::size_t k = 0; k < d.springs.size(); ++k) {
    const Spring& s = d.springs[k];
    if (!is_nonlinear(s)) continue;
    Element e{"spring " + s.name, Eigen::VectorXd::Zero(n)};
    e.spring = static_cast<int>(k);
    if (s.driver != ground) e.of_states[s.driver] += 1 / s.ratio;
    if (s.driven != ground) e.of_states[s.driven] -= 1;
    for (const auto& [axis, factor] : s.coupled) e.of_states[axis] -= factor;
    e.span = 1e4;
    e.smallest = s.backlash > 0 ? 1.001 * s.backlash : 1e-2 * std::sqrt(s.stiffness / s.hardening);
    all.push_back(std::move(e));
  }
  const auto add_friction = [&](std::string name, const std::vector<std::pair<int, double>>& of) -> Element& {
    Element e{std::move(name), Eigen::VectorXd::Zero(n)};
    for (const auto& [axis, factor] : of) e.of_states[axes + axis] += factor;
    return all.emplace_back(std::move(e));
  };
  for (std::size_t k = 0; k < d.friction.size(); ++k)
    if (is_nonlinear(d.friction[k].law))
      add_friction(fmt::format("friction at axis {}", d.friction[k].axis + 1), {{d.friction[k].axis, 1.0}}).friction =
          static_cast<int>(k);
  for (std::size_t k = 0; k < d.motors.size(); ++k)
    if (d.motors[k].friction.coulomb > 0)
      add_friction("friction of motor " + d.motors[k].name, d.motors[k].drives).motor = static_cast<int>(k);
  return all;
}

/// The plant with each element as its describing function at an amplitude.
PlantDescription quasi_linear(PlantDescription d, const std::vector<Element>& elements,
                              const std::vector<double>& amplitudes, double w) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Element& e = elements[i];
    if (e.spring >= 0) {
      Spring& s = d.springs[e.spring];
      const Complex N = describing_function(s, amplitudes[i], w);
      s.stiffness = N.real();
      s.damping = N.imag() / w;
      s.backlash = s.hardening = 0;
    } else if (e.friction >= 0) {
      AxisFriction& f = d.friction[e.friction];
      f.law = CoulombViscous{0, describing_function(f.law, amplitudes[i])};
    } else {
      CoulombViscous& f = d.motors[e.motor].friction;
      f = {0, describing_function(f, amplitudes[i])};
    }
  }
  return d;
}

/// The least damped swing of the loop at an amplitude of its first element.
struct Swinging {
  Complex s;           // [1/s]
  Eigen::VectorXcd z;  // its shape; the first element swings by 1
};

class Balance {
 public:
  Balance(const PlantDescription& plant, const Eigen::VectorXd& x, const LinearLoop& loop)
      : description_(plant), x_(x), loop_(loop), elements_(elements_of(plant, Plant(plant).axes())) {}

  [[nodiscard]] bool linear() const { return elements_.empty(); }
  /// Amplitudes of the first element that are looked at, `share` of the way from the smallest to the largest.
  [[nodiscard]] double amplitude(double share) const {
    return elements_.front().smallest * std::pow(elements_.front().span, share);
  }

  /// Shape and amplitudes of the other elements depend on each other: iterated until they agree. `guess` is where to start.
  std::optional<Swinging> at(double amplitude, const std::optional<Swinging>& guess) const {
    std::vector<double> sizes(elements_.size(), amplitude);
    double w = guess ? guess->s.imag() : 10;
    if (guess) sizes = sizes_of(*guess, amplitude);
    std::optional<Swinging> found;
    for (int round = 0; round < 60; ++round) {
      found = least_damped(quasi_linear(description_, elements_, sizes, w));
      if (!found) return found;
      const std::vector<double> next = sizes_of(*found, amplitude);
      double change = std::abs(found->s.imag() / w - 1);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        change = std::max(change, std::abs(next[i] / sizes[i] - 1));
        sizes[i] = std::sqrt(sizes[i] * next[i]);
      }
      w = found->s.imag();
      if (change < 1e-9) break;
    }
    return found;
  }

  LimitCycle cycle(const Swinging& swinging, double amplitude, bool stable) const {
    LimitCycle cycle{swinging.s.imag() / (2 * pi), stable, {}, amplitude * swinging.z.head(x_.size() - 2)};
    const std::vector<double> sizes = sizes_of(swinging, amplitude);
    for (std::size_t i = 0; i < elements_.size(); ++i)
      cycle.swings.push_back({elements_[i].name, sizes[i], elements_[i].spring >= 0});
    return cycle;
  }

 private:
  [[nodiscard]] std::vector<double> sizes_of(const Swinging& swinging, double amplitude) const {
    std::vector<double> sizes;
    for (const Element& e : elements_) sizes.push_back(std::max(1e-12, amplitude * std::abs(swing(e, swinging.z))));
    return sizes;
  }
  static Complex swing(const Element& e, const Eigen::VectorXcd& z) {
    return e.of_states.cast<Complex>().cwiseProduct(z.head(e.of_states.size())).sum();
  }

  [[nodiscard]] std::optional<Swinging> least_damped(const PlantDescription& linear) const {
    const Plant plant(linear);
    Eigen::VectorXd x = x_;
    const Eigen::VectorXd u = Eigen::VectorXd::Zero(plant.inputs());
    const ComplexEigen eigen = complex_eigen(loop_.close(linearize(plant, 0, x, u, plant.modes_at(0, x, u.data()))));
    std::optional<Swinging> worst;
    for (Eigen::Index k = 0; k < eigen.values.size(); ++k) {
      const Complex value = eigen.values[k];
      if (!(std::abs(value) > 0)) continue;
      const Complex s = loop_.tick > 0 ? std::log(value) / loop_.tick : value;
      if (!(s.imag() > 1e-3 * std::abs(s))) continue;
      const Complex first = swing(elements_.front(), eigen.vectors.col(k));
      if (!(std::abs(first) > 1e-9 * eigen.vectors.col(k).norm())) continue;  // this swing leaves the element alone
      if (!worst || s.real() > worst->s.real()) worst = Swinging{s, eigen.vectors.col(k) / first};
    }
    return worst;
  }

  const PlantDescription& description_;
  const Eigen::VectorXd& x_;
  const LinearLoop& loop_;
  std::vector<Element> elements_;
};

}  // namespace

//  With twist A sin p the spring is in touch from p1, where it closes, to p2, where its push ends:
//      A sin p1 = S,    torque(p2) = 0,  p2 > pi/2.
//  Both halves are alike, so N A = (2/pi) times the integral of torque(p) (sin p + j cos p) from p1 to p2.
Complex describing_function(const Spring& s, double A, double w) {
  if (!(A > s.backlash)) return 0;
  const auto torque = [&](double p) {
    const double x = A * std::sin(p) - s.backlash;
    return s.stiffness * x + s.hardening * x * x * x + s.damping * w * A * std::cos(p);
  };
  double from = 0, to = pi;
  if (s.backlash > 0) {
    from = std::asin(s.backlash / A);
    double low = pi / 2;
    to = pi - from;
    for (int i = 0; i < 60 && torque(to) < 0; ++i) {  // bisection keeps torque(to) <= 0
      const double middle = (low + to) / 2;
      (torque(middle) > 0 ? low : to) = middle;
    }
  }
  static const Quadrature rule = gauss_legendre(24);
  Complex sum = 0;
  for (std::size_t i = 0; i < rule.at.size(); ++i) {
    const double p = from + (to - from) * rule.at[i];
    sum += rule.weight[i] * torque(p) * Complex(std::sin(p), std::cos(p));
  }
  return 2 / (pi * A) * (to - from) * sum;
}

double describing_function(const Friction& law, double A) {
  static const Quadrature rule = gauss_legendre(48);
  double sum = 0;
  for (std::size_t i = 0; i < rule.at.size(); ++i) {
    // speed A sin p over half a turn; p goes with the cube near zero, where laws with a Stribeck dip are steep
    const double t = rule.at[i], p = pi / 2 * t * t * t, dp = 1.5 * pi * t * t;
    const double v = A * std::sin(p);
    sum += rule.weight[i] * dp * std::sin(p) *
           (sliding_friction<double>(law, v, 1, 0) - sliding_friction<double>(law, -v, -1, 0));
  }
  return 2 * sum / (pi * A);
}

std::vector<std::string> nonlinear_elements(const PlantDescription& plant) {
  std::vector<std::string> names;
  for (const Element& e : elements_of(plant, Plant(plant).axes())) names.push_back(e.name);
  return names;
}

std::vector<LimitCycle> limit_cycles(const PlantDescription& plant, const Eigen::VectorXd& x, const LinearLoop& loop) {
  const Balance balance(plant, x, loop);
  std::vector<LimitCycle> cycles;
  if (balance.linear()) return cycles;
  constexpr int lines = 160;
  std::optional<Swinging> before;
  double last = 0;
  for (int i = 0; i <= lines; ++i) {
    const double A = balance.amplitude(static_cast<double>(i) / lines);
    std::optional<Swinging> now = balance.at(A, before);
    if (now && before && (now->s.real() > 0) != (before->s.real() > 0)) {
      double low = last, high = A;
      std::optional<Swinging> middle;
      for (int k = 0; k < 50; ++k) {
        const double at = std::sqrt(low * high);
        middle = balance.at(at, before);
        if (!middle) break;
        ((middle->s.real() > 0) == (before->s.real() > 0) ? low : high) = at;
      }
      // where another swing becomes the least damped, the real part jumps across zero: no balance
      if (middle && std::abs(middle->s.real()) < 1e-6 * std::abs(middle->s))
        cycles.push_back(balance.cycle(*middle, std::sqrt(low * high), before->s.real() > 0));
    }
    before = std::move(now);
    last = A;
  }
  return cycles;
}

}  // namespace armature::simulation
