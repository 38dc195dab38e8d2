// Runs of a closed loop (rollout.hpp) whose numbers and metrics lie in the memory of a device: plain C++ that nvcc compiles as well.
//
// Beside what rollout.hpp asks of it a loop has (campaign/device_rollout.cpp writes it):
//
//   static constexpr int inputs, lines, varied;  // arrays; numbers of the lines below; numbers that differ from run to run
//   template <class T> static void draw(const armature_device::Array* input, long k, const double* line, T* varied);
//   template <class T> static void tell(const Judged<T>& run, const armature_device::Array& result, long k);
#pragma once

#include <vector>

#include "armature/codegen/compiled/device_arrays.hpp"
#include "armature/codegen/compiled/rollout.hpp"
#include "armature/codegen/compiled/rollout_metrics.hpp"

namespace armature_rollout {

template <class Loop, class T>
struct Rollout {
  static constexpr int blocks = sizeof(T) == 4 ? 4 : 1;  // of a multiprocessor: fewer keep more in registers
  Common<Loop, T> common;
  double line[Loop::lines], sample;
  armature_device::Array array[Loop::inputs + 2];  // inputs, seeds, result
  uint64_t seed;
  const T* table;
  const double* rests;

  ARMATURE_DEVICE void operator()(long k) const {
    const Loop loop{};
    T varied[Loop::varied], number[Loop::most_numbers], figure[Loop::most_figures];
    loop.draw(array, k, line, varied);
    loop.fill(common.number, varied, 1, number);
    const armature_device::Array& seeds = array[Loop::inputs];
    const uint64_t own = seeds.data ? seeds.template at<uint64_t>(k, 0) : seed;
    roll(loop, common.clock, number, &own, table, figure);
    const int samples = common.clock.ticks / common.clock.every + 1;
    loop.tell(Judged<T>{layout_of(loop), figure, number, samples, sample, rests}, array[Loop::inputs + 1], k);
  }
};

/// `arrays`: the inputs, those without data being left to the scenario; seeds; the result. Null, or what went wrong.
template <class Loop, class T>
inline const char* rollouts(long runs, const Shared& shared, const armature_device::Array* arrays, void* stream) {
  Rollout<Loop, T> work;
  work.common = common_of<Loop, T>(Loop{}, shared.clock, shared.numbers);
  work.sample = shared.clock[4] * shared.clock[0];
  for (int i = 0; i < Loop::lines; ++i) work.line[i] = shared.line[i];
  for (int i = 0; i < Loop::inputs + 2; ++i) work.array[i] = arrays[i];
  work.seed = shared.seed;
  const Layout at = layout_of(Loop{});
  const size_t ticks = size_t(work.common.clock.ticks), samples = ticks / size_t(work.common.clock.every) + 1;
  const std::vector<T> table(shared.table, shared.table + (ticks + 1) * size_t(at.columns()));
  armature_device::Turn turn(arrays, Loop::inputs + 2, stream);
  work.table = turn.copied(table.data(), table.size());
  work.rests = turn.copied(shared.rests, samples * size_t(at.n));
  return turn.run(runs, work);
}

}  // namespace armature_rollout
