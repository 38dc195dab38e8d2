// The store of expression nodes: hash-consing, evaluation, plain text.
#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "armature/core/error.hpp"
#include "armature/scalar/expr.hpp"

namespace armature::scalar {
namespace {

thread_local ExprGraph* current_graph = nullptr;

// Finalizer of the splitmix generator [Steele2014]: every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

std::uint64_t bits(double x) {
  std::uint64_t u = 0;
  std::memcpy(&u, &x, sizeof u);
  return u;
}

const char* function_name(ExprOp op) {
  switch (op) {
    case ExprOp::sin:
      return "sin";
    case ExprOp::cos:
      return "cos";
    case ExprOp::sqrt:
      return "sqrt";
    case ExprOp::exp:
      return "exp";
    case ExprOp::tanh:
      return "tanh";
    case ExprOp::abs:
      return "abs";
    case ExprOp::atan2:
      return "atan2";
    default:
      return "";
  }
}

}  // namespace

Expr::Expr(double value) {
  if (value == 0) return;  // node 0 of every graph
  id_ = value == 1 ? 1 : ExprScope::current().intern({.op = ExprOp::constant, .value = value});
}

Expr Expr::from_id(std::uint32_t id) {
  Expr e;
  e.id_ = id;
  return e;
}

ExprScope::ExprScope(ExprGraph& graph) : previous_(current_graph) { current_graph = &graph; }
ExprScope::~ExprScope() { current_graph = previous_; }
ExprGraph& ExprScope::current() {
  if (!current_graph) throw Error("an expression was built outside of any graph", "open an ExprScope first");
  return *current_graph;
}

ExprGraph::ExprGraph() {
  intern({.op = ExprOp::constant, .value = 0});
  intern({.op = ExprOp::constant, .value = 1});
}

Expr ExprGraph::symbol(std::string_view name) {
  std::uint64_t key = mix(name.size());
  for (const char c : name) key = mix(key ^ static_cast<unsigned char>(c));
  for (auto [it, end] = by_key_.equal_range(key); it != end; ++it) {
    const ExprNode& n = nodes_[it->second];
    if (n.op == ExprOp::symbol && symbols_[n.a] == name) return Expr::from_id(it->second);
  }
  symbols_.emplace_back(name);
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({.op = ExprOp::symbol, .a = static_cast<std::uint32_t>(symbols_.size() - 1), .key = key});
  by_key_.emplace(key, id);
  return Expr::from_id(id);
}

std::uint32_t ExprGraph::intern(ExprNode node) {
  node.key = mix(static_cast<std::uint64_t>(node.op));
  if (node.op == ExprOp::constant) {
    node.key = mix(node.key ^ bits(node.value));
  } else {
    node.key = mix(node.key ^ nodes_[node.a].key);
    node.key = mix(node.key ^ nodes_[node.b].key);
  }
  for (auto [it, end] = by_key_.equal_range(node.key); it != end; ++it) {
    const ExprNode& n = nodes_[it->second];
    if (n.op == node.op && n.a == node.a && n.b == node.b && bits(n.value) == bits(node.value)) return it->second;
  }
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(node);
  by_key_.emplace(node.key, id);
  return id;
}

std::vector<double> ExprGraph::evaluate(std::span<const Expr> outputs,
                                        const std::map<std::string, double, std::less<>>& at) const {
  std::vector<bool> needed(nodes_.size());
  for (const Expr e : outputs) needed[e.id()] = true;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const ExprNode& n = nodes_[i];
    if (!needed[i] || n.op == ExprOp::constant || n.op == ExprOp::symbol) continue;
    needed[n.a] = needed[n.b] = true;  // the unused b of a unary node is 0, a constant
  }
  std::vector<double> v(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!needed[i]) continue;
    const ExprNode& n = nodes_[i];
    switch (n.op) {
      case ExprOp::constant:
        v[i] = n.value;
        break;
      case ExprOp::symbol: {
        const auto found = at.find(symbols_[n.a]);
        if (found == at.end()) throw Error(fmt::format("the symbol '{}' has no value", symbols_[n.a]));
        v[i] = found->second;
        break;
      }
      case ExprOp::neg:
        v[i] = -v[n.a];
        break;
      case ExprOp::add:
        v[i] = v[n.a] + v[n.b];
        break;
      case ExprOp::sub:
        v[i] = v[n.a] - v[n.b];
        break;
      case ExprOp::mul:
        v[i] = v[n.a] * v[n.b];
        break;
      case ExprOp::div:
        v[i] = v[n.a] / v[n.b];
        break;
      case ExprOp::sin:
        v[i] = std::sin(v[n.a]);
        break;
      case ExprOp::cos:
        v[i] = std::cos(v[n.a]);
        break;
      case ExprOp::sqrt:
        v[i] = std::sqrt(v[n.a]);
        break;
      case ExprOp::exp:
        v[i] = std::exp(v[n.a]);
        break;
      case ExprOp::tanh:
        v[i] = std::tanh(v[n.a]);
        break;
      case ExprOp::abs:
        v[i] = std::abs(v[n.a]);
        break;
      case ExprOp::atan2:
        v[i] = std::atan2(v[n.a], v[n.b]);
        break;
    }
  }
  std::vector<double> result;
  for (const Expr e : outputs) result.push_back(v[e.id()]);
  return result;
}

std::string ExprGraph::text(Expr e) const {
  const ExprNode& n = nodes_[e.id()];
  const auto sub = [&](std::uint32_t id) { return text(Expr::from_id(id)); };
  const auto bracketed = [&](std::uint32_t id) {
    const ExprOp op = nodes_[id].op;
    const bool atom = op == ExprOp::symbol || op >= ExprOp::sin || (op == ExprOp::constant && nodes_[id].value >= 0);
    return atom ? sub(id) : "(" + sub(id) + ")";
  };
  switch (n.op) {
    case ExprOp::constant:
      return fmt::format("{}", n.value);
    case ExprOp::symbol:
      return symbols_[n.a];
    case ExprOp::neg:
      return "-" + bracketed(n.a);
    case ExprOp::add:
      return bracketed(n.a) + " + " + bracketed(n.b);
    case ExprOp::sub:
      return bracketed(n.a) + " - " + bracketed(n.b);
    case ExprOp::mul:
      return bracketed(n.a) + "*" + bracketed(n.b);
    case ExprOp::div:
      return bracketed(n.a) + "/" + bracketed(n.b);
    case ExprOp::atan2:
      return "atan2(" + sub(n.a) + ", " + sub(n.b) + ")";
    default:
      return std::string(function_name(n.op)) + "(" + sub(n.a) + ")";
  }
}

}  // namespace armature::scalar
