#include "armature/codegen/compiled/shared_object.hpp"

#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdint>
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
  const std::string source = scratch / (settings.cuda ? "generated.cu" : "generated.cpp"),
                    object = scratch / "generated.so", messages = scratch / "messages";
  std::ofstream(source) << text;
  const std::string command = fmt::format("{} -std=c++17 {} -shared {} -o {} {} > {} 2>&1", shell_words(compiler),
                                          settings.options, settings.cuda ? "-Xcompiler -fPIC" : "-fPIC",
                                          shell_word(object), shell_word(source), shell_word(messages));
  std::ostringstream bytes;
  if (std::system(command.c_str()) != 0 || !(bytes << std::ifstream(object, std::ios::binary).rdbuf()))
    throw Error(
        fmt::format("the compiler '{}' did not accept the generated code:\n{}", compiler, first_lines(messages, 8)),
        settings.cuda ? "a CUDA compiler of version 12 is needed; name one in $NVCC"
                      : "a C++17 compiler is needed; name one in $CXX");
  return std::move(bytes).str();
}

namespace {

fs::path cache_folder() {
  if (const char* own = std::getenv("ARMATURE_CACHE"); own && *own) return own;
  if (const char* shared = std::getenv("XDG_CACHE_HOME"); shared && *shared) return fs::path(shared) / "armature";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache" / "armature";
  throw Error("there is no folder for compiled code", "name one in $ARMATURE_CACHE");
}

std::uint64_t hash_of(const std::string& text) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

/// What `native` stands for: a folder may be shared by machines that are not alike.
std::string machine() {
  std::string text, line;
  for (std::ifstream in("/proc/cpuinfo"); std::getline(in, line);)
    if (line.starts_with("flags") || line.starts_with("Features")) {
      text += line;
      break;
    }
  std::error_code none;
  for (const fs::directory_entry& card : fs::directory_iterator("/proc/driver/nvidia/gpus", none))
    for (std::ifstream in(card.path() / "information"); std::getline(in, line);)
      if (line.starts_with("Model")) text += line;
  return text;
}

}  // namespace

std::string kept_shared_object(const std::string& key, const std::function<std::string()>& text,
                               const CompileSettings& settings) {
  const fs::path folder = cache_folder();
  const std::string whole =
      fmt::format("{}\n{}\n{}\n{}\n{}", key, settings.compiler, settings.options, settings.cuda, machine());
  const fs::path kept = folder / fmt::format("{:016x}.so", hash_of(whole));
  std::error_code problem;
  if (fs::exists(kept, problem)) return kept.string();
  const std::string bytes = compile_shared_object(text(), settings);
  fs::create_directories(folder, problem);
  const fs::path fresh = folder / fmt::format("{:016x}.{}", hash_of(whole), getpid());
  {
    std::ofstream out(fresh, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) {
      fs::remove(fresh, problem);
      throw Error("the compiled code cannot be kept", "is there room? another folder in $ARMATURE_CACHE",
                  {folder.string()});
    }
  }
  fs::rename(fresh, kept, problem);
  if (problem)
    throw Error("the compiled code cannot be kept: " + problem.message(), "another folder in $ARMATURE_CACHE",
                {folder.string()});
  return kept.string();
}

std::string find_nvcc() {
  const char* const named = std::getenv("NVCC");
  const auto there = [](const std::string& program) {
    return std::system(fmt::format("command -v {} > /dev/null 2>&1", shell_word(program)).c_str()) == 0;
  };
  if (named && *named) {
    if (there(named)) return named;
    throw Error(fmt::format("there is no CUDA compiler '{}'", named), "$NVCC names it");
  }
  for (const char* program : {"nvcc", "/usr/local/cuda/bin/nvcc"})
    if (there(program)) return program;
  throw Error("there is no CUDA compiler here (nvcc)",
              "install CUDA, or name the compiler in $NVCC; without --device cuda the threads of this machine do it");
}

}  // namespace armature::codegen
