// The symbolic number: an algorithm over Scalar that runs on Expr writes down what it would have computed.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "armature/scalar/scalar.hpp"

namespace armature::scalar {

/// A node of the current ExprGraph: four bytes, copied like a number. Equal expressions are the same node, so a trace
/// is a graph, not a tree, and == is structural equality.
///
///     E := c | symbol | -E | E + E | E - E | E * E | E / E | f(E) | atan2(E, E)
///     f := sin | cos | sqrt | exp | tanh | abs             (c, d: constants;  E, F, a, b: expressions)
///
/// Rules applied whenever a node is built; expr.test.cpp has one line for each, in this order:
///
///     numbers     c + d, c - d, c * d, c / d, f(c), atan2(c, d)  ->  constant
///     zero        E + 0 -> E    0 - E -> -E    0 * E -> 0    0 / E -> 0
///     one         1 * E -> E    -1 * E -> -E    E / c -> (1/c) * E    E / E -> 1
///     sign        -(-E) -> E    E + (-F) -> E - F    E - (-F) -> E + F    -E - F -> -(E + F)
///                 (-E) * F -> -(E * F)    (-E) / F -> -(E / F)    (-c) * E -> -(c * E)
///     factor      c * (d * E) -> (c d) * E    (c * E) * F -> c * (E * F)    (c * E) / F -> c * (E / F)
///     like terms  E - E -> 0    E + E -> 2 * E    c * E + d * E -> (c + d) * E    (E + c) + d -> E + (c + d)
///     undoing     (E + F) - F -> E    E - (E + F) -> -F    (E - F) + F -> E    E - (E - F) -> F    (E - F) - E -> -F
///     circle      E sin²a + E cos²a -> E    E - E sin²a -> E cos²a    E - E cos²a -> E sin²a
///     angle sum   E sin a cos b ± E cos a sin b -> E sin(a ± b)    E cos a cos b ± E sin a sin b -> E cos(a ∓ b)
///     parity      sin(-E) -> -sin E    cos(-E) -> cos E    tanh(-E) -> -tanh E    abs(-E) -> abs(E)
///     quadrant    sin(E + k pi/2) -> ±sin E or ±cos E, likewise cos
///     order       E + F and F + E, E * F and F * E are one node; E - F is that of -(F - E)
///
/// Order of operands follows the content of the nodes, never their address or age: the same arm gives the same text.
class Expr {
 public:
  Expr() = default;    // zero
  Expr(double value);  // NOLINT: a plain number is a constant

  [[nodiscard]] std::uint32_t id() const { return id_; }
  static Expr from_id(std::uint32_t id);

  friend Expr operator+(Expr a, Expr b);
  friend Expr operator-(Expr a, Expr b);
  friend Expr operator*(Expr a, Expr b);
  friend Expr operator/(Expr a, Expr b);
  friend Expr operator-(Expr a);
  Expr& operator+=(Expr b) { return *this = *this + b; }
  Expr& operator-=(Expr b) { return *this = *this - b; }
  Expr& operator*=(Expr b) { return *this = *this * b; }
  Expr& operator/=(Expr b) { return *this = *this / b; }
  friend bool operator==(Expr a, Expr b) { return a.id_ == b.id_; }

  friend Expr sin(Expr a);
  friend Expr cos(Expr a);
  friend Expr sqrt(Expr a);
  friend Expr exp(Expr a);
  friend Expr tanh(Expr a);
  friend Expr abs(Expr a);
  friend Expr atan2(Expr y, Expr x);

 private:
  std::uint32_t id_ = 0;
};

enum class ExprOp : std::uint8_t { constant, symbol, neg, add, sub, mul, div, sin, cos, sqrt, exp, tanh, abs, atan2 };

struct ExprNode {
  ExprOp op;
  std::uint32_t a = 0, b = 0;  // operands (unary: a alone); symbol: a is its number
  double value = 0;            // constant
  std::uint64_t key = 0;       // digest of the content: what operands are ordered by
};

/// Owns the nodes. Nodes 0 and 1 are the constants 0 and 1; an operand always has a smaller number than its user.
class ExprGraph {
 public:
  ExprGraph();

  Expr symbol(std::string_view name);  ///< the symbol of that name, made on first use
  [[nodiscard]] const ExprNode& operator[](Expr e) const { return nodes_[e.id()]; }
  [[nodiscard]] const std::string& symbol_name(Expr e) const { return symbols_[nodes_[e.id()].a]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }

  /// The values of `outputs` where the symbols have the values `at`. Throws Error for a symbol that has none.
  [[nodiscard]] std::vector<double> evaluate(std::span<const Expr> outputs,
                                             const std::map<std::string, double, std::less<>>& at) const;

  /// Plain text, fully bracketed where needed; for messages and tests.
  [[nodiscard]] std::string text(Expr e) const;

  /// The node for an operation whose operands are already simplified (what the operators of Expr end in).
  std::uint32_t intern(ExprNode node);

 private:
  std::vector<ExprNode> nodes_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_key_;
  std::vector<std::string> symbols_;
};

/// Makes a graph the current one of this thread while it lives. Building an Expr other than 0 or 1 needs a current
/// graph.
class ExprScope {
 public:
  explicit ExprScope(ExprGraph& graph);
  ~ExprScope();
  ExprScope(const ExprScope&) = delete;
  ExprScope& operator=(const ExprScope&) = delete;
  static ExprGraph& current();

 private:
  ExprGraph* previous_;
};

}  // namespace armature::scalar

template <>
struct Eigen::NumTraits<armature::scalar::Expr> : Eigen::NumTraits<double> {
  using Real = armature::scalar::Expr;
  using NonInteger = armature::scalar::Expr;
  using Nested = armature::scalar::Expr;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 9,
    MulCost = 9
  };
};
