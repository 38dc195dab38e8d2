#include "armature/control/term_sum.hpp"
#include "armature/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "armature/control/internal/settings.hpp"
#include "armature/core/error.hpp"

namespace armature::control {

TermSum::TermSum(int dof, std::vector<Term> terms, double fade)
    : Law({}), fade_(number_at_least("fade", fade, 0)), own_(VecX<double>::Zero(dof)) {
  for (const Term& term : terms) {
    if (std::ranges::any_of(parts_, [&](const Part& p) { return p.name == term.name; }))
      throw Error(fmt::format("two terms are called '{}'", term.name), "give every term a name of its own");
    parts_.push_back({term.name, "", VecX<double>::Zero(dof)});
    needs_ = needs_ | term.law.needs();
  }
  for (Term& term : terms) {
    const std::size_t first = parts_.size();
    for (const Part& part : term.law.parts())
      if (!part.is_torque()) parts_.push_back({term.name + "." + part.name, part.unit, part.value});
    const bool on = term.on;
    entries_.push_back({std::move(term), on ? 1.0 : 0.0, !on, first});
  }
}

void TermSum::reset(const Measurement& y) {
  for (Entry& e : entries_) {
    e.term.law.reset(y);
    e.weight = e.term.on ? 1 : 0;
    e.fresh = !e.term.on;
  }
  status_ = {};
}

void TermSum::update(const Measurement& y, const Reference& r, double dt, VecX<double>& tau) noexcept {
  tau = VecX<double>::Zero(own_.size());
  status_ = {};
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    Entry& e = entries_[k];
    const double step = fade_ > 0 ? std::max(dt, 0.0) / fade_ : 1;
    e.weight = std::clamp(e.weight + (e.term.on ? step : -step), 0.0, 1.0);
    if (e.weight == 0) {
      part(k).setZero();
      continue;
    }
    if (e.fresh) e.term.law.reset(y);
    e.fresh = false;
    e.term.law.update(y, r, dt, own_);
    part(k) = e.weight * own_;
    tau += part(k);
    status_ |= e.term.law.status();
    std::size_t signal = e.first_signal;
    for (const Part& p : e.term.law.parts())
      if (!p.is_torque()) part(signal++) = p.value;
  }
}

void TermSum::integrals(const IntegralVisitor& visit) {
  for (Entry& e : entries_) e.term.law.integrals(visit);
}

bool TermSum::switch_term(std::string_view name, bool on) noexcept {
  for (Entry& e : entries_) {
    if (e.term.name == name) {
      if (on && e.weight == 0) e.fresh = true;
      e.term.on = on;
      return true;
    }
    if (name.size() > e.term.name.size() && name.starts_with(e.term.name) && name[e.term.name.size()] == '.' &&
        e.term.law.switch_term(name.substr(e.term.name.size() + 1), on))
      return true;
  }
  return false;
}

void SumSettings::fields(Fields& f) {
  list_inner_law(f, terms);
  f.number("fade", fade, dimension::time, "time over which a term is switched", Range::not_negative);
}
AnyController SumSettings::make(const LawContext& in) const {
  if (terms.empty()) in.refuse("terms", "a law of kind 'sum' has no terms", "list at least one under 'terms'");
  std::vector<Term> made;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::string name = terms[i].term_name();
    for (const Term& other : made)
      if (other.name == name)
        in.inside(i).refuse("", fmt::format("there are two terms '{}'", printable(name)), "give one another name");
    made.push_back(Term{name, terms[i].make(in.inside(i)), terms[i].on});
  }
  return AnyController(TermSum(in.arm.dof(), std::move(made), fade));
}
ARMATURE_LAW(sum, SumSettings)

}  // namespace armature::control
