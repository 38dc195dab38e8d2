#include "armature/testing/allocation/heap_calls.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>

// glibc's own names for what is replaced here; operator new calls malloc.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* block);
}

namespace {

std::atomic<std::uint64_t> calls{0};  // NOLINT: counts for the whole program
void count() { calls.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

extern "C" {
void* malloc(std::size_t size) { return count(), __libc_malloc(size); }
void* calloc(std::size_t number, std::size_t size) { return count(), __libc_calloc(number, size); }
void* realloc(void* block, std::size_t size) { return count(), __libc_realloc(block, size); }
void* memalign(std::size_t alignment, std::size_t size) { return count(), __libc_memalign(alignment, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) { return count(), __libc_memalign(alignment, size); }
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  count();
  *block = __libc_memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}
void free(void* block) {
  if (block) count();
  __libc_free(block);
}
}

namespace armature::testing {

std::uint64_t heap_calls() { return calls.load(std::memory_order_relaxed); }

}  // namespace armature::testing
