// Network::tidy: what is trivial is merged, pass by pass, until nothing changes.
#include <cmath>
#include <map>
#include <unordered_map>

#include "armature/codegen/network/network.hpp"

namespace armature::codegen {
namespace {

class TidyPass {
 public:
  explicit TidyPass(Network& net)
      : net_(net), uses_(net.nodes.size()), fixed_(net.nodes.size()), same_as_(net.nodes.size()) {}

  /// Whether anything changed.
  bool run() {
    drop_dead();
    merge_equal();
    for (NetNode& n : net_.nodes) {
      if (n.kind == NetNode::Kind::function) skip_aliases(n);
      if (n.kind == NetNode::Kind::sum) merge_into(n);
    }
    return changed_;
  }

 private:
  // Counts uses of what the outputs need; the rest is gone.
  void drop_dead() {
    std::vector<char> alive(net_.nodes.size());
    std::vector<NodeId> stack(net_.outputs.begin(), net_.outputs.end());
    for (const NodeId o : net_.outputs) fixed_[o] = 1;
    while (!stack.empty()) {
      const NodeId i = stack.back();
      stack.pop_back();
      if (alive[i]) continue;
      alive[i] = 1;
      const NetNode& n = net_.nodes[i];
      if (n.kind == NetNode::Kind::function)
        for (int k = 0; k < n.args; ++k) {
          fixed_[n.arg[k]] = 1;
          stack.push_back(n.arg[k]);
        }
      if (n.kind == NetNode::Kind::sum)
        for (const NetTerm& t : n.terms)
          for (const NodeId f : t.factors()) {
            ++uses_[f];
            stack.push_back(f);
          }
    }
    for (NodeId i = 0; i < net_.nodes.size(); ++i)
      if (!alive[i] && net_.nodes[i].kind != NetNode::Kind::gone) net_.nodes[i] = NetNode{.kind = NetNode::Kind::gone};
  }

  // Equal functions become one, equal sums aliases.
  void merge_equal() {
    std::map<std::array<NodeId, 3>, NodeId> functions;
    std::unordered_multimap<std::uint64_t, NodeId> sums;
    for (NodeId i = 0; i < net_.nodes.size(); ++i) {
      same_as_[i] = i;
      const NetNode& n = net_.nodes[i];
      if (n.kind == NetNode::Kind::function) {
        const std::array<NodeId, 3> key{static_cast<NodeId>(n.op), n.arg[0], n.arg[1]};
        const auto [known, inserted] = functions.emplace(key, i);
        if (inserted) continue;
        same_as_[i] = known->second;
        changed_ = true;
      } else if (n.kind == NetNode::Kind::sum && !n.terms.empty() && !(n.terms.size() == 1 && n.terms[0].n <= 1)) {
        std::uint64_t h = n.terms.size();
        for (const NetTerm& t : n.terms)
          for (const NodeId f : t.factors()) h = (h ^ f) * 0x9e3779b97f4a7c15ull + (h >> 29);
        bool merged = false;
        for (auto [it, end] = sums.equal_range(h); it != end && !merged; ++it) merged = make_alias(i, it->second);
        if (!merged) sums.emplace(h, i);
      }
    }
  }

  // Sum i becomes a multiple of sum `of`, if it is one.
  bool make_alias(NodeId i, NodeId of) {
    NetNode& n = net_.nodes[i];
    const NetNode& m = net_.nodes[of];
    if (m.terms.size() != n.terms.size()) return false;
    const double k = n.terms[0].c / m.terms[0].c;
    for (std::size_t j = 0; j < n.terms.size(); ++j)
      if (!n.terms[j].same_factors(m.terms[j]) ||
          !(std::abs(n.terms[j].c - k * m.terms[j].c) <= 4e-15 * std::abs(n.terms[j].c)))
        return false;
    NetTerm alias{.c = k};
    alias.insert(of);
    n.terms.assign(1, alias);
    uses_[of] += 2;
    return changed_ = true;
  }

  // A function's operands that are nothing but another node.
  void skip_aliases(NetNode& function) {
    for (int k = 0; k < function.args; ++k) {
      NodeId a = same_as_[function.arg[k]];
      const NetNode& m = net_.nodes[a];
      if (m.kind == NetNode::Kind::sum && m.terms.size() == 1 && m.terms[0].n == 1 && m.terms[0].c == 1)
        a = m.terms[0].f[0];
      if (a == function.arg[k]) continue;
      function.arg[k] = a;
      changed_ = true;
    }
  }

  // Writes into a sum what its terms name and need not.
  void merge_into(NetNode& sum) {
    bool changed = false;
    std::vector<NetTerm> result;
    result.reserve(sum.terms.size());
    for (NetTerm t : sum.terms) {
      bool gone = false;  // it is zero, or others stand for it
      for (int k = 0; k < t.n && !gone;) {
        const Merge merge = merge_factor(t, k, result);
        changed |= merge != Merge::none;
        gone = merge == Merge::whole_term;
        k = merge == Merge::factor ? 0 : k + 1;
      }
      if (!gone) result.push_back(t);
    }
    if (!changed) return;
    collect_terms(result);
    sum.terms = std::move(result);
    changed_ = true;
  }

  enum class Merge { none, factor, whole_term };

  // Factor k of a term: itself replaced, or the term by others, which go to `result`.
  Merge merge_factor(NetTerm& t, int k, std::vector<NetTerm>& result) {
    const NodeId f = t.f[k];
    if (same_as_[f] != f) {
      t.remove(f);
      t.insert(same_as_[f]);
      uses_[same_as_[f]] += 2;
      return Merge::factor;
    }
    const NetNode& m = net_.nodes[f];
    if (m.kind != NetNode::Kind::sum) return Merge::none;
    if (m.terms.empty()) return Merge::whole_term;
    const bool single = uses_[f] == 1 && !fixed_[f] && !m.pinned;
    if (m.terms.size() == 1) return merge_product(t, f, m.terms[0], single) ? Merge::factor : Merge::none;
    return single && t.n == 1 && splice(t, m.terms, result) ? Merge::whole_term : Merge::none;
  }

  bool merge_product(NetTerm& t, NodeId f, const NetTerm& in, bool single) {
    const bool alias = in.n == 0 || (in.n == 1 && std::abs(in.c) == 1);
    if (!(alias || single) || t.n - 1 + in.n > NetTerm::max_factors) return false;
    t.remove(f);
    t.c *= in.c;
    for (const NodeId g : in.factors()) {
      t.insert(g);
      if (!single) uses_[g] += 2;
    }
    return true;
  }

  // A number times a sum, term by term, where that costs no more.
  static bool splice(const NetTerm& t, const std::vector<NetTerm>& sum, std::vector<NetTerm>& result) {
    int before = multiplications(t), after = 0;
    for (const NetTerm& in : sum) {
      before += multiplications(in);
      after += multiplications(t.c * in.c, in.n);
    }
    if (after > before) return false;
    for (NetTerm in : sum) {
      in.c *= t.c;
      result.push_back(in);
    }
    return true;
  }

  Network& net_;
  std::vector<int> uses_;        // occurrences as a factor
  std::vector<char> fixed_;      // named by a function or an output
  std::vector<NodeId> same_as_;  // the function that stands for this one
  bool changed_ = false;
};

}  // namespace

void Network::tidy() {
  while (TidyPass(*this).run()) {
  }
}

}  // namespace armature::codegen
