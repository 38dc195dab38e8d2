#include "armature/c/boundary.hpp"

#include <new>
#include <stdexcept>
#include <utility>

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

}  // namespace armature::c

using armature::c::last_error;

const char* armature_version(void) { return ARMATURE_VERSION; }

const char* armature_error(void) { return last_error.fixed ? last_error.fixed : last_error.text.c_str(); }
const char* armature_error_place(void) { return last_error.place.c_str(); }
const char* armature_error_finding(void) { return last_error.fixed ? last_error.fixed : last_error.finding.c_str(); }
const char* armature_error_hint(void) { return last_error.hint.c_str(); }
