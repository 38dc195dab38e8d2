# cmake -DFOLDER=codegen/compiled -DOUT=rollout_header.cpp -P embed_rollout.cmake
# The three headers one after the other, as one text that includes none of the library's.
set(content "")
foreach(part rollout_layout rollout_numbers rollout)
  file(READ "${FOLDER}/${part}.hpp" text)
  string(REGEX REPLACE "#include \"[^\n]*\n" "" text "${text}")
  string(REPLACE "#pragma once\n" "" text "${text}")
  string(APPEND content "${text}")
endforeach()
file(WRITE "${OUT}" "// Written by cmake/embed_rollout.cmake from codegen/compiled/rollout.hpp and its two parts.
#include \"armature/codegen/compiled/rollout_text.hpp\"

namespace armature::codegen {

#pragma GCC diagnostic ignored \"-Woverlength-strings\"  // clang's; it is one string
std::string_view rollout_header() { return R\"__rollout__(")
file(APPEND "${OUT}" "${content}")
file(APPEND "${OUT}" ")__rollout__\"; }

}  // namespace armature::codegen
")
