# cmake -DIN=rollout.hpp -DOUT=rollout_header.cpp -P embed_rollout.cmake
file(READ "${IN}" content)
file(WRITE "${OUT}" "// Written by cmake/embed_rollout.cmake from codegen/compiled/rollout.hpp.
#include \"armature/codegen/compiled/rollout_text.hpp\"

namespace armature::codegen {

#pragma GCC diagnostic ignored \"-Woverlength-strings\"  // clang's; it is one string
std::string_view rollout_header() { return R\"__rollout__(")
file(APPEND "${OUT}" "${content}")
file(APPEND "${OUT}" ")__rollout__\"; }

}  // namespace armature::codegen
")
