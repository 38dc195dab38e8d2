#include "laws.hpp"

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <memory>
#include <vector>

#include "armature/formats/catalogue.hpp"
#include "armature/testing/every_law.hpp"
#include "armature/testing/law_bench.hpp"
#include "armature/testing/random_arms.hpp"

namespace armature::bench {

namespace {

struct Tick {
  Measurement y;
  Reference r;
};

/// States of an arm that follows a motion a little behind it: a law sees them in turn.
std::vector<Tick> ticks(const Arm& arm) {
  Random random(7);
  const int n = arm.dof();
  std::vector<Tick> all(256);
  for (Tick& now : all) {
    const VecX<double> q = testing::random_vector(n, random, 1), qd = testing::random_vector(n, random, 1);
    now.r = testing::moving_at(arm, q, qd, testing::random_vector(n, random, 1));
    now.y.q = q + testing::random_vector(n, random, 0.01);
    now.y.qd = qd + testing::random_vector(n, random, 0.01);
    now.y.torque = VecX<double>::Zero(n);
    now.y.wrench[2] = random.uniform(-5, 5);
  }
  return all;
}

}  // namespace

void add_laws(const std::string& arm_name) {
  const Arm arm = catalogue_arm(arm_name, built_in_kernels());
  const auto states = std::make_shared<const std::vector<Tick>>(ticks(arm));
  for (testing::NamedLaw& named : testing::every_law(arm)) {
    const auto law = std::make_shared<AnyController>(std::move(named.law));
    benchmark::RegisterBenchmark(fmt::format("tick of a control law/{}, {}/Armature", named.name, arm_name).c_str(),
                                 [states, law](benchmark::State& timer) {
                                   law->reset(states->front().y);
                                   VecX<double> tau;
                                   std::size_t k = 0;
                                   for (auto _ : timer) {
                                     law->update((*states)[k].y, (*states)[k].r, 1e-3, tau);
                                     benchmark::ClobberMemory();
                                     if (++k == states->size()) k = 0;
                                   }
                                 })
        ->MinTime(0.02)
        ->Repetitions(15);
  }
}

}  // namespace armature::bench
