#include "armature/core/threads.hpp"
#include "armature/testing/doctest.hpp"

#include <sys/resource.h>

#include <atomic>
#include <stdexcept>

using namespace armature::core;

TEST_CASE("every piece of work is done once, however many threads are asked for") {
  for (const int threads : {0, 1, 2, 7, 64}) {
    std::atomic<int> next = 0, sum = 0;
    on_threads(threads, [&] {
      for (int k = next++; k < 100; k = next++) sum += k;
    });
    CHECK(sum == 4950);
  }
}

TEST_CASE("an exception in any thread comes out where the work was asked for") {
  std::atomic<int> calls = 0;
  CHECK_THROWS_AS(on_threads(4,
                             [&] {
                               if (calls++ == 0) throw std::runtime_error("first");
                             }),
                  std::runtime_error);
}

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)  // it needs more addresses than this leaves
TEST_CASE("where no thread can be made the work is done all the same") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  rlimit tight = before;
  tight.rlim_cur = 2UL << 30U;  // each thread reserves 8 MiB of addresses
  REQUIRE(setrlimit(RLIMIT_AS, &tight) == 0);
  std::atomic<int> next = 0, sum = 0;
  on_threads(4000, [&] {
    for (int k = next++; k < 100; k = next++) sum += k;
  });
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(sum == 4950);
}
#endif
