#include "armature/codegen/network/internal/factor.hpp"

#include <cmath>

#include "armature/codegen/network/internal/search.hpp"
#include "armature/codegen/network/program.hpp"
#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::codegen;

namespace {

const Signal inputs{"x", 8, 1, "numbers"};

// A random sum of products of the inputs and of earlier results.
Program random_program(Random& random) {
  ExprGraph graph;
  const ExprScope scope(graph);
  std::vector<Expr> pool = symbols(inputs);
  for (int k = 0; k < 3; ++k) {
    pool.push_back(sin(pool[k]));
    pool.push_back(cos(pool[k]));
  }
  pool.push_back(sin(pool[0] + pool[1]));
  pool.push_back(cos(pool[0] + pool[1]));
  const auto any = [&] { return pool[random.bits() % pool.size()]; };
  for (int k = 0; k < 12; ++k) {
    Expr sum = static_cast<double>(random.bits() % 3);
    for (std::uint64_t t = 0; t < 2 + random.bits() % 4; ++t)
      sum = sum + Expr(std::round(random.uniform(-3, 3))) * any() * any();
    if (sum == Expr() || random.uniform() < 0.1) sum = 1. / (3. + any() * any());
    pool.push_back(sum);
  }
  return make_program("f", {inputs}, {{"y", 4, 1, ""}}, std::vector<Expr>(pool.end() - 4, pool.end()));
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    worst = std::max(worst, std::abs(a[k] - b[k]) / std::max(1., std::abs(b[k])));
  return worst;
}

int cost_after(const std::vector<Expr>& outputs) {
  Network net = Network::from(outputs);
  factor(net, 1);
  while (resubstitute(net)) factor(net, 1);
  return net.cost();
}

}  // namespace

TEST_CASE("factoring saves what a person would save") {
  ExprGraph graph;
  const ExprScope scope(graph);
  const Expr a = graph.symbol("a"), b = graph.symbol("b"), c = graph.symbol("c"), x = graph.symbol("x"),
             y = graph.symbol("y");
  CHECK(cost_after({x * a + x * b}) == 2);                      // x (a + b)
  CHECK(cost_after({x * a + x * b + x * c}) == 3);              // x (a + b + c)
  CHECK(cost_after({a * b * x, a * b * y}) == 3);               // t = a b
  CHECK(cost_after({3. * a * x, 3. * a * y}) == 3);             // t = 3 a
  CHECK(cost_after({(a + b) * x + c, (a + b) * y - c}) == 5);   // t = a + b
  CHECK(cost_after({2. * a + 3. * b, 4. * a + 6. * b}) == 4);   // the second is twice the first
  CHECK(cost_after({a + b, a + 2. * b}) == 2);                  // the second is the first + b
  CHECK(cost_after({x * a + x * b, y * a + y * b}) == 3);       // t = a + b
  CHECK(cost_after({sin(a) * cos(b) + cos(a) * sin(b)}) == 2);  // sin(a + b)
  CHECK(cost_after({a / x, b / x, c / x}) == 4);                // one division
}

TEST_CASE("no step of the search changes a value") {
  Random random(3);
  for (int trial = 0; trial < 60; ++trial) {
    const Program original = random_program(random);
    std::vector<double> in;
    for (int k = 0; k < inputs.size(); ++k) in.push_back(random.uniform(-2, 2));
    const std::vector<double> expected = evaluate(original, in);
    Program p = original;
    const auto still_equal = [&] { CHECK(difference(evaluate(p, in), expected) < 1e-11); };
    factor(p.net, static_cast<std::uint64_t>(trial));
    still_equal();
    CHECK(p.net.cost() <= original.net.cost());
    rescale(p.net, static_cast<std::uint64_t>(trial));
    still_equal();
    resubstitute(p.net);
    still_equal();
    for (NodeId id = 0; id < p.net.nodes.size(); ++id)
      if (p.net.nodes[id].kind == NetNode::Kind::sum) p.net.expand(id, 50);
    still_equal();
    p.net.tidy();
    still_equal();
    p.net.compact();
    still_equal();
    p.net = search(original.net, {.seed = 1, .rounds = 50});
    still_equal();
    CHECK(p.net.cost() <= original.net.cost());
  }
}
