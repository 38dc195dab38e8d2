# How everything here is compiled.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

find_program(ARMATURE_CCACHE ccache)
if(ARMATURE_CCACHE) # with the licence it needs to work with precompiled headers
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${ARMATURE_CCACHE})
endif()

# g++ 12 cries wolf at -O3: over std::string, and over the sizes of matrices with a maximum.
set(ARMATURE_FALSE_ALARMS -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)

# g++ compiles several files of a target at a time: headers are read and templates instantiated once for all of them, which saves
# up to half of their cost in a build from nothing. So a name in an unnamed namespace is unique in its room, and a macro ends with its file (#undef).
# clang compiles file by file: each must stand alone. There a local name may not hide one of the file's either; in a batch that one may
# be another file's.
set(batches OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(batches ON)
endif()
option(ARMATURE_BATCHES "compile several files of a target at a time" ${batches})
set(ARMATURE_SHADOW -Wshadow)
if(ARMATURE_BATCHES AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(ARMATURE_SHADOW -Wshadow=local)
endif()
function(armature_batches target size) # 1: no batches, for files that share little
  if(ARMATURE_BATCHES AND size GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  endif()
endfunction()

# -ffp-contract=off keeps results equal between compilers; the native preset gives that up for speed.
add_library(armature_flags INTERFACE)
target_compile_options(armature_flags INTERFACE -Wall -Wextra -Wpedantic ${ARMATURE_SHADOW} -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers -Wno-maybe-uninitialized -Werror
  "$<$<CONFIG:Release>:${ARMATURE_FALSE_ALARMS}>"
  $<$<CXX_COMPILER_ID:Clang>:-Wno-unknown-warning-option>)
# g++ tidies its memory less often: it has a gigabyte before it begins, and takes a twentieth less time.
target_compile_options(armature_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
# The largest matrix on the stack is a regressor of eight packed states (Eigen's own limit is 128 KiB).
set(ARMATURE_STACK_LIMIT EIGEN_STACK_ALLOCATION_LIMIT=262144)
target_compile_definitions(armature_flags INTERFACE ${ARMATURE_STACK_LIMIT})
if(ARMATURE_NATIVE)
  target_compile_options(armature_flags INTERFACE -march=native)
  if(ARMATURE_BENCH)
    # Eigen's objects and heap blocks as in the distribution's libraries, which know no wider vectors: KDL and DART hand us theirs.
    # Only armature_bench is made for that (bench/aligned_heap.cpp).
    target_compile_definitions(armature_flags INTERFACE EIGEN_MAX_ALIGN_BYTES=16 EIGEN_MALLOC_ALREADY_ALIGNED=1)
  endif()
else()
  target_compile_options(armature_flags INTERFACE -ffp-contract=off)
  # What users install is compiled as what is tested: -O3 makes it a fifth larger (a wheel has 6 MB) and the dynamics no faster.
  string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endif()

# Eigen, fmt and the standard library are parsed once, not once a file: armature_precompiles(TARGET) after its flags are set.
# Test programs find doctest too. A header must still compile alone; tools/check_headers.py sees to that.
function(armature_precompiled_headers name)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${name}.cpp CONTENT "// The library that owns precompiled headers.\n") # kept as it is where it is the same
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  target_link_libraries(${name} PRIVATE armature_flags Eigen3::Eigen fmt::fmt)
  target_precompile_headers(${name} PRIVATE
    <algorithm> <array> <cmath> <filesystem> <functional> <map> <memory> <optional> <span> <string> <string_view> <variant> <vector>
    <Eigen/Dense> <fmt/format.h> ${ARGN})
  target_compile_options(${name} PUBLIC $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()

# What computes is optimized as the preset says. Where that is -O2, tests, studies and the rooms that read, write, print and
# put parts together are compiled with less effort (a third less time, the same bits). Where people install the program, its verbs and
# those of these that nobody waits for are compiled for size: a third less of them in every wheel.
set(ARMATURE_LIGHT "")
if(CMAKE_CXX_FLAGS MATCHES "-O2")
  set(ARMATURE_LIGHT -O1)
endif()
set(ARMATURE_SMALL_TARGETS verbs studies scenario report c)
set(ARMATURE_LIGHT_TARGETS ${ARMATURE_SMALL_TARGETS} record formats run campaign testing)

function(armature_precompiles target)
  string(REPLACE "armature_" "" name ${target})
  set(more)
  set(effort)
  if(target MATCHES "^test_")
    set(owner armature_precompiled_tests)
    set(more <doctest/doctest.h>)
    set(effort ${ARMATURE_LIGHT})
  elseif(name IN_LIST ARMATURE_SMALL_TARGETS OR (ARMATURE_LIGHT AND name IN_LIST ARMATURE_LIGHT_TARGETS))
    set(owner armature_precompiled_light)
    set(effort ${ARMATURE_LIGHT} $<$<CONFIG:Release>:-Os>)
  else()
    set(owner armature_precompiled)
  endif()
  target_compile_options(${target} PRIVATE ${effort})
  if(NOT TARGET ${owner})
    armature_precompiled_headers(${owner} ${more})
    target_compile_options(${owner} PRIVATE ${effort})
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE") # as position-independent as the libraries: g++ refuses headers precompiled with another flag
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()
