#include "armature/codegen/equations/singularities.hpp"

#include <fmt/core.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "armature/algorithms/jacobian.hpp"
#include "armature/codegen/equations/internal/symbolic_arm.hpp"
#include "armature/codegen/equations/internal/trig_factor.hpp"
#include "armature/codegen/equations/readable.hpp"
#include "armature/core/error.hpp"
#include "armature/numerics/decompositions.hpp"

namespace armature::codegen {
namespace {

using Vector = Vec3<TrigPoly>;
using Matrix = Eigen::Matrix<TrigPoly, Eigen::Dynamic, Eigen::Dynamic>;

// Columns (v; w) of the Jacobian in the axes of body `seen_from` (-1: the world), v at the origin of body `origin` (dof: the tool).
Matrix jacobian_in(const SymbolicArm& arm, int seen_from, int origin) {
  const int n = static_cast<int>(arm.bodies.size());
  std::vector<Pose<TrigPoly>> poses(static_cast<std::size_t>(n));  // of the bodies in that frame
  Pose<TrigPoly> X;
  for (int i = seen_from; i >= 0; --i) {
    poses[i] = X;
    X = X * arm.X_PB(i).inverse();
  }
  X = {};
  for (int i = seen_from + 1; i < n; ++i) poses[i] = X = X * arm.X_PB(i);
  const Vector reference = origin == n ? (poses.back() * arm.X_BT).p : poses[origin].p;
  Matrix J(6, n);
  for (int j = 0; j < n; ++j) {
    const Pose<TrigPoly>& B = poses[j];
    const Vector z = B.R.col(2);
    const bool turns = arm.bodies[j].revolute;
    const Vector v = turns ? cross(z, Vector(reference - B.p)) : z;
    for (int k = 0; k < 3; ++k) {
      J(k, j) = v[k];
      J(k + 3, j) = turns ? z[k] : TrigPoly();
    }
  }
  return J;
}

std::size_t size_of(const Matrix& m) {
  std::size_t terms = 0;
  for (int i = 0; i < m.rows(); ++i)
    for (int j = 0; j < m.cols(); ++j) terms += m(i, j).terms().size();
  return terms;
}

std::vector<int> default_rows(const Arm& arm, const SymbolicArm& symbolic) {
  const int n = arm.dof();
  if (n == 6) return {0, 1, 2, 3, 4, 5};
  if (n == 3) {
    const auto joins = symbolic.joins_previous();
    if (!joins[1] || !joins[2]) return {0, 1, 2};
    const Vec3<double> axis = arm.body(0).X_PB0.R.col(2);
    for (int k = 0; k < 3; ++k)
      if (std::abs(axis[k]) > 1 - 1e-12) {
        std::vector<int> rows;
        for (int i = 0; i < 3; ++i)
          if (i != k) rows.push_back(i);
        rows.push_back(3 + k);
        return rows;
      }
  }
  throw Error(fmt::format("which {} rows of the Jacobian of '{}' are meant?", n, arm.name()),
              n < 6 ? "say --rows with as many as there are joints, of x y z rx ry rz"
                    : "an arm with more than six joints has no square Jacobian");
}

// ------------------------------------------------------------------------------------------------------ factors
struct Collected {
  double number = 1;
  std::map<int, int> symbols;  // powers
  std::vector<std::pair<TrigPoly::Monomial, int>> turns;
  std::vector<std::pair<TrigPoly, int>> rest;
};

bool same_up_to_number(const TrigPoly& a, const TrigPoly& b, double& ratio) {
  if (a.terms().size() != b.terms().size()) return false;
  ratio = a.terms().begin()->second / b.terms().begin()->second;
  TrigPoly difference = a - b * TrigPoly(ratio);
  return difference.zero();
}

// f without the symbols that all its terms have in common.
TrigPoly without_common_symbols(const TrigPoly& f, Collected& all) {
  TrigPoly::Powers common = f.terms().begin()->first.symbols;
  for (const auto& [m, c] : f.terms()) {
    TrigPoly::Powers both;
    for (const auto& a : common)
      for (const auto& b : m.symbols)
        if (a.symbol == b.symbol) both.push_back({a.symbol, std::min(a.exponent, b.exponent)});
    common = both;
  }
  for (const auto& p : common) all.symbols[p.symbol] += p.exponent;
  TrigPoly rest;
  for (const auto& [m, c] : f.terms()) {
    TrigPoly::Monomial n{{}, m.angle, m.sine};
    for (auto p : m.symbols) {
      for (const auto& q : common)
        if (p.symbol == q.symbol) p.exponent -= q.exponent;
      if (p.exponent) n.symbols.push_back(p);
    }
    rest.add(n, c);
  }
  return rest;
}

// f without its factors that are sines and cosines of joint angles, or of sums of those of parallel joints.
TrigPoly without_turns(TrigPoly f, const std::vector<bool>& joins, Collected& all) {
  for (std::size_t first = 0; first < joins.size(); ++first) {
    TrigPoly::Angle angle{};
    for (std::size_t last = first; last < joins.size() && (last == first || joins[last]); ++last) {
      angle[last] = 1;
      for (const bool sine : {true, false})
        while (const auto quotient = divided_by_turn(f, angle, sine)) {
          const TrigPoly::Monomial turn{{}, angle, sine};
          f = *quotient;
          const auto known =
              std::find_if(all.turns.begin(), all.turns.end(), [&](const auto& t) { return t.first == turn; });
          if (known == all.turns.end())
            all.turns.emplace_back(turn, 1);
          else
            ++known->second;
        }
    }
  }
  return f;
}

// Splits f into numbers, symbols, sines, cosines and what is left.
void collect(TrigPoly f, const std::vector<bool>& joins, Collected& all) {
  f = without_turns(without_common_symbols(f, all), joins, all);
  if (f.constant()) {
    all.number *= f.number();
    return;
  }
  // one number out: the first coefficient's size where all are multiples of it
  double number = std::abs(f.terms().begin()->second);
  for (const auto& [m, c] : f.terms()) number = std::min(number, std::abs(c));
  int negative = 0;
  for (const auto& [m, c] : f.terms()) negative += c < 0;
  if (2 * negative > static_cast<int>(f.terms().size())) number = -number;
  f = f / TrigPoly(number);
  all.number *= number;
  for (auto& [known, power] : all.rest) {
    double ratio = 1;
    if (!same_up_to_number(f, known, ratio)) continue;
    all.number *= ratio;
    ++power;
    return;
  }
  all.rest.emplace_back(std::move(f), 1);
}

// The determinant as factors, in the axes and at the origin that give most of them, with fewest terms. None: all are too long.
std::vector<TrigPoly> shortest_determinant(const SymbolicArm& arm, const std::vector<int>& rows) {
  const int n = static_cast<int>(arm.bodies.size());
  const std::vector<int> all{0, 1, 2, 3, 4, 5}, velocity{0, 1, 2};
  const bool free_frame = rows == all || rows == velocity;  // the determinant does not depend on the axes
  const bool free_origin = rows == all;                     // nor on the point
  std::vector<TrigPoly> best;
  std::pair<int, int> best_rank;
  for (int frame = free_frame ? n - 1 : -1; frame >= -1; --frame)
    for (int origin = free_origin ? 0 : n; origin <= n; ++origin) {
      const Matrix J = jacobian_in(arm, frame, origin);
      Matrix square(n, n);
      for (int i = 0; i < n; ++i) square.row(i) = J.row(rows[i]);
      if (size_of(square) > 200) continue;  // of the ways to write it a short one will do
      std::vector<TrigPoly> factors = determinant_factors(square);
      std::pair<int, int> rank;  // most factors, then fewest terms
      for (const TrigPoly& f : factors) {
        rank.first -= !f.constant();
        rank.second += static_cast<int>(f.terms().size());
      }
      if (best.empty() || rank < best_rank) {
        best = std::move(factors);
        best_rank = rank;
      }
    }
  return best;
}

// ------------------------------------------------------------------------------------------------------ words
std::string angle_text(const TrigPoly::Angle& angle) {
  std::string s;
  for (std::size_t k = 0; k < angle.size(); ++k)
    if (angle[k]) s += fmt::format("{}q{}", s.empty() ? "" : " + ", k + 1);
  return s;
}

std::string list_of(const std::vector<int>& joints) {
  std::string s;
  for (std::size_t k = 0; k < joints.size(); ++k)
    s += fmt::format("{}{}", k == 0 ? "" : k + 1 == joints.size() ? " and " : ", ", joints[k] + 1);
  return s;
}

// What the joints do where the factor vanishes, looked at in the arm with random lengths.
std::string meaning_of(const Arm& arm, const Formula& factor, const std::vector<int>& rows) {
  Random random(7);
  const int n = arm.dof();
  for (int attempt = 0; attempt < 200; ++attempt) {
    const NamedValues lengths = random_lengths(arm, random);
    NamedValues values = lengths;
    VecX<double> q(n);
    for (int i = 0; i < n; ++i) q[i] = random.uniform(-2, 2);
    const auto f = [&] {
      for (int i = 0; i < n; ++i) values[fmt::format("q{}", i + 1)] = q[i];
      std::vector<double> slots;
      const CompiledFormula compiled(factor, [&](const Formula& name) {
        slots.push_back(values.at(name.name));
        return static_cast<int>(slots.size()) - 1;
      });
      return compiled(slots.data());
    };
    const int joint = attempt % n;
    const double start = q[joint];
    double a = start, fa = f(), b = a, fb = fa;
    for (int k = 0; k < 40 && fa * fb > 0; ++k) {
      a = b;
      fa = fb;
      q[joint] = b = start + (k + 1) * 0.15;
      fb = f();
    }
    if (fa * fb > 0) continue;
    for (int k = 0; k < 80; ++k) {
      q[joint] = (a + b) / 2;
      const double m = f();
      (m * fa > 0 ? a : b) = q[joint];
    }
    const Arm instance = with_values(arm, lengths);
    const auto J = tool_jacobian<double>(instance, forward_kinematics<double>(instance, q));
    Eigen::MatrixXd square(n, n);
    for (int i = 0; i < n; ++i) square.row(i) = J.row(rows[i]);
    if (condition_number(square) < 1e9) continue;
    const Eigen::VectorXd still = last_singular_vector(square);
    std::vector<int> joints;
    for (int i = 0; i < n; ++i)
      if (std::abs(still[i]) > 1e-6) joints.push_back(i);
    if (joints.size() == 1) return fmt::format("joint {} does not move the tool in these directions", joints[0] + 1);
    if (joints.size() == 2) return fmt::format("joints {} move the tool along the same line", list_of(joints));
    return fmt::format("joints {} can move together while the tool stands still", list_of(joints));
  }
  return {};
}

}  // namespace

FormulaPtr Singularities::determinant() const {
  if (always) return Formula::of(0.);
  std::vector<FormulaPtr> parts;
  if (std::abs(number) != 1 || factors.empty()) parts.push_back(Formula::of(std::abs(number)));
  for (const Factor& f : factors)
    parts.push_back(f.power == 1 ? f.formula : Formula::power(f.formula, Formula::of(static_cast<double>(f.power))));
  FormulaPtr p = Formula::product(std::move(parts));
  return number < 0 ? Formula::negative(p) : p;
}

Singularities singularities(const Arm& arm, const std::optional<std::vector<int>>& chosen) {
  const TermBudget budget;
  const SymbolicArm symbolic = symbolic_arm(arm);
  const int n = arm.dof();
  Singularities result;
  result.rows = chosen ? *chosen : default_rows(arm, symbolic);
  if (static_cast<int>(result.rows.size()) != n)
    throw Error(fmt::format("{} rows for {} joints", result.rows.size(), n),
                "a determinant needs as many rows as joints");

  const std::vector<TrigPoly> best = shortest_determinant(symbolic, result.rows);
  if (best.empty()) throw Error("the determinant of this arm's Jacobian has too many terms to be written out");
  Collected collected;
  const std::vector<bool> joins = symbolic.joins_previous();
  for (const TrigPoly& f : best) {
    if (f.zero()) {
      result.always = true;
      return result;
    }
    collect(f, joins, collected);
  }
  result.number = collected.number;
  const ReadableNames names{symbolic.symbols, joins, false};
  const auto add = [&](const TrigPoly& f, int power, const std::string& where) {
    const FormulaPtr formula = readable(f, names);
    Singularities::Factor factor{formula, power, where, {}};
    if (!where.empty()) factor.meaning = meaning_of(arm, *formula, result.rows);
    result.factors.push_back(std::move(factor));
  };
  for (const auto& [symbol, power] : collected.symbols) {
    const std::string& name = symbolic.symbols[symbol];
    const bool moves = name.find('q') != std::string::npos;
    const auto plus = name.find('+');
    add(TrigPoly::symbol(symbol), power,
        !moves                      ? std::string()
        : plus == std::string::npos ? name + " = 0"
                                    : name.substr(plus + 1) + " = -" + name.substr(0, plus));
  }
  std::sort(collected.turns.begin(), collected.turns.end(),
            [](const auto& a, const auto& b) { return b.first.angle < a.first.angle; });
  for (const auto& [turn, power] : collected.turns) {
    TrigPoly f;
    f.add(turn, 1);
    add(f, power, angle_text(turn.angle) + (turn.sine ? " = 0 or 180 deg" : " = 90 or -90 deg"));
  }
  for (const auto& [f, power] : collected.rest) add(f, power, text(*readable(f, names)) + " = 0");
  return result;
}

}  // namespace armature::codegen
