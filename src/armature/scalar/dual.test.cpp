#include "armature/scalar/dual.hpp"

#include <functional>

#include "armature/core/random.hpp"
#include "armature/testing/doctest.hpp"

using namespace armature::scalar;

TEST_CASE("a dual's slope is the derivative that differences approach") {
  struct Function {
    const char* name;
    std::function<Dual(Dual)> f;
  };
  const Function functions[] = {
      {"x*x/(1+x)", [](Dual x) { return x * x / (1 + x); }},
      {"sin cos", [](Dual x) { return sin(x) * cos(2 * x) - x; }},
      {"sqrt exp", [](Dual x) { return sqrt(x) + exp(-x); }},
      {"tanh atan2", [](Dual x) { return tanh(x) * atan2(x, 2 - x * x); }},
  };
  Random random(3);
  for (const auto& [name, f] : functions) {
    CAPTURE(name);
    for (int i = 0; i < 100; ++i) {
      const double x = random.uniform(0.1, 3), h = 1e-5;
      const double difference = (f(x + h).value - f(x - h).value) / (2 * h);
      CHECK(f(Dual(x, 1)).slope == doctest::Approx(difference).epsilon(1e-8));
    }
  }
}
