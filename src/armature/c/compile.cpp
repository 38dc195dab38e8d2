#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "armature/c/boundary.hpp"
#include "armature/c/internal/derive_settings.hpp"
#include "armature/c/internal/handles.hpp"
#include "armature/codegen/compiled/kernel_library.hpp"
#include "armature/codegen/compiled/shared_object.hpp"
#include "armature/formats/whole_file.hpp"
#include "armature/version.hpp"

namespace armature::c {

namespace {

/// Of the processor: functions use all its instructions, and a folder may be shared by several machines.
std::size_t processor_tag() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("flags") || line.starts_with("Features")) return std::hash<std::string>()(line);
  return 0;
}

/// Null where there are none, or none that can be used.
std::shared_ptr<const Kernels> kept_kernels(const std::string& file) {
  if (!std::filesystem::exists(file)) return nullptr;
  try {
    return load_kernels(file);
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

}  // namespace armature::c

using namespace armature::c;

armature_status armature_arm_compile(const armature_arm* arm, const char* folder, const char* const* settings,
                                     size_t count, armature_arm** compiled) {
  return guarded([&] {
    armature_arm*& out = needed(compiled, "compiled");
    const armature_arm& handle = needed(arm, "arm");
    const std::filesystem::path cache(&needed(folder, "folder"));
    const double effort = effort_of(setting_pairs(settings, count));
    std::error_code failure;
    std::filesystem::create_directories(cache, failure);
    if (failure)
      throw Error("cannot be made: " + failure.message(), "choose a folder where you may write", {cache.string()});
    const std::string file = (cache / fmt::format("{:016x}-{:016x}-{}-{:g}.so", checksum(handle.arm), processor_tag(),
                                                  ARMATURE_VERSION, effort))
                                 .string();
    std::shared_ptr<const Kernels> kernels = kept_kernels(file);
    if (!kernels) {
      write_whole_file(file,
                       compile_shared_object(kernel_source(handle.arm, ARMATURE_VERSION, "", {.effort = effort})));
      kernels = load_kernels(file);
    }
    auto made = std::make_unique<armature_arm>(handle);
    made->arm = handle.arm.with_kernels(std::move(kernels));
    out = made.release();
  });
}
