# cmake -DFOLDER=codegen/compiled -DOUT=rollout_header.cpp -P embed_rollout.cmake
# Headers that texts carry with them, each list one after the other as one text that includes none of the library's.
function(joined result)
  set(content "")
  foreach(part ${ARGN})
    file(READ "${FOLDER}/${part}.hpp" text)
    string(REGEX REPLACE "#include \"[^\n]*\n" "" text "${text}")
    string(REPLACE "#pragma once\n" "" text "${text}")
    string(APPEND content "${text}")
  endforeach()
  # what nvcc knows by itself, for the functions that follow
  string(APPEND content "\n#ifndef __CUDACC__\n#include <math.h>\n#define __host__\n#define __device__\n#endif\n")
  set(${result} "${content}" PARENT_SCOPE)
endfunction()
joined(device device_arrays)
joined(rollout device_arrays rollout_layout rollout_numbers rollout rollout_metrics device_rollout_work)
file(WRITE "${OUT}" "// Written by cmake/embed_rollout.cmake from headers in codegen/compiled.
#include \"armature/codegen/compiled/device.hpp\"
#include \"armature/codegen/compiled/rollout_text.hpp\"

namespace armature::codegen {

#pragma GCC diagnostic ignored \"-Woverlength-strings\"  // clang's; it is one string
std::string_view device_header() { return R\"__device__(")
file(APPEND "${OUT}" "${device}")
file(APPEND "${OUT}" ")__device__\"; }
std::string_view rollout_header() { return R\"__rollout__(")
file(APPEND "${OUT}" "${rollout}")
file(APPEND "${OUT}" ")__rollout__\"; }

}  // namespace armature::codegen
")
