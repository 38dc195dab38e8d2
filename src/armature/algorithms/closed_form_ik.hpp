// Every joint position that brings the tool to a target, in closed form.
#pragma once

#include <bitset>
#include <span>

#include "armature/algorithms/closed_form_ik_family.hpp"
#include "armature/algorithms/inverse_kinematics.hpp"

namespace armature::algorithms {

enum class IkReach {
  solved,         ///< every solution is listed
  singular,       ///< infinitely many: a free joint of a listed solution may have any value
  unreachable,    ///< none: see `nearest`
  no_closed_form  ///< the arm belongs to no family known here
};

struct IkSolution {
  VecX<double> q;
  int branch = 0;       // as closed_form_branch counts them
  std::bitset<7> free;  // joints that may have any value, the others of the solution following; here as in `near`
  bool within_limits = true;
  IkError error;  // what forward kinematics says, with a position task of the position alone
};

class IkSolutions {
 public:
  static constexpr int capacity = 8;

  IkReach reach = IkReach::unreachable;
  IkSolution nearest;  // unreachable: the branch that ends nearest; its error says how far the target is out of reach

  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] const IkSolution& operator[](int i) const { return solutions_[i]; }
  [[nodiscard]] const IkSolution* begin() const { return solutions_.data(); }
  [[nodiscard]] const IkSolution* end() const { return solutions_.data() + size_; }
  void add(const IkSolution& solution) { solutions_[size_++] = solution; }

 private:
  std::array<IkSolution, capacity> solutions_;
  int size_ = 0;
};

/// All solutions, each tried by forward kinematics to 1e-9. A target is a full pose for arms of six axes and for planar
/// ones (off their plane it is out of reach), and a position for the others. Revolute joints come wrapped into their
/// limits where whole turns do that, else nearest to `near` (of another size than the arm: zero). Arms that fit
/// their family only roughly (IkFamily::misfit) have their solutions refined by iteration; next to a singularity a
/// branch of theirs may be missed. Allocates nothing.
IkSolutions closed_form_ik(const Arm& arm, const IkFamily& family, const Pose<double>& target,
                           const VecX<double>& near = {});

/// The same, looking for the family first.
IkSolutions closed_form_ik(const Arm& arm, const Pose<double>& target, const VecX<double>& near = {});

}  // namespace armature::algorithms
