#include "armature/codegen/equations/readable.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace armature::codegen {
namespace {

using AngleSum = TrigPoly::Angle;
using Powers = TrigPoly::Powers;
using Sign = Formula::Sign;

// sin or cos of an angle, to a power.
struct Turn {
  AngleSum angle{};
  bool sine = false;
  int power = 1;
  // of joints near the base first, of few joints before many
  friend std::strong_ordering operator<=>(const Turn& a, const Turn& b) {
    if (a.angle == b.angle) return std::tuple(a.sine, a.power) <=> std::tuple(b.sine, b.power);
    const auto key = [](const AngleSum& sum) {
      int first = max_joints, last = 0, most = 0;
      for (int k = 0; k < max_joints; ++k)
        if (const int n = sum[k]; n != 0) {
          first = std::min(first, k);
          last = k;
          most = std::max(most, std::abs(n));
        }
      return std::tuple(first, most, last);
    };
    const auto by_key = key(a.angle) <=> key(b.angle);
    return by_key != 0 ? by_key : a.angle <=> b.angle;
  }
  friend bool operator==(const Turn&, const Turn&) = default;
};
using Turns = std::vector<Turn>;  // sorted

// coefficient * symbols * sines and cosines
struct Piece {
  double c;
  Powers symbols;
  Turns turns;
};

int cost(const std::vector<std::pair<Turns, double>>& sum) {
  int n = static_cast<int>(sum.size());
  for (const auto& [turns, c] : sum) {
    n += std::abs(c) != 1;
    for (const Turn& t : turns) {
      n += 2 + (t.power > 1);
      bool multiple = false;
      for (const std::int8_t k : t.angle) multiple = multiple || std::abs(k) > 1;
      n += multiple;  // cos(2 q2 + q3) is a little harder to read than cos(q2 + q3)
    }
  }
  return n;
}

class FormulaWriter {
 public:
  explicit FormulaWriter(const ReadableNames& names) : names_(names) {}

  FormulaPtr write(const TrigPoly& f) const {
    if (f.zero()) return Formula::of(0.);
    return by_motion(pieces(f));
  }

 private:
  // ------------------------------------------------------------------------------- sums of angles, or products?
  using Polynomial = std::map<Turns, double>;

  std::vector<Piece> pieces(const TrigPoly& f) const {
    std::map<Powers, std::vector<std::pair<TrigPoly::Monomial, double>>> by_symbols;
    for (const auto& [m, c] : f.terms()) by_symbols[m.symbols].emplace_back(m, c);
    std::vector<Piece> all;
    for (const auto& [symbols, terms] : by_symbols)
      for (const auto& [turns, c] : shortest(terms)) all.push_back({c, symbols, turns});
    return all;
  }

  std::vector<std::pair<Turns, double>> shortest(
      const std::vector<std::pair<TrigPoly::Monomial, double>>& terms) const {
    std::vector<std::pair<Turns, double>> best;
    for (const auto& [m, c] : terms) {
      Turns t;
      if (m.angle != AngleSum{}) t.push_back({m.angle, m.sine, 1});
      best.emplace_back(t, c);
    }
    for (const bool keep_cosines : {true, false}) {
      Polynomial p;
      bool small = true;
      for (const auto& [m, c] : terms) {
        const auto expanded = product_form(m);
        small = small && expanded;
        if (!small) break;
        TermBudget::spend(static_cast<double>(expanded->size()));
        for (const auto& [t, d] : *expanded) p[t] += c * d;
      }
      if (!small) break;
      reduce(p, keep_cosines);
      std::vector<std::pair<Turns, double>> list(p.begin(), p.end());
      if (cost(list) < cost(best)) best = std::move(list);
    }
    return best;
  }

  // cos(Σ n_j phi_j), phi_j the sums of the angles of parallel joints up to j, as a polynomial in sines and cosines of phi_j.
  std::optional<Polynomial> product_form(const TrigPoly::Monomial& m) const {
    Polynomial re{{{}, 1.}}, im;  // of the product of exp(i n_j phi_j)
    int total = 0;
    const auto joints = names_.joins_previous.size();
    for (std::size_t j = 0; j < joints; ++j) {
      int n = m.angle[j];
      if (j + 1 < joints && names_.joins_previous[j + 1]) n -= m.angle[j + 1];
      if ((total += std::abs(n)) > 6) return {};
      Turn cosine, sine;
      for (std::size_t k = j;; --k) {
        cosine.angle[k] = sine.angle[k] = 1;
        if (!names_.joins_previous[k]) break;
      }
      sine.sine = true;
      for (int k = 0; k < std::abs(n); ++k) {
        const double s = n < 0 ? -1 : 1;
        Polynomial next_re, next_im;
        accumulate(next_re, re, cosine, 1);
        accumulate(next_re, im, sine, -s);
        accumulate(next_im, im, cosine, 1);
        accumulate(next_im, re, sine, s);
        re = std::move(next_re);
        im = std::move(next_im);
      }
    }
    return m.sine ? im : re;
  }

  static void accumulate(Polynomial& into, const Polynomial& p, const Turn& by, double c) {
    TermBudget::spend(static_cast<double>(p.size()));
    for (const auto& [turns, d] : p) {
      Turns t = turns;
      const auto same =
          std::find_if(t.begin(), t.end(), [&](const Turn& u) { return u.angle == by.angle && u.sine == by.sine; });
      if (same != t.end())
        ++same->power;
      else
        t.insert(std::upper_bound(t.begin(), t.end(), by), by);
      into[t] += c * d;
    }
  }

  // sin² = 1 - cos², or the other way round, as long as there are squares of the one to be got rid of.
  static void reduce(Polynomial& p, bool keep_cosines) {
    for (bool again = true; again;) {
      again = false;
      Polynomial q;
      TermBudget::spend(static_cast<double>(p.size()));
      for (const auto& [turns, c] : p) {
        const auto it = std::find_if(turns.begin(), turns.end(),
                                     [&](const Turn& t) { return t.sine == keep_cosines && t.power >= 2; });
        if (it == turns.end()) {
          q[turns] += c;
          continue;
        }
        again = true;
        Turns rest = turns;
        const auto at = rest.begin() + (it - turns.begin());
        Turn other{at->angle, !at->sine, 1};
        if ((at->power -= 2) == 0) rest.erase(at);
        Polynomial one{{rest, c}}, twice;
        accumulate(twice, one, other, 1);
        Polynomial squared;
        accumulate(squared, twice, other, 1);
        q[rest] += c;
        for (const auto& [t, d] : squared) q[t] -= d;
      }
      std::erase_if(q, [](const auto& term) { return std::abs(term.second) < 1e-12; });
      p = std::move(q);
    }
  }

  // ------------------------------------------------------------------------------------------- brackets
  bool moves(int symbol) const { return names_.symbols[symbol].starts_with("qd"); }

  // Σ speeds * (...), speeds with the same bracket together
  FormulaPtr by_motion(const std::vector<Piece>& all) const {
    std::map<Powers, std::vector<Piece>> groups;
    for (Piece p : all) {
      Powers motion, rest;
      for (const auto& s : p.symbols) (moves(s.symbol) ? motion : rest).push_back(s);
      p.symbols = rest;
      groups[motion].push_back(std::move(p));
    }
    std::vector<Piece> rests;
    for (const auto& [motion, list] : groups) rests.insert(rests.end(), list.begin(), list.end());
    const Powers common = groups.size() > 1 ? common_symbols(rests) : Powers{};

    struct Same {
      std::vector<Piece> inner;   // the first coefficient is 1
      std::vector<Piece> motion;  // what it is multiplied by
    };
    std::vector<Same> sums;
    for (auto& [motion, pieces] : groups) {
      std::vector<Piece>& list = pieces;  // lambdas may take it along
      for (Piece& p : list) p.symbols = quotient(p.symbols, common);
      const double scale = list[0].c;
      for (Piece& p : list) p.c = tidy(p.c / scale);
      const auto same = std::find_if(sums.begin(), sums.end(), [&](const Same& s) { return equal(s.inner, list); });
      Piece factor{scale, motion, {}};
      if (same == sums.end())
        sums.push_back({list, {factor}});
      else
        same->motion.push_back(factor);
    }
    std::vector<FormulaPtr> terms;
    std::vector<Sign> signs;
    for (const Same& s : sums) append(terms, signs, motion_times(s.motion, s.inner));
    positive_first(terms, signs);
    FormulaPtr sum = Formula::sum(std::move(terms), std::move(signs));
    return common.empty() ? sum : times(symbol_factors(common), sum);
  }

  static bool equal(const std::vector<Piece>& a, const std::vector<Piece>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Piece& x, const Piece& y) {
      return x.symbols == y.symbols && x.turns == y.turns && std::abs(x.c - y.c) < 1e-12;
    });
  }

  FormulaPtr motion_times(std::vector<Piece> motion, std::vector<Piece> inner) const {
    if (motion.size() == 1) {
      for (Piece& p : inner) p.c *= motion[0].c;
      motion[0].c = 1;
    }
    FormulaPtr rest = by_turns(std::move(inner));
    if (motion.size() == 1 && motion[0].symbols.empty()) return rest;
    FormulaPtr factor = motion.size() == 1 ? product(motion[0]) : square(motion);
    if (!factor) factor = horner(std::move(motion));
    if (rest->kind == Formula::Kind::number && rest->number == 1) return factor;
    bool minus = false;
    for (FormulaPtr* f : {&factor, &rest})
      if ((*f)->kind == Formula::Kind::plus_minus) {
        minus = !minus;
        *f = (*f)->parts[0];
      }
    // numbers and lengths, then speeds, then brackets, sines and cosines
    std::vector<FormulaPtr> numbers, front, speeds, back;
    const auto sort = [&](const FormulaPtr& f, std::vector<FormulaPtr>& others) {
      for (const FormulaPtr& part : f->kind == Formula::Kind::product ? f->parts : std::vector{f}) {
        const Formula& base = part->kind == Formula::Kind::power ? *part->parts[0] : *part;
        const bool plain = base.kind == Formula::Kind::name && !base.name.starts_with("qd") && !is_turn(base.name);
        (part->kind == Formula::Kind::number ? numbers : plain ? front : others).push_back(part);
      }
    };
    sort(rest, back);
    sort(factor, speeds);
    double number = 1;
    for (const FormulaPtr& f : numbers) number *= f->number;
    std::vector<FormulaPtr> all;
    if (number != 1) all.push_back(Formula::of(tidy(number)));
    for (const auto* part : {&front, &speeds, &back}) all.insert(all.end(), part->begin(), part->end());
    FormulaPtr f = Formula::product(std::move(all));
    return minus ? Formula::negative(f) : f;
  }
  static bool is_turn(const std::string& name) {
    return name.size() > 1 && (name[0] == 's' || name[0] == 'c') && std::isdigit(static_cast<unsigned char>(name[1]));
  }

  // c (a + b + ...)² if the sum is one, else nothing
  FormulaPtr square(const std::vector<Piece>& sum) const {
    std::vector<int> roots;
    for (const Piece& p : sum)
      if (p.symbols.size() == 1 && p.symbols[0].exponent == 2) roots.push_back(p.symbols[0].symbol);
    const double c = sum[0].c / (sum[0].symbols.size() == 2 ? 2 : 1);
    if (roots.size() < 2 || sum.size() != roots.size() * (roots.size() + 1) / 2) return {};
    for (const Piece& p : sum) {
      const bool own = p.symbols.size() == 1 && p.symbols[0].exponent == 2;
      const bool mixed = p.symbols.size() == 2 && p.symbols[0].exponent == 1 && p.symbols[1].exponent == 1;
      if ((!own && !mixed) || p.c != (own ? c : 2 * c)) return {};
    }
    std::vector<FormulaPtr> terms;
    for (const int symbol : roots) terms.push_back(symbol_factors({{symbol, 1}})[0]);
    FormulaPtr f = Formula::power(Formula::sum(terms, std::vector<Sign>(terms.size(), Sign::plus)), Formula::of(2.));
    if (std::abs(c) != 1) f = Formula::product({Formula::of(std::abs(c)), f});
    return c < 0 ? Formula::negative(f) : f;
  }

  // factors * inner, a sign and a number moved to the front.
  static FormulaPtr times(std::vector<FormulaPtr> factors, const FormulaPtr& inner) {
    if (factors.empty()) return inner;
    if (inner->kind == Formula::Kind::plus_minus) return Formula::negative(times(std::move(factors), inner->parts[0]));
    if (inner->kind == Formula::Kind::number && inner->number == 1) return Formula::product(std::move(factors));
    if (inner->kind == Formula::Kind::number) factors.insert(factors.begin(), inner);
    if (inner->kind == Formula::Kind::product && inner->parts[0]->kind == Formula::Kind::number) {
      factors.insert(factors.begin(), inner->parts[0]);
      factors.insert(factors.end(), inner->parts.begin() + 1, inner->parts.end());
    } else if (inner->kind == Formula::Kind::product) {
      factors.insert(factors.end(), inner->parts.begin(), inner->parts.end());
    } else if (inner->kind != Formula::Kind::number) {
      factors.push_back(inner);
    }
    return Formula::product(std::move(factors));
  }

  static void append(std::vector<FormulaPtr>& terms, std::vector<Sign>& signs, FormulaPtr term) {
    if (term->kind == Formula::Kind::plus_minus) {
      signs.push_back(Sign::minus);
      terms.push_back(term->parts[0]);
    } else {
      signs.push_back(Sign::plus);
      terms.push_back(std::move(term));
    }
  }

  // Σ (polynomial in the symbols) * sines and cosines, a factor of all before a bracket
  FormulaPtr by_turns(std::vector<Piece> list) const {
    if (list.size() > 1)
      if (const double c = common_number(list); c != 1) return scaled(c, by_turns(divided(std::move(list), c)));
    const Powers common = list.size() > 1 ? common_symbols(list) : Powers{};
    for (Piece& p : list) p.symbols = quotient(p.symbols, common);
    std::map<Turns, std::vector<Piece>> groups;
    for (Piece& p : list) {
      Turns t = std::exchange(p.turns, {});
      groups[t].push_back(std::move(p));
    }
    std::vector<FormulaPtr> terms;
    std::vector<Sign> signs;
    for (const auto& [turns, polynomial] : groups) {
      std::vector<FormulaPtr> factors;
      for (const Turn& t : turns) factors.push_back(turn(t));
      FormulaPtr p = horner(polynomial);
      if (factors.empty()) {
        append(terms, signs, p);
        continue;
      }
      // numbers and symbols stand before sines and cosines
      bool minus = false;
      if (p->kind == Formula::Kind::plus_minus) {
        minus = true;
        p = p->parts[0];
      }
      std::vector<FormulaPtr> before;
      if (p->kind == Formula::Kind::product)
        before = p->parts;
      else if (!(p->kind == Formula::Kind::number && p->number == 1))
        before = {p};
      before.insert(before.end(), factors.begin(), factors.end());
      signs.push_back(minus ? Sign::minus : Sign::plus);
      terms.push_back(Formula::product(std::move(before)));
    }
    positive_first(terms, signs);
    FormulaPtr sum = Formula::sum(std::move(terms), std::move(signs));
    if (common.empty()) return sum;
    return times(symbol_factors(common), sum);
  }

  static void positive_first(std::vector<FormulaPtr>& terms, std::vector<Sign>& signs) {
    const auto plus = std::find(signs.begin(), signs.end(), Sign::plus);
    if (plus == signs.end() || plus == signs.begin()) return;
    const auto k = plus - signs.begin();
    std::rotate(terms.begin(), terms.begin() + k, terms.begin() + k + 1);
    std::rotate(signs.begin(), signs.begin() + k, signs.begin() + k + 1);
  }

  // The number before all terms, if it is one: -1 where all are negative.
  static double common_number(const std::vector<Piece>& list) {
    const double size = std::abs(list[0].c);
    const bool same = std::all_of(list.begin(), list.end(), [&](const Piece& p) { return std::abs(p.c) == size; });
    const bool minus = std::all_of(list.begin(), list.end(), [&](const Piece& p) { return p.c < 0; });
    return (same ? size : 1) * (minus ? -1 : 1);
  }
  static std::vector<Piece> divided(std::vector<Piece> list, double c) {
    for (Piece& p : list) p.c /= c;
    return list;
  }
  static FormulaPtr scaled(double c, const FormulaPtr& f) {
    FormulaPtr g = std::abs(c) == 1 ? f : times({Formula::of(tidy(std::abs(c)))}, f);
    return c < 0 ? Formula::negative(g) : g;
  }

  static Powers common_symbols(const std::vector<Piece>& list) {
    Powers common = list[0].symbols;
    for (const Piece& p : list) {
      Powers both;
      for (const auto& a : common)
        for (const auto& b : p.symbols)
          if (a.symbol == b.symbol) both.push_back({a.symbol, std::min(a.exponent, b.exponent)});
      common = both;
    }
    return common;
  }
  static Powers quotient(const Powers& a, const Powers& b) {
    Powers c;
    for (auto x : a) {
      for (const auto& y : b)
        if (x.symbol == y.symbol) x.exponent -= y.exponent;
      if (x.exponent != 0) c.push_back(x);
    }
    return c;
  }

  // A polynomial with the most frequent symbol before a bracket, again and again.
  FormulaPtr horner(std::vector<Piece> list) const {
    if (list.size() == 1) return product(list[0]);
    if (const double c = common_number(list); c != 1) return scaled(c, horner(divided(std::move(list), c)));
    const Powers common = common_symbols(list);
    if (!common.empty()) {
      for (Piece& p : list) p.symbols = quotient(p.symbols, common);
      return times(symbol_factors(common), horner(std::move(list)));
    }
    std::map<int, int> uses;
    for (const Piece& p : list)
      for (const auto& s : p.symbols) ++uses[s.symbol];
    int most = -1;
    for (const auto& [symbol, count] : uses)
      if (count > 1 && (most < 0 || count > uses[most])) most = symbol;
    std::vector<FormulaPtr> terms;
    std::vector<Sign> signs;
    if (most < 0) {
      for (const Piece& p : list) append(terms, signs, product(p));
    } else {
      std::vector<Piece> with, without;
      for (const Piece& p : list) {
        const bool has =
            std::any_of(p.symbols.begin(), p.symbols.end(), [&](const auto& s) { return s.symbol == most; });
        (has ? with : without).push_back(p);
      }
      for (Piece& p : with) p.symbols = quotient(p.symbols, {{most, 1}});
      if (!without.empty()) {
        const FormulaPtr rest = horner(std::move(without));
        if (rest->kind == Formula::Kind::sum)
          for (std::size_t k = 0; k < rest->parts.size(); ++k) {
            terms.push_back(rest->parts[k]);
            signs.push_back(rest->signs[k]);
          }
        else
          append(terms, signs, rest);
      }
      append(terms, signs, times(symbol_factors({{most, 1}}), horner(std::move(with))));
    }
    positive_first(terms, signs);
    return Formula::sum(std::move(terms), std::move(signs));
  }

  FormulaPtr product(const Piece& p) const {
    std::vector<FormulaPtr> factors;
    if (std::abs(p.c) != 1 || p.symbols.empty()) factors.push_back(Formula::of(tidy(std::abs(p.c))));
    for (FormulaPtr& f : symbol_factors(p.symbols)) factors.push_back(std::move(f));
    FormulaPtr f = Formula::product(std::move(factors));
    return p.c < 0 ? Formula::negative(f) : f;
  }
  // Coefficients that are sums of halves come out as such.
  static double tidy(double c) {
    const double eighths = std::round(c * 64) / 64;
    return std::abs(c - eighths) < 1e-11 ? eighths : c;
  }

  std::vector<FormulaPtr> symbol_factors(const Powers& powers) const {
    std::vector<FormulaPtr> factors;
    for (const auto& p : powers) {
      const std::string& symbol = names_.symbols[p.symbol];
      const auto plus = symbol.find('+');  // d3+q2: a displacement that counts from there
      FormulaPtr name = plus == std::string::npos
                            ? Formula::of(symbol)
                            : Formula::sum({Formula::of(symbol.substr(0, plus)), Formula::of(symbol.substr(plus + 1))},
                                           {Sign::plus, Sign::plus});
      factors.push_back(p.exponent == 1 ? name : Formula::power(name, Formula::of(static_cast<double>(p.exponent))));
    }
    return factors;
  }

  FormulaPtr turn(const Turn& t) const {
    FormulaPtr f = function(t);
    return t.power == 1 ? f : Formula::power(f, Formula::of(static_cast<double>(t.power)));
  }
  FormulaPtr function(const Turn& t) const {
    std::string joints;
    int first = -1, last = -1;
    bool plain = true;
    std::vector<FormulaPtr> terms;
    std::vector<Sign> signs;
    for (std::size_t k = 0; k < t.angle.size(); ++k) {
      const int n = t.angle[k];
      if (n == 0) continue;
      if (first < 0) first = static_cast<int>(k);
      last = static_cast<int>(k);
      plain = plain && n == 1;
      joints += std::to_string(k + 1);
      const FormulaPtr q = Formula::of(fmt::format("q{}", k + 1));
      signs.push_back(n > 0 ? Sign::plus : Sign::minus);
      terms.push_back(std::abs(n) == 1 ? q : Formula::product({Formula::of(static_cast<double>(std::abs(n))), q}));
    }
    const bool run = plain && last < 9 && last - first + 1 == static_cast<int>(terms.size());
    if (names_.shorthand && run) return Formula::of((t.sine ? "s" : "c") + joints);
    return Formula::call(t.sine ? "sin" : "cos", {Formula::sum(std::move(terms), std::move(signs))});
  }

  const ReadableNames& names_;
};

}  // namespace

FormulaPtr readable(const TrigPoly& f, const ReadableNames& names) { return FormulaWriter(names).write(f); }

std::string latex_name(const std::string& name) {
  std::size_t k = 0;
  while (k < name.size() && !std::isdigit(static_cast<unsigned char>(name[k]))) ++k;
  std::string letters = name.substr(0, k), index = name.substr(k);
  for (char& c : index)
    if (c == '_') c = ',';
  if (index.empty()) return letters == "tau" ? "\\tau" : letters;
  if (letters == "qd") return fmt::format("\\dot{{q}}_{{{}}}", index);
  if (letters == "qdd") return fmt::format("\\ddot{{q}}_{{{}}}", index);
  if (letters == "tau") return fmt::format("\\tau_{{{}}}", index);
  if (letters.size() == 3 && letters[0] == 'I') return fmt::format("I_{{{},{}}}", letters.substr(1), index);
  if (letters.size() == 3 && letters.starts_with("mc")) return fmt::format("mc_{{{},{}}}", letters.substr(2), index);
  if (letters.size() == 2) return fmt::format("{}_{{{},{}}}", letters[0], letters[1], index);
  return fmt::format("{}_{{{}}}", letters, index);
}

}  // namespace armature::codegen
