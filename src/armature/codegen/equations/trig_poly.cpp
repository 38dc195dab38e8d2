#include "armature/codegen/equations/trig_poly.hpp"

#include <algorithm>
#include <cmath>

#include "armature/core/error.hpp"

namespace armature::codegen {
namespace {

constexpr double nothing = 1e-12;  // coefficients are sums of halves of products; less is rounding
thread_local double budget = -1;   // terms that may still be made; negative: any number

[[noreturn]] void too_long() {
  budget = -1;  // what is thrown away now may be copied
  throw Error("the equations of this arm have too many terms to be written out",
              "without --symbolic the model is written as a program, whatever the size");
}

TrigPoly::Angle plus(const TrigPoly::Angle& a, const TrigPoly::Angle& b, int sign) {
  TrigPoly::Angle c;
  for (std::size_t k = 0; k < c.size(); ++k) c[k] = static_cast<std::int8_t>(a[k] + sign * b[k]);
  return c;
}

// -1, 0 or 1: the sign of the first entry that is not zero
int leading_sign(const TrigPoly::Angle& a) {
  for (const std::int8_t k : a)
    if (k != 0) return k > 0 ? 1 : -1;
  return 0;
}

}  // namespace

TermBudget::TermBudget(double terms) : before_(budget) { budget = before_ < 0 ? terms : std::min(before_, terms); }
TermBudget::~TermBudget() { budget = before_; }
void TermBudget::spend(double terms) {
  if (budget >= 0 && (budget -= terms) < 0) too_long();
}

TrigPoly::Powers operator*(const TrigPoly::Powers& a, const TrigPoly::Powers& b) {
  TrigPoly::Powers c;
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->symbol < j->symbol)) {
      c.push_back(*i++);
    } else if (i == a.end() || j->symbol < i->symbol) {
      c.push_back(*j++);
    } else {
      c.push_back({i->symbol, i->exponent + j->exponent});
      ++i;
      ++j;
    }
  }
  return c;
}

TrigPoly::TrigPoly(double number) {
  if (number != 0) terms_[{}] = number;
}
TrigPoly TrigPoly::symbol(int number) {
  TrigPoly p;
  p.terms_[{.symbols = {{number, 1}}}] = 1;
  return p;
}
TrigPoly TrigPoly::cos_of(int joint) {
  Monomial m;
  m.angle[joint] = 1;
  TrigPoly p;
  p.terms_[m] = 1;
  return p;
}
TrigPoly TrigPoly::sin_of(int joint) {
  Monomial m;
  m.angle[joint] = 1;
  m.sine = true;
  TrigPoly p;
  p.terms_[m] = 1;
  return p;
}

bool TrigPoly::constant() const {
  return terms_.empty() || (terms_.size() == 1 && terms_.begin()->first == Monomial{});
}
double TrigPoly::number() const {
  const auto it = terms_.find({});
  return it == terms_.end() ? 0 : it->second;
}

void TrigPoly::add(Monomial m, double c) {
  const int sign = leading_sign(m.angle);
  if (sign == 0 && m.sine) return;
  if (sign < 0) {
    for (std::int8_t& k : m.angle) k = static_cast<std::int8_t>(-k);
    if (m.sine) c = -c;
  }
  if (c == 0) return;
  TermBudget::spend(1);
  const auto [it, fresh] = terms_.try_emplace(std::move(m), c);
  if (!fresh && std::abs(it->second += c) < nothing) terms_.erase(it);
}

TrigPoly& TrigPoly::operator+=(const TrigPoly& b) {
  for (const auto& [m, c] : b.terms_) add(m, c);
  return *this;
}
TrigPoly& TrigPoly::operator-=(const TrigPoly& b) {
  for (const auto& [m, c] : b.terms_) add(m, -c);
  return *this;
}

//  cos a cos b = ½ cos(a - b) + ½ cos(a + b)     sin a sin b = ½ cos(a - b) - ½ cos(a + b)
//  sin a cos b = ½ sin(a - b) + ½ sin(a + b)     cos a sin b = ½ sin(a + b) - ½ sin(a - b)
TrigPoly operator*(const TrigPoly& a, const TrigPoly& b) {
  TrigPoly p;
  const auto plain = [](const TrigPoly::Monomial& m) { return leading_sign(m.angle) == 0; };
  for (const auto& [m, c] : a.terms_)
    for (const auto& [n, d] : b.terms_) {
      TrigPoly::Powers symbols = m.symbols * n.symbols;
      if (plain(m) || plain(n)) {
        const TrigPoly::Monomial& turning = plain(m) ? n : m;
        p.add({std::move(symbols), turning.angle, turning.sine}, c * d);
        continue;
      }
      const double half = c * d / 2;
      const bool sine = m.sine != n.sine;
      const double of_difference = m.sine || !n.sine ? half : -half, of_sum = m.sine && n.sine ? -half : half;
      p.add({symbols, plus(m.angle, n.angle, -1), sine}, of_difference);
      p.add({std::move(symbols), plus(m.angle, n.angle, 1), sine}, of_sum);
    }
  return p;
}

TrigPoly operator/(const TrigPoly& a, const TrigPoly& b) {
  if (!b.constant() || b.zero()) throw Error("only numbers can be divided by here");
  return a * TrigPoly(1 / b.number());
}

TrigPoly TrigPoly::derivative_by_angle(int joint) const {
  TrigPoly p;
  for (const auto& [m, c] : terms_) {
    const int k = m.angle[joint];
    if (k != 0) p.add({m.symbols, m.angle, !m.sine}, m.sine ? c * k : -c * k);
  }
  return p;
}

TrigPoly TrigPoly::derivative_by_symbol(int symbol) const {
  TrigPoly p;
  for (const auto& [m, c] : terms_)
    for (std::size_t i = 0; i < m.symbols.size(); ++i)
      if (m.symbols[i].symbol == symbol) {
        Monomial lower = m;
        const int e = lower.symbols[i].exponent--;
        if (e == 1) lower.symbols.erase(lower.symbols.begin() + static_cast<std::ptrdiff_t>(i));
        p.add(std::move(lower), c * e);
      }
  return p;
}

TrigPoly TrigPoly::coefficient(int symbol) const {
  TrigPoly p;
  for (const auto& [m, c] : terms_)
    for (std::size_t i = 0; i < m.symbols.size(); ++i)
      if (m.symbols[i].symbol == symbol && m.symbols[i].exponent == 1) {
        Monomial rest = m;
        rest.symbols.erase(rest.symbols.begin() + static_cast<std::ptrdiff_t>(i));
        p.add(std::move(rest), c);
      }
  return p;
}

}  // namespace armature::codegen
