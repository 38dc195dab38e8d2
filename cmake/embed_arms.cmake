# cmake -DOUT=catalogue_data.cpp -P embed_arms.cmake -- arm.yaml...
#
# Writes a source file that holds the arm files, so that the program needs no data folder.
set(text "// Written by cmake/embed_arms.cmake from arms/*.yaml.\n#include \"armature/formats/catalogue.hpp\"\n
namespace armature::formats {\n
std::vector<std::pair<std::string_view, std::string_view>> embedded_arms() {\n  return {\n")
set(files FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(files)
    get_filename_component(name "${CMAKE_ARGV${i}}" NAME_WE)
    file(READ "${CMAKE_ARGV${i}}" content)
    string(APPEND text "      {\"${name}\", R\"__yaml__(${content})__yaml__\"},\n")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(files TRUE)
  endif()
endforeach()
string(APPEND text "  };\n}\n\n}  // namespace armature::formats\n")
file(WRITE "${OUT}" "${text}")
