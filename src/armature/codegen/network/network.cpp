#include "armature/codegen/network/network.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <unordered_map>

namespace armature::codegen {
namespace {

// What a reference to an expression really names once sign and number are taken off.
struct Stripped {
  double c;
  Expr e;
};
Stripped strip(const ExprGraph& g, Expr e) {
  double c = 1;
  for (;;) {
    const ExprNode& n = g[e];
    if (n.op == ExprOp::neg) {
      c = -c;
      e = Expr::from_id(n.a);
    } else if (n.op == ExprOp::mul && g[Expr::from_id(n.a)].op == ExprOp::constant) {
      c *= g[Expr::from_id(n.a)].value;
      e = Expr::from_id(n.b);
    } else {
      return {c, e};
    }
  }
}

bool is_unary(ExprOp op) { return op >= ExprOp::sin && op != ExprOp::atan2; }

class GraphReader {
 public:
  GraphReader(const ExprGraph& g, Network& net, std::span<const Expr> pinned) : g_(g), net_(net) {
    for (const Expr e : pinned) pinned_[strip(g, e).e.id()] = true;
  }

  void count_uses(Expr e) {
    e = strip(g_, e).e;
    if (uses_[e.id()]++ > 0) return;
    const ExprNode& n = g_[e];
    if (n.op == ExprOp::constant || n.op == ExprOp::symbol) return;
    if (n.op == ExprOp::div) ++divisions_[n.b];
    count_uses(Expr::from_id(n.a));
    if (!is_unary(n.op)) count_uses(Expr::from_id(n.b));
  }

  // e as terms of a sum, e's own node not being made unless it is shared
  void terms(Expr e, double c, std::vector<NetTerm>& out, bool root = false) {
    const Stripped s = strip(g_, e);
    c *= s.c;
    const ExprNode n = g_[s.e];
    if (n.op == ExprOp::constant) {
      out.push_back({.c = c * n.value});
      return;
    }
    const bool own = !root && (uses_[s.e.id()] > 1 || pinned_.contains(s.e.id()));
    if (!own && (n.op == ExprOp::add || n.op == ExprOp::sub)) {
      terms(Expr::from_id(n.a), c, out);
      terms(Expr::from_id(n.b), n.op == ExprOp::sub ? -c : c, out);
      return;
    }
    NetTerm t{.c = c};
    if (!own && n.op == ExprOp::mul) {
      factors(Expr::from_id(n.a), t);
      factors(Expr::from_id(n.b), t);
    } else if (!own && multiplies(n)) {
      factors(Expr::from_id(n.a), t);
      factors(Expr(1.) / Expr::from_id(n.b), t);
    } else {
      t.insert(node(s.e));
    }
    out.push_back(t);
  }

  void factors(Expr e, NetTerm& t) {
    const Stripped s = strip(g_, e);
    t.c *= s.c;
    const ExprNode n = g_[s.e];
    if (n.op == ExprOp::constant) {
      t.c *= n.value;
    } else if (n.op == ExprOp::mul && uses_[s.e.id()] == 1 && !pinned_.contains(s.e.id()) && t.n < 4) {
      factors(Expr::from_id(n.a), t);
      factors(Expr::from_id(n.b), t);
    } else {
      t.insert(node(s.e));
    }
  }

  // Several divisions by one number become one division and multiplications.
  bool multiplies(const ExprNode& n) { return n.op == ExprOp::div && n.a != 1 && divisions_[n.b] > 1; }

  NodeId node(Expr e) {
    if (const auto found = ids_.find(e.id()); found != ids_.end()) return found->second;
    const ExprNode n = g_[e];
    NetNode made;
    if (multiplies(n)) {
      NetTerm t{.c = 1};
      factors(Expr::from_id(n.a), t);
      factors(Expr(1.) / Expr::from_id(n.b), t);
      made.terms.push_back(t);
    } else
      switch (n.op) {
        case ExprOp::symbol:
          made.kind = NetNode::Kind::leaf;
          made.arg[0] = static_cast<NodeId>(net_.leaves.size());
          net_.leaves.push_back(e);
          break;
        case ExprOp::add:
        case ExprOp::sub:
        case ExprOp::mul:
          terms(e, 1, made.terms, true);
          collect_terms(made.terms);
          made.pinned = pinned_.contains(e.id());
          break;
        default:
          made.kind = NetNode::Kind::function;
          made.op = n.op;
          made.args = is_unary(n.op) ? 1 : 2;
          for (int k = 0; k < made.args; ++k) made.arg[k] = operand(Expr::from_id(k == 0 ? n.a : n.b));
      }
    const auto id = static_cast<NodeId>(net_.nodes.size());
    net_.nodes.push_back(std::move(made));
    ids_.emplace(e.id(), id);
    return id;
  }

  // a node for any expression, also for a signed, scaled or constant one
  NodeId operand(Expr e) {
    const Stripped s = strip(g_, e);
    if (s.c == 1 && g_[s.e].op != ExprOp::constant) return node(s.e);
    std::vector<NetTerm> t;
    terms(e, 1, t);
    return net_.add_sum(std::move(t));
  }

 private:
  const ExprGraph& g_;
  Network& net_;
  std::unordered_map<std::uint32_t, int> uses_;
  std::unordered_map<std::uint32_t, bool> pinned_;
  std::unordered_map<std::uint32_t, NodeId> ids_;
  std::unordered_map<std::uint32_t, int> divisions_;  // by denominator
};

}  // namespace

bool NetTerm::same_factors(const NetTerm& other) const {
  return n == other.n && std::equal(f.begin(), f.begin() + n, other.f.begin());
}
int NetTerm::count(NodeId id) const { return static_cast<int>(std::count(f.begin(), f.begin() + n, id)); }
void NetTerm::insert(NodeId id) {
  if (n == max_factors) throw std::length_error("a term has too many factors");
  int i = n++;
  for (; i > 0 && f[i - 1] > id; --i) f[i] = f[i - 1];
  f[i] = id;
}
void NetTerm::remove(NodeId id) {
  int i = 0;
  while (f[i] != id) ++i;
  for (--n; i < n; ++i) f[i] = f[i + 1];
}

int multiplications(double c, int factors) { return factors == 0 ? 0 : factors - 1 + (std::abs(c) == 1 ? 0 : 1); }

void collect_terms(std::vector<NetTerm>& terms) {
  std::sort(terms.begin(), terms.end(), [](const NetTerm& a, const NetTerm& b) {
    if (a.n != b.n) return a.n < b.n;
    return std::lexicographical_compare(a.f.begin(), a.f.begin() + a.n, b.f.begin(), b.f.begin() + b.n);
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms.size();) {
    NetTerm t = terms[i];
    double magnitude = std::abs(t.c);
    std::size_t j = i + 1;
    for (; j < terms.size() && terms[j].same_factors(t); ++j) {
      t.c += terms[j].c;
      magnitude = std::max(magnitude, std::abs(terms[j].c));
    }
    if (std::abs(t.c) > (j == i + 1 ? 0 : 1e-14 * magnitude)) terms[kept++] = t;
    i = j;
  }
  terms.resize(kept);
}

Network Network::from(std::span<const Expr> outputs, std::span<const Expr> pinned) {
  Network net;
  GraphReader reader(ExprScope::current(), net, pinned);
  for (const Expr e : outputs) reader.count_uses(e);
  for (const Expr e : pinned) reader.count_uses(e);
  for (const Expr e : outputs) {
    std::vector<NetTerm> t;
    reader.terms(e, 1, t);
    const NodeId id = net.add_sum(std::move(t));
    net.nodes[id].output = true;
    net.outputs.push_back(id);
  }
  net.tidy();
  return net;
}

NodeId Network::add_sum(std::vector<NetTerm> terms) {
  collect_terms(terms);
  NetNode node;
  node.terms = std::move(terms);
  nodes.push_back(std::move(node));
  return static_cast<NodeId>(nodes.size() - 1);
}

int Network::cost() const {
  int total = 0;
  for (const NetNode& n : nodes) {
    if (n.kind == NetNode::Kind::function) ++total;
    if (n.kind != NetNode::Kind::sum) continue;
    for (const NetTerm& t : n.terms) total += multiplications(t);
    total += std::max(0, static_cast<int>(n.terms.size()) - 1);
  }
  return total;
}

std::vector<std::vector<NodeId>> Network::users() const {
  std::vector<std::vector<NodeId>> u(nodes.size());
  for (NodeId i = 0; i < nodes.size(); ++i) {
    const NetNode& n = nodes[i];
    if (n.kind == NetNode::Kind::function)
      for (int k = 0; k < n.args; ++k) u[n.arg[k]].push_back(i);
    if (n.kind == NetNode::Kind::sum)
      for (const NetTerm& t : n.terms)
        for (const NodeId f : t.factors())
          if (u[f].empty() || u[f].back() != i) u[f].push_back(i);
  }
  return u;
}

std::vector<Expr> Network::expressions() const {
  std::vector<Expr> value(nodes.size());
  std::vector<char> done(nodes.size());
  const auto build = [&](auto&& self, NodeId id) -> Expr {
    if (done[id]) return value[id];
    const NetNode& n = nodes[id];
    Expr e;
    if (n.kind == NetNode::Kind::leaf) {
      e = leaves[n.arg[0]];
    } else if (n.kind == NetNode::Kind::function) {
      const Expr a = self(self, n.arg[0]);
      const Expr b = n.args > 1 ? self(self, n.arg[1]) : Expr();
      switch (n.op) {
        case ExprOp::sin:
          e = sin(a);
          break;
        case ExprOp::cos:
          e = cos(a);
          break;
        case ExprOp::sqrt:
          e = sqrt(a);
          break;
        case ExprOp::exp:
          e = exp(a);
          break;
        case ExprOp::tanh:
          e = tanh(a);
          break;
        case ExprOp::abs:
          e = abs(a);
          break;
        case ExprOp::div:
          e = a / b;
          break;
        case ExprOp::atan2:
          e = atan2(a, b);
          break;
        default:
          throw std::logic_error("not a function");
      }
    } else {
      for (const NetTerm& t : n.terms) {
        Expr p = 1;
        for (const NodeId f : t.factors()) p = p * self(self, f);
        e = e + Expr(t.c) * p;
      }
    }
    done[id] = 1;
    return value[id] = e;
  };
  std::vector<Expr> result;
  for (const NodeId id : outputs) result.push_back(build(build, id));
  return result;
}

bool Network::expand(NodeId id, std::size_t limit) {
  const std::vector<NetTerm> inner = nodes[id].terms;
  std::vector<std::pair<NodeId, std::vector<NetTerm>>> changed;
  for (NodeId u = 0; u < nodes.size(); ++u) {
    NetNode& n = nodes[u];
    if (n.kind != NetNode::Kind::sum) continue;
    if (std::none_of(n.terms.begin(), n.terms.end(), [&](const NetTerm& t) { return t.count(id) > 0; })) continue;
    std::vector<NetTerm> result, todo = n.terms;
    while (!todo.empty()) {
      NetTerm t = todo.back();
      todo.pop_back();
      if (t.count(id) == 0) {
        result.push_back(t);
        if (result.size() > 4 * limit) return false;
        continue;
      }
      t.remove(id);
      for (const NetTerm& in : inner) {
        if (t.n + in.n > NetTerm::max_factors) return false;
        NetTerm product = t;
        product.c *= in.c;
        for (const NodeId f : in.factors()) product.insert(f);
        todo.push_back(product);
      }
    }
    collect_terms(result);
    if (result.size() > limit) return false;
    changed.emplace_back(u, std::move(result));
  }
  for (auto& [u, terms] : changed) nodes[u].terms = std::move(terms);
  return true;
}

std::vector<NodeId> Network::order() const {
  std::vector<NodeId> result;
  std::vector<char> seen(nodes.size());  // 1: operands are being listed, 2: listed
  std::vector<NodeId> stack;
  for (const NodeId output : outputs) {
    stack.push_back(output);
    while (!stack.empty()) {
      const NodeId id = stack.back();
      if (seen[id]) {
        if (seen[id] == 1) {
          seen[id] = 2;
          result.push_back(id);
        }
        stack.pop_back();
        continue;
      }
      seen[id] = 1;
      const NetNode& n = nodes[id];
      const auto visit = [&](NodeId f) {
        if (!seen[f]) stack.push_back(f);
      };
      if (n.kind == NetNode::Kind::function)
        for (int k = n.args; k-- > 0;) visit(n.arg[k]);
      for (std::size_t k = n.terms.size(); k-- > 0;)
        for (int j = n.terms[k].n; j-- > 0;) visit(n.terms[k].f[j]);
    }
  }
  return result;
}

void Network::compact() {
  std::vector<NodeId> to(nodes.size());
  NodeId next = 0;
  for (NodeId i = 0; i < nodes.size(); ++i)
    if (nodes[i].kind != NetNode::Kind::gone) {
      to[i] = next;
      if (next != i) nodes[next] = std::move(nodes[i]);
      ++next;
    }
  nodes.resize(next);
  for (NodeId& o : outputs) o = to[o];
  for (NetNode& n : nodes) {
    if (n.kind == NetNode::Kind::function)
      for (int k = 0; k < n.args; ++k) n.arg[k] = to[n.arg[k]];
    for (NetTerm& t : n.terms)
      for (int k = 0; k < t.n; ++k) t.f[k] = to[t.f[k]];
  }
}

}  // namespace armature::codegen
