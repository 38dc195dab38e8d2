// Heap blocks that start where Eigen's products need them to, and that a plain free gives back.
//
// KDL and DART come compiled for any machine: their Eigen takes blocks from malloc and gives ours to free, so ours must be plain
// too (EIGEN_MALLOC_ALREADY_ALIGNED, cmake/build.cmake). But compiled for this machine, Eigen's products store whole vectors of up
// to 64 bytes at the start of such a block. The linker hands the calls of malloc and realloc in our objects to these (--wrap).
#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

extern "C" {

void* __wrap_malloc(std::size_t size) {  // NOLINT: the linker's name for it
  constexpr std::size_t boundary = 64;
  return std::aligned_alloc(boundary, std::max(boundary, (size + boundary - 1) / boundary * boundary));
}

void* __wrap_realloc(void* old, std::size_t size) {  // NOLINT: likewise
  void* fresh = __wrap_malloc(size);
  if (fresh != nullptr && old != nullptr) {
    std::memcpy(fresh, old, std::min(size, malloc_usable_size(old)));
    std::free(old);
  }
  return fresh;
}
}
