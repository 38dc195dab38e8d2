# armature_room(NAME [BATCH n] [FOLDERS folder...] SEES room... LINKS target... [TEST_LINKS target...] [TESTS_ONLY])
#
# A room is a folder src/armature/NAME. Its *.cpp become the target armature_NAME, its *.test.cpp the program test_NAME. What only the
# room itself uses stands in NAME/internal and is not installed. A large room is divided into FOLDERS, one an idea, each with an
# internal of its own. Its names live in namespace armature::NAME, which finds those of the rooms it sees (armature_namespaces).
# SEES lists the rooms it may include; LINKS the outside libraries (after the word PRIVATE: not seen by users of the room),
# TEST_LINKS those of its test program. BATCH: how many files are compiled at a time (armature_batches; 8 unless told).
set_property(GLOBAL PROPERTY armature_rooms "")

function(armature_room name)
  cmake_parse_arguments(ROOM "TESTS_ONLY" "BATCH" "FOLDERS;SEES;LINKS;TEST_LINKS" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/src/armature/${name})
  set(folders ${folder} ${folder}/internal)
  foreach(idea IN LISTS ROOM_FOLDERS)
    list(APPEND folders ${folder}/${idea} ${folder}/${idea}/internal)
  endforeach()
  list(TRANSFORM folders APPEND /*.cpp OUTPUT_VARIABLE patterns)
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "[.]test[.]cpp$")
  list(FILTER sources EXCLUDE REGEX "[.]test[.]cpp$")

  set(target armature_${name})
  set(scope PUBLIC)
  if(sources)
    add_library(${target} STATIC ${sources})
    if(ROOM_TESTS_ONLY AND NOT ARMATURE_TESTS) # compiled where something asks for it, such as the benchmarks
      set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:armature_flags>)
    armature_precompiles(${target})
    if(NOT DEFINED ROOM_BATCH)
      set(ROOM_BATCH 8)
    endif()
    armature_batches(${target} ${ROOM_BATCH})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated> $<INSTALL_INTERFACE:include>)
  target_compile_features(${target} ${scope} cxx_std_20)
  foreach(room IN LISTS ROOM_SEES)
    target_link_libraries(${target} ${scope} armature_${room})
  endforeach()
  set(link_scope ${scope})
  foreach(item IN LISTS ROOM_LINKS)
    if(item STREQUAL "PRIVATE")
      if(sources)
        set(link_scope PRIVATE)
      endif()
    else()
      target_link_libraries(${target} ${link_scope} ${item})
    endif()
  endforeach()

  if(NOT ROOM_TESTS_ONLY)
    set_property(GLOBAL APPEND PROPERTY armature_rooms ${name})
  endif()
  armature_finds(${name} ${ROOM_SEES})
  if(ARMATURE_TESTS AND tests)
    set_property(GLOBAL APPEND PROPERTY armature_tests ${name})
    set_property(GLOBAL PROPERTY armature_tests_of_${name} ${tests})
    set_property(GLOBAL PROPERTY armature_test_links_of_${name} ${ROOM_TEST_LINKS})
  endif()
endfunction()

function(armature_finds space)
  set(text "namespace ${space} {\n")
  foreach(room IN LISTS ARGN)
    string(APPEND text "using namespace ${room};\n")
  endforeach()
  set_property(GLOBAL APPEND_STRING PROPERTY armature_namespaces "${text}}  // namespace ${space}\n")
endfunction()

# <armature/rooms.hpp>: a room finds the names of the rooms it sees without naming them, and its own come first.
function(armature_namespaces)
  get_property(rooms GLOBAL PROPERTY armature_rooms)
  set_property(GLOBAL APPEND_STRING PROPERTY armature_namespaces "\n/// The names of all rooms, for a program above them that would rather not say each room's name.\n")
  armature_finds(rooms ${rooms})
  get_property(text GLOBAL PROPERTY armature_namespaces)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/armature/rooms.hpp @ONLY CONTENT
"// Written by cmake/rooms.cmake: one namespace per room; in each, the names of the rooms it sees are found, its own first.
#pragma once

namespace armature {
@text@
}  // namespace armature
")
endfunction()

# All rooms and the functions of the built-in arms as one target, and one test program a room (they may use the room `testing`).
function(armature_library)
  add_library(armature INTERFACE)
  add_library(armature::armature ALIAS armature)
  get_property(rooms GLOBAL PROPERTY armature_rooms)
  foreach(room IN LISTS rooms)
    target_link_libraries(armature INTERFACE armature_${room})
  endforeach()
  target_link_libraries(armature INTERFACE armature_kernels)
  if(NOT ARMATURE_TESTS)
    return()
  endif()
  find_package(doctest REQUIRED)
  get_property(tested GLOBAL PROPERTY armature_tests)
  file(WRITE ${PROJECT_BINARY_DIR}/generated/test_main.cpp.in
       "#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n#include <doctest/doctest.h>\n")
  configure_file(${PROJECT_BINARY_DIR}/generated/test_main.cpp.in ${PROJECT_BINARY_DIR}/generated/test_main.cpp COPYONLY)
  add_library(armature_test_main STATIC ${PROJECT_BINARY_DIR}/generated/test_main.cpp)
  target_link_libraries(armature_test_main PUBLIC doctest::doctest)
  foreach(room IN LISTS tested)
    get_property(sources GLOBAL PROPERTY armature_tests_of_${room})
    get_property(links GLOBAL PROPERTY armature_test_links_of_${room})
    add_executable(test_${room} ${sources})
    target_link_libraries(test_${room} PRIVATE armature_test_main armature_testing armature_${room} ${links} armature_flags)
    armature_precompiles(test_${room})
    armature_batches(test_${room} 4)
    add_test(NAME ${room} COMMAND test_${room} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    # The same with as many draws as it takes to be sure: ./dev long, that is ctest -C long -L long
    add_test(NAME ${room}_long CONFIGURATIONS long COMMAND test_${room} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${room}_long PROPERTIES LABELS long TIMEOUT 14400 ENVIRONMENT ARMATURE_LONG_TESTS=1)
  endforeach()
endfunction()
