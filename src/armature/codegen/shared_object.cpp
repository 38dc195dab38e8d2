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

namespace armature::codegen {
namespace {

namespace fs = std::filesystem;

// A folder of our own that goes when we do.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code failed;
    std::string pattern = (fs::temp_directory_path(failed) / "armature-XXXXXX").string();
    if (failed || !mkdtemp(pattern.data()))
      throw Error("no folder for temporary files could be made", "is $TMPDIR writable?");
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

// The words of $CXX: one program, or a program and what it is to start, as in "ccache g++".
std::string shell_words(const std::string& command) {
  if (access(command.c_str(), X_OK) == 0) return shell_word(command);  // a path may hold blanks
  std::istringstream words(command);
  std::string word, text;
  while (words >> word) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
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

std::string compile_shared_object(const std::string& text, const CompileSettings& settings) {
  std::string compiler = settings.compiler;
  if (const char* cxx = std::getenv("CXX"); compiler.empty() && cxx) compiler = cxx;
  if (compiler.find_first_not_of(" \t") == std::string::npos) compiler = "c++";
  const ScratchFolder scratch;
  const std::string source = scratch / "generated.cpp", object = scratch / "generated.so",
                    messages = scratch / "messages";
  std::ofstream(source) << text;
  const std::string command =
      fmt::format("{} -std=c++17 {} -shared -fPIC -o {} {} > {} 2>&1", shell_words(compiler), settings.options,
                  shell_word(object), shell_word(source), shell_word(messages));
  std::ostringstream bytes;
  if (std::system(command.c_str()) != 0 || !(bytes << std::ifstream(object, std::ios::binary).rdbuf()))
    throw Error(
        fmt::format("the compiler '{}' did not accept the generated code:\n{}", compiler, first_lines(messages, 8)),
        "a C++17 compiler is needed; name one in $CXX");
  return std::move(bytes).str();
}

}  // namespace armature::codegen
