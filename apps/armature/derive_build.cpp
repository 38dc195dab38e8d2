// armature derive ARM --build: the arm's functions as a shared object that other verbs load with --kernels.
#include <fmt/format.h>

#include "armature/codegen/compiled/kernel_library.hpp"
#include "armature/codegen/compiled/shared_object.hpp"
#include "armature/core/error.hpp"
#include "armature/version.hpp"
#include "command_line.hpp"
#include "derive_ways.hpp"
#include "json_out.hpp"
#include "output_file.hpp"

namespace armature::app {

int derive_build(const LoadedArm& loaded, const std::optional<std::string>& out, double effort, bool json) {
  if (!out) throw Error("--build needs a file to write", "add -o FILE.so");
  if (*out == "-") throw Error("a shared object is loaded from a file", "add -o FILE.so", {"standard output"});
  OutputFile file(*out);  // says at once that it cannot be written
  const std::string source = kernel_source(loaded.arm, ARMATURE_VERSION, "", {.effort = effort});
  file.write(compile_shared_object(source));
  file.commit();
  (void)loaded.arm.with_kernels(load_kernels(*out));  // it is what it should be
  const std::string sum = fmt::format("{:016x}", checksum(loaded.arm));
  if (json)
    print_json({{"arm", loaded.arm.name()}, {"out", *out}, {"checksum", sum}, {"warnings", loaded.warnings}});
  else
    fmt::print("{}: functions of '{}' (checksum {}); use them with --kernels {}\n", *out, loaded.arm.name(), sum, *out);
  return exit_done;
}

}  // namespace armature::app
