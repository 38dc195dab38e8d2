#include "armature/core/threads.hpp"

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace armature::core {

void on_threads(int threads, const std::function<void()>& work) {
  std::exception_ptr failure;
  std::mutex failing;
  const auto call = [&]() noexcept {
    try {
      work();
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      others.reserve(static_cast<std::size_t>(threads > 1 ? threads - 1 : 0));
      for (int i = 1; i < threads; ++i) others.emplace_back(call);
    } catch (const std::system_error&) {  // no more threads: those there are go on
    } catch (const std::bad_alloc&) {
    }
    call();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace armature::core
