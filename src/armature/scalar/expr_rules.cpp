// The operators of Expr: the rewrite rules of the table in expr.hpp, then one node.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "armature/scalar/expr.hpp"

namespace armature::scalar {
namespace {

const ExprNode& node(Expr e) { return ExprScope::current()[e]; }
bool is(Expr e, ExprOp op) { return node(e).op == op; }
Expr first(Expr e) { return Expr::from_id(node(e).a); }
Expr second(Expr e) { return Expr::from_id(node(e).b); }
bool is_constant(Expr e) { return e.id() <= 1 || is(e, ExprOp::constant); }
double value(Expr e) { return e.id() <= 1 ? e.id() : node(e).value; }

Expr make(ExprOp op, Expr a, Expr b = {}) {
  return Expr::from_id(ExprScope::current().intern({.op = op, .a = a.id(), .b = b.id()}));
}

bool sorts_before(Expr a, Expr b) {
  const auto ka = node(a).key, kb = node(b).key;
  return ka != kb ? ka < kb : a.id() < b.id();
}

Expr make_sorted(ExprOp op, Expr a, Expr b) { return sorts_before(b, a) ? make(op, b, a) : make(op, a, b); }

// E as coefficient * rest, where rest carries neither sign nor number.
struct Scaled {
  double coefficient;
  Expr rest;
};
Scaled split(Expr e) {
  if (is(e, ExprOp::neg)) {
    const Scaled s = split(first(e));
    return {-s.coefficient, s.rest};
  }
  if (is(e, ExprOp::mul) && is_constant(first(e))) return {value(first(e)), second(e)};
  return {1, e};
}

// E as coefficient * f1 * f2 * ..., factors sorted.
struct Product {
  double coefficient = 1;
  std::vector<Expr> factors;
};
void collect(Expr e, Product& p) {
  if (is_constant(e)) {
    p.coefficient *= value(e);
  } else if (is(e, ExprOp::neg)) {
    p.coefficient = -p.coefficient;
    collect(first(e), p);
  } else if (is(e, ExprOp::mul)) {
    collect(first(e), p);
    collect(second(e), p);
  } else {
    p.factors.push_back(e);
  }
}
Product factorize(Expr e) {
  Product p;
  collect(e, p);
  std::sort(p.factors.begin(), p.factors.end(), sorts_before);
  return p;
}

Expr product(double coefficient, const std::vector<Expr>& factors) {
  Expr e = coefficient;
  for (const Expr f : factors) e = e * f;
  return e;
}

bool has_trig_factor(Expr e) {
  if (is(e, ExprOp::neg)) return has_trig_factor(first(e));
  if (is(e, ExprOp::mul)) return has_trig_factor(first(e)) || has_trig_factor(second(e));
  return is(e, ExprOp::sin) || is(e, ExprOp::cos);
}

// The rules `circle` and `angle sum` for a + b.
std::optional<Expr> merge_trig(Expr a, Expr b) {
  if (!has_trig_factor(a) && !has_trig_factor(b)) return {};
  const Product pa = factorize(a), pb = factorize(b);
  if (std::abs(pa.coefficient) != std::abs(pb.coefficient)) return {};
  const bool minus = pa.coefficient != pb.coefficient;
  std::vector<Expr> common, ra, rb;
  std::set_intersection(pa.factors.begin(), pa.factors.end(), pb.factors.begin(), pb.factors.end(),
                        std::back_inserter(common), sorts_before);
  std::set_difference(pa.factors.begin(), pa.factors.end(), common.begin(), common.end(), std::back_inserter(ra),
                      sorts_before);
  std::set_difference(pb.factors.begin(), pb.factors.end(), common.begin(), common.end(), std::back_inserter(rb),
                      sorts_before);
  const auto times_common = [&](double sign, Expr e) { return product(sign * pa.coefficient, common) * e; };
  const auto square_of = [&](const std::vector<Expr>& r, ExprOp op) {
    return r.size() == 2 && r[0] == r[1] && is(r[0], op);
  };

  if (minus && (ra.empty() || rb.empty())) {  // E - E sin²a, in either order
    const std::vector<Expr>& r = ra.empty() ? rb : ra;
    const double sign = ra.empty() ? 1 : -1;
    if (square_of(r, ExprOp::sin)) {
      const Expr c = cos(first(r[0]));
      return times_common(sign, c * c);
    }
    if (square_of(r, ExprOp::cos)) {
      const Expr s = sin(first(r[0]));
      return times_common(sign, s * s);
    }
    return {};
  }
  if (ra.size() != 2 || rb.size() != 2) return {};
  for (const Expr e : {ra[0], ra[1], rb[0], rb[1]})
    if (!is(e, ExprOp::sin) && !is(e, ExprOp::cos)) return {};
  const auto sines = [&](const std::vector<Expr>& r) { return is(r[0], ExprOp::sin) + is(r[1], ExprOp::sin); };
  const int na = sines(ra), nb = sines(rb);
  if (na == 1 && nb == 1) {  // sin x cos y ± cos x sin y
    const bool a0 = is(ra[0], ExprOp::sin), b0 = is(rb[0], ExprOp::sin);
    const Expr x = first(ra[a0 ? 0 : 1]), y = first(ra[a0 ? 1 : 0]);
    const Expr v = first(rb[b0 ? 0 : 1]), u = first(rb[b0 ? 1 : 0]);
    if (u == x && v == y) return times_common(1, sin(minus ? x - y : x + y));
    return {};
  }
  if (na + nb != 2) return {};  // cos x cos y ± sin x sin y, in either order
  const bool cosines_first = na == 0;
  const std::vector<Expr>& c = cosines_first ? ra : rb;
  const std::vector<Expr>& s = cosines_first ? rb : ra;
  const Expr x = first(c[0]), y = first(c[1]), u = first(s[0]), v = first(s[1]);
  if (!((u == x && v == y) || (u == y && v == x))) return {};
  return times_common(cosines_first || !minus ? 1 : -1, cos(minus ? x + y : x - y));
}

// Which multiple of pi/2 a constant is, if it is one.
std::optional<int> quarter_turns(double c) {
  const double k = std::round(c / (std::numbers::pi / 2));
  if (std::abs(k) > 1e6 || std::abs(c - k * (std::numbers::pi / 2)) > 4e-16 * std::abs(c)) return {};
  return static_cast<int>(((static_cast<long>(k) % 4) + 4) % 4);
}

// sin(e + turns pi/2)
Expr sine(Expr e, int turns) {
  if (is_constant(e)) {
    const double s = std::sin(value(e)), c = std::cos(value(e));
    const double table[] = {s, c, -s, -c};
    return table[turns];
  }
  if (is(e, ExprOp::neg)) {  // sin(-x + k pi/2) = -sin(x - k pi/2)
    return -sine(first(e), (4 - turns) % 4);
  }
  if (is(e, ExprOp::add) || is(e, ExprOp::sub))
    if (is_constant(first(e)) || is_constant(second(e))) {
      const bool constant_first = is_constant(first(e));
      const bool sub = is(e, ExprOp::sub);
      const Expr c = constant_first ? first(e) : second(e), rest = constant_first ? second(e) : first(e);
      if (const auto k = quarter_turns(value(c))) return sine(sub ? -rest : rest, (turns + *k) % 4);
    }
  const Expr f = make(turns % 2 == 0 ? ExprOp::sin : ExprOp::cos, e);
  return turns >= 2 ? -f : f;
}

}  // namespace

Expr operator-(Expr a) {
  if (is_constant(a)) return -value(a);
  if (is(a, ExprOp::neg)) return first(a);
  return make(ExprOp::neg, a);
}

Expr operator+(Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return value(a) + value(b);
  if (a == Expr()) return b;
  if (b == Expr()) return a;
  if (is(b, ExprOp::neg)) return a - first(b);
  if (is(a, ExprOp::neg)) return b - first(a);

  const Scaled sa = split(a), sb = split(b);
  if (sa.rest == sb.rest) return Expr(sa.coefficient + sb.coefficient) * sa.rest;
  for (const auto& [x, y] : {std::pair{a, b}, std::pair{b, a}}) {
    if (is(x, ExprOp::sub) && second(x) == y) return first(x);
    if (is_constant(y)) {
      if (is(x, ExprOp::add) && is_constant(first(x))) return second(x) + Expr(value(first(x)) + value(y));
      if (is(x, ExprOp::add) && is_constant(second(x))) return first(x) + Expr(value(second(x)) + value(y));
      if (is(x, ExprOp::sub) && is_constant(first(x))) return Expr(value(first(x)) + value(y)) - second(x);
    }
  }
  if (const auto merged = merge_trig(a, b)) return *merged;
  return make_sorted(ExprOp::add, a, b);
}

Expr operator-(Expr a, Expr b) {
  if (b == Expr()) return a;
  if (a == Expr()) return -b;
  if (a == b) return 0.;
  if (is_constant(b)) return a + Expr(-value(b));
  if (is(b, ExprOp::neg)) return a + first(b);
  if (is(a, ExprOp::neg)) return -(first(a) + b);

  const Scaled sa = split(a), sb = split(b);
  if (sa.rest == sb.rest) return Expr(sa.coefficient - sb.coefficient) * sa.rest;
  if (is(a, ExprOp::add)) {
    if (second(a) == b) return first(a);
    if (first(a) == b) return second(a);
  }
  if (is(b, ExprOp::add)) {
    if (first(b) == a) return -second(b);
    if (second(b) == a) return -first(b);
  }
  if (is(b, ExprOp::sub) && first(b) == a) return second(b);
  if (is(a, ExprOp::sub) && first(a) == b) return -second(a);
  if (is_constant(a)) {  // c - (E + d)
    if (is(b, ExprOp::add) && is_constant(first(b))) return Expr(value(a) - value(first(b))) - second(b);
    if (is(b, ExprOp::add) && is_constant(second(b))) return Expr(value(a) - value(second(b))) - first(b);
    if (is(b, ExprOp::sub) && is_constant(first(b))) return second(b) + Expr(value(a) - value(first(b)));
  }
  if (const auto merged = merge_trig(a, -b)) return *merged;
  return sorts_before(b, a) ? -make(ExprOp::sub, b, a) : make(ExprOp::sub, a, b);
}

Expr operator*(Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return value(a) * value(b);
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a)) {
    const Scaled s = split(b);
    const double c = value(a) * s.coefficient;
    if (c == 0) return 0.;
    if (c < 0) return -(Expr(-c) * s.rest);
    return c == 1 ? s.rest : make(ExprOp::mul, Expr(c), s.rest);
  }
  const Scaled sa = split(a), sb = split(b);
  const double c = sa.coefficient * sb.coefficient;
  if (c != 1) return Expr(c) * (sa.rest * sb.rest);
  return make_sorted(ExprOp::mul, a, b);
}

Expr operator/(Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return value(a) / value(b);
  if (is_constant(b)) return Expr(1 / value(b)) * a;
  if (a == Expr()) return a;
  const Scaled sa = is_constant(a) ? Scaled{value(a), 1.} : split(a), sb = split(b);
  const double c = sa.coefficient / sb.coefficient;
  if (sa.rest == sb.rest) return c;
  if (c != 1) return Expr(c) * (sa.rest / sb.rest);
  return make(ExprOp::div, a, b);
}

Expr sin(Expr a) { return sine(a, 0); }
Expr cos(Expr a) { return sine(a, 1); }
Expr sqrt(Expr a) { return is_constant(a) ? Expr(std::sqrt(value(a))) : make(ExprOp::sqrt, a); }
Expr exp(Expr a) { return is_constant(a) ? Expr(std::exp(value(a))) : make(ExprOp::exp, a); }
Expr tanh(Expr a) {
  if (is_constant(a)) return std::tanh(value(a));
  return is(a, ExprOp::neg) ? -tanh(first(a)) : make(ExprOp::tanh, a);
}
Expr abs(Expr a) {
  if (is_constant(a)) return std::abs(value(a));
  return is(a, ExprOp::neg) ? abs(first(a)) : make(ExprOp::abs, a);
}
Expr atan2(Expr y, Expr x) {
  if (is_constant(y) && is_constant(x)) return std::atan2(value(y), value(x));
  return make(ExprOp::atan2, y, x);
}

}  // namespace armature::scalar
