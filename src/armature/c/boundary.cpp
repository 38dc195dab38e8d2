#include "armature/c/boundary.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>

#include "armature/version.hpp"

namespace armature::c {

namespace {

/// Of one thread. Where there is no memory even for the sentence, `fixed` is what can be said.
struct LastError {
  std::string text, place, finding, hint;
  const char* fixed = nullptr;
};
thread_local LastError last_error;

constexpr const char* no_memory = "out of memory";

void keep(const char* text, std::string place, std::string finding, std::string hint) noexcept {
  try {
    last_error = {text, std::move(place), std::move(finding), std::move(hint), nullptr};
  } catch (...) {
    last_error.fixed = no_memory;
  }
}

void keep_fixed(const char* text) noexcept {
  last_error.text.clear();
  last_error.place.clear();
  last_error.finding.clear();
  last_error.hint.clear();
  last_error.fixed = text;
}

[[noreturn]] void refuse(const std::string& path) {
  throw Error(std::string("cannot be written: ") + std::strerror(errno), "choose a place where you may write", {path});
}

}  // namespace

armature_status status_of_exception() noexcept {
  try {
    throw;
  } catch (const Stopped&) {
    keep_fixed("stopped");
    return ARMATURE_STOPPED;
  } catch (const Error& error) {
    keep(error.what(), to_string(error.place()), error.finding(), error.hint());
    return ARMATURE_WRONG_INPUT;
  } catch (const std::bad_alloc&) {
    keep_fixed(no_memory);
    return ARMATURE_NO_MEMORY;
  } catch (const std::length_error&) {  // more than any memory holds
    keep_fixed(no_memory);
    return ARMATURE_NO_MEMORY;
  } catch (const std::exception& error) {
    keep(error.what(), "", error.what(), "this is a defect of the library: please report it");
    return ARMATURE_INTERNAL;
  } catch (...) {
    keep_fixed("an exception of an unknown kind");
    return ARMATURE_INTERNAL;
  }
}

void write_whole_file(const std::string& path, const std::string& text) {
  namespace fs = std::filesystem;
  if (path.empty()) throw Error("the name of the file is empty", "name a file");
  std::error_code failure;
  if (fs::is_directory(path, failure)) throw Error("is a folder", "name a file in it", {path});
  const fs::path target = fs::exists(path, failure) ? fs::canonical(path) : fs::path(path);
  std::string temporary = (target.parent_path() / ".armature-XXXXXX").string();
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) refuse(path);
  std::FILE* file = fdopen(descriptor, "wb");
  bool done = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
              std::fflush(file) == 0 && (fsync(descriptor) == 0 || errno == EINVAL);  // before it gets its name
  done = (file ? std::fclose(file) : close(descriptor)) == 0 && done;
  fs::permissions(temporary,
                  fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read | fs::perms::others_read,
                  failure);
  done = done && std::rename(temporary.c_str(), target.c_str()) == 0;
  if (done) return;
  const int reason = errno;
  unlink(temporary.c_str());
  errno = reason;
  refuse(path);
}

}  // namespace armature::c

using armature::c::last_error;

const char* armature_version(void) { return ARMATURE_VERSION; }

const char* armature_error(void) { return last_error.fixed ? last_error.fixed : last_error.text.c_str(); }
const char* armature_error_place(void) { return last_error.place.c_str(); }
const char* armature_error_finding(void) { return last_error.fixed ? last_error.fixed : last_error.finding.c_str(); }
const char* armature_error_hint(void) { return last_error.hint.c_str(); }
