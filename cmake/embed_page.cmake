# cmake -DIN=page.html -DOUT=page_template.cpp -P embed_page.cmake
file(READ "${IN}" content)
file(WRITE "${OUT}" "// Written by cmake/embed_page.cmake from web/dist/page.html.
#include \"armature/report/page.hpp\"

namespace armature::report {

#pragma GCC diagnostic ignored \"-Woverlength-strings\"  // clang's; it is one string
std::string_view page_template() { return R\"__page__(")
file(APPEND "${OUT}" "${content}")
file(APPEND "${OUT}" ")__page__\"; }

}  // namespace armature::report
")
