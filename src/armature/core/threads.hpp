// Work shared by threads.
#pragma once

#include <functional>

#include "armature/rooms.hpp"

namespace armature::core {

/// Calls `work` on this thread and on as many others as make `threads` in all, and returns when every call has. Where the
/// system gives fewer threads, those there are do it: `work` takes its pieces from a common counter. The first exception comes
/// out here.
void on_threads(int threads, const std::function<void()>& work);

}  // namespace armature::core
