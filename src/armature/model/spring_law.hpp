// A spring of a joint, ready to be evaluated.
#pragma once

#include <cmath>
#include <variant>

#include "armature/model/description.hpp"
#include "armature/numerics/monotone_cubic.hpp"
#include "armature/numerics/written_function.hpp"
#include "armature/scalar/scalar.hpp"

namespace armature::model {

/// Allocates nothing. For every kind of number; a table is not for symbols, and no spring's energy is (ModelError).
class SpringLaw {
 public:
  /// Throws Error where the formula cannot be read, or none or more than one of stiffness, torque, table and sine is given.
  explicit SpringLaw(const JointSpring& spring, const Limits& limits = {});

  /// What holds the joint against it [N m | N].
  template <Scalar S>
  [[nodiscard]] S torque(const S& q) const;
  /// The derivative of the torque [N m/rad | N/m].
  template <Scalar S>
  [[nodiscard]] S stiffness(const S& q) const;
  /// What it has taken up [J]: the integral of the torque. Zero where a linear spring carries nothing, at the first position of a
  /// table, and for a formula or a sine at the position within the limits that is next to zero.
  template <Scalar S>
  [[nodiscard]] S energy(const S& q) const;

 private:
  struct Linear {
    double stiffness = 0, rest = 0;
  };
  struct Periodic {
    double sine = 0, cosine = 0;
    template <Scalar S>
    [[nodiscard]] S value(const S& q) const {
      using std::cos, std::sin;
      return S(sine) * sin(q) + S(cosine) * cos(q);
    }
    template <Scalar S>
    [[nodiscard]] S slope(const S& q) const {
      using std::cos, std::sin;
      return S(sine) * cos(q) - S(cosine) * sin(q);
    }
  };
  using Law = std::variant<Linear, WrittenFunction, MonotoneCubic, Periodic>;
  static Law law_of(const JointSpring& spring);
  [[nodiscard]] double energy_at(double q) const;

  Law law_;
  double relaxed_ = 0;  // where the energy of a formula or a sine is zero
};

}  // namespace armature::model
