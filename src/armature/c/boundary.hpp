// Where C++ ends: exceptions become a status and a sentence.
#pragma once

#include <string>

#include "armature/armature.h"
#include "armature/core/error.hpp"

namespace armature::c {

/// Thrown where the progress callback ended the work and nothing can be used of it.
struct Stopped {};

/// Keeps what went wrong for armature_error(), and says which status it is. Call it while an exception is handled.
armature_status status_of_exception() noexcept;

/// Throws Error where a needed pointer is null; `what` names the argument.
template <class T>
T& needed(T* pointer, const char* what) {
  if (!pointer) throw Error(std::string("the argument '") + what + "' is a null pointer", "it is needed");
  return *pointer;
}

/// Runs the body of a function of armature.h.
template <class Body>
armature_status guarded(Body body) noexcept {
  try {
    body();
    return ARMATURE_OK;
  } catch (...) {
    return status_of_exception();
  }
}

/// Text `index` of a list that is made when it is first asked for; null behind the last, and where there is no memory to make it.
template <class List>
const char* listed(List list, std::size_t index) noexcept {
  try {
    const auto& texts = list();
    return index < texts.size() ? texts[index].c_str() : nullptr;
  } catch (...) {
    return nullptr;
  }
}

}  // namespace armature::c
