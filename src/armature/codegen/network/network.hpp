// Expressions as sums of products: the form in which terms can be factored, shared and expanded.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "armature/scalar/expr.hpp"

namespace armature::codegen {

using NodeId = std::uint32_t;

/// coefficient * f1 * f2 * ...; factors are nodes of the network, sorted, a square names its node twice.
struct NetTerm {
  static constexpr int max_factors = 9;

  double c = 0;
  int n = 0;
  std::array<NodeId, max_factors> f{};

  [[nodiscard]] std::span<const NodeId> factors() const { return {f.data(), static_cast<std::size_t>(n)}; }
  [[nodiscard]] bool same_factors(const NetTerm& other) const;
  [[nodiscard]] int count(NodeId id) const;
  void insert(NodeId id);
  void remove(NodeId id);  // one occurrence
};

/// Multiplications that a term costs by itself; signs are free.
int multiplications(double c, int factors);
inline int multiplications(const NetTerm& t) { return multiplications(t.c, t.n); }

/// A leaf (a symbol), a function of other nodes, or a sum of terms.
struct NetNode {
  enum class Kind : std::uint8_t { leaf, function, sum, gone };
  Kind kind = Kind::sum;
  bool pinned = false;     // not to be expanded into its users
  bool output = false;     // its value is asked for
  ExprOp op{};             // function
  NodeId arg[2] = {0, 0};  // function: operands; leaf: arg[0] is its number
  int args = 0;
  std::vector<NetTerm> terms;  // sum
};

class Network {
 public:
  std::vector<NetNode> nodes;
  std::vector<NodeId> outputs;  // sums, one per output
  std::vector<Expr> leaves;     // the symbols of the graph it came from

  /// The given expressions of the current graph. Nodes of the graph that are used more than once stay shared; the
  /// expressions in `pinned` stay nodes whatever their use.
  static Network from(std::span<const Expr> outputs, std::span<const Expr> pinned = {});

  /// The same values as expressions of the current graph.
  [[nodiscard]] std::vector<Expr> expressions() const;

  NodeId add_sum(std::vector<NetTerm> terms);

  /// Additions and multiplications and divisions and functions.
  [[nodiscard]] int cost() const;

  /// Merges what is trivial: single-use sums and products into their users, aliases, equal nodes, dead nodes.
  void tidy();

  /// Writes the terms of sum `id` into every sum that uses it. False (and unchanged) if a user would grow beyond `limit` terms
  bool expand(NodeId id, std::size_t limit);

  /// Nodes that the outputs need, operands before their users, each as late as it may come.
  [[nodiscard]] std::vector<NodeId> order() const;

  /// Forgets the numbers of dead nodes.
  void compact();

  /// Users of each node: sums and functions that name it.
  [[nodiscard]] std::vector<std::vector<NodeId>> users() const;
};

/// Sorts terms, merges like ones and drops those that cancel.
void collect_terms(std::vector<NetTerm>& terms);

}  // namespace armature::codegen
