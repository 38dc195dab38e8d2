#include "armature/codegen/shared_object.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "armature/core/error.hpp"

namespace armature {
namespace {

namespace fs = std::filesystem;

// A folder of our own that goes when we do.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "armature-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw Error("no folder for temporary files could be made", "is $TMPDIR writable?");
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string shell_word(const std::string& word) {
  std::string q = "'";
  for (const char c : word) q += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return q + "'";
}

std::string first_lines(const std::string& file, int count) {
  std::ifstream in(file);
  std::string line, text;
  while (count-- > 0 && std::getline(in, line)) text += line + "\n";
  return text;
}

}  // namespace

SharedObject::SharedObject(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_) {
    const char* why = dlerror();
    throw Error(fmt::format("'{}' cannot be loaded: {}", path, why ? why : "no reason given"),
                "derive it again with --build");
  }
}
SharedObject::~SharedObject() { dlclose(handle_); }
void* SharedObject::find(const std::string& name) const { return dlsym(handle_, name.c_str()); }

void compile_shared_object(const std::string& text, const std::string& path, const CompileSettings& settings) {
  std::string compiler = settings.compiler;
  if (const char* cxx = std::getenv("CXX"); compiler.empty() && cxx) compiler = cxx;
  if (compiler.empty()) compiler = "c++";
  const ScratchFolder scratch;
  const std::string source = scratch / "generated.cpp", object = scratch / "generated.so",
                    messages = scratch / "messages";
  std::ofstream(source) << text;
  const std::string command =
      fmt::format("{} -std=c++17 {} -shared -fPIC -o {} {} > {} 2>&1", shell_word(compiler), settings.options,
                  shell_word(object), shell_word(source), shell_word(messages));
  if (std::system(command.c_str()) != 0)
    throw Error(
        fmt::format("the compiler '{}' did not accept the generated code:\n{}", compiler, first_lines(messages, 8)),
        "a C++17 compiler is needed; name one in $CXX");
  // written beside its place and moved there, so that nobody loads half a file
  const std::string beside = path + ".new";
  fs::copy_file(object, beside, fs::copy_options::overwrite_existing);
  fs::rename(beside, path);
}

}  // namespace armature
