// Generated C++ compiled by the system's compiler and loaded into this program.
#pragma once

#include <functional>
#include <string>

#include "armature/rooms.hpp"

namespace armature::codegen {

/// A loaded library; unloaded when the last copy goes.
class SharedObject {
 public:
  /// Throws Error with what the loader says.
  explicit SharedObject(const std::string& path);
  ~SharedObject();
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;

  /// The address of a name with C linkage, or null.
  [[nodiscard]] void* find(const std::string& name) const;

 private:
  void* handle_;
};

struct CompileSettings {
  std::string compiler;  // empty: $CXX, else c++; may be a program and its argument, "ccache g++"
  std::string options = "-O3 -march=native";
  bool cuda = false;  // the text is CUDA, and the compiler nvcc
};

/// The bytes of a shared object compiled from C++17 text. Throws Error with the compiler's messages; leaves nothing behind.
std::string compile_shared_object(const std::string& text, const CompileSettings& settings = {});

/// The path of a shared object that is kept for the next time, in $ARMATURE_CACHE or in the user's folder for such things. `key` tells
/// all that the text and the settings depend on; where none is kept under it, one is compiled from what `text` returns.
std::string kept_shared_object(const std::string& key, const std::function<std::string()>& text,
                               const CompileSettings& settings = {});

/// The CUDA compiler: $NVCC, nvcc, or the one in its usual folder. Throws Error where there is none.
std::string find_nvcc();

}  // namespace armature::codegen
