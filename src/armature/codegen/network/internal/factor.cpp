#include "armature/codegen/network/internal/factor.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "armature/core/mixing.hpp"

namespace armature::codegen {
namespace {

bool unit(double c) { return std::abs(c) == 1; }
// A quotient of equal numbers is one.
double snapped(double c) { return std::abs(std::abs(c) - 1) < 8e-15 ? std::copysign(1., c) : c; }
// Equal for numbers that differ by rounding only.
std::uint64_t rounded(double x) { return (bits_of(x) + 16) >> 5; }

// Two terms of a sum without the factors they share.
struct Split {
  NetTerm common, first, second;  // coefficients stay in first and second; first sorts before second
};
Split split(const NetTerm& a, const NetTerm& b) {
  Split s;
  s.common.c = 1;
  s.first.c = a.c;
  s.second.c = b.c;
  int i = 0, j = 0;
  while (i < a.n || j < b.n) {
    if (i < a.n && j < b.n && a.f[i] == b.f[j]) {
      s.common.f[s.common.n++] = a.f[i];
      ++i;
      ++j;
    } else if (j == b.n || (i < a.n && a.f[i] < b.f[j])) {
      s.first.f[s.first.n++] = a.f[i++];
    } else {
      s.second.f[s.second.n++] = b.f[j++];
    }
  }
  if (std::lexicographical_compare(s.second.f.begin(), s.second.f.begin() + s.second.n, s.first.f.begin(),
                                   s.first.f.begin() + s.first.n))
    std::swap(s.first, s.second);
  return s;
}

class Factorizer {
 public:
  Factorizer(Network& net, std::uint64_t seed) : net_(net), seed_(seed) {
    for (NodeId s = 0; s < net_.nodes.size(); ++s) list(s);
  }

  // Extracts the part that saves most. Gains only fall by what happens elsewhere, unless a part occurs anew; so a stored gain is
  // looked at again only when it comes to the top.
  bool step() {
    for (const std::uint32_t e : fresh_) {
      entries_[e].fresh = false;
      push(evaluated(e));
    }
    fresh_.clear();
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end());
      const Best top = heap_.back();
      heap_.pop_back();
      const Best now = evaluated(top.entry);
      if (now.gain == top.gain) {
        apply(now);
        return true;
      }
      push(now);
    }
    return false;
  }

 private:
  enum class Kind : std::uint8_t { product, scaled, divisor };

  // Where a part occurs: in term i of a sum, or in its terms i and j.
  struct Occurrence {
    NodeId sum;
    std::uint32_t version;
    std::int16_t i, j;
    std::int32_t next;
  };
  struct Entry {
    std::uint64_t key = 0;
    Kind kind{};
    bool fresh = false;
    NodeId x = 0, y = 0;  // product
    double c = 0;         // scaled
    std::int32_t head = -1;
  };

  // A trigonometric sum that is one function of the sum or difference of the angles.
  struct Merged {
    bool found = false;
    int cost = 0;
    double sign = 1;
    ExprOp op{};
    std::vector<NetTerm> angle;
  };

  struct Best {
    int gain = 0;
    std::uint64_t tie = 0;
    std::uint32_t entry = 0;
    double scale = 1;
    bool merges = false;
    bool operator<(const Best& other) const { return gain != other.gain ? gain < other.gain : tie < other.tie; }
  };

  void push(const Best& best) {
    if (best.gain < 1) return;
    heap_.push_back(best);
    std::push_heap(heap_.begin(), heap_.end());
  }

  std::uint32_t entry(std::uint64_t key, Kind kind) {
    if (2 * entries_.size() >= slots_.size()) grow();
    std::uint32_t& slot = slots_[slot_of(key)];
    if (slot == empty) {
      slot = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({.key = key, .kind = kind});
    }
    return slot;
  }
  // Entries by key: open addressing, half empty at least. Keys are mixed already.
  std::size_t slot_of(std::uint64_t key) const {
    std::size_t at = key & (slots_.size() - 1);
    while (slots_[at] != empty && entries_[slots_[at]].key != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(1024, 4 * slots_.size()), empty);
    for (std::uint32_t e = 0; e < entries_.size(); ++e) slots_[slot_of(entries_[e].key)] = e;
  }
  void record(std::uint32_t e, NodeId sum, int i, int j, bool alone_pays) {
    Entry& entry = entries_[e];
    pool_.push_back({sum, version_[sum], static_cast<std::int16_t>(i), static_cast<std::int16_t>(j), entry.head});
    const bool second = entry.head >= 0;
    entry.head = static_cast<std::int32_t>(pool_.size()) - 1;
    if ((second || alone_pays) && !entry.fresh) {
      entry.fresh = true;
      fresh_.push_back(e);
    }
  }

  // Enters all parts of a sum; what was entered for an earlier version of it is void from now on.
  void list(NodeId s) {
    if (version_.size() < net_.nodes.size()) version_.resize(net_.nodes.size());
    ++version_[s];
    const NetNode& n = net_.nodes[s];
    if (n.kind != NetNode::Kind::sum) return;
    const int m = static_cast<int>(n.terms.size());
    for (int i = 0; i < m; ++i) {
      const NetTerm& t = n.terms[i];
      for (int a = 0; a < t.n; ++a) {
        if (a > 0 && t.f[a] == t.f[a - 1]) continue;  // each pair once a term
        for (int b = a + 1; b < t.n; ++b)
          if (b == a + 1 || t.f[b] != t.f[b - 1]) {
            const std::uint32_t e = entry(mixed(mixed(t.f[a] + 1) ^ t.f[b]), Kind::product);
            entries_[e].x = t.f[a];
            entries_[e].y = t.f[b];
            record(e, s, i, -1, false);
          }
        if (!unit(t.c)) {
          const std::uint32_t e = entry(mixed(bits_of(std::abs(t.c)) ^ mixed(~std::uint64_t{t.f[a]})), Kind::scaled);
          entries_[e].x = t.f[a];
          entries_[e].c = std::abs(t.c);
          record(e, s, i, -1, false);
        }
      }
      for (int j = i + 1; j < m; ++j) {
        const Split p = split(t, n.terms[j]);
        std::uint64_t h = mixed(rounded(p.second.c / p.first.c));
        for (const NodeId f : p.first.factors()) h = mixed(h ^ f);
        h = mixed(h + 77);
        for (const NodeId f : p.second.factors()) h = mixed(h ^ f);
        const bool alone_pays = p.common.n > 0 || (!unit(t.c) && std::abs(t.c) == std::abs(n.terms[j].c)) ||
                                (p.first.n == 2 && p.second.n == 2 && is_trig(p.first) && is_trig(p.second));
        record(entry(h, Kind::divisor), s, i, j, alone_pays);
      }
    }
  }

  bool is_trig(const NetTerm& t) const {
    for (const NodeId f : t.factors()) {
      const NetNode& n = net_.nodes[f];
      if (n.kind != NetNode::Kind::function || (n.op != ExprOp::sin && n.op != ExprOp::cos)) return false;
    }
    return true;
  }

  // Current occurrences, none sharing a term with another, and the pairs of terms as they are.
  void gather(const Entry& entry) {
    where_.clear();
    splits_.clear();
    for (std::int32_t k = entry.head; k >= 0; k = pool_[k].next) {
      const Occurrence& o = pool_[k];
      if (o.version != version_[o.sum]) continue;
      const bool overlaps = std::any_of(where_.begin(), where_.end(), [&](const Occurrence& w) {
        return w.sum == o.sum && (w.i == o.i || (o.j >= 0 && (w.i == o.j || w.j == o.i || w.j == o.j)));
      });
      if (overlaps) continue;
      if (entry.kind == Kind::divisor) {
        const std::vector<NetTerm>& terms = net_.nodes[o.sum].terms;
        const Split s = split(terms[o.i], terms[o.j]);
        if (!splits_.empty() && !same_sum(s, splits_[0])) continue;  // two sums with one key
        splits_.push_back(s);
      }
      where_.push_back(o);
    }
  }

  static bool same_sum(const Split& a, const Split& b) {
    const double x = a.second.c * b.first.c, y = b.second.c * a.first.c;
    return a.first.same_factors(b.first) && a.second.same_factors(b.second) && std::abs(x - y) <= 1e-14 * std::abs(y);
  }

  // What the extraction of a part would gain, in the way that gains most.
  Best evaluated(std::uint32_t e) {
    const Entry& entry = entries_[e];
    Best best{.tie = mixed(seed_ ^ entry.key), .entry = e};
    const auto offer = [&](int gain, double scale, bool merges) {
      if (gain > best.gain) best = {gain, best.tie, e, scale, merges};
    };
    gather(entry);
    if (where_.empty()) return best;
    if (entry.kind != Kind::divisor) {
      offer(static_cast<int>(where_.size()) - 1, 1, false);
      return best;
    }
    int saved = 0;
    for (const Occurrence& o : where_) {
      const NetNode& n = net_.nodes[o.sum];
      saved += multiplications(n.terms[o.i]) + multiplications(n.terms[o.j]) + 1;
    }
    const NetTerm &first = splits_[0].first, &second = splits_[0].second;
    const double ratio = snapped(second.c / first.c);
    if (const Merged merged = merge(first, second, ratio); merged.found) {
      int after = merged.cost;
      for (const Split& s : splits_) after += multiplications(s.first.c, s.common.n + 1);
      offer(saved - after, 1, true);
    }
    // the sum is scale * first + scale * ratio * second
    double scales[6] = {1, 1 / ratio, first.c};
    int count = 3;
    for (std::size_t k = 1; k < splits_.size() && count < 6; ++k)
      if (std::abs(splits_[k].first.c) != std::abs(first.c)) scales[count++] = splits_[k].first.c;
    for (int k = 0; k < count; ++k) {
      int after =
          multiplications(snapped(scales[k]), first.n) + multiplications(snapped(scales[k] * ratio), second.n) + 1;
      for (const Split& s : splits_) after += multiplications(snapped(s.first.c / scales[k]), s.common.n + 1);
      offer(saved - after, scales[k], false);
    }
    return best;
  }

  // The angle of a sine or cosine as a sum of symbols and constants.
  void angle_terms(NodeId id, double c, std::vector<NetTerm>& out) const {
    const NetNode& n = net_.nodes[id];
    if (n.kind != NetNode::Kind::sum) {
      NetTerm t{.c = c};
      t.insert(id);
      out.push_back(t);
      return;
    }
    for (const NetTerm& t : n.terms) {
      if (t.n == 1) {
        angle_terms(t.f[0], c * t.c, out);
      } else {
        out.push_back(t);
        out.back().c *= c;
      }
    }
  }

  Merged merge(const NetTerm& a, const NetTerm& b, double ratio) const {
    Merged m;
    if (!unit(ratio) || a.n != 2 || b.n != 2 || !is_trig(a) || !is_trig(b)) return m;
    const auto op = [&](NodeId id) { return net_.nodes[id].op; };
    const auto arg = [&](NodeId id) { return net_.nodes[id].arg[0]; };
    const auto sines = [&](const NetTerm& t) { return (op(t.f[0]) == ExprOp::sin) + (op(t.f[1]) == ExprOp::sin); };
    const int na = sines(a), nb = sines(b);
    NodeId x = 0, y = 0;
    double y_sign = 1;
    if (na == 1 && nb == 1) {  // sin x cos y ± cos x sin y = sin(x ± y)
      const int sa = op(a.f[0]) == ExprOp::sin ? 0 : 1, sb = op(b.f[0]) == ExprOp::sin ? 0 : 1;
      x = arg(a.f[sa]);
      y = arg(a.f[1 - sa]);
      if (arg(b.f[sb]) != y || arg(b.f[1 - sb]) != x) return m;
      m.op = ExprOp::sin;
      y_sign = ratio;
    } else if (na + nb == 2) {  // cos x cos y ± sin x sin y = cos(x ∓ y)
      const NetTerm& c = na == 0 ? a : b;
      const NetTerm& s = na == 0 ? b : a;
      x = arg(c.f[0]);
      y = arg(c.f[1]);
      const NodeId u = arg(s.f[0]), v = arg(s.f[1]);
      if (!((u == x && v == y) || (u == y && v == x))) return m;
      m.op = ExprOp::cos;
      m.sign = na == 0 ? 1 : ratio;
      y_sign = -ratio;
    } else {
      return m;
    }
    angle_terms(x, 1, m.angle);
    angle_terms(y, y_sign, m.angle);
    collect_terms(m.angle);
    if (m.angle.empty()) return m;  // cos² + sin²: left to tidy()
    if (m.angle[0].c < 0) {
      for (NetTerm& t : m.angle) t.c = -t.c;
      if (m.op == ExprOp::sin) m.sign = -m.sign;
    }
    m.found = true;
    const NodeId known = find_angle(m.angle);
    if (known == none) {
      for (const NetTerm& t : m.angle) m.cost += multiplications(t);
      m.cost += static_cast<int>(m.angle.size()) - 1 + 1;
    } else {
      m.cost = find_function(m.op, known) == none ? 1 : 0;
    }
    return m;
  }

  static constexpr NodeId none = ~NodeId{0};
  NodeId find_angle(const std::vector<NetTerm>& angle) const {
    if (angle.size() == 1 && angle[0].n == 1 && angle[0].c == 1) return angle[0].f[0];
    for (NodeId i = 0; i < net_.nodes.size(); ++i) {
      const NetNode& n = net_.nodes[i];
      if (n.kind != NetNode::Kind::sum || n.terms.size() > angle.size()) continue;
      std::vector<NetTerm> flat;
      angle_terms(i, 1, flat);
      collect_terms(flat);
      if (flat.size() == angle.size() &&
          std::equal(flat.begin(), flat.end(), angle.begin(),
                     [](const NetTerm& a, const NetTerm& b) { return a.same_factors(b) && a.c == b.c; }))
        return i;
    }
    return none;
  }
  NodeId find_function(ExprOp op, NodeId arg) const {
    for (NodeId i = 0; i < net_.nodes.size(); ++i) {
      const NetNode& n = net_.nodes[i];
      if (n.kind == NetNode::Kind::function && n.op == op && n.arg[0] == arg) return i;
    }
    return none;
  }

  NodeId make_function(const Merged& m) {
    NodeId arg = find_angle(m.angle);
    if (arg == none) {
      arg = net_.add_sum(m.angle);
      list(arg);
    }
    NodeId id = find_function(m.op, arg);
    if (id == none) {
      NetNode n;
      n.kind = NetNode::Kind::function;
      n.op = m.op;
      n.arg[0] = arg;
      n.args = 1;
      net_.nodes.push_back(n);
      id = static_cast<NodeId>(net_.nodes.size() - 1);
      version_.resize(net_.nodes.size());
    }
    return id;
  }

  void apply(const Best& best) {
    const Entry entry = entries_[best.entry];
    gather(entry);
    std::vector<Occurrence> where = where_;
    if (entry.kind != Kind::divisor) {
      const auto made = static_cast<NodeId>(net_.nodes.size());
      for (const Occurrence& o : where) {
        NetTerm& t = net_.nodes[o.sum].terms[o.i];
        t.remove(entry.x);
        if (entry.kind == Kind::scaled)
          t.c = std::copysign(1., t.c);
        else
          t.remove(entry.y);
        t.insert(made);
      }
      NetTerm t{.c = entry.kind == Kind::scaled ? entry.c : 1};
      t.insert(entry.x);
      if (entry.kind == Kind::product) t.insert(entry.y);
      net_.add_sum({t});
    } else {
      const Occurrence& o = where[0];
      const Split s0 = split(net_.nodes[o.sum].terms[o.i], net_.nodes[o.sum].terms[o.j]);
      NetTerm first = s0.first, second = s0.second;
      NodeId made = static_cast<NodeId>(net_.nodes.size());
      double sign = 1;
      if (best.merges) {
        const Merged m = merge(first, second, snapped(second.c / first.c));
        made = make_function(m);
        sign = m.sign;
      } else {
        second.c = snapped(best.scale * second.c / first.c);
        first.c = snapped(best.scale);
        net_.add_sum({first, second});
      }
      for (const Occurrence& w : where) {
        std::vector<NetTerm>& terms = net_.nodes[w.sum].terms;
        const Split s = split(terms[w.i], terms[w.j]);
        NetTerm t = s.common;
        t.c = snapped(sign * s.first.c / best.scale);
        t.insert(made);
        terms[w.i] = t;
        terms[w.j].c = 0;  // dropped below
      }
    }
    for (const Occurrence& o : where) {
      std::vector<NetTerm>& terms = net_.nodes[o.sum].terms;
      std::erase_if(terms, [](const NetTerm& t) { return t.c == 0; });
      collect_terms(terms);
      list(o.sum);
    }
    list(static_cast<NodeId>(net_.nodes.size() - 1));
  }

  Network& net_;
  std::uint64_t seed_;
  static constexpr std::uint32_t empty = ~std::uint32_t{0};
  std::vector<std::uint32_t> slots_;  // numbers of entries
  std::vector<Entry> entries_;
  std::vector<Occurrence> pool_;
  std::vector<std::uint32_t> version_;
  std::vector<std::uint32_t> fresh_;  // entries that occur anew
  std::vector<Best> heap_;
  std::vector<Occurrence> where_;
  std::vector<Split> splits_;
};

std::uint64_t key_of_factors(const NetTerm& t) {
  std::uint64_t h = static_cast<std::uint64_t>(t.n);
  for (const NodeId f : t.factors()) h = mixed(h ^ f);
  return h;
}

int cost_of(const std::vector<NetTerm>& terms) {
  int c = static_cast<int>(terms.size()) - 1;
  for (const NetTerm& t : terms) c += multiplications(t);
  return c;
}

// Does `from` need `on`?
bool depends(const Network& net, NodeId on, NodeId from) {
  std::vector<char> seen(net.nodes.size());
  std::vector<NodeId> stack{from};
  while (!stack.empty()) {
    const NodeId i = stack.back();
    stack.pop_back();
    if (i == on) return true;
    if (seen[i]) continue;
    seen[i] = 1;
    const NetNode& n = net.nodes[i];
    for (int k = 0; k < (n.kind == NetNode::Kind::function ? n.args : 0); ++k) stack.push_back(n.arg[k]);
    for (const NetTerm& t : n.terms) stack.insert(stack.end(), t.f.begin(), t.f.begin() + t.n);
  }
  return false;
}

// Sum s as a multiple of sum d and a rest, where that is cheaper.
bool write_in_terms_of(Network& net, NodeId s, NodeId d) {
  const std::vector<NetTerm>& S = net.nodes[s].terms;
  const std::vector<NetTerm>& D = net.nodes[d].terms;
  if (D.size() < 2 || D.size() > S.size() + 1) return false;
  std::size_t common = 0;
  double ratios[8];
  for (const NetTerm& t : D)
    for (const NetTerm& u : S)
      if (t.same_factors(u) && common < 8) ratios[common++] = u.c / t.c;
  if (common + 1 < D.size() || common == 0 || (common == 1 && D.size() > 2)) return false;
  for (std::size_t k = 0; k < common; ++k) {
    std::vector<NetTerm> rest = S;
    for (NetTerm t : D) {
      t.c *= -ratios[k];
      rest.push_back(t);
    }
    collect_terms(rest);
    NetTerm whole{.c = snapped(ratios[k])};
    whole.insert(d);
    for (NetTerm& t : rest) t.c = snapped(t.c);
    rest.push_back(whole);
    if (cost_of(rest) >= cost_of(S) || depends(net, s, d)) continue;
    collect_terms(rest);
    net.nodes[s].terms = std::move(rest);
    return true;
  }
  return false;
}

}  // namespace

void factor(Network& net, std::uint64_t seed) {
  for (int before = net.cost();;) {
    {
      Factorizer f(net, seed);
      while (f.step()) {
      }
    }
    net.tidy();
    const int after = net.cost();
    if (after >= before) break;
    before = after;
  }
}

bool resubstitute(Network& net) {
  bool any = false;
  std::unordered_map<std::uint64_t, std::vector<NodeId>> holders;  // sums by the factors of their terms
  for (NodeId d = 0; d < net.nodes.size(); ++d)
    if (net.nodes[d].kind == NetNode::Kind::sum && net.nodes[d].terms.size() >= 2)
      for (const NetTerm& t : net.nodes[d].terms) holders[key_of_factors(t)].push_back(d);

  std::vector<NodeId> candidates;
  for (NodeId s = 0; s < net.nodes.size(); ++s) {
    if (net.nodes[s].kind != NetNode::Kind::sum || net.nodes[s].terms.size() < 2) continue;
    candidates.clear();
    for (const NetTerm& t : net.nodes[s].terms)
      if (const auto h = holders.find(key_of_factors(t)); h != holders.end())
        candidates.insert(candidates.end(), h->second.begin(), h->second.end());
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    for (const NodeId d : candidates)
      if (d != s && write_in_terms_of(net, s, d)) any = true;
  }
  return any;
}

void rescale(Network& net, std::uint64_t seed) {
  std::vector<char> fixed(net.nodes.size());
  for (const NodeId o : net.outputs) fixed[o] = 1;
  for (const NetNode& n : net.nodes)
    if (n.kind == NetNode::Kind::function)
      for (int k = 0; k < n.args; ++k) fixed[n.arg[k]] = 1;
  const auto users = net.users();
  for (NodeId i = 0; i < net.nodes.size(); ++i) {
    NetNode& n = net.nodes[i];
    if (n.kind != NetNode::Kind::sum || fixed[i] || n.pinned) continue;
    const auto used = [&](const NetTerm& t, double scale) {
      const int k = t.count(i);
      return k == 1 ? t.c / scale : t.c / std::pow(scale, k);
    };
    const auto muls = [&](double scale) {
      int m = 0;
      for (const NetTerm& t : n.terms) m += multiplications(snapped(t.c * scale), t.n);
      for (const NodeId u : users[i])
        for (const NetTerm& t : net.nodes[u].terms)
          if (t.count(i) > 0) m += multiplications(snapped(used(t, scale)), t.n);
      return m;
    };
    std::vector<double> options;
    for (const NetTerm& t : n.terms) options.push_back(1 / t.c);
    for (const NodeId u : users[i])
      for (const NetTerm& t : net.nodes[u].terms)
        if (t.count(i) == 1) options.push_back(t.c);
    int best = muls(1);
    double chosen = 1;
    std::uint64_t tie = mixed(seed ^ i);
    for (const double s : options) {
      const int m = muls(s);
      const std::uint64_t t = mixed(seed ^ bits_of(s) ^ i);
      if (m < best || (m == best && t > tie)) {
        best = m;
        chosen = s;
        tie = t;
      }
    }
    if (chosen == 1) continue;
    for (const NodeId u : users[i])
      for (NetTerm& t : net.nodes[u].terms)
        if (t.count(i) > 0) t.c = snapped(used(t, chosen));
    for (NetTerm& t : n.terms) t.c = snapped(t.c * chosen);
  }
}

}  // namespace armature::codegen
