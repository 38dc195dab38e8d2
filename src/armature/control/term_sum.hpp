// Laws added up from named terms, each of which can be switched on and off while running.
#pragma once

#include "armature/control/law_settings.hpp"

namespace armature::control {

struct Term {
  std::string name;
  AnyController law;
  bool on = true;
};

/// tau = sum of the terms that are on. Switching is bumpless: a term's weight goes from 0 to 1 (or back) in a straight line
/// over `fade`; a term that comes back from 0 is reset first, one at 0 is not computed. Reports every term's torque under its
/// name (weight included) and the terms' signals as "name.signal"; its status is that of the terms which are on. A name
/// "term.inner" reaches a term of that term.
class TermSum : public Law {
 public:
  TermSum(int dof, std::vector<Term> terms, double fade = 0.1);  // [s]
  void reset(const Measurement& y);
  void update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept;
  bool switch_term(std::string_view name, bool on) noexcept;
  void integrals(const IntegralVisitor& visit);

 private:
  struct Entry {
    Term term;
    double weight;
    bool fresh;                // to be reset before the next use
    std::size_t first_signal;  // of its signals, in parts_
  };
  std::vector<Entry> entries_;
  double fade_;
  VecX<double> own_;
};
static_assert(Controller<TermSum>);

struct SumSettings {
  std::vector<LawSettings> terms;
  double fade = 0.1;  // [s]

  void fields(Fields& f);
  [[nodiscard]] AnyController make(const LawContext& in) const;
};

/// A copy of `terms` cannot be made; this builds the list from moved terms.
template <class... T>
std::vector<Term> terms(T&&... each) {
  std::vector<Term> list;
  list.reserve(sizeof...(each));
  (list.push_back(std::forward<T>(each)), ...);
  return list;
}

}  // namespace armature::control
