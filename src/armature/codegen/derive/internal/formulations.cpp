#include "armature/codegen/derive/internal/formulations.hpp"

#include <algorithm>

#include "armature/codegen/network/internal/factor.hpp"
#include "armature/codegen/network/internal/search.hpp"

namespace armature::codegen {
namespace {

// All single changes of one body's choice.
std::vector<BodyChoice> alternatives(const BodyChoice& now, bool carries_no_other) {
  std::vector<BodyChoice> all;
  const auto with = [&](auto&& change) {
    all.push_back(now);
    change(all.back());
  };
  with([](BodyChoice& c) { c.own_axes = !c.own_axes; });
  with([](BodyChoice& c) { c.origin_at_next = !c.origin_at_next; });
  for (int k = 1; k < 8; ++k)
    with([&](BodyChoice& c) {
      c.take_mass ^= (k & 1) != 0;
      c.take_moment ^= (k & 2) != 0;
      c.take_second ^= (k & 4) != 0;
    });
  if (carries_no_other)
    for (int k = 0; k < 5; ++k)
      if (static_cast<int>(now.turn) != k) with([&](BodyChoice& c) { c.turn = static_cast<BodyChoice::Turn>(k); });
  return all;
}

struct Formulation {
  int cost;
  Choices choices;
};

// What a look at each neighbour finds, cheapest first.
std::vector<Formulation> descend(std::size_t n, const Formulate& formulate, double effort,
                                 const std::function<void(double)>& progress) {
  const auto quick_cost = [&](const Choices& choices) {
    Network net = formulate(choices).net;
    factor(net, 1);
    return net.cost();
  };
  std::vector<Formulation> seen{{0, Choices(n)}};
  seen[0].cost = quick_cost(seen[0].choices);
  const auto enough = static_cast<std::size_t>(effort * 1500000. / (seen[0].cost + 1));
  Formulation best = seen[0];
  if (n == 0) return {3, seen[0]};  // nothing to choose: search three times
  for (std::size_t i = n - 1, unchanged = 0; unchanged < n && seen.size() < enough; i = (i + n - 1) % n, ++unchanged)
    for (const BodyChoice& c : alternatives(best.choices[i], i == n - 1)) {
      Formulation trial = best;
      trial.choices[i] = c;
      trial.cost = quick_cost(trial.choices);
      seen.push_back(trial);
      progress(static_cast<double>(seen.size()) / static_cast<double>(std::max(enough, seen.size())));
      if (trial.cost >= best.cost) continue;
      best = trial;
      unchanged = 0;
    }
  std::stable_sort(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  return seen;
}

}  // namespace

Program cheapest(int bodies, const Formulate& formulate, double effort, const Formulate& probe,
                 const std::function<void(double)>& progress) {
  const auto n = static_cast<std::size_t>(bodies);
  if (effort <= 0) return formulate(Choices(n));
  // a step of the search costs more in a large program and saves a smaller part of it
  const auto effort_for = [&](const Formulate& f) {
    return effort * std::min(1., 600. / (f(Choices(n)).net.cost() + 1));
  };
  const Formulate& judged = probe ? probe : formulate;
  // the choice of formulations takes about as long as two of the six searches, and ends early more often than not
  constexpr double of_choice = 0.25;
  const auto tell = [&](double share) {
    if (progress) progress(share);
  };
  const std::vector<Formulation> found =
      descend(n, judged, effort_for(judged), [&](double share) { tell(of_choice * share); });
  effort = effort_for(formulate);
  Program best;
  int best_cost = 0;
  const std::size_t searches = std::min<std::size_t>(found.size(), 6);
  for (std::size_t k = 0; k < searches; ++k) {
    const auto share = [&](double of_this) {
      tell(of_choice + (1 - of_choice) * (static_cast<double>(k) + of_this) / static_cast<double>(searches));
    };
    Program p = formulate(found[k].choices);
    const int size = p.net.cost() + 1;
    p.net = search(std::move(p.net), {.seed = k + 1,
                                      .rounds = static_cast<int>(effort * 300000. / size),
                                      .temperature = size < 150 ? 2. : 0.4,
                                      .progress = share});
    const int cost = p.net.cost();
    if (k > 0 && cost >= best_cost) continue;
    best = std::move(p);
    best_cost = cost;
  }
  return best;
}

}  // namespace armature::codegen
