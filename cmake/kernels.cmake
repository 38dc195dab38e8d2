# The dynamics of the built-in arms as code: rooms -> armature_generate -> one source an arm -> armature_kernels.
# built_in_kernels() (model/kernels.hpp) hands them out; without ARMATURE_KERNELS there are none to hand out.
set(folder ${PROJECT_BINARY_DIR}/generated/kernels)
set(sources "")
set(declarations "")
set(rows "")
if(ARMATURE_KERNELS)
  add_executable(armature_generate ${PROJECT_SOURCE_DIR}/tools/generate_kernels.cpp)
  target_link_libraries(armature_generate PRIVATE armature_codegen armature_formats armature_flags)
  armature_precompiles(armature_generate)
  # what the text of a kernel depends on besides the traced arm
  file(GLOB_RECURSE makers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/armature/codegen/*.?pp ${PROJECT_SOURCE_DIR}/src/armature/scalar/expr*.?pp)
  list(FILTER makers EXCLUDE REGEX "[.]test[.]cpp$|/rollout")
  list(JOIN makers "\n" lines)
  file(CONFIGURE OUTPUT ${folder}/makers.txt CONTENT "${lines}\n")
  file(GLOB arms CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/arms/*.yaml)
  foreach(file IN LISTS arms)
    get_filename_component(arm ${file} NAME_WE)
    add_custom_command(OUTPUT ${folder}/${arm}.cpp
      COMMAND armature_generate ${file} ${arm} ${folder}/makers.txt ${folder}/${arm}.cpp
      DEPENDS ${file} armature_generate ${folder}/makers.txt COMMENT "Deriving the dynamics of ${arm}" VERBATIM)
    list(APPEND sources ${folder}/${arm}.cpp)
    string(APPEND declarations "ARMATURE_DECLARE(${arm})\n")
    string(APPEND rows "  ARMATURE_KERNELS_OF(${arm})\n")
  endforeach()
endif()
file(CONFIGURE OUTPUT ${folder}/built_in_kernels.cpp @ONLY CONTENT [[// Written by cmake/kernels.cmake.
#include "armature/model/kernels.hpp"

#define ARMATURE_DECLARE(arm)                                                                             \
  extern "C" {                                                                                            \
  extern const unsigned long long armature_##arm##_checksum;                                              \
  void armature_##arm##_inverse_dynamics(const double*, const double*, const double*, double*);           \
  void armature_##arm##_forward_dynamics(const double*, const double*, const double*, double*);           \
  void armature_##arm##_mass_matrix(const double*, double*);                                              \
  void armature_##arm##_coriolis(const double*, const double*, double*);                                  \
  void armature_##arm##_gravity(const double*, double*);                                                  \
  }
#define ARMATURE_KERNELS_OF(arm)                                                                          \
  std::make_shared<const Kernels>(                                                                        \
      Kernels{armature_##arm##_checksum, "built in", armature_##arm##_inverse_dynamics,                   \
              armature_##arm##_forward_dynamics, armature_##arm##_mass_matrix, armature_##arm##_coriolis, \
              armature_##arm##_gravity}),

@declarations@
const armature::model::KernelSet& armature::model::built_in_kernels() {
  static const KernelSet kernels(std::vector<std::shared_ptr<const Kernels>>{
@rows@  });
  return kernels;
}
]])
add_library(armature_kernels STATIC ${folder}/built_in_kernels.cpp ${sources})
target_link_libraries(armature_kernels PUBLIC armature_model PRIVATE $<BUILD_INTERFACE:armature_flags>)
# Straight-line code of hundreds of operations: vectors and, from g++, an order by the registers it takes. panda's inverse dynamics needs
# 86 ns instead of 132 (clang 14: 95), to the same bits.
target_compile_options(armature_kernels PRIVATE -O3 $<$<CXX_COMPILER_ID:GNU>:-fschedule-insns -fsched-pressure>)
