#include "armature/codegen/network/internal/search.hpp"

#include <cmath>

#include "armature/codegen/network/internal/factor.hpp"
#include "armature/core/mixing.hpp"

namespace armature::codegen {
namespace {

bool is_free_sum(const Network& net, NodeId id) {
  return net.nodes[id].kind == NetNode::Kind::sum && !net.nodes[id].pinned;
}

// Sums next to a node: those it uses and those that use it.
std::vector<NodeId> neighbours(const Network& net, NodeId at) {
  std::vector<NodeId> found;
  for (const NetTerm& t : net.nodes[at].terms)
    for (const NodeId f : t.factors())
      if (is_free_sum(net, f)) found.push_back(f);
  for (NodeId u = 0; u < net.nodes.size(); ++u)
    if (is_free_sum(net, u))
      for (const NetTerm& t : net.nodes[u].terms)
        if (t.count(at)) found.push_back(u);
  return found;
}

}  // namespace

Network search(Network net, const SearchSettings& settings) {
  std::uint64_t state = mixed(settings.seed);
  const auto next = [&] { return state = mixed(state); };
  const auto uniform = [&] { return static_cast<double>(next() >> 11) * 0x1.0p-53; };
  const auto pick = [&](const std::vector<NodeId>& from) { return from[next() % from.size()]; };

  factor(net, next());
  while (resubstitute(net)) factor(net, next());
  net.compact();
  Network best = net;
  int best_cost = net.cost(), cost = best_cost;
  for (int round = 0; round < settings.rounds; ++round) {
    if (settings.progress) settings.progress(static_cast<double>(round) / settings.rounds);
    Network trial = net;
    if (next() % 3 == 0) rescale(trial, next());
    std::vector<NodeId> all;
    for (NodeId i = 0; i < trial.nodes.size(); ++i)
      if (is_free_sum(trial, i)) all.push_back(i);
    if (all.empty()) break;
    NodeId at = pick(all);
    const auto pieces = 1 + next() % 4;
    for (std::uint64_t k = 0; k < pieces; ++k) {
      trial.expand(at, 60);
      const std::vector<NodeId> near = neighbours(trial, at);
      at = near.empty() || next() % 4 == 0 ? pick(all) : pick(near);
    }
    trial.tidy();
    factor(trial, next());
    if (next() % 4 == 0 && resubstitute(trial)) factor(trial, next());
    trial.compact();

    const double progress = static_cast<double>(round) / settings.rounds;
    const double temperature = settings.temperature * std::pow(0.1, progress);
    const int change = trial.cost() - cost;
    if (change > 0 && uniform() >= std::exp(-change / temperature)) continue;
    net = std::move(trial);
    cost += change;
    if (cost < best_cost) {
      best_cost = cost;
      best = net;
    }
  }
  return best;
}

}  // namespace armature::codegen
