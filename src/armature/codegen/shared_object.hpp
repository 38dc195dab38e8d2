// Generated C++ compiled by the system's compiler and loaded into this program.
#pragma once

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
};

/// The bytes of a shared object compiled from C++17 text. Throws Error with the compiler's messages; leaves nothing behind.
std::string compile_shared_object(const std::string& text, const CompileSettings& settings = {});

}  // namespace armature::codegen
