// Counts what a program asks of the heap. Linking heap_calls.cpp into a program replaces malloc and its relatives there.
#pragma once

#include <cstdint>

#include "armature/rooms.hpp"

namespace armature::testing {

/// Allocations and releases so far, by every thread, operator new and the C library included.
std::uint64_t heap_calls();

/// How many of them `work` makes.
template <class Work>
std::uint64_t heap_calls_of(Work&& work) {
  const std::uint64_t before = heap_calls();
  work();
  return heap_calls() - before;
}

}  // namespace armature::testing
